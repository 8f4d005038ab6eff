"""What the feeds of all authorities share: recognising, items to staged rows, items without persons.

Belongs here: the way from bytes to batches and to what is archived. Does not belong here: what one authority's item
means (`Act` or a reason, made by its own module).
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
WITHHELD: Final = "(no company named)"  # archived in place of a title that names persons alone, or no act


AHEAD: Final = timedelta(days=1)  # clocks and zones that are wrong by less are forgiven


@dataclass(frozen=True, slots=True)
class Rejected:
    """An item that gives no act, and why."""

    reason: str


def sound(made: Act | Rejected, piece: Piece) -> Act | Rejected:
    """An act, unless it has no title, or a day after the one that it was read on: nobody has acted yet."""
    if isinstance(made, Rejected):
        return made
    if not made.title:
        return Rejected("no headline")
    if made.published_at > piece.observed_at + AHEAD:
        return Rejected(f"published after it was read: {made.published_at:%Y-%m-%d}")
    return made


def withheld(item: Item) -> Item:
    """What is archived of an item about nobody that is a company: when it came. Addresses are made of titles."""
    return replace(item, title=WITHHELD, link="", guid="", text="", creator="")


Making = Callable[[Feed, Item, Tally], Act | Rejected]
Keeping = Callable[[Feed, Item], Item]


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Feeds. A page of HTML counts as one: the source answered with something else, and reading it says so."""
    del name
    head = opening(head)
    if b"unregistered-soliciting-entities" in head:
        return NotOurs("PAUSE list: names that imitate real firms are never matched")
    found = sniff(head)
    if found in (Format.XML, Format.HTML, Format.EMPTY):
        return Recognised(None, Scope.FEED)
    return NotOurs(f"{found.value} where a feed was due")


def read(table: Table, make: Making, piece: Piece) -> Iterator[Batch]:
    """One batch of acts. Of an act that a feed tells twice the first counts."""
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
            # no excerpt: an item about nobody but persons names them
            rejects.append((item.link or item.guid or item.stamp, made.reason, ""))
            continue
        for row in acts.rows(piece.dataset, made):
            rows.setdefault(tuple(row[name] for name in table.key), row)
    yield staged.batch(table, list(rows.values()), staged.reject_rows(rejects), tally.drain())


def redact(keep: Keeping, body: BinaryIO) -> BinaryIO:
    """The feed with what is read of it: of titles and texts what `keep` leaves of them."""
    try:
        feed = feeds.parse(body.read(feeds.LARGEST + 1))
    except NoFeed as error:
        return io.BytesIO(feeds.unreadable(str(error)))
    return io.BytesIO(feeds.written(replace(feed, items=tuple(keep(feed, item) for item in feed.items))))
