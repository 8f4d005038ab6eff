"""Full build of a release's `warehouse.duckdb`: shared tables sorted by company, digests, and the table `search`.

Built from the histories. Does not belong here: patching changed companies into a copy of the previous release
(`patching`), the API's database (`serving`), or folders, pointers and manifests (`release`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import duckdb
import polars as pl

from warehouse import render, searching, stretches
from warehouse.engine import beside, columns, cursor, database_of, frame, number, opened, quoted, text
from warehouse.manifests import Standing
from warehouse.schema.tables import COMPANIES, COMPANY_ID, TABLES
from warehouse.schema.types import Table

DIGESTS: Final = "digests"
_LANES: Final = 2  # tables written in parallel
_OWN: Final = len("firm:XX:") + 1  # position in a company id after the common market prefix
# A history stores rows in arrival order: runs of companies in order, some from the first load and one per day
# since.
# Reading a few companies touches a little of each run, which is cheaper than sorting whole rows.
MOST_UNSORTED_RUNS: Final = 64
_ALL: Final = "true"  # a condition that is always true


@dataclass(frozen=True, slots=True)
class Source:
    """Where one market's rows come from: its history, or the previous release if `history` is None."""

    market: str
    history: Path | None


def standing(history: Path, since: Standing | None) -> tuple[Standing, pl.Series | None]:
    """The current revision of a history, and the companies changed since `since`.

    None instead of companies if that cannot be determined: all of them may have changed.
    """
    with opened() as memory, attached(memory, history, "market") as connection:
        ids = connection.execute("SELECT id FROM market.identity").fetchall()
        revision = number(connection, "SELECT coalesce(max(revision), 0) FROM market.altered")
        now = Standing(ids[0][0] if ids else "", revision)
        if since is None or since.id != now.id or since.revision > revision:
            return now, None
        changed = frame(
            connection,
            "SELECT DISTINCT company_id FROM market.altered WHERE revision > $1 ORDER BY 1",
            [since.revision],
        )
        return now, changed["company_id"].cast(pl.String)


@contextmanager
def attached(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    name: str,
    mode: Literal["READ_ONLY", "READ_WRITE"] = "READ_ONLY",
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Attaches another file as a catalog. An error inside the block rolls back the transaction."""
    connection.execute(f"ATTACH {text(str(path.resolve()))} AS {quoted(name)} ({mode})")
    try:
        yield connection
    except BaseException:
        with suppress(duckdb.TransactionException):  # no open transaction
            connection.rollback()
        raise
    finally:
        connection.execute(f"DETACH {quoted(name)}")


def build(path: Path, sources: Iterable[Source], former: Path | None) -> None:
    """Writes every table of every market from scratch; companies with close ids are stored close together."""
    with opened(path) as connection:
        create(connection)
        for source in sorted(sources, key=lambda source: source.market):
            origin = source.history or former
            if origin is None:
                raise ValueError(
                    f"market {source.market}: neither a history nor a former release to take it from"
                )
            with attached(connection, origin, "origin"):
                _copy_all(connection, source)
        with beside(connection) as apart, ThreadPoolExecutor(1) as thread:
            digests = thread.submit(digest, apart)
            searching.build(connection)
            digests.result()
        connection.execute("CHECKPOINT")


def create(connection: duckdb.DuckDBPyConnection) -> None:
    """Creates the tables of a release."""
    for table in TABLES:
        connection.execute(f"CREATE TABLE {quoted(table.name)} ({_shape(table)})")
    connection.execute(f"CREATE TABLE {DIGESTS} (company_id VARCHAR, digest UBIGINT)")


def _shape(table: Table) -> str:
    extra = ", valid_to DATE" if table.valid_from else ""
    return render.duckdb_columns(table) + extra


def _copy_all(connection: duckdb.DuckDBPyConnection, source: Source) -> None:
    """Copies every table, several in parallel: sorted inserts are single-threaded."""

    def copy(table: Table) -> None:
        with cursor(connection, database) as own:
            _copy(own, table, source, parts)

    database = database_of(connection)
    known = source.history is not None
    parts = stretches.conditions(connection, "origin.open.companies") if known else [_ALL]
    with ThreadPoolExecutor(_LANES) as lanes:
        for done in [lanes.submit(copy, table) for table in TABLES]:
            done.result()


def _copy(connection: duckdb.DuckDBPyConnection, table: Table, source: Source, parts: list[str]) -> None:
    """Copies one table. parts: conditions that partition the market's companies by id range."""
    name, rows = quoted(table.name), _of_market(table, source)
    if all(_runs(connection, f"FROM ({rows}) WHERE {part}") <= MOST_UNSORTED_RUNS for part in parts):
        # In one statement: the last, incomplete row group of each statement is rewritten by the next one.
        connection.execute(f"INSERT INTO {name} BY NAME {rows}")
        return
    for part in parts:
        connection.execute(
            f"INSERT INTO {name} BY NAME SELECT * FROM ({rows}) WHERE {part} ORDER BY {_order_within(table)}"
        )


def _of_market(table: Table, source: Source) -> str:
    if source.history is not None:
        return told(table)
    return f"SELECT * FROM origin.{quoted(table.name)} WHERE split_part(company_id, ':', 2) = {text(source.market)}"


def _runs(connection: duckdb.DuckDBPyConnection, found: str) -> int:
    """Number of runs in stored row order within which companies are sorted."""
    return 1 + number(
        connection,
        f"""SELECT count(*) FILTER (company_id < before)
            FROM (SELECT company_id, lag(company_id) OVER () AS before {found})""",
    )


def taken(table: Table, only: str) -> str:
    """SQL that inserts the current rows of history `origin` for the companies in the relation `only`."""
    return f"INSERT INTO {quoted(table.name)} BY NAME SELECT * FROM ({told(table, only)}) ORDER BY {order(table)}"


def told(table: Table, only: str | None = None) -> str:
    """SQL for the current rows of history `origin`, with past valid-time versions where there are any.

    `only`: relation of companies to restrict to.
    """
    listed = columns(table.names)
    if table.valid_from:
        listed += ", valid_to"
    schemas = ("open", "versions") if table.valid_from else ("open",)
    places = [f"origin.{schema}.{quoted(table.name)}" for schema in schemas]
    return " UNION ALL ".join(
        f"SELECT {listed} FROM {place if only is None else few(place, only, COMPANY_ID.name)}"
        for place in places
    )


def few(place: str, others: str, column: str) -> str:
    """A FROM clause for the few rows of a table that match `others` on a column; only those are read in full.

    A plain semi join reads all columns of every row, which takes twice as long.
    """
    return f"{place} WHERE rowid IN (SELECT rowid FROM {place} SEMI JOIN {others} USING ({quoted(column)}))"


def order(table: Table) -> str:
    """Sort order, by company first: rows needed for one company's documents are stored close together."""
    return columns(list(dict.fromkeys((COMPANY_ID.name, *table.key))))


def _order_within(table: Table) -> str:
    """The same order within one market, without the common id prefix: DuckDB sorts by the first bytes first."""
    company = quoted(COMPANY_ID.name)
    return order(table).replace(company, f"{company}[{_OWN}:]", 1)


def digest(connection: duckdb.DuckDBPyConnection) -> None:
    """Writes one digest per company: row count over all tables, and two sums over the row hashes.

    Business columns only. Sums do not depend on row order; a change that leaves one sum equal changes the
    other. DuckDB's own hash takes a twentieth of the time of hashing rows as text; `hash_edition` identifies
    the hash, which may differ between versions of DuckDB.
    """
    rows = " UNION ALL ".join(_hashes(table, place) for place, table in enumerate(TABLES))
    for part in stretches.conditions(connection, COMPANIES.name):
        connection.execute(
            f"""INSERT INTO {DIGESTS}
                SELECT company_id, hash(count(*), sum(hashed), sum(hash(hashed))) FROM ({rows})
                WHERE {part} GROUP BY company_id ORDER BY company_id"""
        )


def _hashes(table: Table, place: int) -> str:
    listed = columns([*table.business, *(("valid_to",) if table.valid_from else ())])
    return f"SELECT company_id, hash({place}, {listed}) AS hashed FROM {quoted(table.name)}"


def hash_edition() -> str:
    """Identifies the hash used for digests and fingerprints: releases with different ones cannot be compared."""
    with opened() as memory:
        hashed = number(memory, "SELECT hash(1, 'a', DATE '2026-11-22', 1.5, NULL, ['b'], true)")
    return f"hashes of sums of {hashed}"


def fingerprint(connection: duckdb.DuckDBPyConnection) -> str:
    """SHA-256 over all companies' digests: equal for equal content, whether built in full or patched.

    Computed from sums, as digests are: sorting ten million rows takes twenty times as long.
    """
    sums = "count(*), sum(hash(company_id, digest)), sum(hash(digest, company_id))"
    return connection.execute(f"SELECT sha256(concat_ws(' ', {sums})) FROM {DIGESTS}").fetchall()[0][0]


def counts(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Row count by table."""
    return {table.name: number(connection, f"SELECT count(*) FROM {quoted(table.name)}") for table in TABLES}


def companies_by_market(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Company count by market."""
    found = connection.execute("SELECT country, count(*) FROM companies GROUP BY ALL ORDER BY ALL")
    return dict(found.fetchall())


def repeated_keys(connection: duckdb.DuckDBPyConnection, put: str | None = None) -> list[str]:
    """Tables with duplicate keys (with valid time: duplicate key and start).

    put: catalog of the patched rows; if given, only those are checked, as the rest had no duplicates before.
    """
    parts = stretches.conditions(connection, COMPANIES.name) if put is None else [_ALL]
    return [table.name for table in TABLES if _repeats(connection, table, _rows(table, put), parts)]


def _rows(table: Table, put: str | None) -> str:
    """All rows of a table, or those that share their first key column with a patched row."""
    name = quoted(table.name)
    return name if put is None else few(name, f"{quoted(put)}.{name}", table.key[0])


def _repeats(connection: duckdb.DuckDBPyConnection, table: Table, rows: str, parts: list[str]) -> bool:
    """True if a key occurs twice.

    Checked per id range (`parts`) if the key begins with the company, to save memory.
    """
    key = columns([*table.key, *((table.valid_from,) if table.valid_from else ())])
    # comparing hashes first is faster than comparing keys
    ways = (f"hash({key})", key)
    return any(
        all(number(connection, _repeated(f"(FROM {rows}) WHERE {part}", way)) for way in ways)
        for part in (parts if table.key[0] == COMPANY_ID.name else [_ALL])
    )


def _repeated(rows: str, way: str) -> str:
    return f"SELECT count(*) FROM (SELECT 1 FROM {rows} GROUP BY {way} HAVING count(*) > 1)"
