"""Read index of the ledger: events by sequence, without the engines that wrote them.

Each ledger segment has a small SQLite file next to it, and `index.json` maps sequences to segments. Both can be
rebuilt from the segments. Does not belong here: numbering events (`ledger`).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from warehouse.storage import atomic_files
from warehouse.storage.layout import padded_number
from warehouse.storage.sqlite_read import open_read_only

INDEX: Final = "index.json"
_COUNTRY: Final = "substr(company_id, 6, 2)"  # of firm:<COUNTRY>:<org_number>


@dataclass(frozen=True, slots=True)
class LedgerSegment:
    """Events of one release: sequences `first` to `last`, both inclusive."""

    release: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class LedgerEvent:
    """One event of the ledger. `data` is the contract's object, including `sequence`.

    See docs/contract/contract.md 4.6.
    """

    sequence: int
    event_id: str
    event_type: str
    company_id: str
    occurred_at: datetime
    recorded_at: datetime
    data: bytes

    @property
    def country(self) -> str:
        """Market code of the company."""
        return self.company_id.split(":")[1]


def segment_path(folder: Path, release: int) -> Path:
    """Path of the segment: all columns, kept permanently."""
    return folder / f"{padded_number(release)}.parquet"


def lookup_path(folder: Path, release: int) -> Path:
    """Path of the segment's read index."""
    return folder / f"{padded_number(release)}.sqlite"


def read_segments(folder: Path) -> tuple[LedgerSegment, ...]:
    """Segments in order; empty if there is no ledger yet."""
    path = folder / INDEX
    return tuple(LedgerSegment(**entry) for entry in json.loads(path.read_text())) if path.exists() else ()


def write_segments(folder: Path, segments: Iterable[LedgerSegment]) -> None:
    """Replaces the index."""
    atomic_files.write_json(folder / INDEX, [asdict(segment) for segment in segments])


def write_lookup(path: Path, events: Iterable[tuple[Any, ...]]) -> None:
    """Writes the read index of one segment from rows in the order of `LedgerEvent`, instants as text.

    An existing one serves readers until it is replaced.
    """
    built = atomic_files.temporary_path(path)
    atomic_files.delete_if_exists(built)
    with closing(sqlite3.connect(built)) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute(
            "CREATE TABLE events (sequence INTEGER PRIMARY KEY, event_id TEXT, event_type TEXT, "
            "company_id TEXT, occurred_at TEXT, recorded_at TEXT, data TEXT)"
        )
        connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", events)
        connection.commit()
    atomic_files.publish_file(built, path)


class LedgerIndex:
    """Reads events by sequence. Cheap to create; opens and closes segments per call."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stamp: tuple[int, int] | None = None
        self._segments: tuple[LedgerSegment, ...] = ()
        self._instants: dict[int, str] = {}
        """Recorded instants by release."""

    def after(
        self,
        sequence: int,
        last: int,
        limit: int,
        types: Sequence[str] = (),
        countries: Sequence[str] = (),
        companies: Collection[str] | None = None,
    ) -> list[LedgerEvent]:
        """Up to `limit` events with a sequence above `sequence` and not above `last`, ascending.

        types, countries: only events of these, if any are given; companies: only of these, unless None.
        """
        tests, values = _filter_sql("event_type", types), (*types, *countries)
        tests += _filter_sql(_COUNTRY, countries)
        if companies is not None:
            tests += " AND company_id IN (SELECT value FROM json_each(?))"
            values = (*values, json.dumps([*companies]))
        found: list[LedgerEvent] = []
        for segment in self._between(sequence, last):
            if len(found) < limit:
                found += self._read_events(segment, sequence, last, limit - len(found), tests, values)
        return found

    def companies_between(
        self, sequence: int, last: int, types: Sequence[str] = (), countries: Sequence[str] = ()
    ) -> set[str]:
        """The companies of the events above `sequence` and not above `last`; types and countries as in `after`."""
        tests = _filter_sql("event_type", types) + _filter_sql(_COUNTRY, countries)
        found: set[str] = set()
        for segment in self._between(sequence, last):
            with closing(open_read_only(lookup_path(self._folder, segment.release))) as connection:
                rows = connection.execute(
                    f"SELECT DISTINCT company_id FROM events WHERE sequence > ? AND sequence <= ?{tests}",
                    (sequence, last, *types, *countries),
                )
                found.update(company_id for (company_id,) in rows)
        return found

    def stretch_end(self, sequence: int, last: int, events: int, segments: int) -> int:
        """The last sequence of the stretch after `sequence` that has at most so many events, in so many segments."""
        covered = list(islice(self._between(sequence, last), segments))
        return min(covered[-1].last, last, sequence + events) if covered else sequence

    def sequence_before(self, instant: str, last: int) -> int:
        """The last sequence before the first segment recorded at or after an instant, as recorded instants are written.

        Not searched by halves: clocks of machines differ and are set back, so that recorded instants need not rise.
        """
        return next((one.first - 1 for one in self._between(0, last) if self._recorded_at(one) >= instant), last)

    def _between(self, sequence: int, last: int) -> Iterator[LedgerSegment]:
        """Segments with events above `sequence` and not above `last`."""
        return (one for one in self._current_segments() if one.last > sequence and one.first <= last)

    def _recorded_at(self, segment: LedgerSegment) -> str:
        """When the segment's events were recorded: all at once, and read once."""
        if segment.release not in self._instants:
            with closing(open_read_only(lookup_path(self._folder, segment.release))) as connection:
                [(recorded_at,)] = connection.execute("SELECT recorded_at FROM events LIMIT 1")
            self._instants[segment.release] = recorded_at
        return self._instants[segment.release]

    def _current_segments(self) -> tuple[LedgerSegment, ...]:
        try:
            status = (self._folder / INDEX).stat()
        except FileNotFoundError:
            return ()
        stamp = (status.st_mtime_ns, status.st_ino)
        if stamp != self._stamp:
            self._segments = read_segments(self._folder)
            self._stamp = stamp
        return self._segments

    def _read_events(
        self, segment: LedgerSegment, sequence: int, last: int, limit: int, tests: str, values: tuple[str, ...]
    ) -> list[LedgerEvent]:
        path = lookup_path(self._folder, segment.release)
        with closing(open_read_only(path)) as connection:
            rows = connection.execute(
                f"SELECT * FROM events WHERE sequence > ? AND sequence <= ?{tests} ORDER BY sequence LIMIT ?",
                (sequence, last, *values, limit),
            )
            return [_to_event(row) for row in rows]


def _filter_sql(expression: str, values: Sequence[str]) -> str:
    return f" AND {expression} IN ({', '.join('?' * len(values))})" if values else ""


def _to_event(row: tuple[Any, ...]) -> LedgerEvent:
    sequence, event_id, event_type, company_id, occurred_at, recorded_at, data = row
    return LedgerEvent(
        sequence,
        event_id,
        event_type,
        company_id,
        parse_event_instant(occurred_at),
        parse_event_instant(recorded_at),
        data.encode(),
    )


def parse_event_instant(text: str) -> datetime:
    """Parses an instant in the contract's format, seconds or finer."""
    return datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=UTC)


def format_instant(moment: datetime) -> str:
    """Formats an instant as the contract does, to the second."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
