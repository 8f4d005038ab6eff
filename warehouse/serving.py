"""`serving.sqlite` of a release: what the API answers hot, ready to send, by the keys it is asked by.

Documents by company, financial and owner rows packed per company, event rows, and the name index. Written once
beside the release before it, or copied from there and patched; never written after it is published. Does not
belong here: the JSON shapes (`documents`) or reading (`queries`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import duckdb
import polars as pl

from warehouse import documents, packing
from warehouse.engine import registered
from warehouse.packing import Packer
from warehouse.queries import names, slips

_CHUNK: Final = 20_000
SCHEMA: Final = (
    packing.SCHEMA,
    """CREATE TABLE companies (rank INTEGER PRIMARY KEY, company_id TEXT NOT NULL, org_number TEXT NOT NULL,
        name TEXT NOT NULL, body BLOB NOT NULL, etag TEXT NOT NULL, parts BLOB NOT NULL)""",
    # narrow, so that walking many names touches no documents
    """CREATE TABLE labels (rank INTEGER PRIMARY KEY, folded TEXT NOT NULL, country TEXT NOT NULL,
        first TEXT AS (substr(folded, 1, instr(folded || ' ', ' ') - 1)))""",
    # all rows of a company in one value (`packing`)
    "CREATE TABLE financials (company_id TEXT PRIMARY KEY, packed BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE owners (company_id TEXT PRIMARY KEY, packed BLOB NOT NULL) WITHOUT ROWID",
    """CREATE TABLE events (company_id TEXT, sequence INTEGER, event_type TEXT, recorded_at TEXT, body BLOB,
        PRIMARY KEY (company_id, sequence)) WITHOUT ROWID""",
    # by what else companies are known: LEI, ISIN, symbol, VAT number and the like, in capitals
    "CREATE TABLE known_as (value TEXT, company_id TEXT, PRIMARY KEY (value, company_id)) WITHOUT ROWID",
    "CREATE TABLE slips (spelling TEXT, word TEXT, PRIMARY KEY (spelling, word)) WITHOUT ROWID",
    "CREATE TABLE words (word TEXT PRIMARY KEY) WITHOUT ROWID",
    # Prefixes of these lengths have lists of their own, which are read as they are; lists of longer ones would be
    # merged, so those are asked for word by word (`queries.names`). No phrases are asked for: `detail = column`.
    # Folded names part at blanks alone, which is what `ascii` does with them.
    f"""CREATE VIRTUAL TABLE names USING fts5(folded, country, content = 'labels', content_rowid = 'rank',
        tokenize = 'ascii', detail = 'column', columnsize = 0, prefix = '{" ".join(map(str, names.LISTED))}')""",
)
_CHANGED: Final = """FROM labels WHERE rank IN
    (SELECT rank FROM companies WHERE company_id IN (SELECT company_id FROM changed))"""
_INDEXES: Final = (
    "CREATE UNIQUE INDEX companies_by_id ON companies (company_id)",
    "CREATE INDEX known_as_by_company ON known_as (company_id)",
    "CREATE INDEX labels_by_name ON labels (folded)",
    "CREATE INDEX labels_by_first_word ON labels (first)",
)


def open_for_building(path: Path) -> sqlite3.Connection:
    """A file that only its builder sees: a kill throws it away, so nothing is journaled."""
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -262144", "temp_store = MEMORY"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def build(path: Path, source: duckdb.DuckDBPyConnection, ledger: Iterable[pl.DataFrame]) -> None:
    """Writes the whole file from a release's tables and the ledger; indexes last."""
    with closing(open_for_building(path)) as target:
        target.execute("PRAGMA page_size = 8192")
        target.execute("BEGIN")
        for statement in SCHEMA:
            target.execute(statement)
        target.execute("INSERT INTO packing VALUES (?)", (documents.dictionary(),))
        source.execute("CREATE OR REPLACE TEMP VIEW wanted AS SELECT company_id FROM companies")
        _insert_companies(target, source)
        _insert_rows(target, source)
        _insert_events(target, ledger, source)
        target.execute("INSERT INTO names (names) VALUES ('rebuild')")
        target.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, names, col)")
        target.execute(
            "INSERT INTO words SELECT term FROM temp.vocabulary WHERE col = 'folded' ORDER BY term"
        )
        target.execute("DROP TABLE temp.vocabulary")
        _insert_slips(target, source, (word for (word,) in target.execute("SELECT word FROM words")))
        for statement in _INDEXES:
            target.execute(statement)
        target.execute("COMMIT")
        target.execute("PRAGMA optimize")


def patch(
    path: Path, source: duckdb.DuckDBPyConnection, changed: pl.Series, ledger: Iterable[pl.DataFrame]
) -> None:
    """Writes the changed companies again in a copy of the former file, and adds new events."""
    with closing(open_for_building(path)) as target:
        target.execute("BEGIN")
        target.execute("CREATE TEMP TABLE changed (company_id TEXT PRIMARY KEY) WITHOUT ROWID")
        target.executemany("INSERT INTO changed VALUES (?)", ((company,) for company in changed.sort()))
        with registered(source, "wanted_companies", changed.rename("company_id").to_frame()):
            source.execute("CREATE OR REPLACE TEMP TABLE wanted AS SELECT company_id FROM wanted_companies")
        target.execute(
            f"""INSERT INTO names (names, rowid, folded, country)
                SELECT 'delete', rank, folded, country {_CHANGED}"""
        )
        target.execute(f"DELETE {_CHANGED}")
        for table in ("companies", "financials", "owners", "known_as"):
            target.execute(f"DELETE FROM {table} WHERE company_id IN (SELECT company_id FROM changed)")
        _insert_companies(target, source)
        target.execute(f"INSERT INTO names (rowid, folded, country) SELECT rank, folded, country {_CHANGED}")
        _insert_words(target, source)
        _insert_rows(target, source)
        _insert_events(target, ledger, source)
        target.execute("COMMIT")


def add_events(path: Path, source: duckdb.DuckDBPyConnection, ledger: Iterable[pl.DataFrame]) -> None:
    """Adds events to a copy of an older file: the ledger is never rolled back."""
    with closing(open_for_building(path)) as target:
        target.execute("BEGIN")
        _insert_events(target, ledger, source)
        target.execute("COMMIT")


def _insert_companies(target: sqlite3.Connection, source: duckdb.DuckDBPyConnection) -> None:
    packer = Packer.of(target)
    for chunk in _frames(source, documents.profiles()):
        parts = pl.Series("parts", packer.packed(chunk["parts"]), pl.Binary)
        profiles = chunk.with_columns(parts).select(pl.exclude("folded", "country"))
        target.executemany(f"INSERT INTO companies VALUES ({_marks(profiles.width)})", profiles.rows())
        labels = chunk.select("rank", "folded", "country").rows()
        target.executemany("INSERT INTO labels (rank, folded, country) VALUES (?, ?, ?)", labels)


def _insert_words(target: sqlite3.Connection, source: duckdb.DuckDBPyConnection) -> None:
    """Adds the words of the changed companies; those that no name holds any more stay and find nothing."""
    found = target.execute(f"SELECT folded {_CHANGED}").fetchall()
    words = {word for (name,) in found for word in name.split()}
    target.executemany("INSERT OR IGNORE INTO words VALUES (?)", ((word,) for word in words))
    _insert_slips(target, source, words)


def _insert_rows(target: sqlite3.Connection, source: duckdb.DuckDBPyConnection) -> None:
    for chunk in _chunks(source, documents.known_as()):
        target.executemany(f"INSERT OR IGNORE INTO known_as VALUES ({_marks(2)})", chunk)
    packer = Packer.of(target)
    for table, statement in (("financials", documents.financial_rows()), ("owners", documents.owner_rows())):
        for companies in _by_company(_frames(source, statement)):
            packed = zip(companies["company_id"], packer.packed(companies["row"]), strict=True)
            target.executemany(f"INSERT INTO {table} VALUES (?, ?)", packed)


def _by_company(chunks: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Rows that come in the order of their companies to a line a company; one may reach over several chunks."""
    held = pl.DataFrame(schema={"company_id": pl.String, "row": pl.String})
    for chunk in chunks:
        rows = pl.concat([held, chunk])
        is_last = pl.col("company_id") == rows["company_id"][-1]
        held = rows.filter(is_last)
        yield packing.joined(rows.filter(~is_last))
    yield packing.joined(held)


def _insert_events(
    target: sqlite3.Connection, ledger: Iterable[pl.DataFrame], source: duckdb.DuckDBPyConnection
) -> None:
    for segment in ledger:
        with registered(source, "ledger", segment):
            for chunk in _chunks(source, documents.event_rows()):
                target.executemany(f"INSERT OR IGNORE INTO events VALUES ({_marks(5)})", chunk)


def _insert_slips(
    target: sqlite3.Connection, source: duckdb.DuckDBPyConnection, words: Iterable[str]
) -> None:
    """The table of deletions (`queries.slips`)."""
    frame = pl.DataFrame({"word": [word for word in words if slips.suits(word)]}, schema={"word": pl.String})
    with registered(source, "words", frame):
        spellings = """SELECT DISTINCT left(word, place) || word[place + 2:] AS spelling, word FROM (
            SELECT word, unnest(range(0, length(word))) AS place FROM words) ORDER BY ALL"""
        for chunk in _chunks(source, spellings):
            target.executemany("INSERT OR IGNORE INTO slips VALUES (?, ?)", chunk)


def _frames(source: duckdb.DuckDBPyConnection, statement: str) -> Iterator[pl.DataFrame]:
    """Rows as they come: DuckDB would hold the whole answer in memory for `execute`."""
    for chunk in source.sql(statement).to_arrow_reader(_CHUNK):
        if (found := pl.DataFrame(chunk)).height:
            yield found


def _chunks(source: duckdb.DuckDBPyConnection, statement: str) -> Iterator[list[tuple[Any, ...]]]:
    for found in _frames(source, statement):
        yield found.rows()


def _marks(count: int) -> str:
    return ", ".join("?" * count)
