"""SCD2 merge of one history table: diff by key against a new snapshot, keeping superseded rows.

One shared table is stored as three DuckDB tables. `open`: one current row per key. `versions`: past valid-time
versions that are still believed (tables with `valid_from` only). `closed`: superseded rows, with `known_to`.
None has an index: comparison is by joins (docs/architecture.md 4). If a source dates each of its statements, past
versions are replaced by ones that follow from these, in whatever order they arrived. Does not belong here: locks,
transactions, and the order of snapshots (`history`), or computing versions (`pipelines.transforms`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

import duckdb
import polars as pl

from warehouse import schema_render
from warehouse.schema.types import Table
from warehouse.storage.duckdb import (
    delete_rows,
    ensure_table,
    has_rows,
    query_frame,
    quote_identifier,
    quoted_columns,
    registered_frame,
)

COMPANY: Final = "company_id"
_ROW: Final = "_row"
_STILL: Final = "NULL::TIMESTAMPTZ"


@dataclass(frozen=True, slots=True)
class TableDiff:
    """The diff of one table by key, columns in `table.names` order.

    `changed_before` and `changed_after` have the same keys row by row. `known`: companies known before this
    instant; filled for the companies table only.
    """

    table: str
    added: pl.DataFrame
    removed: pl.DataFrame
    changed_before: pl.DataFrame
    changed_after: pl.DataFrame
    known: pl.Series = field(default_factory=lambda: pl.Series(COMPANY, [], pl.String))

    @property
    def is_empty(self) -> bool:
        return self.added.is_empty() and self.removed.is_empty() and self.changed_after.is_empty()

    @property
    def companies(self) -> pl.Series:
        """Companies with any difference, sorted, without duplicates."""
        frames = (self.added, self.removed, self.changed_after)
        return pl.concat([frame[COMPANY] for frame in frames]).unique().sort()


def empty_diff(table: Table) -> TableDiff:
    """An empty diff."""
    none = schema_render.empty_frame(table)
    return TableDiff(table.name, none, none, none, none)


def create_history_tables(connection: duckdb.DuckDBPyConnection, table: Table) -> None:
    """Creates the history tables of one shared table, and adds columns declared since."""
    shape = schema_render.duckdb_storage_types(table) | {"known_from": "TIMESTAMPTZ", "valid_to": "DATE"}
    for schema in ("open", "versions"):
        ensure_table(connection, schema, table.name, shape)
    ensure_table(connection, "closed", table.name, shape | {"known_to": "TIMESTAMPTZ"})


def merge_snapshot(
    connection: duckdb.DuckDBPyConnection, table: Table, rows: pl.DataFrame, touched: pl.Series, instant: datetime
) -> TableDiff:
    """Merges the snapshot of the touched companies into the current rows and returns the diff.

    instant: when its content became known.
    """
    rows = schema_render.conform_frame(table, rows)
    if not schema_render.has_unique_keys(table, rows):
        raise ValueError(f"{table.name}: the key ({', '.join(table.key)}) is null or duplicated in one snapshot")
    frame = rows.with_row_index(_ROW)
    found = _find_difference(connection, table, frame, touched)
    if found.is_empty():
        return empty_diff(table)
    changes = _build_diff(connection, table, rows, found)
    has_replaced = found["old"].null_count() < found.height
    if has_replaced:
        _close_versions(connection, table, instant)
    if not (fresh := found["row"].drop_nulls().sort()).is_empty():
        with registered_frame(connection, "image", frame[fresh]):
            _insert_current(connection, table, instant, has_replaced=has_replaced)
    return changes


def _find_difference(
    connection: duckdb.DuckDBPyConnection, table: Table, frame: pl.DataFrame, touched: pl.Series
) -> pl.DataFrame:
    """The keys that differ; those of stored rows are in the temp table `difference`, too.

    What nothing is stored of is not compared.
    """
    name = f"open.{quote_identifier(table.name)}"
    if not has_rows(connection, name):
        return frame.select(pl.lit(None, pl.Int64).alias("old"), pl.col(_ROW).alias("row"))
    with registered_frame(connection, "touched", touched.rename(COMPANY).to_frame()):
        if frame.is_empty() and not has_rows(connection, f"{name} SEMI JOIN touched USING ({COMPANY})"):
            return pl.DataFrame(schema={"old": pl.Int64, "row": pl.UInt32})
        with registered_frame(connection, "image", frame):
            connection.execute(_difference_sql(table))
    return query_frame(connection, "SELECT old, row FROM difference")


def _difference_sql(table: Table) -> str:
    """SQL for the keys that differ: `old` is a rowid in `open`, `row` a row of the snapshot.

    The values themselves are compared, not hashes of them: DuckDB's `hash()` is the same for an empty list as for
    null. Memory is bounded by the parts in which a snapshot is merged.
    """
    name = quote_identifier(table.name)
    keys = " AND ".join(f"i.{quote_identifier(column)} = o.{quote_identifier(column)}" for column in table.key)
    values = table.business
    types, compared = schema_render.duckdb_types(table), [column for column in values if column not in table.key]
    alike = ", ".join(f"{quote_identifier(column)}::{types[column]} AS {quote_identifier(column)}" for column in values)
    tests = " OR ".join(["o.old IS NULL", f"i.{_ROW} IS NULL", *map(_differs_sql, compared)])
    return f"""
        CREATE OR REPLACE TEMP TABLE difference AS
        SELECT o.old, i.{_ROW} AS row
        FROM (SELECT {_ROW}, {alike} FROM image) AS i
        FULL JOIN (
            SELECT rowid AS old, {quoted_columns(values)} FROM open.{name} SEMI JOIN touched USING ({COMPANY})
        ) AS o ON {keys}
        WHERE {tests}
    """


def _differs_sql(column: str) -> str:
    name = quote_identifier(column)
    return f"i.{name} IS DISTINCT FROM o.{name}"


def _build_diff(
    connection: duckdb.DuckDBPyConnection, table: Table, rows: pl.DataFrame, found: pl.DataFrame
) -> TableDiff:
    fresh = found.filter(pl.col("old").is_null())
    if fresh.height == found.height:
        return replace(empty_diff(table), added=rows[fresh["row"]].sort(table.key))
    before = query_frame(
        connection,
        f"""SELECT {quoted_columns(table.names, "o.")}, d.row IS NULL AS gone
            FROM open.{quote_identifier(table.name)} AS o JOIN difference AS d ON o.rowid = d.old""",
    )
    before = before.cast(schema_render.polars_schema(table)).sort(table.key)
    names = list(table.names)
    both = found.drop_nulls()
    return TableDiff(
        table.name,
        added=rows[fresh["row"]].sort(table.key),
        removed=before.filter("gone").select(names),
        changed_before=before.filter(~pl.col("gone")).select(names),
        changed_after=rows[both["row"]].sort(table.key),
    )


def _close_versions(connection: duckdb.DuckDBPyConnection, table: Table, instant: datetime) -> None:
    """Moves superseded rows from `open` to `closed`.

    Rows with `known_from` at or after this instant are dropped instead: they were never known before their
    replacement (a late-arriving snapshot, or two batches of one instant).
    """
    name = quote_identifier(table.name)
    listed = quoted_columns(table.names)
    connection.execute(
        f"""CREATE OR REPLACE TEMP TABLE replaced AS
            SELECT o.* FROM open.{name} AS o JOIN difference AS d ON o.rowid = d.old"""
    )
    delete_rows(connection, f"open.{name}", "difference")
    connection.execute(
        f"""INSERT INTO closed.{name} BY NAME
            SELECT {listed}, known_from, valid_to, $1::TIMESTAMPTZ AS known_to
            FROM replaced WHERE known_from < $1""",
        [instant],
    )


def _insert_current(
    connection: duckdb.DuckDBPyConnection, table: Table, instant: datetime, *, has_replaced: bool
) -> None:
    """Inserts the new rows of `image` into `open`.

    They are known from the instant or, if later, from that of the rows they replace (`replaced`, if there are any).
    """
    name = quote_identifier(table.name)
    keys = quoted_columns(table.key)
    ended = f"i.{quote_identifier(table.ended)}" if table.ended else "NULL"
    replaced = f"SELECT {keys}, known_from AS moment FROM replaced UNION ALL" if has_replaced else ""
    rows = f"""
        WITH earliest AS (
            SELECT {keys}, max(moment) AS moment FROM (
                {replaced}
                SELECT {keys}, known_to AS moment FROM closed.{name} WHERE known_to > $1
            ) GROUP BY ALL
        )
        SELECT {quoted_columns(table.names, "i.")}, greatest($1::TIMESTAMPTZ, e.moment) AS known_from,
            {ended} AS valid_to
        FROM image AS i LEFT JOIN earliest AS e USING ({keys})"""
    if table.valid_from:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE begun AS {rows}", [instant])
        _split_validity(connection, table, has_replaced=has_replaced)
        connection.execute(f"INSERT INTO open.{name} BY NAME FROM begun")
    else:
        connection.execute(f"INSERT INTO open.{name} BY NAME {rows}", [instant])


def _split_validity(connection: duckdb.DuckDBPyConnection, table: Table, *, has_replaced: bool) -> None:
    """Splits past valid-time versions where the new rows start.

    If a new row starts later than the one it replaces, the replaced row becomes a past version. A row that
    starts no later than the replaced one corrects it: the replaced row is no longer believed. A row with
    unknown start is valid on every day before its end: it splits nothing, and no past version of its key is
    believed any longer, as a day would have two rows.
    """
    name, start = quote_identifier(table.name), quote_identifier(table.valid_from or "")
    keys, listed = quoted_columns(table.key), quoted_columns(table.names)
    connection.execute(
        f"""CREATE OR REPLACE TEMP TABLE cut AS
            SELECT v.rowid AS old, v.*, f.{start} AS cut_at, f.known_from AS cut_known
            FROM versions.{name} AS v JOIN begun AS f USING ({keys})
            WHERE f.{start} IS NULL OR v.valid_to > f.{start}"""
    )
    if has_rows(connection, "cut"):
        delete_rows(connection, f"versions.{name}", "cut")
        connection.execute(
            f"""INSERT INTO closed.{name} BY NAME
                SELECT {listed}, known_from, valid_to, cut_known AS known_to FROM cut
                WHERE known_from < cut_known"""
        )
        connection.execute(
            f"""INSERT INTO versions.{name} BY NAME
                SELECT {listed}, greatest(known_from, cut_known) AS known_from, cut_at AS valid_to FROM cut
                WHERE cut_at IS NOT NULL AND ({start} IS NULL OR {start} < cut_at)"""
        )
    if has_replaced:
        connection.execute(
            f"""INSERT INTO versions.{name} BY NAME
                SELECT {quoted_columns(table.names, "r.")}, f.known_from, least(r.valid_to, f.{start}) AS valid_to
                FROM replaced AS r JOIN begun AS f USING ({keys})
                WHERE f.{start} > r.{start} OR (r.{start} IS NULL AND f.{start} IS NOT NULL)"""
        )


def bitemporal_rows_sql(table: Table, schemas: tuple[str, ...]) -> str:
    """SQL for all rows ever known, with valid time and known time.

    `known_to` is null while current, `valid_to` where unknown.
    """
    known_to = {"open": _STILL, "versions": _STILL, "closed": "known_to"}
    return " UNION ALL ".join(
        f"""SELECT {quoted_columns(table.names)}, known_from, {known_to[schema]} AS known_to,
            valid_to FROM {schema}.{quote_identifier(table.name)}"""
        for schema in schemas
    )


def replace_valid_times(
    connection: duckdb.DuckDBPyConnection, table: Table, spans: pl.DataFrame, keys: pl.DataFrame, instant: datetime
) -> pl.Series:
    """Replaces the past versions of `keys` with `spans` (the table's columns and `valid_to`).

    Versions that differ move to `closed`, as known until the instant. Returns the companies with any
    difference.
    """
    name, keyed = quote_identifier(table.name), quoted_columns(table.key)
    names = quoted_columns(table.names)
    with registered_frame(connection, "spans", spans), registered_frame(connection, "keys", keys):
        same = " AND ".join(
            f"v.{quote_identifier(column)} IS NOT DISTINCT FROM s.{quote_identifier(column)}"
            for column in (*table.business, "valid_to")
        )
        connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE stale AS
                SELECT v.rowid AS old, v.* FROM versions.{name} AS v SEMI JOIN keys USING ({keyed})
                WHERE NOT EXISTS (SELECT 1 FROM spans AS s WHERE {same})"""
        )
        connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE fresh_spans AS
                SELECT s.* FROM spans AS s
                WHERE NOT EXISTS (SELECT 1 FROM versions.{name} AS v WHERE {same})"""
        )
    if not (has_rows(connection, "stale") or has_rows(connection, "fresh_spans")):
        return pl.Series(COMPANY, [], pl.String)
    connection.execute(
        f"""INSERT INTO closed.{name} BY NAME
            SELECT {names}, known_from, valid_to, $1::TIMESTAMPTZ AS known_to FROM stale WHERE known_from < $1""",
        [instant],
    )
    delete_rows(connection, f"versions.{name}", "stale")
    connection.execute(
        f"""INSERT INTO versions.{name} BY NAME
            SELECT {names}, $1::TIMESTAMPTZ AS known_from, valid_to FROM fresh_spans""",
        [instant],
    )
    touched = f"SELECT {COMPANY} FROM stale UNION SELECT {COMPANY} FROM fresh_spans ORDER BY 1"
    return query_frame(connection, touched)[COMPANY].cast(pl.String)
