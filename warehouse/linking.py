"""Present rows that name no company themselves get one through rows of another staged table.

Belongs here: the columns that this needs beside a staged table's own, and the comparison in SQL. Does not belong
here: which tables are linked by what (`connectors.declare.Link`), or when (`pipelines.stages.normalised`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import duckdb
import polars as pl

from warehouse import render
from warehouse.engine import columns, columns_of, ensure_table, frame, number, quoted, registered
from warehouse.schema.types import Table

KeyOf = Callable[[pl.DataFrame], pl.Series]  # rows of a staged table to their keys, null where a row has none

KEY_PREFIX: Final = "_key_"  # of columns that hold a computed key
NAMELESS: Final = "_nameless"  # true: the row names no company itself
GAINED: Final = "gained"
LOST: Final = "lost"
MOVED: Final = "moved"  # true: what a company gained was another's before, or its own once
HAD: Final = "_had"  # true: a link has led this very row to a company before
_ROW: Final = "_row"


@dataclass(frozen=True, slots=True)
class Way:
    """One way from a row to a company: columns of both present tables that hold the same key."""

    key: str
    through: Table
    through_key: str


def meta_types(rows: pl.DataFrame, keys: Mapping[str, KeyOf]) -> dict[str, str]:
    """DuckDB types of the linking columns that rows bring along, and of the keys that are computed of them."""
    return dict.fromkeys(keys, "VARCHAR") | ({NAMELESS: "BOOLEAN"} if NAMELESS in rows.columns else {})


def with_keys(table: Table, rows: pl.DataFrame, keys: Mapping[str, KeyOf]) -> pl.DataFrame:
    """Staged rows with the keys that are computed of them beside them."""
    staged = rows.select(table.names)
    return rows.with_columns(of(staged).alias(column) for column, of in keys.items())


def prepare(connection: duckdb.DuckDBPyConnection, table: Table, keys: Mapping[str, KeyOf]) -> None:
    """Makes the linking columns of a table that is there; computes keys of rows that came before their column."""
    name = f"present.{quoted(table.name)}"
    there = columns_of(connection, "present", table.name)
    fresh = {column: of for column, of in keys.items() if column not in there}
    kinds = {NAMELESS: "BOOLEAN", HAD: "BOOLEAN", **dict.fromkeys(keys, "VARCHAR")}
    ensure_table(connection, "present", table.name, kinds)
    if not fresh or not number(connection, f"SELECT count(*) FROM {name}"):
        return
    rows = frame(connection, f"SELECT rowid AS {_ROW}, {columns(table.names)} FROM {name}")
    staged = rows.drop(_ROW).cast(pl.Schema(render.polars_schema(table)))
    computed = rows.select(_ROW, **{column: of(staged) for column, of in fresh.items()})
    changes = ", ".join(f"{quoted(column)} = c.{quoted(column)}" for column in fresh)
    with registered(connection, "computed", computed):
        connection.execute(f"UPDATE {name} SET {changes} FROM computed AS c WHERE {name}.rowid = c.{_ROW}")


def relink(connection: duckdb.DuckDBPyConnection, table: Table, ways: Sequence[Way]) -> pl.DataFrame:
    """Gives every row that names no company the one its ways lead to; gives what came of it.

    Pairs of companies that rows gained and lost, and whether a company gained what had been linked before.

    The first way that leads anywhere decides, and only where it leads to one company alone: two are no answer.
    A row of the other table that is retired answers where no present one does, for what a register lists no
    longer was still that company's. Every column named by a way must be there (`present.create`).
    """
    name = f"present.{quoted(table.name)}"
    # rows of before the table was linked have no mark
    mine = f"coalesce({NAMELESS}, _company_id IS NULL)"
    answers = ", ".join(f"a{place} AS ({_answers(way, name, mine)})" for place, way in enumerate(ways))
    joins = " ".join(
        f"LEFT JOIN a{place} ON a{place}.key = t.{quoted(way.key)}" for place, way in enumerate(ways)
    )
    found = "CASE " + " ".join(f"WHEN a{place}.found THEN a{place}.company" for place in range(len(ways)))
    connection.execute(
        f"""CREATE OR REPLACE TEMP TABLE relinked AS
            WITH {answers}, chosen AS (
                SELECT t.rowid AS old, t._company_id AS lost, {found} END AS gained, t.{HAD} AS had
                FROM {name} AS t {joins} WHERE {mine}
            )
            FROM chosen WHERE lost IS DISTINCT FROM gained"""
    )
    if number(connection, "SELECT count(*) FROM relinked"):
        connection.execute(
            f"""UPDATE {name} SET _company_id = r.gained, {NAMELESS} = true, {HAD} = true
                FROM relinked AS r WHERE {name}.rowid = r.old"""
        )
    moved = f"{GAINED} IS NOT NULL AND ({LOST} IS NOT NULL OR coalesce(had, false)) AS {MOVED}"
    pairs = frame(connection, f"SELECT DISTINCT {GAINED}, {LOST}, {moved} FROM relinked ORDER BY ALL")
    return pairs.cast({GAINED: pl.String, LOST: pl.String, MOVED: pl.Boolean})


def _answers(way: Way, name: str, mine: str) -> str:
    """Per key that is asked for: whether anybody answers, and the company where it is one alone."""
    key, through_key = quoted(way.key), quoted(way.through_key)
    return f"""
        SELECT p.{through_key} AS key, true AS found,
            CASE
                WHEN count(DISTINCT p._company_id) FILTER (p._retired_at IS NULL) = 1
                THEN min(p._company_id) FILTER (p._retired_at IS NULL)
                WHEN count(DISTINCT p._company_id) = 1 THEN min(p._company_id)
            END AS company
        FROM present.{quoted(way.through.name)} AS p
        WHERE p._company_id IS NOT NULL AND p.{through_key} <> ''
            AND p.{through_key} IN (SELECT {key} FROM {name} WHERE {mine})
        GROUP BY p.{through_key}"""


def unanswered(connection: duckdb.DuckDBPyConnection, table: Table, ways: Sequence[Way]) -> pl.DataFrame:
    """Present rows that belong to no company, with `_several`: more than one answers; null: nobody was asked for.

    Columns of the table and the meta columns; every column named by a way must be there (`prepare`).
    """
    name = f"present.{quoted(table.name)}"
    mine = "_company_id IS NULL"
    answers = ", ".join(f"a{place} AS ({_answers(way, name, mine)})" for place, way in enumerate(ways))
    joins = " ".join(
        f"LEFT JOIN a{place} ON a{place}.key = t.{quoted(way.key)}" for place, way in enumerate(ways)
    )
    keys = ", ".join(f"nullif(t.{quoted(way.key)}, '')" for way in ways)
    found = " OR ".join(f"coalesce(a{place}.found, false)" for place in range(len(ways)))
    several = f"CASE WHEN coalesce({keys}) IS NOT NULL THEN {found} END" if ways else "NULL::BOOLEAN"
    listed = columns([*table.names, "_company_id", "_observed_at", "_raw"], "t.")
    rows = frame(
        connection,
        f"""{f"WITH {answers}" if ways else ""} SELECT {listed}, {several} AS _several FROM {name} AS t {joins}
            WHERE t.{mine} AND t._retired_at IS NULL""",
    )
    kinds = {
        "_company_id": pl.String,
        "_observed_at": render.INSTANT,
        "_raw": pl.String,
        "_several": pl.Boolean,
    }
    return rows.cast(pl.Schema({**render.polars_schema(table), **kinds}))
