"""Reading releases: follows the pointer, pins one release for one request (DESIGN decisions 7 and 8).

Opens what is published and nothing that is written; a new release is opened under its own name, the former is
closed when its last request is done. Imports neither polars nor pyarrow nor DuckDB. Does not belong here: the
questions themselves (`queries`).
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import sqlite3
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from typing import Final

from warehouse import manifests
from warehouse.manifests import MANIFEST, SERVING, Manifest, Unsound
from warehouse.paths import Layout
from warehouse.queries import feed, holders, periods, profiles
from warehouse.queries import search as names
from warehouse.reading import (
    DatasetState,
    Document,
    Event,
    EventQuery,
    Head,
    Held,
    Key,
    MarketState,
    Page,
    Periods,
    Search,
    Snapshot,
)
from warehouse.segments import LedgerIndex, read_only

LOGGER: Final = logging.getLogger("firm.reader")

__all__ = [
    "DatasetState",
    "Document",
    "Event",
    "EventQuery",
    "Head",
    "Held",
    "Key",
    "MarketState",
    "NoRelease",
    "Page",
    "Periods",
    "Reader",
    "Search",
    "Snapshot",
]

LOOK_EVERY_SECONDS: Final = 0.2
_OPEN_TRIES: Final = 5  # a release may be pruned between reading the pointer and opening it
_MAPPED_BYTES: Final = 8 << 30  # address space, not memory


class NoRelease(LookupError):  # noqa: N818 - named for the state it tells
    """Nothing has been published yet."""


class _Open:
    """One release held open: a stack of connections, each used by one request at a time."""

    def __init__(self, layout: Layout, manifest: Manifest) -> None:
        folder = layout.release(manifest.release)
        self.manifest = manifest
        self.requests = 0
        self._path = folder / SERVING
        self._spare: deque[sqlite3.Connection] = deque()
        lease = os.open(folder / MANIFEST, os.O_RDONLY)
        self._end_lease = weakref.finalize(self, os.close, lease)
        try:
            fcntl.flock(lease, fcntl.LOCK_SH | fcntl.LOCK_NB)  # refused: it is being removed
            self.give(self.take())
        except (OSError, sqlite3.OperationalError):
            self._end_lease()
            raise

    def take(self) -> sqlite3.Connection:
        """A connection nobody else uses."""
        try:
            return self._spare.pop()
        except IndexError:
            connection = read_only(self._path)
            connection.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
            return connection

    def give(self, connection: sqlite3.Connection) -> None:
        """Returns a connection."""
        self._spare.append(connection)

    def close(self) -> None:
        """Closes everything; no request is under way."""
        while self._spare:
            self._spare.pop().close()
        self._end_lease()


class _Pinned:
    """One release as one request sees it (`reading.Snapshot`)."""

    __slots__ = ("_connection", "_manifest")

    def __init__(self, manifest: Manifest, connection: sqlite3.Connection) -> None:
        self._manifest = manifest
        self._connection = connection

    @property
    def number(self) -> int:
        return self._manifest.release

    @property
    def last_sequence(self) -> int:
        return self._manifest.last

    @property
    def built_at(self) -> datetime:
        return self._manifest.built_at

    @property
    def markets(self) -> Mapping[str, MarketState]:
        return self._manifest.markets

    def head(self, company_id: str) -> Head | None:
        return profiles.head(self._connection, company_id)

    def profile(self, company_id: str) -> Document | None:
        return profiles.profile(self._connection, company_id)

    def search(self, query: Search, after: Key | None, limit: int) -> Page:
        return names.search(self._connection, query, after, limit)

    def financials(self, company_id: str, query: Periods, after: Key | None, limit: int) -> Page:
        return periods.financials(self._connection, company_id, query, after, limit)

    def owners(
        self, company_id: str, as_of: date, min_pct: str | None, after: Key | None, limit: int
    ) -> tuple[Page, str | None]:
        return holders.owners(self._connection, company_id, as_of, min_pct, after, limit)

    def events(self, company_id: str, query: EventQuery, after: Key | None, limit: int) -> Page:
        return feed.events(self._connection, company_id, query, after, limit)


class Reader:
    """Follows the releases of one data root. One per process; every thread may use it."""

    def __init__(self, layout: Layout, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._layout = layout
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._ledger = LedgerIndex(layout.ledger)
        self._open: _Open | None = None
        self._stamp: tuple[int, int] | None = None
        self._told: tuple[int, int] | None = None
        self._look_at = float("-inf")

    @contextmanager
    def pin(self) -> Iterator[Snapshot]:
        """The newest release, the same one until the block ends. NoRelease before the first."""
        held = self._hold()
        connection = held.take()
        try:
            yield _Pinned(held.manifest, connection)
        finally:
            held.give(connection)
            self._drop(held)

    def current(self) -> int | None:
        """Number of the newest release; None before the first."""
        try:
            held = self._hold()
        except NoRelease:
            return None
        try:
            return held.manifest.release
        finally:
            self._drop(held)

    def events_after(self, sequence: int, limit: int) -> list[Event]:
        """Published events of all companies above a sequence, ascending: what the fan-out reads."""
        try:
            held = self._hold()
        except NoRelease:
            return []
        try:
            return self._ledger.after(sequence, held.manifest.last, limit)
        finally:
            self._drop(held)

    def checked_at(self) -> Mapping[str, datetime]:
        """When each market was last looked at, whether or not anything had changed."""
        try:
            found = json.loads(self._layout.checked.read_bytes())
        except FileNotFoundError:
            return {}
        return {market: datetime.fromisoformat(at) for market, at in found.items()}

    def close(self) -> None:
        """Closes what no request holds; a release in use is closed by its last request."""
        with self._lock:
            former, self._open, self._stamp = self._open, None, None
            self._look_at = float("-inf")
            if former is not None and former.requests == 0:
                former.close()

    def _hold(self) -> _Open:
        with self._lock:
            now = self._monotonic()
            if now >= self._look_at:
                self._follow()
                self._look_at = now + LOOK_EVERY_SECONDS
            if self._open is None:
                raise NoRelease("nothing has been published yet: run `firm ingest`")
            self._open.requests += 1
            return self._open

    def _drop(self, held: _Open) -> None:
        with self._lock:
            held.requests -= 1
            if held.requests == 0 and held is not self._open:
                held.close()

    def _follow(self) -> None:
        """Opens what the pointer names if it has been replaced.

        A release that cannot be opened is told of once, and the former one goes on being served; it is tried again
        at every look, for a disk may come back.
        """
        try:
            status = self._layout.current.stat()
        except FileNotFoundError:
            return
        stamp = (status.st_mtime_ns, status.st_ino)
        if stamp == self._stamp:
            return
        try:
            fresh = self._opened()
        except Unsound:
            if self._open is None:
                raise
            if self._told != stamp:
                LOGGER.exception(
                    "release %s stays: the one after it cannot be opened", self._open.manifest.release
                )
                self._told = stamp
            return
        former, self._open, self._stamp = self._open, fresh, stamp
        if former is not None and former.requests == 0:
            former.close()

    def _opened(self) -> _Open:
        failure: Exception | None = None
        for _ in range(_OPEN_TRIES):
            try:
                manifest = manifests.current(self._layout)
                if manifest is not None:
                    return _Open(self._layout, manifest)
            except (OSError, sqlite3.OperationalError, Unsound) as error:
                failure = error
        raise Unsound(f"{self._layout.current} names a release that cannot be opened") from failure
