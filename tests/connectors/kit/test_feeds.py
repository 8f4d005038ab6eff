"""Feeds: every field of both dialects, untidy ones, and those that are none, which cost no more than they may."""

from __future__ import annotations

from dataclasses import replace

import pytest

from connectors.kit import feeds
from connectors.kit.feeds import FeedEntry, FeedTag, NotFeedError
from tests.fuzz.case import Limits
from tests.fuzz.held import within
from tests.tables import check_cases

BEGUN = b'<?xml version="1.0"?><rss version="2.0"><channel><title>t</title><item><title>x</title></item>'


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"<item<category</item>I</category>", "cannot be taken apart"),
        (b'<a xmlns:dc="a\xa0/"><dc:a>', "cannot be taken apart"),
        (BEGUN + b"<item><title>a &#xd800; b</title></item></channel></rss>", "half a character"),
        (BEGUN + b"</channel></rss><p>added by a proxy", "breaks off"),
    ],
)
def test_markup_that_cannot_be_read_is_no_feed(body: bytes, reason: str) -> None:
    with pytest.raises(NotFeedError, match=reason):
        feeds.parse_feed(body)


def test_a_name_without_end_costs_no_more_than_another() -> None:
    written = BEGUN.replace(b"<title>x", b"<author>" + b"a" * 500_000 + b"</author><title>x")
    with within(Limits(5.0)):
        (entry,) = feeds.parse_feed(written + b"</channel></rss>").entries
    assert entry.title == "x"


def entry_of(inside: bytes) -> FeedEntry:
    (entry,) = feeds.parse_feed(BEGUN.replace(b"<title>x</title>", inside) + b"</channel></rss>").entries
    return entry


ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://x.org/news/"><title>t</title><entry>
<title type="html">a &amp;amp; &lt;b&gt;b&lt;/b&gt;</title><id>urn:1</id><link rel="self" href="self"/>
<link href="1.html"/><link type="application/json" href="1.json"/><updated>later</updated>
<author><name>A B</name><email>a@b.org</email></author><contributor><name>Acme</name></contributor>
<category term="t" scheme="s"/><category term="t" scheme="s"/><source><title>other</title><id>2</id></source>
<summary type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>one</p><p>two</p></div></summary></entry></feed>"""


def test_every_field_of_an_entry_of_atom_is_read() -> None:
    (entry,) = feeds.parse_feed(ATOM).entries
    assert replace(entry, summary="") == FeedEntry(
        title="a &amp; <b>b</b>",
        link="https://x.org/news/1.html",
        id="urn:1",
        author="A B (a@b.org)",
        time="later",
        summary="",
        language="",
        number="",
        contributors=("Acme",),
        tags=(FeedTag("t", "s"),),
    )
    assert entry.summary.split() == ["one", "two"]


@pytest.mark.parametrize(
    ("inside", "link"),
    [
        (b"<link>https://x/?a=1&amp;b=2</link><guid>https://x/g</guid>", "https://x/?a=1&b=2"),
        (b"<link><![CDATA[https://x/?a=1&amp;b=2]]></link>", "https://x/?a=1&b=2"),
        (b"<guid>https://x/g</guid>", "https://x/g"),
        (b'<guid isPermaLink="false">7</guid>', ""),
        (b"<link>http://[</link>", "http://["),
    ],
)
def test_the_link_of_an_entry_is_its_page(inside: bytes, link: str) -> None:
    assert entry_of(inside).link == link


@pytest.mark.parametrize(
    ("written", "title"),
    [
        (b"A & B &nbsp;&eacute; &copy D", "A & B \xa0\xe9 &copy D"),
        (b"A &#150; B", "A \u2013 B"),
        (b"<![CDATA[A & B]]> & C", "A & B & C"),
        (b"<b>A</b>B", "A B"),
    ],
)
def test_untidy_text_is_read_as_it_is_meant(written: bytes, title: str) -> None:
    assert entry_of(b"<title>" + written + b"</title>").title == title


def test_text_in_another_encoding_than_declared_is_no_repair_of_markup() -> None:
    found = feeds.parse_feed(BEGUN.replace(b"<title>x", b"<title>caf\xe9") + b"</channel></rss>")
    assert (found.entries[0].title, found.is_repaired) == ("caf\xe9", False)


@pytest.mark.parametrize("between", [b"", b"</channel></rss><rss><channel>"], ids=["no end", "two documents"])
def test_an_entry_after_one_without_end_or_in_a_second_document_is_read(between: bytes) -> None:
    body = BEGUN.replace(b"</item>", b"</item>" if between else b"") + between + b"<item><title>y</title></item>"
    found = feeds.parse_feed(body + b"</channel></rss>")
    assert ([entry.title for entry in found.entries], found.is_repaired) == (["x", "y"], True)


def test_a_name_of_an_undeclared_namespace_counts_by_its_prefix() -> None:
    assert entry_of(b"<dc:creator>LR-1</dc:creator>").author == "LR-1"


@pytest.mark.parametrize(
    ("told", "stamp"),
    [
        (b"<pubDate>today</pubDate>", "today"),
        (b"<pubDate></pubDate>", ""),
        (b'<pubDate></pubDate><a:updated xmlns:a="http://www.w3.org/2005/Atom">later</a:updated>', "later"),
        (b"", ""),
    ],
)
def test_when_an_entry_came_is_what_it_says_itself(told: bytes, stamp: str) -> None:
    assert entry_of(told).time == stamp


def test_a_feed_of_endless_elements_is_refused_before_they_are_counted_one_by_one() -> None:
    with within(Limits(2.0)), pytest.raises(NotFeedError, match="more than 200,000 elements"):
        feeds.parse_feed(BEGUN + b"<a>" * 1_000_000 + b"</channel></rss>")
    assert len(feeds.parse_feed(BEGUN + b"<a>" * 100 + b"</channel></rss>").entries) == 1


@check_cases(
    ("declared", "text", "title", "is_repaired"),
    [
        ("iso-8859-1", "São – é".encode(), "São – é", False),  # what is UTF-8 is no Latin-1 by chance
        ("windows-1252", "São".encode(), "São", False),
        ("iso-8859-1", "São".encode("latin-1"), "São", False),
        ("windows-1252", "São – é".encode("cp1252"), "São – é", False),
        ("iso-8859-15", "é €".encode("iso-8859-15"), "é €", False),
        ("utf-8", "São ".encode() + "– é".encode("cp1252"), "São – é", True),  # of two sources
        ("utf-8", "– é".encode("cp1252"), "– é", False),
    ],
)
def test_bytes_say_their_encoding_rather_than_the_declaration(
    declared: str, text: bytes, title: str, is_repaired: bool
) -> None:
    body = BEGUN.replace(b'"1.0"', f'"1.0" encoding="{declared}"'.encode()).replace(b"<title>x", b"<title>" + text)
    found = feeds.parse_feed(body + b"</channel></rss>")
    assert (found.entries[0].title, found.is_repaired) == (title, is_repaired)
