"""Rows of a segment: shared tables sorted by company, digests, and the table `search`, in a DuckDB file.

Built from the histories, or from the previous release for markets without one. Does not belong here: which companies
a segment has (`segment_build`), the API's database (`serving.documents_db`), or folders, pointers and manifests
(`publisher`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import duckdb
import polars as pl

from warehouse import schema_render
from warehouse.release.manifest import HistoryRevision
from warehouse.release.segments import ROWS, ContentSums, Segment
from warehouse.schema.tables import COMPANIES, COMPANY_ID, TABLES
from warehouse.schema.types import ColumnKind, Table
from warehouse.serving import id_ranges, search_table, segment_views
from warehouse.storage.duckdb import (
    database_name,
    has_rows,
    open_cursor,
    open_database,
    query_frame,
    query_int,
    quote_identifier,
    quoted_columns,
    sibling_connection,
    string_literal,
)

DIGESTS: Final = "digests"
DIGESTS_SCHEMA: Final = (
    f"CREATE TABLE {DIGESTS} (company_id VARCHAR, digest UBIGINT, with_provenance UBIGINT, "
    + ", ".join(f"{quote_identifier(table.name)} UINTEGER" for table in TABLES)
    + ")"
)
_ARCHIVE_POINTER: Final = "raw"  # of no use outside this installation
_LANES: Final = 2  # tables written in parallel
_OWN: Final = len("firm:XX:") + 1  # position in a company id after the common market prefix
# A history stores rows in arrival order: runs of companies in order, some from the first load and one per day
# since.
# Reading a few companies touches a little of each run, which is cheaper than sorting whole rows.
MOST_UNSORTED_RUNS: Final = 64
MARKET_OF_ID: Final = "split_part(company_id, ':', 2)"
_ALL: Final = "true"  # a condition that is always true


@dataclass(frozen=True, slots=True)
class MarketHistoryFile:
    """Where one market's rows come from: its history, or the previous release if `history` is None."""

    market: str
    history: Path | None


def revision_and_changes(history: Path, since: HistoryRevision | None) -> tuple[HistoryRevision, pl.Series | None]:
    """The current revision of a history, and the companies changed since `since`.

    None instead of companies if that cannot be determined: all of them may have changed.
    """
    with open_database() as memory, attached_database(memory, history, "market") as connection:
        ids = connection.execute("SELECT id FROM market.identity").fetchall()
        revision = query_int(connection, "SELECT coalesce(max(revision), 0) FROM market.altered")
        now = HistoryRevision(ids[0][0] if ids else "", revision)
        if since is None or since.id != now.id or since.revision > revision:
            return now, None
        changed = query_frame(
            connection,
            "SELECT DISTINCT company_id FROM market.altered WHERE revision > $1 ORDER BY 1",
            [since.revision],
        )
        return now, changed["company_id"].cast(pl.String)


@contextmanager
def attached_database(
    connection: duckdb.DuckDBPyConnection, path: Path, name: str, mode: Literal["READ_ONLY", "READ_WRITE"] = "READ_ONLY"
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Attaches another file as a catalog. An error inside the block rolls back the transaction."""
    connection.execute(f"ATTACH {string_literal(str(path.resolve()))} AS {quote_identifier(name)} ({mode})")
    try:
        yield connection
    except BaseException:
        with suppress(duckdb.TransactionException):  # no open transaction
            connection.rollback()
        raise
    finally:
        connection.execute(f"DETACH {quote_identifier(name)}")


@contextmanager
def attached_segments(
    connection: duckdb.DuckDBPyConnection, folder: Path, segments: Iterable[Segment]
) -> Iterator[tuple[str, ...]]:
    """Attaches the rows of segments in a release's folder; yields their catalogs in the same order."""
    with ExitStack() as attached:
        catalogs: list[str] = []
        for place, segment in enumerate(segments):
            catalogs.append(f"segment{place}")
            attached.enter_context(attached_database(connection, folder / segment.files[ROWS], catalogs[-1]))
        yield tuple(catalogs)


def build_base(path: Path, sources: Iterable[MarketHistoryFile], previous: Sequence[Segment], folder: Path) -> None:
    """Writes every table of every market from scratch; companies with close ids are stored close together.

    previous: segments of the previous release, in its `folder`; read only for markets without a history.
    """
    by_market = sorted(sources, key=lambda source: source.market)
    needed = previous if any(source.history is None for source in by_market) else ()
    with open_database(path) as connection, attached_segments(connection, folder, needed) as catalogs:
        create_warehouse_tables(connection)
        for source in by_market:
            if source.history is None:
                _copy_market(connection, source, catalogs)
                continue
            with attached_database(connection, source.history, "origin"):
                _copy_market(connection, source, catalogs)
        with sibling_connection(connection) as apart, ThreadPoolExecutor(1) as thread:
            digests = thread.submit(write_digests, apart)
            search_table.build_search_tables(connection)
            digests.result()
        connection.execute("CHECKPOINT")


def create_warehouse_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """Creates the tables of a release."""
    for table in TABLES:
        connection.execute(f"CREATE TABLE {quote_identifier(table.name)} ({_column_list_sql(table)})")
    connection.execute(DIGESTS_SCHEMA)
    connection.execute(segment_views.DUCKDB_SCHEMA)


def _column_list_sql(table: Table) -> str:
    extra = ", valid_to DATE" if table.valid_from else ""
    return schema_render.duckdb_columns(table) + extra


def _copy_market(connection: duckdb.DuckDBPyConnection, source: MarketHistoryFile, previous: Sequence[str]) -> None:
    """Copies every table, several in parallel: sorted inserts are single-threaded."""

    def copy(table: Table) -> None:
        with open_cursor(connection, database) as own:
            if known and not has_current_rows(own, table):
                return
            having = _catalogs_with(own, table, previous)
            _copy_table(own, table, _market_rows_sql(table, source, having), parts)

    database = database_name(connection)
    known = source.history is not None
    parts = id_ranges.id_range_predicates(connection, "origin.open.companies") if known else [_ALL]
    with ThreadPoolExecutor(_LANES) as lanes:
        for done in [lanes.submit(copy, table) for table in TABLES]:
            done.result()


def _copy_table(connection: duckdb.DuckDBPyConnection, table: Table, rows: str, parts: list[str]) -> None:
    """Copies one table. parts: conditions that partition the market's companies by id range."""
    name = quote_identifier(table.name)
    if all(_count_sorted_runs(connection, f"FROM ({rows}) WHERE {part}") <= MOST_UNSORTED_RUNS for part in parts):
        # In one statement: the last, incomplete row group of each statement is rewritten by the next one.
        connection.execute(f"INSERT INTO {name} BY NAME {rows}")
        return
    for part in parts:
        connection.execute(
            f"INSERT INTO {name} BY NAME SELECT * FROM ({rows}) WHERE {part} ORDER BY {_market_sort_columns_sql(table)}"
        )


def _catalogs_with(connection: duckdb.DuckDBPyConnection, table: Table, catalogs: Sequence[str]) -> list[str]:
    """The catalogs that have a table: segments of an earlier version may not."""
    if not catalogs:
        return []
    found = connection.execute(
        "SELECT database_name FROM duckdb_tables() WHERE table_name = $1 AND list_contains($2, database_name)",
        [table.name, list(catalogs)],
    ).fetchall()
    having = {name for (name,) in found}
    return [catalog for catalog in catalogs if catalog in having]


def _market_rows_sql(table: Table, source: MarketHistoryFile, previous: Sequence[str]) -> str:
    if source.history is not None:
        return current_rows_sql(table)
    if not previous:
        return f"SELECT * FROM {quote_identifier(table.name)} WHERE false"
    visible = segment_views.visible_rows_sql(quote_identifier(table.name), previous)
    return f"SELECT * FROM ({visible}) WHERE {MARKET_OF_ID} = {string_literal(source.market)}"


def _count_sorted_runs(connection: duckdb.DuckDBPyConnection, found: str) -> int:
    """Number of runs in stored row order within which companies are sorted."""
    return 1 + query_int(
        connection,
        f"""SELECT count(*) FILTER (company_id < before)
            FROM (SELECT company_id, lag(company_id) OVER () AS before {found})""",
    )


def insert_sql(table: Table, rows: str) -> str:
    """SQL that inserts these rows into a table, in its order."""
    ordered = f"SELECT * FROM ({rows}) ORDER BY {sort_columns_sql(table)}"
    return f"INSERT INTO {quote_identifier(table.name)} BY NAME {ordered}"


def current_rows_sql(table: Table, condition: str | None = None) -> str:
    """SQL for the current rows of history `origin`, with past valid-time versions where there are any.

    `condition`: relation of companies to restrict to.
    """
    listed = quoted_columns(table.names)
    if table.valid_from:
        listed += ", valid_to"
    return " UNION ALL ".join(
        f"SELECT {listed} FROM {place if condition is None else semi_join_sql(place, condition, COMPANY_ID.name)}"
        for place in _current_places(table)
    )


def has_current_rows(connection: duckdb.DuckDBPyConnection, table: Table) -> bool:
    """True if history `origin` has any row for `current_rows_sql`: to insert none takes fifteen times as long."""
    return any(has_rows(connection, place) for place in _current_places(table))


def _current_places(table: Table) -> list[str]:
    """The tables of history `origin` that hold the current rows of a shared table."""
    schemas = ("open", "versions") if table.valid_from else ("open",)
    return [f"origin.{schema}.{quote_identifier(table.name)}" for schema in schemas]


def semi_join_sql(column_expression: str, others: str, column: str) -> str:
    """A FROM clause for the few rows of a table that match `others` on a column; only those are read in full.

    A plain semi join reads all columns of every row, which takes twice as long.
    """
    joined = f"SELECT rowid FROM {column_expression} SEMI JOIN {others} USING ({quote_identifier(column)})"
    return f"{column_expression} WHERE rowid IN ({joined})"


def sort_columns_sql(table: Table) -> str:
    """Sort order, by company first: rows needed for one company's documents are stored close together."""
    return quoted_columns(list(dict.fromkeys((COMPANY_ID.name, *table.key))))


def _market_sort_columns_sql(table: Table) -> str:
    """The same order within one market, without the common id prefix: DuckDB sorts by the first bytes first."""
    company = quote_identifier(COMPANY_ID.name)
    return sort_columns_sql(table).replace(company, f"{company}[{_OWN}:]", 1)


def write_digests(connection: duckdb.DuckDBPyConnection) -> None:
    """Writes two digests per company: row count over all tables, and two sums over the row hashes.

    `digest` is of business columns alone, `with_provenance` of all columns that leave this installation: facts may be
    the same and their sources others. Sums do not depend on row order; a change that leaves one sum equal changes the
    other. DuckDB's own hash takes a twentieth of the time of hashing rows as text; `hash_function_id` identifies
    the hash, which may differ between versions of DuckDB. Row counts by table are stored too, so that what a delta
    supersedes is counted without reading its rows.
    """
    stored = table_row_counts(connection)
    counts = ", ".join(f"count(*) FILTER (place = {place})" for place in range(len(TABLES)))
    filled = [(place, table) for place, table in enumerate(TABLES) if stored[table.name]]
    if not filled:
        return
    rows = " UNION ALL ".join(_row_hashes_sql(table, place) for place, table in filled)
    for part in id_ranges.id_range_predicates(connection, COMPANIES.name):
        connection.execute(
            f"""INSERT INTO {DIGESTS}
                SELECT company_id, hash(count(*), sum(hashed), sum(hash(hashed))),
                    hash(count(*), sum(described), sum(hash(described))), {counts} FROM ({rows})
                WHERE {part} GROUP BY company_id ORDER BY company_id"""
        )


def _row_hashes_sql(table: Table, place: int) -> str:
    listed = quoted_columns([*table.business, *(("valid_to",) if table.valid_from else ())])
    # DuckDB's hash of an empty list is that of null
    lists = (quote_identifier(one.name) for one in table.columns if one.kind is ColumnKind.TEXTS)
    unknown = "".join(f", {name} IS NULL" for name in lists)
    others = [name for name in table.names if name not in table.business and name != _ARCHIVE_POINTER]
    described = ", ".join(["hashed", *map(quote_identifier, others)])
    return f"""SELECT {place} AS place, company_id, hash({place}, {listed}{unknown}) AS hashed,
        hash({described}) AS described FROM {quote_identifier(table.name)}"""


def hash_function_id() -> str:
    """Identifies the hash used for digests and fingerprints: releases with different ones cannot be compared."""
    with open_database() as memory:
        hashed = query_int(memory, "SELECT hash(1, 'a', DATE '2026-11-22', 1.5, NULL, ['b'], true)")
    return f"hashes of sums of {hashed}"


def digest_sums(connection: duckdb.DuckDBPyConnection, digests: str = f"FROM {DIGESTS}") -> ContentSums:
    """Contents of the companies with these digests.

    Added up from sums, as digests are: sorting ten million rows takes twenty times as long.
    """
    counts = ", ".join(f"sum({quote_identifier(table.name)})::BIGINT" for table in TABLES)
    sums = "count(*), sum(hash(company_id, digest)), sum(hash(digest, company_id))"
    total = ContentSums({table.name: 0 for table in TABLES})
    for market, count, first, second, *rows in connection.execute(
        f"SELECT {MARKET_OF_ID} AS market, {sums}, {counts} FROM ({digests}) GROUP BY market"
    ).fetchall():
        by_table = {table.name: number for table, number in zip(TABLES, rows, strict=True)}
        total = total.plus(ContentSums(by_table, {market: by_table[COMPANIES.name]}, (count, int(first), int(second))))
    return total


def table_row_counts(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Row count by table."""
    counts = (f"SELECT {string_literal(table.name)}, count(*) FROM {quote_identifier(table.name)}" for table in TABLES)
    return dict(connection.execute(" UNION ALL ".join(counts)).fetchall())


def tables_with_duplicate_keys(
    connection: duckdb.DuckDBPyConnection, counts: Mapping[str, int], older: Sequence[str] = ()
) -> list[str]:
    """Tables with duplicate keys (with valid time: duplicate key and start).

    counts: rows by table. older: catalogs of the segments before this one, whose visible rows have no duplicates
    among themselves.
    """
    parts = id_ranges.id_range_predicates(connection, COMPANIES.name)
    return [
        table.name
        for table in TABLES
        if counts[table.name]
        and _has_duplicate_keys(connection, table, _rows_to_check_sql(connection, table, older), parts)
    ]


def _rows_to_check_sql(connection: duckdb.DuckDBPyConnection, table: Table, older: Sequence[str]) -> str:
    """All rows of a table, and those of older segments that share the first column of a key with one of them."""
    name = quote_identifier(table.name)
    if not older or table.key[0] == COMPANY_ID.name:
        return name  # older segments' rows of the same companies are superseded
    visible = segment_views.visible_rows_sql(name, (*older, quote_identifier(database_name(connection))))
    return f"({visible}) SEMI JOIN {name} AS own USING ({quote_identifier(table.key[0])})"


def _has_duplicate_keys(connection: duckdb.DuckDBPyConnection, table: Table, rows: str, parts: list[str]) -> bool:
    """True if a key occurs twice.

    Checked per id range (`parts`) if the key begins with the company, to save memory.
    """
    key = quoted_columns([*table.key, *((table.valid_from,) if table.valid_from else ())])
    # comparing hashes first is faster than comparing keys
    ways = (f"hash({key})", key)
    return any(
        all(query_int(connection, _duplicate_count_sql(f"(FROM {rows}) WHERE {part}", way)) for way in ways)
        for part in (parts if table.key[0] == COMPANY_ID.name else [_ALL])
    )


def _duplicate_count_sql(rows: str, way: str) -> str:
    return f"SELECT count(*) FROM (SELECT 1 FROM {rows} GROUP BY {way} HAVING count(*) > 1)"
