"""`warehouse.duckdb` of a release: the shared tables in full, by company, digests, and the table `search`.

Made from the histories. Does not belong here: writing the changed companies again in a copy of the former release
(`patching`), what the API answers from (`serving`), or folders, pointers and manifests (`release`).
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
_LANES: Final = 2  # tables written at one time
_OWN: Final = len("firm:XX:") + 1  # where what is a company's own begins in its id
# A history holds rows as they came: runs of companies in order, some of the first load and one for each day since.
# Whoever reads some companies reads a little of each run, which costs less than putting whole rows in order.
MOST_UNSORTED_RUNS: Final = 64
_ALL: Final = "true"  # a condition that all rows meet


@dataclass(frozen=True, slots=True)
class Source:
    """Where one market's rows come from: its history, or a former release where `history` is None."""

    market: str
    history: Path | None


def standing(history: Path, since: Standing | None) -> tuple[Standing, pl.Series | None]:
    """How far a history stands, and the companies changed since.

    None where that cannot be told: all of them.
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
    """Shows another file as a catalog. What fails while it is shown undoes its transaction."""
    connection.execute(f"ATTACH {text(str(path.resolve()))} AS {quoted(name)} ({mode})")
    try:
        yield connection
    except BaseException:
        with suppress(duckdb.TransactionException):  # there is none
            connection.rollback()
        raise
    finally:
        connection.execute(f"DETACH {quoted(name)}")


def build(path: Path, sources: Iterable[Source], former: Path | None) -> None:
    """Writes every table of every market from nothing; rows of companies whose ids are close lie close together."""
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
    """Makes the tables of a release."""
    for table in TABLES:
        connection.execute(f"CREATE TABLE {quoted(table.name)} ({_shape(table)})")
    connection.execute(f"CREATE TABLE {DIGESTS} (company_id VARCHAR, digest UBIGINT)")


def _shape(table: Table) -> str:
    extra = ", valid_to DATE" if table.valid_from else ""
    return render.duckdb_columns(table) + extra


def _copy_all(connection: duckdb.DuckDBPyConnection, source: Source) -> None:
    """Every table, some at one time: rows that come in an order are written by one thread."""

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
    """parts: conditions that part the companies of the market into stretches."""
    name, rows = quoted(table.name), _of_market(table, source)
    if all(_runs(connection, f"FROM ({rows}) WHERE {part}") <= MOST_UNSORTED_RUNS for part in parts):
        # at once: the last rows of every statement fill no group of rows, and are written again with the next
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
    """How many stretches of rows there are, as they lie, whose companies are in order."""
    return 1 + number(
        connection,
        f"""SELECT count(*) FILTER (company_id < before)
            FROM (SELECT company_id, lag(company_id) OVER () AS before {found})""",
    )


def taken(table: Table, only: str) -> str:
    """Takes what the history `origin` holds true now of the companies in the relation `only`."""
    return f"INSERT INTO {quoted(table.name)} BY NAME SELECT * FROM ({told(table, only)}) ORDER BY {order(table)}"


def told(table: Table, only: str | None = None) -> str:
    """What the history `origin` holds true now; with a world axis, earlier spans too. `only`: of whom."""
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
    """The few rows of a table that have a column in common with others, and those alone are read in full.

    A semi join by itself reads all columns of every row, which takes twice as long.
    """
    return f"{place} WHERE rowid IN (SELECT rowid FROM {place} SEMI JOIN {others} USING ({quoted(column)}))"


def order(table: Table) -> str:
    """By company first: what the documents of some are made of lies close together."""
    return columns(list(dict.fromkeys((COMPANY_ID.name, *table.key))))


def _order_within(table: Table) -> str:
    """The same order, of the companies of one market: ids begin alike, and DuckDB sorts by what they begin with."""
    company = quoted(COMPANY_ID.name)
    return order(table).replace(company, f"{company}[{_OWN}:]", 1)


def digest(connection: duckdb.DuckDBPyConnection) -> None:
    """One digest per company: of how many rows it has in all tables, and of two sums over the hashes of them.

    Of business columns only. A sum does not depend on the order of rows; what leaves the one as it is changes the
    other. DuckDB's own hash takes a twentieth of what a text of every row does; where another edition of it has
    another hash, `hash_edition` tells.
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
    """Tells by which hash digests and fingerprints are made: releases of two editions cannot be compared."""
    with opened() as memory:
        hashed = number(memory, "SELECT hash(1, 'a', DATE '2026-11-22', 1.5, NULL, ['b'], true)")
    return f"hashes of sums of {hashed}"


def fingerprint(connection: duckdb.DuckDBPyConnection) -> str:
    """SHA-256 over all companies' digests: equal for equal content, however it was built.

    Of sums, as digests are: putting ten million in order takes twenty times as long.
    """
    sums = "count(*), sum(hash(company_id, digest)), sum(hash(digest, company_id))"
    return connection.execute(f"SELECT sha256(concat_ws(' ', {sums})) FROM {DIGESTS}").fetchall()[0][0]


def counts(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Rows by table."""
    return {table.name: number(connection, f"SELECT count(*) FROM {quoted(table.name)}") for table in TABLES}


def companies_by_market(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Companies by market."""
    found = connection.execute("SELECT country, count(*) FROM companies GROUP BY ALL ORDER BY ALL")
    return dict(found.fetchall())


def repeated_keys(connection: duckdb.DuckDBPyConnection, put: str | None = None) -> list[str]:
    """Tables in which a key stands twice (with a world axis: twice from one day).

    put: the catalog of rows that were put where no key stood twice; then only theirs are looked at.
    """
    parts = stretches.conditions(connection, COMPANIES.name) if put is None else [_ALL]
    return [table.name for table in TABLES if _repeats(connection, table, _rows(table, put), parts)]


def _rows(table: Table, put: str | None) -> str:
    """All rows of a table, or those that begin their key as one of the rows that were put there."""
    name = quoted(table.name)
    return name if put is None else few(name, f"{quoted(put)}.{name}", table.key[0])


def _repeats(connection: duckdb.DuckDBPyConnection, table: Table, rows: str, parts: list[str]) -> bool:
    """parts: stretches of companies, in which keys are looked for that begin with one: all at once take memory."""
    key = columns([*table.key, *((table.valid_from,) if table.valid_from else ())])
    # whether two keys have one hash is told sooner than whether they are the same
    ways = (f"hash({key})", key)
    return any(
        all(number(connection, _repeated(f"(FROM {rows}) WHERE {part}", way)) for way in ways)
        for part in (parts if table.key[0] == COMPANY_ID.name else [_ALL])
    )


def _repeated(rows: str, way: str) -> str:
    return f"SELECT count(*) FROM (SELECT 1 FROM {rows} GROUP BY {way} HAVING count(*) > 1)"
