"""Index of the ledger's event ids: whether an event is known, without reading every segment.

Derived from the segments, and caught up with those that it lacks by every question. Does not belong here: numbering
events (`ledger`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Final

import polars as pl

from warehouse.ledger import read_index
from warehouse.ledger.read_index import LedgerSegment
from warehouse.storage.derived_database import DerivedDatabase, transaction
from warehouse.storage.layout import Layout

_SCHEMA: Final = """
CREATE TABLE segments (release INTEGER PRIMARY KEY, first INTEGER, last INTEGER, size INTEGER, changed_at INTEGER);
CREATE TABLE ids (event_id TEXT PRIMARY KEY, release INTEGER NOT NULL) WITHOUT ROWID
"""

_Segment = tuple[int, int, int, int, int]


class KnownIds:
    """The event ids of one data root's ledger."""

    def __init__(self, layout: Layout) -> None:
        self._folder = layout.ledger_folder
        self._database = DerivedDatabase(layout.event_index_file, _SCHEMA)

    def known(self, event_ids: Iterable[str]) -> list[str]:
        """The subset of these ids that the ledger has, visible or not, in their order."""
        ids = list(event_ids)

        def found(connection: sqlite3.Connection) -> list[str]:
            self._catch_up(connection)
            with transaction(connection):
                query = "SELECT 1 FROM ids WHERE event_id = ?"
                return [one for one in ids if connection.execute(query, (one,)).fetchone()]

        return self._database.run(found)

    def _catch_up(self, connection: sqlite3.Connection) -> None:
        """Forgets segments that are gone or were replaced, and adds those that are missing."""
        segments = read_index.read_segments(self._folder)
        if _indexed(connection) == self._present(segments):
            return
        with transaction(connection, "IMMEDIATE"):
            present = self._present(segments)
            indexed = _indexed(connection)
            for release, *_ in indexed - present:
                connection.execute("DELETE FROM ids WHERE release = ?", (release,))
                connection.execute("DELETE FROM segments WHERE release = ?", (release,))
            for entry in sorted(present - indexed):
                release = entry[0]
                rows = pl.read_parquet(read_index.segment_path(self._folder, release), columns=["event_id"])
                ids = ((one, release) for one in rows["event_id"].sort())
                connection.executemany("INSERT OR IGNORE INTO ids VALUES (?, ?)", ids)
                connection.execute("INSERT INTO segments VALUES (?, ?, ?, ?, ?)", entry)

    def _present(self, segments: Iterable[LedgerSegment]) -> set[_Segment]:
        found = ((one, read_index.segment_path(self._folder, one.release).stat()) for one in segments)
        return {(one.release, one.first, one.last, status.st_size, status.st_mtime_ns) for one, status in found}


def _indexed(connection: sqlite3.Connection) -> set[_Segment]:
    return set(connection.execute("SELECT release, first, last, size, changed_at FROM segments"))
