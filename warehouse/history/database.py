"""The database file of a history: creating its tables, schema edition, compaction, comparing two files.

Does not belong here: locks, transactions and the use of the tables (`history`), or the conclusions drawn from a
comparison (`pipelines.maintenance.rebuild`).
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from warehouse import schema_render
from warehouse.history import scd2
from warehouse.schema.tables import EVENTS, TABLES
from warehouse.schema.types import Table
from warehouse.storage import atomic_files
from warehouse.storage.duckdb import (
    checked_tables,
    copy_database,
    open_database,
    query_frame,
    query_int,
    quote_identifier,
    string_literal,
    trust_checked_tables,
)
from warehouse.storage.file_version import FileVersion
from warehouse.storage.layout import Layout

_IDENTITY: Final = "CREATE TABLE IF NOT EXISTS identity (id VARCHAR, edition VARCHAR)"
_BOOK: Final = (
    "CREATE SCHEMA IF NOT EXISTS present",
    "CREATE SCHEMA IF NOT EXISTS open",
    "CREATE SCHEMA IF NOT EXISTS versions",
    "CREATE SCHEMA IF NOT EXISTS closed",
    "CREATE TABLE IF NOT EXISTS marks (step VARCHAR, key VARCHAR)",
    "CREATE TABLE IF NOT EXISTS datasets (dataset VARCHAR, baseline TIMESTAMPTZ, high_water TIMESTAMPTZ)",
    "CREATE TABLE IF NOT EXISTS altered (revision BIGINT, company_id VARCHAR)",
    f"CREATE TABLE IF NOT EXISTS outbox ({schema_render.duckdb_columns(EVENTS)})",
    "ALTER TABLE outbox ADD COLUMN IF NOT EXISTS known_at TIMESTAMPTZ",  # of files made before it was declared
)
_LIVED: Final = "edition"  # marks: schema editions that a file has had, if there were several
# DuckDB reuses freed blocks but does not return them: past this share of free blocks the file is rewritten.
LARGEST_FREE_SHARE: Final = 0.5
FEWEST_FREE_BLOCKS: Final = 256  # blocks of 256 KiB
_KEPT: Final = ("open", "closed", "versions")  # current, superseded, past valid time


@dataclass(frozen=True, slots=True)
class _LeftFile:
    version: FileVersion
    tables: Mapping[str, frozenset[str]]


# Histories that this process closed: a run opens one for each of its steps, and to check a schema takes 11 statements
_left: dict[Path, _LeftFile] = {}


def ensure_schema(connection: duckdb.DuckDBPyConnection) -> None:
    """Creates missing tables and columns: all of them in a new file, newly declared ones in an existing file."""
    for statement in (_IDENTITY, *_BOOK):
        connection.execute(statement)
    found = connection.execute("FROM identity").fetchall()
    edition = _schema_version(TABLES)
    if found and found[0][1] == edition:
        return
    for table in TABLES:
        scd2.create_history_tables(connection, table)
    own = found[0][0] if found else uuid.uuid4().hex
    connection.execute("DELETE FROM identity")
    connection.execute("INSERT INTO identity VALUES ($1, $2)", [own, edition])
    lived = {edition, *(row[1] for row in found)}
    for one in lived if len(lived) > 1 else ():
        connection.execute("INSERT INTO marks VALUES ($1, $2)", [_LIVED, one])


def trust_left_file(connection: duckdb.DuckDBPyConnection, path: Path, found: FileVersion | None) -> bool:
    """Takes over what is known of a file that this process closed; False if it is new, or changed since.

    found: the file before it was opened.
    """
    left = _left.get(path)
    if left is None or left.version != found:
        return False
    trust_checked_tables(connection, left.tables)
    return True


def close_file(connection: duckdb.DuckDBPyConnection, path: Path, found: FileVersion | None, opened: ExitStack) -> None:
    """Closes a file, compacted if it is not as `found`, and notes how it was left. opened: what closes it."""
    tables = dict(checked_tables(connection))
    with opened:
        compact_changed(connection, path, found, opened)
    version = FileVersion.read(path)
    if version is not None:
        _left[path] = _LeftFile(version, tables)


def existing_history_path(layout: Layout, market: str) -> Path | None:
    """Path of a market's history file, or None if it does not exist."""
    return path if (path := layout.history_file(market)).exists() else None


def has_mixed_schema_versions(path: Path) -> bool:
    """True if a history has rows from before a schema change: columns added since are null in those.

    A rebuild fills them. Raises duckdb.IOException while the file is being written.
    """
    with open_database(path, read_only=True) as connection:
        lived = connection.execute("SELECT count(*) FROM marks WHERE step = $1", [_LIVED]).fetchall()
        edition = connection.execute("SELECT edition FROM identity").fetchall()
    return bool(lived[0][0]) or [found for (found,) in edition] != [_schema_version(TABLES)]


def recorded_marks(path: Path, step: str) -> frozenset[str]:
    """Keys that a step has recorded in a history file, read without its lock.

    Raises duckdb.IOException while the file is being written.
    """
    with open_database(path, read_only=True) as connection:
        found = connection.execute("SELECT key FROM marks WHERE step = $1", [step]).fetchall()
    return frozenset(key for (key,) in found)


@lru_cache(maxsize=2)
def _schema_version(tables: tuple[Table, ...]) -> str:
    """Edition of the shared tables: the rows of a file with this one are whole."""
    return schema_render.declarations_fingerprint(tables)


def compact_changed(
    connection: duckdb.DuckDBPyConnection, path: Path, found: FileVersion | None, opened: ExitStack
) -> None:
    """Writes what is changed to the file, and rewrites the file if most of it is free; nothing if it is as `found`.

    opened: what closes the file, before it is replaced. The old file stays intact until then.
    """
    if FileVersion.read(path) == found:
        return
    connection.execute("CHECKPOINT")
    sizes = connection.execute(
        """SELECT total_blocks, free_blocks FROM pragma_database_size()
            WHERE database_name = current_database()"""
    ).fetchall()
    total, free = sizes[0] if sizes else (0, 0)
    if free < FEWEST_FREE_BLOCKS or free < total * LARGEST_FREE_SHARE:
        return
    built = atomic_files.temporary_path(path)
    atomic_files.delete_if_exists(built)
    copy_database(connection, built)
    opened.close()
    atomic_files.publish_file(built, path)


@dataclass(frozen=True, slots=True)
class HistoryComparison:
    """rows: (former, made) counts of rows ever known, by table. lost: companies missing from `made`, sorted."""

    rows: Mapping[str, tuple[int, int]]
    lost: tuple[str, ...]


def compare_histories(previous_path: Path, rebuilt_path: Path) -> HistoryComparison:
    """Compares two files that are not being written. A table missing from the former counts as empty."""
    with open_database(rebuilt_path, read_only=True) as connection:
        connection.execute(f"ATTACH {string_literal(str(previous_path.resolve()))} AS former (READ_ONLY)")
        try:
            own = connection.execute("SELECT current_database()").fetchall()[0][0]
            rows = {
                table.name: (_count_rows(connection, "former", table.name), _count_rows(connection, own, table.name))
                for table in TABLES
            }
            lost = query_frame(
                connection,
                """SELECT DISTINCT company_id FROM former.open.companies
                    ANTI JOIN open.companies USING (company_id) ORDER BY company_id""",
            )
        finally:
            connection.execute("DETACH former")
    return HistoryComparison(rows, tuple(lost["company_id"].cast(pl.String)))


def _count_rows(connection: duckdb.DuckDBPyConnection, database: str, table: str) -> int:
    places = connection.execute(
        "SELECT schema_name FROM duckdb_tables() WHERE database_name = $1 AND table_name = $2", [database, table]
    ).fetchall()
    return sum(
        query_int(connection, f"SELECT count(*) FROM {'.'.join(map(quote_identifier, (database, schema, table)))}")
        for (schema,) in places
        if schema in _KEPT
    )
