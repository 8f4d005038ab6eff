"""Code shared by the feeds of all authorities: recognising, items to staged rows, redacting persons.

Belongs here: converting bytes to batches and to the archived form. Does not belong here: the meaning of one
authority's item (`Act` or a reason, made by its own module).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, BinaryIO, Final

from connectors.declare import NOT_A_COMPANY, Batch, NotOurs, Piece, Recognised, Scope
from connectors.kit import staged
from connectors.kit.formats import Format, opening, sniff
from connectors.kit.staged import Tally
from connectors.regulators import acts, feeds
from connectors.regulators.acts import Act
from connectors.regulators.feeds import Feed, Item, NoFeed
from warehouse.schema.types import Table

NOBODY: Final = f"{NOT_A_COMPANY}: the item names none as the object of an act"
WITHHELD: Final = "(no company named)"  # archived instead of a title that names persons only, or has no act


AHEAD: Final = timedelta(days=1)  # wrong clocks and zones are tolerated up to this


@dataclass(frozen=True, slots=True)
class Rejected:
    """An item that gives no act, and why."""

    reason: str


def sound(made: Act | Rejected, piece: Piece) -> Act | Rejected:
    """An act, or a rejection if it has no title or is dated more than a day after it was read."""
    if isinstance(made, Rejected):
        return made
    if not made.title:
        return Rejected("no headline")
    if made.published_at > piece.observed_at + AHEAD:
        return Rejected(f"published after it was read: {made.published_at:%Y-%m-%d}")
    return made


def withheld(item: Item) -> Item:
    """The archived form of an item without a company: its time only. URLs are derived from titles."""
    return replace(item, title=WITHHELD, link="", guid="", text="", creator="")


Making = Callable[[Feed, Item, Tally], Act | Rejected]
Keeping = Callable[[Feed, Item], Item]


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Recognises feeds. HTML is accepted too: the source answered with another page, which reading reports."""
    del name
    head = opening(head)
    if b"unregistered-soliciting-entities" in head:
        return NotOurs("PAUSE list: names that imitate real firms are never matched")
    found = sniff(head)
    if found in (Format.XML, Format.HTML, Format.EMPTY):
        return Recognised(None, Scope.FEED)
    return NotOurs(f"expected a feed, found {found.value}")


def read(table: Table, make: Making, piece: Piece) -> Iterator[Batch]:
    """One batch of acts. If a feed has an act twice, the first wins."""
    feed = feeds.read(piece)
    tally = Tally(piece.dataset)
    if feed.is_repaired:
        tally.add("repaired_markup", "feed", piece.name)
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    rejects: list[tuple[object, str, object]] = []
    for item in feed.items:
        is_withheld = item.title == WITHHELD
        made = Rejected(NOBODY) if is_withheld else sound(make(feed, item, tally), piece)
        if isinstance(made, Rejected):
            # no excerpt: an item about persons only contains their names
            rejects.append((item.link or item.guid or item.stamp, made.reason, ""))
            continue
        for row in acts.rows(piece.dataset, made):
            rows.setdefault(tuple(row[name] for name in table.key), row)
    yield staged.batch(table, list(rows.values()), staged.reject_rows(rejects), tally.drain())


def redact(keep: Keeping, body: BinaryIO) -> BinaryIO:
    """The feed with the used fields only: titles and texts as reduced by `keep`."""
    try:
        feed = feeds.parse(body.read(feeds.LARGEST + 1))
    except NoFeed as error:
        return io.BytesIO(feeds.unreadable(str(error)))
    return io.BytesIO(feeds.written(replace(feed, items=tuple(keep(feed, item) for item in feed.items))))
