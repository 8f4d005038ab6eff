"""Reads what earlier releases served of one company, by key (docs/architecture.md 7, «Past states»).

The past files of a release are opened at the first question about them. A state is the oldest row above the release
that is asked for; without one, what is served now was served then. Does not belong here: writing the files
(`publish.past_build`), or what a response makes of a state (`queries`, `reader`).
"""

from __future__ import annotations

import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from warehouse.reader.queries.relations import HeldKey, Relation
from warehouse.serving import codec_read, past_db
from warehouse.serving.codec_read import Unpack
from warehouse.serving.past_db import AS_SENT, LEIS, PROFILE, RELATIONS, TABLE_OF_KIND, PublishedRelease
from warehouse.storage.sqlite_read import open_read_only

_STATE: Final = """SELECT format, value FROM states WHERE company_id = ? AND kind = ? AND until > ?
    ORDER BY until LIMIT 1"""
_FIRST: Final = "SELECT until, value IS NULL FROM states WHERE company_id = ? AND kind = ? ORDER BY until LIMIT 1"
_REPLACED: Final = "SELECT 1 FROM states WHERE company_id = ? AND kind = ? AND until > ? LIMIT 1"
_IS_OLDEST: Final = """NOT EXISTS (SELECT 1 FROM states AS s
    WHERE s.company_id = i.company_id AND s.kind = ? AND s.until > ? AND s.until < i.replaced)"""
# in the order of `queries.relations`; what skips a parent is not in the index
_HELD: Final = f"""SELECT company_id, minor, kind, position, holder_id, relation, holder, 0 FROM held AS i
    WHERE holder = ? AND (position, company_id, holder_id, relation) > (?, ?, ?, ?) AND company_id <> ? AND replaced > ?
    AND since <= ? AND (until = '' OR until > ?) AND {_IS_OLDEST}
    ORDER BY position, company_id, holder_id, relation"""
_OF_LEI: Final = f"SELECT company_id FROM companies_by_lei AS i WHERE lei = ? AND replaced > ? AND {_IS_OLDEST}"
_CACHED_KIB: Final = 2048  # page cache per file of a connection


class PastState(NamedTuple):
    """What was served of a kind; `value` None: nothing."""

    value: bytes | None


class HeldQuery(NamedTuple):
    """What a holder holds on a day, after a row; never the company `other_than`. most: so many rows at most."""

    holder: str
    after: HeldKey
    other_than: str
    day: str
    most: int


class _OpenFile(NamedTuple):
    connection: sqlite3.Connection
    unpack: dict[int, Unpack]


class PastStates:
    """The past files of one open release; thread-safe. paths: oldest first."""

    def __init__(self, paths: Sequence[Path], current: PublishedRelease) -> None:
        self._paths = paths
        self._current = current
        self._spare: deque[list[_OpenFile]] = deque()
        self._releases: tuple[PublishedRelease, ...] = ()
        self._reading = threading.Lock()

    def releases(self) -> tuple[PublishedRelease, ...]:
        """Releases of which all is kept, oldest first; the last is the current one."""
        with self._reading:
            if not self._releases:
                known: dict[int, PublishedRelease] = {}
                with self._files() as files:
                    for file in files:
                        known |= {one.number: one for one in past_db.read_releases(file.connection)}
                known[self._current.number] = self._current
                self._releases = tuple(known[number] for number in sorted(known))
            return self._releases

    def release_at(self, instant: datetime) -> int | None:
        """The newest release published at or before an instant; None if it is older than all that is kept."""
        text = past_db.published_text(instant)
        found = [one.number for one in self.releases() if one.published <= text]
        return max(found, default=None)

    def published_of(self, release: int) -> str:
        """The instant of publication of a kept release."""
        return next(one.published for one in self.releases() if one.number == release)

    def state(self, company_id: str, kind: str, release: int) -> PastState | None:
        """What a release served of a kind; None if that is served still."""
        if release >= self._current.number:
            return None
        with self._files() as files:
            for file in files:
                row = file.connection.execute(_STATE, (company_id, kind, release)).fetchone()
                if row is not None:
                    return PastState(_read_value(file, kind, *row))
        return None

    def is_replaced(self, company_id: str, kind: str, release: int) -> bool:
        """Whether something else is served of a kind than a release served; as `state`, but reads no value."""
        if release >= self._current.number:
            return False
        with self._files() as files:
            return _is_replaced(files, company_id, kind, release)

    def held_rows(self, query: HeldQuery, release: int, require_time: Callable[[], object]) -> list[Relation]:
        """What a release served of a holder, of companies that have other relations now; unordered.

        The first of each file. require_time: called for each row; raises when the time of the request is up.
        """
        found: list[Relation] = []
        with self._files() as files:
            for place, file in enumerate(files):
                asked = (query.holder, *query.after, query.other_than, release, query.day, query.day)
                rows = _relations(file.connection.execute(_HELD, (*asked, RELATIONS, release)), require_time)
                served = (row for row in rows if not _is_replaced(files[:place], row.company_id, RELATIONS, release))
                found += islice(served, query.most)
        return found

    def companies_of_lei(self, lei: str, release: int) -> list[str]:
        """The companies with this LEI in a release, of those that have others now."""
        with self._files() as files:
            return [
                company_id
                for place, file in enumerate(files)
                for (company_id,) in file.connection.execute(_OF_LEI, (lei, release, LEIS, release))
                if not _is_replaced(files[:place], company_id, LEIS, release)
            ]

    def known_since(self, company_id: str) -> int | None:
        """The first release that served a company, as far back as releases are kept; None if no row tells."""
        with self._files() as files:
            for file in files:
                row = file.connection.execute(_FIRST, (company_id, PROFILE)).fetchone()
                if row is not None:
                    until, was_absent = row
                    return until if was_absent else self.releases()[0].number
        return None

    def close(self) -> None:
        """Closes everything; no request may be running."""
        while self._spare:
            for file in self._spare.pop():
                file.connection.close()

    @contextmanager
    def _files(self) -> Iterator[list[_OpenFile]]:
        try:
            files = self._spare.pop()
        except IndexError:
            files = [_opened(path) for path in self._paths]
        try:
            yield files
        finally:
            self._spare.append(files)


def _relations(rows: Iterable[tuple[Any, ...]], require_time: Callable[[], object]) -> Iterator[Relation]:
    for row in rows:
        require_time()
        yield Relation(*row)


def _is_replaced(files: Sequence[_OpenFile], company_id: str, kind: str, release: int) -> bool:
    return any(file.connection.execute(_REPLACED, (company_id, kind, release)).fetchone() for file in files)


def _opened(path: Path) -> _OpenFile:
    connection = open_read_only(path)
    connection.execute(f"PRAGMA cache_size = -{_CACHED_KIB}")
    formats = past_db.read_formats(connection)
    return _OpenFile(connection, {number: codec_read.unpack_function(stored) for number, stored in formats.items()})


def _read_value(file: _OpenFile, kind: str, number: int, value: bytes | None) -> bytes | None:
    if value is None or number == AS_SENT:
        return value
    return file.unpack[number](TABLE_OF_KIND[kind], value)
