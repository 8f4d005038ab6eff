"""Compares two histories of one market: row counts, and the companies that one lacks.

Does not belong here: the conclusions drawn from it (`pipelines.rebuild`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from warehouse.engine import frame, number, opened, quoted, text
from warehouse.schema.tables import TABLES

_KEPT: Final = ("open", "closed", "versions")  # current, superseded, past valid time


@dataclass(frozen=True, slots=True)
class Comparison:
    """rows: (former, made) counts of rows ever known, by table. lost: companies missing from `made`, sorted."""

    rows: Mapping[str, tuple[int, int]]
    lost: tuple[str, ...]


def compare(former: Path, made: Path) -> Comparison:
    """Compares two files that are not being written. A table missing from the former counts as empty."""
    with opened(made, read_only=True) as connection:
        connection.execute(f"ATTACH {text(str(former.resolve()))} AS former (READ_ONLY)")
        try:
            own = connection.execute("SELECT current_database()").fetchall()[0][0]
            rows = {
                table.name: (_rows(connection, "former", table.name), _rows(connection, own, table.name))
                for table in TABLES
            }
            lost = frame(
                connection,
                """SELECT DISTINCT company_id FROM former.open.companies
                    ANTI JOIN open.companies USING (company_id) ORDER BY company_id""",
            )
        finally:
            connection.execute("DETACH former")
    return Comparison(rows, tuple(lost["company_id"].cast(pl.String)))


def _rows(connection: duckdb.DuckDBPyConnection, database: str, table: str) -> int:
    places = connection.execute(
        "SELECT schema_name FROM duckdb_tables() WHERE database_name = $1 AND table_name = $2",
        [database, table],
    ).fetchall()
    return sum(
        number(connection, f"SELECT count(*) FROM {quoted(database)}.{quoted(schema)}.{quoted(table)}")
        for (schema,) in places
        if schema in _KEPT
    )
