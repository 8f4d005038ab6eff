"""Pages with more attributes than pages have are refused before a tree of them is made, by whoever reads them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import etree, html

import connectors
from connectors.kit.pages import MOST, Overloaded, document, fragment
from connectors.nasdaq.flagging_text import of_html
from connectors.regulators import listings
from connectors.uk.nsm_text import plain
from connectors.us import index_page
from connectors.us.holders_text import flat
from tests.tables import check_cases

Tree = Callable[[bytes, html.HTMLParser], html.HtmlElement]


def page(count: int) -> bytes:
    """A page of one element with so many attributes."""
    return b"<html><body><p>x<a %s>y</a></p></body></html>" % b" ".join(
        b"a%d" % place for place in range(count)
    )


def parser() -> html.HTMLParser:
    """A page's reader."""
    return html.HTMLParser(encoding="utf-8", no_network=True)


@pytest.mark.parametrize("tree", [document, fragment])
def test_a_page_of_fewer_attributes_is_read_with_all_of_them(tree: Tree) -> None:
    (link,) = tree(page(MOST), parser()).iter("a")
    assert len(link.attrib) == MOST


@pytest.mark.parametrize("tree", [document, fragment])
def test_a_page_of_more_is_refused_with_their_number(tree: Tree) -> None:
    with pytest.raises(Overloaded, match="an element of 1,001 attributes"):
        tree(page(MOST + 1), parser())


@pytest.mark.parametrize("before", [b"<div>" * 10_000, b"<!-- %s -->" % (b"x" * 11_000_000), b"\xe5\x00"])
def test_they_are_counted_behind_what_else_a_parser_could_stop_at(before: bytes) -> None:
    with pytest.raises(Overloaded):
        document(before + page(MOST + 1), parser())


@check_cases("body", [b"", b" ", b"\x00", b"no markup", b"<", b"\xff\xfe<\x00a\x00"])
@check_cases(("tree", "own"), [(document, html.document_fromstring), (fragment, html.fromstring)])
def test_what_is_no_page_is_told_as_the_library_tells_it(body: bytes, tree: Tree, own: Any) -> None:
    try:
        due = etree.tostring(own(body, parser=parser()))
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        with pytest.raises(type(error)):
            tree(body, parser())
    else:
        assert etree.tostring(tree(body, parser())) == due


def test_nobody_else_makes_trees_of_pages() -> None:
    folder = Path(connectors.__file__).parent
    made = [
        str(path.relative_to(folder))
        for path in folder.rglob("*.py")
        if re.search(r"\bhtml\.(document_|fragment_|fragments_)?fromstring\(", path.read_text())
    ]
    assert made == ["kit/pages.py"]


def test_every_reader_of_pages_refuses_it_in_its_own_way() -> None:
    body = page(MOST + 1)
    assert of_html(body) == ""
    assert plain(body.decode()) == ""
    assert flat(body) == ""
    with pytest.raises(index_page.NoPage, match="attributes"):
        index_page.header(body)
    with pytest.raises(ValueError, match="attributes"):
        listings.read(body, listings.LAYOUTS[0])


def test_every_reader_of_pages_reads_one_of_fewer() -> None:
    assert "y" in of_html(page(MOST))
    assert "y" in plain(page(MOST).decode())
    assert "y" in flat(page(MOST))
