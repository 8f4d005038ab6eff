"""Whom the change feeds name, and who of them was asked already: the same for entities, sub-units and roles.

Every entry is asked about once, by its id: of one entity a lower id may become visible after a higher one, and
then what was answered in between does not hold it. Patches are not applied; what is true is what the register
answers. Does not belong here: what is asked and what an answer's status means (`answers`).
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate, pairwise
from typing import Any, Final

import polars as pl

from connectors.declare import Cursor
from connectors.no import oppdateringer_fields as f

BULK: Final = "bulk"  # a subject: a complete file has come, which may be older than answers of these days
KEPT_IDS: Final = 20_000  # ids below the newest that are remembered: more than a feed goes back
RECENT: Final = timedelta(days=2)  # a bulk in use is not older
_HOUR: Final = 3600


_NUMBER: Final = re.compile("[0-9]{1,18}")


def _is_number(text: str) -> bool:
    """Whether an id is one that is counted up; `str.isdigit` takes «²» for a digit, which `int` does not."""
    return _NUMBER.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a feed, as a subject `id:number:hours:kind`."""

    id: str
    number: str
    hours: int  # since 1970
    is_removal: bool

    def __str__(self) -> str:
        return f"{self.id}:{self.number}:{self.hours}:{f.REMOVED if self.is_removal else ''}"

    @staticmethod
    def of(subject: str) -> Entry:
        entry_id, number, hours, kind = subject.rsplit(":", 3)
        return Entry(entry_id, number, int(hours), kind == f.REMOVED)


def named(staged: Mapping[str, pl.DataFrame], stream: str) -> Iterator[str]:
    """Entries of one feed that make somebody ask, oldest first; each id once.

    Not those that only count employees anew, nor the start rows of 2018.
    """
    if f.NAMED.name not in staged:
        return
    rows = staged[f.NAMED.name].filter(pl.col(f.STREAM) == stream)
    counts = pl.col(f.FIELDS).list.len() > 0
    counts &= pl.col(f.FIELDS).list.set_difference(sorted(f.COUNTS)).list.len() == 0
    asked = rows.filter(~counts, pl.col(f.KIND).ne_missing(pl.lit(f.UNKNOWN)))
    ordered = asked.unique(f.ID, maintain_order=True).sort(f.TIME, nulls_last=True, maintain_order=True)
    for row in ordered.select(f.ID, f.NUMBER, f.TIME, f.KIND).iter_rows():
        yield str(Entry(row[0], row[1], _hours(row[2]), row[3] == f.REMOVED))


def _hours(instant: datetime | None) -> int:
    return 0 if instant is None else int(instant.astimezone(UTC).timestamp()) // _HOUR


class Memory:
    """The cursor of an asking: ids that were asked about, numbers that a feed named within two days, and failures.

    Old ids are forgotten, but not while a run is still shown them: as long as one number fails, all that was
    staged since is shown again, and is not asked again.
    """

    def __init__(
        self,
        ids: set[int] | None = None,
        recent: dict[str, int] | None = None,
        failures: Iterable[str] = (),
    ) -> None:
        self._ids = ids or set()
        self._shown: set[int] = set()
        self._recent = recent or {}
        self._failures = dict.fromkeys(failures)  # the one that waits longest first

    @staticmethod
    def of(cursor: Cursor | None) -> Memory:
        """What a cursor remembers; one that does not read remembers nothing: asking again does no harm."""
        try:
            packed: dict[str, Any] = {} if cursor is None else _unpacked(cursor.value)
            ids = set(accumulate(packed.get("ids", ())))
            hours = packed.get("recent", {})
            recent = {
                f"{number:09}": int(hour) for hour, steps in hours.items() for number in accumulate(steps)
            }
            failures = [str(number) for number in packed.get("failed", ())]
        except (ValueError, TypeError, AttributeError, zlib.error):
            return Memory()
        return Memory(ids, recent, failures)

    def cursor(self) -> Cursor:
        """Small enough to be kept as text: sorted numbers as differences, packed."""
        newest = max(self._ids, default=0)
        kept = sorted(found for found in self._ids if found > newest - KEPT_IDS or found in self._shown)
        last = max(self._recent.values(), default=0) - RECENT // timedelta(hours=1)
        hours: dict[int, list[int]] = {}
        for number, hour in self._recent.items():
            if hour >= last:
                hours.setdefault(hour, []).append(int(number))
        packed = {
            "ids": _steps(kept),
            "recent": {str(hour): _steps(sorted(found)) for hour, found in sorted(hours.items())},
            "failed": list(self._failures),
        }
        text = json.dumps(packed, separators=(",", ":"), sort_keys=True)
        return Cursor(base64.b85encode(zlib.compress(text.encode(), 6)).decode())

    def knows(self, entry: Entry) -> bool:
        return _is_number(entry.id) and int(entry.id) in self._ids

    def keep(self, entry: Entry) -> None:
        """A known entry that a run is shown again: somebody named with it or since is still owed."""
        self._shown.add(int(entry.id))

    def add(self, entry: Entry) -> None:
        if _is_number(entry.id):
            self._ids.add(int(entry.id))
            self.keep(entry)
        self._recent[entry.number] = max(entry.hours, self._recent.get(entry.number, 0))

    def failed(self, number: str) -> None:
        """Asked without an answer: behind all that wait longer."""
        self._failures.pop(number, None)
        self._failures[number] = None

    def answered(self, number: str) -> None:
        self._failures.pop(number, None)

    def failed_last(self, numbers: Iterable[str]) -> list[str]:
        """These numbers in their order, then those of them that failed; other failures are nobody's any more."""
        found = dict.fromkeys(numbers)
        self._failures = {number: None for number in self._failures if number in found}
        return [number for number in found if number not in self._failures] + list(self._failures)

    @property
    def recent(self) -> list[str]:
        """Numbers that were named lately, in order."""
        return sorted(self._recent)


def _steps(numbers: list[int]) -> list[int]:
    return [end - start for start, end in pairwise([0, *numbers])]


def _unpacked(text: str) -> dict[str, Any]:
    return json.loads(zlib.decompress(base64.b85decode(text)))
