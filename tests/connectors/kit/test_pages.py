"""Pages with more attributes than pages have are refused before a tree of them is made, by whoever reads them."""

from __future__ import annotations

import pytest

from connectors.kit.pages import MOST, Overloaded, bounded
from connectors.nasdaq.flagging_text import of_html
from connectors.regulators import listings
from connectors.uk.nsm_text import plain
from connectors.us import index_page
from connectors.us.holders_text import flat


def page(count: int) -> bytes:
    """A page of one element with so many attributes."""
    return b"<html><body><p>x<a %s>y</a></p></body></html>" % b" ".join(
        b"a%d" % place for place in range(count)
    )


def test_a_page_of_fewer_attributes_passes_as_it_is() -> None:
    assert bounded(page(MOST)) == page(MOST)


def test_a_page_of_more_is_refused_with_their_number() -> None:
    with pytest.raises(Overloaded, match="an element of 1,001 attributes"):
        bounded(page(MOST + 1))


@pytest.mark.parametrize("before", [b"<div>" * 10_000, b"<!-- %s -->" % (b"x" * 11_000_000), b"\xe5\x00"])
def test_they_are_counted_behind_what_else_a_parser_could_stop_at(before: bytes) -> None:
    with pytest.raises(Overloaded):
        bounded(before + page(MOST + 1))


@pytest.mark.parametrize("body", [b"", b" ", b"\x00", b"no markup", b"<", b"\xff\xfe<\x00a\x00"])
def test_what_is_no_page_is_left_to_its_reader(body: bytes) -> None:
    assert bounded(body) is body


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
