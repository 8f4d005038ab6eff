"""Replaces past valid-time versions by ones derived from dated sources.

If a source dates each of its statements, the valid time of all versions follows from them, in whatever order
they arrived; `scd2` only knows when current rows replaced earlier ones. Does not belong here: computing the
versions (`pipelines.transforms`).
"""

from __future__ import annotations

from datetime import datetime

import duckdb
import polars as pl

from warehouse.history.scd2 import COMPANY
from warehouse.schema.types import Table
from warehouse.storage.duckdb import query_frame as frame_of
from warehouse.storage.duckdb import quote_identifier, quoted_columns, registered_frame


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
