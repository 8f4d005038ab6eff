"""Documents of a segment: ready-to-send responses of the API's hot paths, by key.

Documents by company, financial and owner rows packed per company, relations, and event rows. Written once, never
after publication. Does not belong here: the JSON shapes (`document_sql`), rows (`pack_rows`), the name index
(`name_index`), or reading (`reader.queries`, over several segments `segment_views`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from warehouse.serving import codec_write, document_sql, id_ranges, pack_rows, segment_views
from warehouse.serving.codec_write import RowPacker
from warehouse.serving.segment_views import SUPERSEDED, SYMBOL_LENGTH
from warehouse.storage.duckdb import registered_frame, stream_frames
from warehouse.storage.parallel import prefetch
from warehouse.storage.sqlite_bulk import bulk_inserter, open_for_building

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
    # holders of a company, those who decide first (`minor` 0); `until` is empty if it is not known
    """CREATE TABLE relations (company_id TEXT, minor INTEGER, kind INTEGER, position INTEGER, holder_id TEXT,
        relation TEXT NOT NULL, holder TEXT NOT NULL, since TEXT NOT NULL, until TEXT NOT NULL, skips INTEGER NOT NULL,
        body BLOB NOT NULL, PRIMARY KEY (company_id, minor, kind, position, holder_id)) WITHOUT ROWID""",
    """CREATE TABLE owners_by_holder (holder TEXT, position INTEGER, company_id TEXT, holder_id TEXT, since TEXT,
        until TEXT NOT NULL, floor INTEGER,
        PRIMARY KEY (holder, position, company_id, holder_id, since)) WITHOUT ROWID""",
    "CREATE TABLE leis (company_id TEXT, lei TEXT, PRIMARY KEY (company_id, lei)) WITHOUT ROWID",
    segment_views.SQLITE_SCHEMA,
)

_INDEXES: Final = (
    "CREATE UNIQUE INDEX companies_by_id ON companies (company_id)",
    # what a holder holds
    """CREATE INDEX relations_by_holder ON relations (holder, position, company_id, holder_id, relation, since, until)
        WHERE skips = 0""",
    # symbols apart from the many longer identifiers that begin alike, as ISINs with their country
    f"CREATE INDEX known_symbols ON known_as (value, company_id) WHERE length(value) <= {SYMBOL_LENGTH}",
)


def build_documents(path: Path, source: duckdb.DuckDBPyConnection) -> None:
    """Writes documents and packed rows of every company in `source`. `finish_documents` does the rest."""
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
        for relations in _packed_relations(source, RowPacker(words)):
            fill("relations", relations)
        for table, select in _plain_tables().items():
            for found in stream_frames(source, select, _CHUNK):
                fill(table, found)


def _plain_tables() -> dict[str, str]:
    """SQL for the rows of tables that are stored as they are, by table."""
    return {
        "owners_by_holder": document_sql.owners_by_holder_sql(),
        "leis": document_sql.leis_sql(),
        SUPERSEDED: f"SELECT company_id FROM {SUPERSEDED} ORDER BY ALL",
    }


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


def _packed_profiles(source: duckdb.DuckDBPyConnection, packer: RowPacker, which: str) -> Iterator[pl.DataFrame]:
    """Profiles of the companies that meet a condition (`documents.profiles`), as rows of `companies`."""
    for chunk in prefetch(stream_frames(source, document_sql.profiles_sql(which), _CHUNK)):
        yield chunk.with_columns(pl.Series("parts", packer.packed(chunk["parts"]), pl.Binary))


def _packed_relations(source: duckdb.DuckDBPyConnection, packer: RowPacker) -> Iterator[pl.DataFrame]:
    """Relations of all companies, as rows of `relations`, in their order."""
    for chunk in prefetch(stream_frames(source, document_sql.relation_rows_sql(), _CHUNK)):
        yield chunk.with_columns(pl.Series("body", packer.packed(chunk["body"]), pl.Binary))


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
