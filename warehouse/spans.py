"""Replaces past valid-time versions by ones derived from dated sources.

If a source dates each of its statements, the valid time of all versions follows from them, in whatever order
they arrived; `changes` only knows when current rows replaced earlier ones. Does not belong here: computing the
versions (`pipelines.steps`).
"""

from __future__ import annotations

from datetime import datetime

import duckdb
import polars as pl

from warehouse.changes import COMPANY
from warehouse.engine import columns, quoted, registered
from warehouse.engine import frame as frame_of
from warehouse.schema.types import Table


def fill(
    connection: duckdb.DuckDBPyConnection,
    table: Table,
    spans: pl.DataFrame,
    keys: pl.DataFrame,
    instant: datetime,
) -> pl.Series:
    """Replaces the past versions of `keys` with `spans` (the table's columns and `valid_to`).

    Versions that differ move to `closed`, as known until the instant. Returns the companies with any
    difference.
    """
    name, keyed = quoted(table.name), columns(table.key)
    names = columns(table.names)
    with registered(connection, "spans", spans), registered(connection, "keys", keys):
        same = " AND ".join(
            f"v.{quoted(column)} IS NOT DISTINCT FROM s.{quoted(column)}"
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
    connection.execute(
        f"""INSERT INTO closed.{name} BY NAME
            SELECT {names}, known_from, valid_to, $1::TIMESTAMPTZ AS known_to FROM stale WHERE known_from < $1""",
        [instant],
    )
    connection.execute(f"DELETE FROM versions.{name} WHERE rowid IN (SELECT old FROM stale)")
    connection.execute(
        f"""INSERT INTO versions.{name} BY NAME
            SELECT {names}, $1::TIMESTAMPTZ AS known_from, valid_to FROM fresh_spans""",
        [instant],
    )
    touched = f"SELECT {COMPANY} FROM stale UNION SELECT {COMPANY} FROM fresh_spans ORDER BY 1"
    return frame_of(connection, touched)[COMPANY].cast(pl.String)
