"""Change-feed entries still to be looked up, and the cursor of those already done: entities, sub-units and roles.

Each entry is looked up once, by its id: a lower id may become visible after a higher one of the same entity, and a
response from in between lacks that change. Patches are not applied; the register's response is authoritative. Does
not belong here: the requests and what a response's status means (`enheter.fetch_single`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import polars as pl

from connectors.contract.dataset import REMOVAL_CONFIRMED_AFTER
from connectors.contract.pieces import Cursor
from connectors.kit.cursors import from_differences, pack_cursor, to_differences, unpack_cursor
from connectors.no.oppdateringer import schema as f

BULK: Final = "bulk"  # a subject: a complete file was delivered, which may be older than recent responses
KEPT_IDS: Final = 20_000  # ids below the newest that are kept: more than a fetch of a feed goes back
RECENT: Final = timedelta(days=2)  # a bulk in use is never older
_HOUR: Final = 3600


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One feed entry, encoded as a subject `id:number:hours:kind`."""

    id: str
    number: str
    hours: int  # since 1970
    is_removal: bool

    def __str__(self) -> str:
        return f"{self.id}:{self.number}:{self.hours}:{f.REMOVED if self.is_removal else ''}"

    @staticmethod
    def of(subject: str) -> FeedEntry:
        entry_id, number, hours, kind = subject.rsplit(":", 3)
        return FeedEntry(entry_id, number, int(hours), kind == f.REMOVED)


def pending_entries(staged: Mapping[str, pl.DataFrame], stream: str) -> Iterator[str]:
    """Yields the entries of one feed that require a look-up, oldest first, each id once.

    Excludes changes of the number of employees alone, and the initial rows of 2018.
    """
    if f.NAMED.name not in staged:
        return
    rows = staged[f.NAMED.name].filter(pl.col(f.STREAM) == stream)
    counts = (pl.col(f.KIND) == f.CHANGE).fill_null(value=False) & (pl.col(f.FIELDS).list.len() > 0)
    counts &= pl.col(f.FIELDS).list.set_difference(sorted(f.COUNTS)).list.len() == 0
    asked = rows.filter(~counts, pl.col(f.KIND).ne_missing(pl.lit(f.UNKNOWN)))
    ordered = asked.unique(f.ID, maintain_order=True).sort(f.TIME, nulls_last=True, maintain_order=True)
    for row in ordered.select(f.ID, f.NUMBER, f.TIME, f.KIND).iter_rows():
        yield str(FeedEntry(row[0], row[1], _epoch_hours(row[2]), row[3] == f.REMOVED))


def _epoch_hours(instant: datetime | None) -> int:
    return 0 if instant is None else int(instant.astimezone(UTC).timestamp()) // _HOUR


class LookedUpEntries:
    """Look-up cursor: ids already looked up, numbers that a feed named within two days, failures, unconfirmed removals.

    Old ids are dropped, but not while they are still passed to a run: as long as one number fails, everything
    staged since is passed again and must not be requested again.
    """

    def __init__(
        self,
        ids: set[int] | None = None,
        recent: dict[str, int] | None = None,
        failures: Iterable[str] = (),
        removals: dict[str, int] | None = None,
    ) -> None:
        self._ids = ids or set()
        self._shown: set[int] = set()
        self._recent = recent or {}
        self._failures = dict.fromkeys(failures)  # longest waiting first
        self._removals = removals or {}  # hour of the first 410

    @staticmethod
    def of(cursor: Cursor | None) -> LookedUpEntries:
        """Decodes a cursor; an unreadable one counts as empty."""
        return unpack_cursor(cursor, _parse_entries) or LookedUpEntries()

    def cursor(self) -> Cursor:
        """Encodes the cursor compactly as text: sorted numbers, delta-encoded and compressed."""
        newest = max(self._ids, default=0)
        kept = {found for found in self._ids if found > newest - KEPT_IDS or found in self._shown}
        last = max(self._recent.values(), default=0) - RECENT // timedelta(hours=1)
        hours: dict[int, list[int]] = {}
        for number, hour in self._recent.items():
            if hour >= last:
                hours.setdefault(hour, []).append(int(number))
        packed = {
            "ids": to_differences(kept),
            "recent": {str(hour): to_differences(found) for hour, found in hours.items()},
            "failed": list(self._failures),
            "removals": self._removals,
        }
        return pack_cursor(packed)

    def has_entry(self, entry: FeedEntry) -> bool:
        return f.is_numeric_id(entry.id) and int(entry.id) in self._ids

    def keep(self, entry: FeedEntry) -> None:
        """Keeps the id of a known entry that is passed again because of a backlog from its time or later."""
        self._shown.add(int(entry.id))

    def add(self, entry: FeedEntry) -> None:
        if f.is_numeric_id(entry.id):
            self._ids.add(int(entry.id))
            self.keep(entry)
        self._recent[entry.number] = max(entry.hours, self._recent.get(entry.number, 0))

    def failed(self, number: str) -> None:
        """Records a failed look-up, after those that have waited longer."""
        self._failures.pop(number, None)
        self._failures[number] = None

    def answered(self, number: str) -> None:
        self._failures.pop(number, None)

    def failed_last(self, numbers: Iterable[str]) -> list[str]:
        """Orders numbers: those that did not fail first, then earlier failures; drops failures of other numbers."""
        found = dict.fromkeys(numbers)
        self._failures = {number: None for number in self._failures if number in found}
        return [number for number in found if number not in self._failures] + list(self._failures)

    def removal_reported(self, number: str, at: datetime) -> None:
        """Records a 410 that the feed does not confirm: requested again, until two are far enough apart."""
        first = self._removals.setdefault(number, _epoch_hours(at))
        if _epoch_hours(at) - first > REMOVAL_CONFIRMED_AFTER // timedelta(hours=1):
            self.removal_settled(number)

    def removal_settled(self, number: str) -> None:
        """Drops a removal that needs no further request: the entity is there again, or it is confirmed."""
        self._removals.pop(number, None)

    @property
    def unconfirmed_removals(self) -> list[str]:
        """Numbers of unconfirmed removals, sorted."""
        return sorted(self._removals)

    @property
    def recent(self) -> list[str]:
        """Recently named numbers, sorted."""
        return sorted(self._recent)


def _parse_entries(packed: dict[str, Any]) -> LookedUpEntries:
    hours = packed.get("recent", {})
    recent = {f"{number:09}": int(hour) for hour, steps in hours.items() for number in from_differences(steps)}
    failures = [str(number) for number in packed.get("failed", ())]
    removals = {str(number): int(hour) for number, hour in packed.get("removals", {}).items()}
    return LookedUpEntries(set(from_differences(packed.get("ids", ()))), recent, failures, removals)
