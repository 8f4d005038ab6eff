"""Feeds: bytes to items, times of every writing, and bodies that are none."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.contract.dataset import NotApplicable, RecognisedFile, UnreadableFileError
from connectors.kit.staging import SignalCounter
from connectors.regulators import common, feeds
from connectors.regulators import schema as regulators_schema
from connectors.regulators.common import RejectedAct
from connectors.regulators.feeds import ActFeed, FeedItem, NotFeedError
from connectors.regulators.schema import RegulatoryAct
from connectors.regulators.sec import DATASET, parse_act
from tests.connectors.regulators.feeding import Reading, piece_of, rss
from tests.tables import check_cases

ITEM = {
    "title": "Acme,  Inc. &amp; Ann",
    "link": "https://www.sec.gov/node/1\n",
    "description": "<p>Acme &amp; <b>Co</b></p>",
    "pubDate": "Tue, 18 Jun 2024 16:54:28 -0400",
    "dc:creator": "LR26018",
    "category": "One|Two",
    "guid": "https://www.sec.gov/aca080d5",
}
DUE = FeedItem(
    title="Acme, Inc. & Ann",
    link="https://www.sec.gov/node/1",
    guid="https://www.sec.gov/aca080d5",
    creator="LR26018",
    published_text="Tue, 18 Jun 2024 16:54:28 -0400",
    categories=("One", "Two"),
    text="Acme & Co",
)


def test_an_item() -> None:
    feed = feeds.parse_act_feed(rss([ITEM], "Litigation Releases"))
    assert feed == ActFeed("Litigation Releases", (DUE,), is_repaired=False)


def test_a_feed_written_again_is_the_same() -> None:
    feed = feeds.parse_act_feed(rss([ITEM, {"title": "B & <C>"}], "L"))
    assert feeds.parse_act_feed(feeds.to_rss(feed)) == feed


def test_an_atom_feed() -> None:
    body = (
        b'<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry><title>A</title><id>i</id>'
        b'<link href="https://www.fi.se/a"/><updated>2026-02-01T10:00:00+01:00</updated></entry></feed>'
    )
    [item] = feeds.parse_act_feed(body).items
    assert (item.title, item.link, item.published_text) == ("A", "https://www.fi.se/a", "2026-02-01T10:00:00+01:00")


@check_cases(
    ("stamp", "zone", "due"),
    [
        ("Tue, 18 Jun 2024 16:54:28 -0400", "UTC", (2024, 6, 18, 20, 54, 28)),
        ("18 Jun 2024 16:54 GMT", "UTC", (2024, 6, 18, 16, 54)),
        ("Tue, 18 Jun 2024 16:54:28 EST", "UTC", (2024, 6, 18, 21, 54, 28)),
        ("Mon, 27 Jul 2026 15:30:00 BST", "UTC", (2026, 7, 27, 14, 30)),
        ("Monday, July 27, 2026 - 15:30", "Europe/London", (2026, 7, 27, 14, 30)),
        ("Monday, January 5, 2026 - 09:05", "Europe/London", (2026, 1, 5, 9, 5)),
        ("Tue, 18 Jun 2024 16:54:28", "Europe/Stockholm", (2024, 6, 18, 14, 54, 28)),
        ("2026-02-01T10:00:00+01:00", "UTC", (2026, 2, 1, 9)),
        ("2026-02-01T10:00:00Z", "Europe/Oslo", (2026, 2, 1, 10)),
        ("2026-02-01 10:00", "Europe/Oslo", (2026, 2, 1, 9)),
        ("Tue, 18 Jun 2024 16:54:28 XYZ", "UTC", None),
        ("Tue, 31 Feb 2024 16:54:28 GMT", "UTC", None),
        ("Tue, 18 Foo 2024 16:54:28 GMT", "UTC", None),
        ("Tue, 18 Jun 2024 16:54:28 +9999", "UTC", None),
        ("27/07/2026", "Europe/London", (2026, 7, 26, 23)),
        ("Sept. 3, 2024", "America/New_York", (2024, 9, 3, 4)),
        ("January 5, 2024", "UTC", (2024, 1, 5)),
        ("32/07/2026", "UTC", None),
        ("Foo 5, 2024", "UTC", None),
        ("yesterday", "UTC", None),
        ("", "UTC", None),
    ],
)
def test_times(stamp: str, zone: str, due: tuple[int, ...] | None) -> None:
    assert feeds.parse_feed_time(stamp, zone) == (None if due is None else datetime(*due, tzinfo=UTC))  # type: ignore[misc]


@check_cases(
    ("body", "reason"),
    [
        (b"<!DOCTYPE html><html><body>Access denied</body></html>", "expected a feed, found html"),
        (b"", "expected a feed, found empty"),
        (b'{"a": 1}', "expected a feed, found json"),
        (b"PK\x03\x04", "expected a feed, found zip"),
        (rss([]), "no items in it"),
        (b"<?xml version='1.0'?><nothing/>", "no items in it"),
        (rss([ITEM])[:-40], "breaks off"),
        (b'<!DOCTYPE r [<!ENTITY a "aaaa">]>' + rss([ITEM]), "declares entities"),
        (('<!DOCTYPE r [<!ENTITY a "aaaa">]>' + rss([ITEM]).decode()).encode("utf-16"), "declares entities"),
        (b"<rss>" + b" " * feeds.LARGEST, "more than 8 MiB"),
        (b"/etc/passwd", "expected a feed, found text"),  # bytes are never taken for a file's name
    ],
)
def test_what_is_no_feed_is_unreadable_and_says_why(body: bytes, reason: str, read: Reading) -> None:
    with pytest.raises(UnreadableFileError, match=reason):
        read(DATASET, body)


@pytest.mark.parametrize("body", [b"<html></html>", rss([]), rss([ITEM])[:-40]])
def test_what_is_no_feed_is_not_archived_and_stays_unreadable(body: bytes, read: Reading, archived: Reading) -> None:
    with pytest.raises(UnreadableFileError) as straight:
        read(DATASET, body)
    with pytest.raises(UnreadableFileError) as kept:
        archived(DATASET, body)
    assert kept.value.reason == straight.value.reason


def test_a_feed_that_is_ill_formed_but_whole_is_read_with_a_signal(read: Reading) -> None:
    body = rss([ITEM | {"dc:creator": "LR-1234", "title": "B & Acme Inc."}]).replace(b"&amp;", b"&", 1)
    batch = read(DATASET, body)
    assert batch.rows["native_id"].to_list() == ["LR-1234"]
    assert [signal.code for signal in batch.signals] == ["repaired_markup"]


@check_cases(
    ("head", "is_ours"),
    [
        (rss([ITEM]), True),
        (b"<!doctype html><html>", True),  # read, and refused with its reason
        (b"", True),
        (b"<html>public-alerts-unregistered-soliciting-entities</html>", False),
        (b"a,b\n1,2\n", False),
        (b"{}", False),
    ],
)
def test_what_files_are_taken(head: bytes, is_ours: bool) -> None:
    found = common.recognise_file("sec_rss/x", head)
    assert isinstance(found, RecognisedFile if is_ours else NotApplicable)


@check_cases(
    ("link", "due"),
    [
        ("https://www.fi.se/sv/Publicerat/A/", "/sv/publicerat/a"),
        ("http://fi.se/a", "/a"),
        ("https://evil.example/sv/a", None),
        ("https://www.fi.se.evil.example/a", None),
        ("javascript:alert(1)", None),
        ("https://[", None),
        ("https://www.fi.se/", None),
        ("", None),
    ],
)
def test_paths_of_an_authority(link: str, due: str | None) -> None:
    assert feeds.authority_path(link, "www.fi.se") == due


@given(st.binary(max_size=400))
def test_any_bytes_are_a_feed_or_refused(noise: bytes) -> None:
    for body in (noise, b"<rss>" + noise + b"</rss>", rss([ITEM]).replace(b"LR26018", noise)):
        try:
            feed = feeds.parse_act_feed(body)
        except NotFeedError:
            continue
        assert feed.items
        assert feeds.parse_act_feed(feeds.to_rss(feed)).items


@given(st.text(max_size=60))
def test_any_text_is_a_time_or_none(stamp: str) -> None:
    found = feeds.parse_feed_time(stamp, "Europe/London")
    assert found is None or found.tzinfo is UTC


def test_an_act_without_a_title_is_refused_whatever_made_it() -> None:
    """Authorities read their items each in its own way; what every act must have is asked in one place."""
    items = [ITEM | {"title": "Acme, Inc.", "dc:creator": number} for number in ("LR26018", "LR26019")]

    def untitled(feed: ActFeed, item: FeedItem, tally: SignalCounter) -> RegulatoryAct | RejectedAct:
        made = parse_act(feed, item, tally)
        return replace(made, title="") if isinstance(made, RegulatoryAct) and "26018" in made.native_id else made

    [batch] = common.read_batches(
        regulators_schema.acts_table("US"), untitled, piece_of(DATASET, rss(items, "Litigation Releases"))
    )
    assert batch.rows["title"].to_list() == ["Litigation release LR-26019: Acme, Inc."]
    assert batch.rejects["reason"].to_list() == ["no headline"]
