"""Feeds that are none: what the library stumbles over says so, and costs no more than it may."""

from __future__ import annotations

import pytest

from connectors.kit import feeds
from connectors.kit.feeds import NotFeedError
from tests.fuzz.case import Limits
from tests.fuzz.held import within

BEGUN = b'<?xml version="1.0"?><rss version="2.0"><channel><title>t</title><item><title>x</title></item>'


@pytest.mark.parametrize("body", [b"<item<category</item>I</category>", b'<a xmlns:dc="a\xa0/"><dc:a>'])
def test_markup_that_the_library_stumbles_over_is_no_feed(body: bytes) -> None:
    with pytest.raises(NotFeedError, match="cannot be taken apart"):
        feeds.parse_feed(body)


def test_a_name_without_end_costs_no_more_than_another() -> None:
    """The library looks for an address in it, once for every element that ends (9 seconds for 50 KB)."""
    written = BEGUN.replace(b"<title>x", b"<author>" + b"a" * 500_000 + b"</author><title>x")
    with within(Limits(5.0)):
        (entry,) = feeds.parse_feed(written + b"</channel></rss>").entries
    assert entry["title"] == "x"


def test_a_name_with_an_address_is_taken_apart_as_ever() -> None:
    written = BEGUN.replace(b"<title>x", b"<author>a@b.org (A B)</author><title>x")
    (entry,) = feeds.parse_feed(written + b"</channel></rss>").entries
    assert entry["author_detail"] == {"name": "A B", "email": "a@b.org"}


@pytest.mark.parametrize(
    ("told", "stamp"),
    [
        (b"<pubDate>today</pubDate>", "today"),
        (b"<pubDate></pubDate>", None),
        (b'<pubDate></pubDate><a:updated xmlns:a="http://www.w3.org/2005/Atom">later</a:updated>', "later"),
        (b"", None),
    ],
)
def test_when_an_entry_came_is_what_it_says_itself(told: bytes, stamp: str | None) -> None:
    (entry,) = feeds.parse_feed(BEGUN.replace(b"</item>", told + b"</item>") + b"</channel></rss>").entries
    assert feeds.entry_time(entry) == stamp


def test_a_feed_of_endless_elements_is_refused_before_they_are_counted_one_by_one() -> None:
    with within(Limits(2.0)), pytest.raises(NotFeedError, match="more than 200,000 elements"):
        feeds.parse_feed(BEGUN + b"<a>" * 1_000_000 + b"</channel></rss>")
    assert len(feeds.parse_feed(BEGUN + b"<a>" * 100 + b"</channel></rss>").entries) == 1
