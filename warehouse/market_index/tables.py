"""Tables of a market's index, and what both parts of it share.

Lines are what a RAW manifest says of received bodies; batches and pieces are what STAGED has parsed. `is_unstaged`: no
batch in use names the body, so that a run finds what is pending without comparing all of both.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Final, Self

SCHEMA: Final = """
CREATE TABLE datasets (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,
    inode INTEGER, size INTEGER, changed_at INTEGER,
    "end" INTEGER NOT NULL DEFAULT 0, lines INTEGER NOT NULL DEFAULT 0, chain BLOB NOT NULL DEFAULT x'',
    last_line INTEGER NOT NULL DEFAULT 0, chain_before BLOB NOT NULL DEFAULT x'', mark_key TEXT,
    folder_changed_at INTEGER, retracted TEXT NOT NULL DEFAULT ''
);
CREATE TABLE lines (
    place INTEGER PRIMARY KEY, dataset INTEGER NOT NULL, name TEXT NOT NULL, sha256 TEXT NOT NULL,
    batch TEXT NOT NULL, observed_at TEXT NOT NULL, scope TEXT NOT NULL, fetched_at TEXT NOT NULL,
    bytes INTEGER NOT NULL, replaces TEXT, cursor TEXT, is_new INTEGER NOT NULL,
    is_retracted INTEGER NOT NULL DEFAULT 0, is_unstaged INTEGER NOT NULL
);
CREATE INDEX bodies_by_name ON lines (dataset, name) WHERE is_new;
CREATE INDEX bodies_by_instant ON lines (dataset, observed_at, name) WHERE is_new;
CREATE INDEX lines_by_batch ON lines (dataset, batch);
CREATE INDEX complete_lines ON lines (dataset, observed_at) WHERE scope = 'full';
CREATE INDEX unstaged_bodies ON lines (dataset, name) WHERE is_unstaged;
CREATE TABLE cursors (place INTEGER PRIMARY KEY, dataset INTEGER NOT NULL, batch TEXT NOT NULL, cursor TEXT NOT NULL);
CREATE INDEX cursors_by_dataset ON cursors (dataset);
CREATE TABLE erased (
    dataset INTEGER NOT NULL, sha256 TEXT NOT NULL, became TEXT, bytes INTEGER, PRIMARY KEY (dataset, sha256)
) WITHOUT ROWID;
CREATE TABLE retractions (place INTEGER PRIMARY KEY, dataset INTEGER NOT NULL, line TEXT NOT NULL);
CREATE TABLE batches (
    dataset INTEGER NOT NULL, batch TEXT NOT NULL, newest_instant TEXT, full_instant TEXT, cursor TEXT,
    is_held INTEGER NOT NULL, is_retracted INTEGER NOT NULL, PRIMARY KEY (dataset, batch)
) WITHOUT ROWID;
CREATE INDEX batches_with_cursor ON batches (dataset, batch) WHERE cursor IS NOT NULL;
CREATE INDEX held_batches ON batches (dataset, batch) WHERE is_held;
CREATE INDEX batches_by_full_instant ON batches (dataset, full_instant, batch) WHERE full_instant IS NOT NULL;
CREATE INDEX batches_by_instant ON batches (dataset, newest_instant);
CREATE TABLE pieces (
    dataset INTEGER NOT NULL, sha256 TEXT NOT NULL, name TEXT NOT NULL, batch TEXT NOT NULL,
    PRIMARY KEY (dataset, sha256, name, batch)
) WITHOUT ROWID;
CREATE TABLE snapshots (
    dataset INTEGER NOT NULL, observed_at TEXT NOT NULL, batch TEXT NOT NULL,
    PRIMARY KEY (dataset, observed_at, batch)
) WITHOUT ROWID;
CREATE TABLE figures (
    dataset INTEGER NOT NULL, name TEXT NOT NULL, batch TEXT NOT NULL, PRIMARY KEY (dataset, name, batch)
) WITHOUT ROWID
"""

_NAMED: Final = """EXISTS (
    SELECT 1 FROM pieces CROSS JOIN batches USING (dataset, batch)
    WHERE pieces.dataset = lines.dataset AND pieces.sha256 = lines.sha256 AND pieces.name = lines.name
      AND pieces.batch >= lines.batch AND NOT batches.is_retracted)"""


@dataclass(frozen=True, slots=True)
class SeenFiles:
    """What the index has of a dataset: inode, size and time of its manifest, and the time of its folder of batches.

    dataset: its id, 0 if nothing is known of it. None: there was no such file.
    """

    dataset: int = 0
    folder_changed_at: int | None = None
    manifest: tuple[int, int, int] | None = None

    @classmethod
    def read(cls, connection: sqlite3.Connection, dataset: str) -> Self:
        query = "SELECT id, folder_changed_at, inode, size, changed_at FROM datasets WHERE key = ?"
        found = connection.execute(query, (dataset,)).fetchone()
        if found is None:
            return cls()
        number, folder_changed_at, *manifest = found
        return cls(number, folder_changed_at, None if manifest[0] is None else (manifest[0], manifest[1], manifest[2]))


def dataset_id(connection: sqlite3.Connection, dataset: str) -> int:
    """Id of a dataset in the tables, created on first use."""
    connection.execute("INSERT OR IGNORE INTO datasets (key) VALUES (?)", (dataset,))
    [found] = connection.execute("SELECT id FROM datasets WHERE key = ?", (dataset,)).fetchone()
    return found


def clear_staged(connection: sqlite3.Connection, dataset: int, above: int = 0) -> None:
    """Clears `is_unstaged` of bodies above a place that a batch in use names: one of their own run or a later one."""
    bodies = "dataset = ? AND is_unstaged AND place > ?"
    connection.execute(f"UPDATE lines NOT INDEXED SET is_unstaged = 0 WHERE {bodies} AND {_NAMED}", (dataset, above))


def compare_all(connection: sqlite3.Connection, dataset: int) -> None:
    """Compares all bodies of a dataset with STAGED: batches were taken out of use or have disappeared."""
    unmarked = "UPDATE lines SET is_unstaged = 1 WHERE dataset = ? AND is_new AND NOT is_unstaged"
    connection.execute(unmarked, (dataset,))
    clear_staged(connection, dataset)
