"""Links present rows without a company of their own to one, through rows of another staged table.

Belongs here: the linking columns, which supplement a staged table's own, and the comparison in SQL. Does not
belong here: which tables are linked by which keys (`connectors.contract.dataset.Link`), or when
(`pipelines.steps.normalise`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import duckdb
import polars as pl

from warehouse import schema_render
from warehouse.schema.types import Table
from warehouse.storage.duckdb import (
    ensure_table,
    has_rows,
    query_frame,
    quote_identifier,
    quoted_columns,
    registered_frame,
    run_over_frame,
    table_columns,
)

KeyOf = Callable[[pl.DataFrame], pl.Series]  # link keys of staged rows, null where a row has none

KEY_PREFIX: Final = "_key_"  # of columns with a computed key
NAMELESS: Final = "_nameless"  # true: the row has no company of its own
GAINED: Final = "gained"
LOST: Final = "lost"
MOVED: Final = "moved"  # true: the gained rows were linked to another company, or to this one, before
HAD: Final = "_had"  # true: this row has been linked to a company before
_ROW: Final = "_row"


@dataclass(frozen=True, slots=True)
class LinkPath:
    """A match rule from a row to a company: columns of both present tables that have the same key."""

    key: str
    through: Table
    through_key: str


def linking_column_types(rows: pl.DataFrame, keys: Mapping[str, KeyOf]) -> dict[str, str]:
    """DuckDB types of the linking columns in the rows and of the computed keys."""
    return dict.fromkeys(keys, "VARCHAR") | ({NAMELESS: "BOOLEAN"} if NAMELESS in rows.columns else {})


def with_computed_keys(table: Table, rows: pl.DataFrame, keys: Mapping[str, KeyOf]) -> pl.DataFrame:
    """Staged rows with their computed keys added."""
    staged = rows.select(table.names)
    return rows.with_columns(of(staged).alias(column) for column, of in keys.items())


def prepare_link_columns(connection: duckdb.DuckDBPyConnection, table: Table, keys: Mapping[str, KeyOf]) -> None:
    """Adds the linking columns to an existing table, and computes keys for rows older than their column."""
    name = f"present.{quote_identifier(table.name)}"
    there = table_columns(connection, "present", table.name)
    fresh = {column: of for column, of in keys.items() if column not in there}
    kinds = {NAMELESS: "BOOLEAN", HAD: "BOOLEAN", **dict.fromkeys(keys, "VARCHAR")}
    ensure_table(connection, "present", table.name, kinds)
    if not fresh or not has_rows(connection, name):
        return
    rows = query_frame(connection, f"SELECT rowid AS {_ROW}, {quoted_columns(table.names)} FROM {name}")
    staged = rows.drop(_ROW).cast(pl.Schema(schema_render.polars_schema(table)))
    computed = rows.select(_ROW, **{column: of(staged) for column, of in fresh.items()})
    changes = ", ".join(f"{quote_identifier(column)} = c.{quote_identifier(column)}" for column in fresh)
    with registered_frame(connection, "computed", computed):
        connection.execute(f"UPDATE {name} SET {changes} FROM computed AS c WHERE {name}.rowid = c.{_ROW}")


def resolve_links(connection: duckdb.DuckDBPyConnection, table: Table, link_paths: Sequence[LinkPath]) -> pl.DataFrame:
    """Links every row without a company of its own by its match rules and returns the changes.

    Returned are pairs of companies that rows gained and lost, and whether a company gained a row that had been
    linked before. The first rule with any match decides, and only if it matches exactly one company: several
    are ambiguous. Soft-deleted rows of the other table are used only if no present row matches, as what a
    register no longer lists still belonged to that company. Every column of a rule must exist
    (`present.create`).
    """
    name = f"present.{quote_identifier(table.name)}"
    # rows from before the table was linked have no mark
    mine = f"coalesce({NAMELESS}, _company_id IS NULL)"
    if not has_rows(connection, f"{name} WHERE {mine}"):
        return pl.DataFrame(schema={GAINED: pl.String, LOST: pl.String, MOVED: pl.Boolean})
    answers, joins = _answers_sql(link_paths, name, mine)
    found = "CASE " + " ".join(f"WHEN a{place}.found THEN a{place}.company" for place in range(len(link_paths)))
    relinked = query_frame(
        connection,
        f"""WITH {answers}, chosen AS (
                SELECT t.rowid AS old, t._company_id AS {LOST}, {found} END AS {GAINED}, coalesce(t.{HAD}, false) AS had
                FROM {name} AS t {joins} WHERE {mine}
            )
            FROM chosen WHERE {LOST} IS DISTINCT FROM {GAINED}""",
    ).cast({GAINED: pl.String, LOST: pl.String})
    if not relinked.is_empty():
        run_over_frame(
            connection,
            "relinked",
            relinked,
            f"""UPDATE {name} SET _company_id = r.{GAINED}, {NAMELESS} = true, {HAD} = true
                FROM relinked AS r WHERE {name}.rowid = r.old""",
        )
    gained, lost = pl.col(GAINED), pl.col(LOST)
    moved = gained.is_not_null() & (lost.is_not_null() | pl.col("had"))
    return relinked.select(gained, lost, moved.alias(MOVED)).unique().sort(GAINED, LOST, MOVED, nulls_last=True)


def _answers_sql(link_paths: Sequence[LinkPath], name: str, mine: str) -> tuple[str, str]:
    """SQL for the candidates of each rule, `a0` and so on, and for joining them to the rows `t`."""
    answers = ", ".join(
        f"a{place} AS ({_candidate_companies_sql(way, name, mine)})" for place, way in enumerate(link_paths)
    )
    joins = " ".join(
        f"LEFT JOIN a{place} ON a{place}.key = t.{quote_identifier(way.key)}" for place, way in enumerate(link_paths)
    )
    return answers, joins


def _candidate_companies_sql(way: LinkPath, name: str, mine: str) -> str:
    """SQL per requested key: whether any row matches, and the company if there is exactly one."""
    key, through_key = quote_identifier(way.key), quote_identifier(way.through_key)
    return f"""
        SELECT p.{through_key} AS key, true AS found,
            CASE
                WHEN count(DISTINCT p._company_id) FILTER (p._retired_at IS NULL) = 1
                THEN min(p._company_id) FILTER (p._retired_at IS NULL)
                WHEN count(DISTINCT p._company_id) = 1 THEN min(p._company_id)
            END AS company
        FROM present.{quote_identifier(way.through.name)} AS p
        WHERE p._company_id IS NOT NULL AND p.{through_key} <> ''
            AND p.{through_key} IN (SELECT {key} FROM {name} WHERE {mine})
        GROUP BY p.{through_key}"""


def unlinked_records(
    connection: duckdb.DuckDBPyConnection, table: Table, link_paths: Sequence[LinkPath]
) -> pl.DataFrame:
    """Unlinked present rows, with `_several`: true if several companies match, null if the row has no key.

    Columns of the table and the meta columns; every column of a rule must exist (`prepare_link_columns`).
    """
    name = f"present.{quote_identifier(table.name)}"
    mine = "_company_id IS NULL"
    answers, joins = _answers_sql(link_paths, name, mine)
    keys = ", ".join(f"nullif(t.{quote_identifier(way.key)}, '')" for way in link_paths)
    found = " OR ".join(f"coalesce(a{place}.found, false)" for place in range(len(link_paths)))
    several = f"CASE WHEN coalesce({keys}) IS NOT NULL THEN {found} END" if link_paths else "NULL::BOOLEAN"
    listed = quoted_columns([*table.names, "_company_id", "_observed_at", "_raw"], "t.")
    rows = query_frame(
        connection,
        f"""{f"WITH {answers}" if link_paths else ""} SELECT {listed}, {several} AS _several FROM {name} AS t {joins}
            WHERE t.{mine} AND t._retired_at IS NULL""",
    )
    kinds = {"_company_id": pl.String, "_observed_at": schema_render.INSTANT, "_raw": pl.String, "_several": pl.Boolean}
    return rows.cast(pl.Schema({**schema_render.polars_schema(table), **kinds}))
