"""Documents database of a release, `serving.sqlite`: ready-to-send responses of the API's hot paths, by key.

Documents by company, financial and owner rows packed per company, and event rows. Written once, or copied from the
previous release and patched; never written after publication. Does not belong here: the JSON shapes
(`document_sql`), rows (`pack_rows`), the name index, which is a separate file (`name_index`), or reading
(`reader.queries`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from warehouse.serving import codec_write, document_sql, id_ranges, pack_rows
from warehouse.serving.codec_write import RowPacker
from warehouse.serving.pack_rows import Packed
from warehouse.storage.duckdb import registered_frame, stream_frames
from warehouse.storage.parallel import prefetch
from warehouse.storage.sqlite_bulk import bulk_inserter, expose_changed, open_for_building

_CHUNK: Final = 20_000
# Columns of `search` used by profiles
_RANKED: Final = "company_id, rank, latest_revenue, latest_currency, latest_year"
SCHEMA: Final = (
    *codec_write.SCHEMA,
    # inserted in the order of ids; looked up by rank through the name labels
    """CREATE TABLE companies (rank INTEGER NOT NULL, company_id TEXT NOT NULL, org_number TEXT NOT NULL,
        name TEXT NOT NULL, body BLOB NOT NULL, etag TEXT NOT NULL, parts BLOB NOT NULL)""",
    # all rows of a company in one value (`codec_write`)
    "CREATE TABLE financials (company_id TEXT PRIMARY KEY, packed BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE owners (company_id TEXT PRIMARY KEY, packed BLOB NOT NULL) WITHOUT ROWID",
    """CREATE TABLE events (company_id TEXT, sequence INTEGER, event_type TEXT, recorded_at TEXT, body BLOB,
        PRIMARY KEY (company_id, sequence)) WITHOUT ROWID""",
    # other identifiers of companies: LEI, ISIN, symbol, VAT number and the like, in capitals
    "CREATE TABLE known_as (value TEXT, company_id TEXT, PRIMARY KEY (value, company_id)) WITHOUT ROWID",
)
_INDEXES: Final = (
    "CREATE UNIQUE INDEX companies_by_id ON companies (company_id)",
    "CREATE INDEX known_as_by_company ON known_as (company_id)",
)


def build_documents(path: Path, source: duckdb.DuckDBPyConnection) -> None:
    """Writes documents and packed rows of every company. `finish_documents` does the rest."""
    words = document_sql.compression_dictionary()
    with closing(open_for_building(path)) as target:
        for statement in SCHEMA:
            target.execute(statement)
        codec_write.write_packing_tables(target, words, document_sql.TEMPLATES)
    with bulk_inserter(path) as fill:
        for tables in pack_rows.pack_all_companies(source, words):
            for table, packed in tables.items():
                fill(table, packed)
        for profiles in _all_profiles(source, RowPacker(words)):
            fill("companies", profiles)


def _all_profiles(source: duckdb.DuckDBPyConnection, packer: RowPacker) -> Iterator[pl.DataFrame]:
    """Profiles of all companies, ordered by id range but not within a range."""
    source.execute(f"CREATE OR REPLACE TEMP TABLE ranked AS SELECT {_RANKED} FROM search ORDER BY company_id")
    for part in id_ranges.id_range_predicates(source, "companies"):
        yield from _packed_profiles(source, packer, part)
    source.execute("DROP TABLE ranked")


def finish_documents(path: Path, source: duckdb.DuckDBPyConnection, ledger: Iterable[pl.DataFrame]) -> None:
    """Adds other identifiers and the events of the ledger, then creates the indexes."""
    source.execute("CREATE OR REPLACE TEMP VIEW wanted AS SELECT company_id FROM companies")
    with closing(open_for_building(path)) as target:
        target.execute("BEGIN")
        _insert_aliases(target, source)
        _insert_events(target, ledger, source)
        for statement in _INDEXES:
            target.execute(statement)
        target.execute("COMMIT")
        target.execute("PRAGMA optimize")


def patch_documents(
    path: Path, source: duckdb.DuckDBPyConnection, changed: pl.Series, ledger: Iterable[pl.DataFrame]
) -> None:
    """Updates the changed companies in a copy of the previous file from `source`, and adds new events.

    Equal values are not rewritten: most changed companies have one change only.
    """
    with closing(open_for_building(path)) as target:
        target.execute("BEGIN")
        expose_changed(target, source, changed)
        packer = RowPacker.of(target)
        source.execute(f"CREATE OR REPLACE TEMP VIEW ranked AS SELECT {_RANKED} FROM search")
        among = "company_id IN (SELECT company_id FROM wanted)"
        _update_profiles(target, source, _packed_profiles(source, packer, among))
        _update_packed_rows(target, pack_rows.pack_companies(source, changed, packer.words), changed)
        target.execute("DELETE FROM known_as WHERE company_id IN (SELECT company_id FROM changed)")
        _insert_aliases(target, source)
        _insert_events(target, ledger, source)
        target.execute("COMMIT")


def add_events(path: Path, source: duckdb.DuckDBPyConnection, ledger: Iterable[pl.DataFrame]) -> None:
    """Adds events to a copy of an older file: the ledger is never rolled back."""
    with closing(open_for_building(path)) as target:
        target.execute("BEGIN")
        _insert_events(target, ledger, source)
        target.execute("COMMIT")


def _packed_profiles(source: duckdb.DuckDBPyConnection, packer: RowPacker, which: str) -> Iterator[pl.DataFrame]:
    """Profiles of the companies that meet a condition (`documents.profiles`), as rows of `companies`."""
    for chunk in prefetch(stream_frames(source, document_sql.profiles_sql(which), _CHUNK)):
        yield chunk.with_columns(pl.Series("parts", packer.packed(chunk["parts"]), pl.Binary))


def _update_profiles(
    target: sqlite3.Connection, source: duckdb.DuckDBPyConnection, found: Iterable[pl.DataFrame]
) -> None:
    """Upserts profiles; deletes those of changed companies that are no longer in `search`."""
    target.execute("CREATE TEMP TABLE present (company_id TEXT PRIMARY KEY) WITHOUT ROWID")
    for companies in stream_frames(source, "SELECT company_id FROM search SEMI JOIN wanted USING (company_id)", _CHUNK):
        target.executemany("INSERT INTO present VALUES (?)", companies.rows())
    target.execute(
        """DELETE FROM companies WHERE company_id IN
            (SELECT company_id FROM changed EXCEPT SELECT company_id FROM present)"""
    )
    for profiles in found:
        _upsert_rows(target, "companies", profiles)


def _update_packed_rows(target: sqlite3.Connection, found: Iterable[Packed], changed: pl.Series) -> None:
    """Upserts packed rows; deletes those of changed companies that have none any more."""
    kept: dict[str, list[pl.Series]] = {"financials": [], "owners": []}
    for tables in found:
        for table, packed in tables.items():
            _upsert_rows(target, table, packed)
            kept[table].append(packed["company_id"])
    for table, companies in kept.items():
        gone = changed.filter(~changed.is_in(pl.concat([changed.clear(), *companies]).implode()))
        target.executemany(f"DELETE FROM {table} WHERE company_id = ?", ((company,) for company in gone))


def _upsert_rows(target: sqlite3.Connection, table: str, found: pl.DataFrame) -> None:
    """Upserts rows by company, skipping unchanged ones."""
    values = [name for name in found.columns if name != "company_id"]
    target.executemany(
        f"""INSERT INTO {table} ({", ".join(found.columns)}) VALUES ({", ".join("?" * found.width)})
            ON CONFLICT (company_id) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in values)}
            WHERE {" OR ".join(f"{name} <> excluded.{name}" for name in values)}""",
        found.rows(),
    )


def _insert_aliases(target: sqlite3.Connection, source: duckdb.DuckDBPyConnection) -> None:
    for chunk in stream_frames(source, document_sql.alias_rows_sql(), _CHUNK):
        target.executemany("INSERT OR IGNORE INTO known_as VALUES (?, ?)", chunk.rows())


def _insert_events(
    target: sqlite3.Connection, ledger: Iterable[pl.DataFrame], source: duckdb.DuckDBPyConnection
) -> None:
    for segment in ledger:
        with registered_frame(source, "ledger", segment):
            for chunk in stream_frames(source, document_sql.event_rows_sql(), _CHUNK):
                target.executemany("INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?)", chunk.rows())
