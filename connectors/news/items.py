"""Turns the items of a wire into one batch: a bad item is rejected alone, a repeated item is one row.

Belongs here: the loop that every wire, feed and page shares, and checks common to all items. Does not belong
here: the fields of an item (one module per wire).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from connectors.contract.pieces import ArchiveMember, Batch
from connectors.kit import staging
from connectors.kit.json.record import RecordError
from connectors.kit.staging import SignalCounter
from warehouse.schema.types import Table

AHEAD: Final = timedelta(days=1)  # wrong clocks and zones are tolerated up to this
EARLIEST: Final = datetime(1990, 1, 1, tzinfo=UTC)  # 0001-01-01 and 1970-01-01 stand for no time
Row = dict[str, Any]


class RejectedItemError(Exception):
    """Raised for an item that is rejected; the message says why."""


def impossible_time(published_at: datetime, member: ArchiveMember) -> str | None:
    """Why no release is of an instant; None for one that may be."""
    if published_at > member.observed_at + AHEAD:
        return f"published after it was read: {published_at:%Y-%m-%d}"
    return f"published before there were feeds: {published_at:%Y-%m-%d}" if published_at < EARLIEST else None


def make_items_batch(
    member: ArchiveMember,
    table: Table,
    items: Iterable[Any],
    row_of: Callable[[Any, SignalCounter], Row | None],
    example_of: Callable[[Any], object] = str,
    key: str = "id",
) -> Batch:
    """The rows of items, each id once.

    Of several with one id the one published last wins, of equal ones the first: wires list the newest first.

    row_of: the row of an item, None for another market's; raises RecordError or RejectedItemError. shown: the part
    of a rejected item that is kept with the reason. key: the column that identifies an item.
    """
    batch = staging.BatchBuilder(member.dataset)
    rows: dict[str, Row] = {}
    for place, item in enumerate(items, start=1):
        try:
            row = row_of(item, batch.tally)
        except (RecordError, RejectedItemError) as error:
            batch.reject(place, error, example_of(item))
            continue
        impossible = None if row is None else impossible_time(row["published_at"], member)
        if impossible is not None:
            batch.reject(place, impossible, example_of(item))
        elif row is not None:
            known = rows.get(row[key])
            if known is None or known["published_at"] < row["published_at"]:
                rows[row[key]] = row
    return batch.build(table, rows.values())
