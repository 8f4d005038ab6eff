"""Code shared by the feeds of all authorities: recognising, items to staged rows, redacting persons.

Belongs here: converting bytes to batches and to the archived form. Does not belong here: the meaning of one
authority's item (`RegulatoryAct` or a reason, made by its own module).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, BinaryIO, Final

from connectors.contract.pieces import NOT_A_COMPANY, ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, decompressed_head, detect_body_format
from connectors.kit.staging import SignalCounter
from connectors.regulators import feeds, schema
from connectors.regulators.feeds import ActFeed, FeedItem, NotFeedError
from connectors.regulators.schema import RegulatoryAct
from warehouse.schema.types import Table

NOBODY: Final = f"{NOT_A_COMPANY}: the item names none as the object of an act"
WITHHELD: Final = "(no company named)"  # archived instead of a title that names persons only, or has no act


AHEAD: Final = timedelta(days=1)  # wrong clocks and zones are tolerated up to this
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
EARLIEST: Final = datetime(1930, 1, 1, tzinfo=UTC)  # none of the authorities is older: an earlier day is a filler


@dataclass(frozen=True, slots=True)
class RejectedAct:
    """An item that gives no act, and why."""

    reason: str


def check_act(act: RegulatoryAct | RejectedAct, member: ArchiveMember) -> RegulatoryAct | RejectedAct:
    """An act, or a rejection: it has no title, or a day before its authority or more than one after it was read."""
    if isinstance(act, RejectedAct):
        return act
    if not act.title:
        return RejectedAct("no headline")
    if act.published_at > member.observed_at + AHEAD:
        return RejectedAct(f"published after it was read: {act.published_at:%Y-%m-%d}")
    if act.published_at == _EPOCH:
        return RejectedAct("published on 1970-01-01 at midnight, which stands for no time")
    if act.published_at < EARLIEST:
        return RejectedAct(f"published before there was an authority: {act.published_at:%Y-%m-%d}")
    return act


def anonymise_item(item: FeedItem) -> FeedItem:
    """The archived form of an item without a company: its time only. URLs are derived from titles."""
    return replace(item, title=WITHHELD, link="", guid="", text="", creator="")


Making = Callable[[ActFeed, FeedItem, SignalCounter], RegulatoryAct | RejectedAct]
Keeping = Callable[[ActFeed, FeedItem], FeedItem]


def recognise_file(_name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises feeds. HTML is accepted too: the source answered with another page, which reading reports."""
    head = decompressed_head(head)
    if b"unregistered-soliciting-entities" in head:
        return NotApplicable("PAUSE list: names that imitate real firms are never matched")
    found = detect_body_format(head)
    if found in (BodyFormat.XML, BodyFormat.HTML, BodyFormat.EMPTY):
        return RecognisedFile(None, Scope.FEED)
    return NotApplicable(f"expected a feed, found {found.value}")


def read_batches(table: Table, make: Making, member: ArchiveMember) -> Iterator[Batch]:
    """One batch of acts. If a feed has an act twice, the first wins."""
    feed = feeds.read_feed(member)
    batch = staging.BatchBuilder(member.dataset)
    if feed.is_repaired:
        batch.tally.add("repaired_markup", "feed", member.name)
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for item in feed.items:
        is_withheld = item.title == WITHHELD
        made = RejectedAct(NOBODY) if is_withheld else check_act(make(feed, item, batch.tally), member)
        if isinstance(made, RejectedAct):
            # no excerpt: an item about persons only contains their names
            batch.reject(item.link or item.guid or item.published_text, made.reason)
            continue
        for row in schema.act_rows(member.dataset, made):
            rows.setdefault(tuple(row[name] for name in table.key), row)
    yield batch.build(table, rows.values())


def redact(keep: Keeping, body: BinaryIO) -> BinaryIO:
    """The feed with the used fields only: titles and texts as reduced by `keep`."""
    try:
        feed = feeds.parse_act_feed(body.read(feeds.LARGEST + 1))
    except NotFeedError as error:
        return io.BytesIO(feeds.unreadable_body(str(error)))
    return io.BytesIO(feeds.to_rss(replace(feed, items=tuple(keep(feed, item) for item in feed.items))))
