"""Pages with more attributes than pages have are refused before a tree of them is made, by whoever reads them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import etree, html

import connectors
from connectors.kit.xml.html import MOST, TooManyAttributesError, parse_document, parse_fragment
from connectors.nasdaq.major_holdings.text import html_to_text
from connectors.regulators import list_pages
from connectors.uk.nsm.redact import to_plain_text
from connectors.us.filing_headers import index_page
from connectors.us.ownership.schedule13.parse_text import document_line
from tests.tables import check_cases

Tree = Callable[[bytes, html.HTMLParser], html.HtmlElement]


def page(count: int) -> bytes:
    """A page of one element with so many attributes."""
    return b"<html><body><p>x<a %s>y</a></p></body></html>" % b" ".join(b"a%d" % place for place in range(count))


def parser() -> html.HTMLParser:
    """A page's reader."""
    return html.HTMLParser(encoding="utf-8", no_network=True)


@pytest.mark.parametrize("tree", [parse_document, parse_fragment])
def test_a_page_of_fewer_attributes_is_read_with_all_of_them(tree: Tree) -> None:
    (link,) = tree(page(MOST), parser()).iter("a")
    assert len(link.attrib) == MOST


@pytest.mark.parametrize("tree", [parse_document, parse_fragment])
def test_a_page_of_more_is_refused_with_their_number(tree: Tree) -> None:
    with pytest.raises(TooManyAttributesError, match="an element of 1,001 attributes"):
        tree(page(MOST + 1), parser())


@pytest.mark.parametrize("before", [b"<div>" * 10_000, b"<!-- %s -->" % (b"x" * 11_000_000), b"\xe5\x00"])
def test_they_are_counted_behind_what_else_a_parser_could_stop_at(before: bytes) -> None:
    with pytest.raises(TooManyAttributesError):
        parse_document(before + page(MOST + 1), parser())


@check_cases("body", [b"", b" ", b"\x00", b"no markup", b"<", b"\xff\xfe<\x00a\x00"])
@check_cases(("tree", "own"), [(parse_document, html.document_fromstring), (parse_fragment, html.fromstring)])
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
    assert made == ["kit/xml/html.py"]


def test_every_reader_of_pages_refuses_it_in_its_own_way() -> None:
    body = page(MOST + 1)
    assert html_to_text(body) == ""
    assert to_plain_text(body.decode()) == ""
    assert document_line(body) == ""
    with pytest.raises(index_page.NotIndexPageError, match="attributes"):
        index_page.parse_index_page(body)
    with pytest.raises(ValueError, match="attributes"):
        list_pages.read_page(body, list_pages.LAYOUTS[0])


def test_every_reader_of_pages_reads_one_of_fewer() -> None:
    assert "y" in html_to_text(page(MOST))
    assert "y" in to_plain_text(page(MOST).decode())
    assert "y" in document_line(page(MOST))
