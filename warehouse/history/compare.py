"""Compares two histories of one market: row counts, and the companies that one lacks.

Does not belong here: the conclusions drawn from it (`pipelines.maintenance.rebuild`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from warehouse.schema.tables import TABLES
from warehouse.storage.duckdb import open_database, query_frame, query_int, quote_identifier, string_literal

_KEPT: Final = ("open", "closed", "versions")  # current, superseded, past valid time


@dataclass(frozen=True, slots=True)
class HistoryComparison:
    """rows: (former, made) counts of rows ever known, by table. lost: companies missing from `made`, sorted."""

    rows: Mapping[str, tuple[int, int]]
    lost: tuple[str, ...]


def compare_histories(previous_path: Path, rebuilt_path: Path) -> HistoryComparison:
    """Compares two files that are not being written. A table missing from the former counts as empty."""
    with open_database(rebuilt_path, read_only=True) as connection:
        connection.execute(f"ATTACH {string_literal(str(previous_path.resolve()))} AS former (READ_ONLY)")
        try:
            own = connection.execute("SELECT current_database()").fetchall()[0][0]
            rows = {
                table.name: (_count_rows(connection, "former", table.name), _count_rows(connection, own, table.name))
                for table in TABLES
            }
            lost = query_frame(
                connection,
                """SELECT DISTINCT company_id FROM former.open.companies
                    ANTI JOIN open.companies USING (company_id) ORDER BY company_id""",
            )
        finally:
            connection.execute("DETACH former")
    return HistoryComparison(rows, tuple(lost["company_id"].cast(pl.String)))


def _count_rows(connection: duckdb.DuckDBPyConnection, database: str, table: str) -> int:
    places = connection.execute(
        "SELECT schema_name FROM duckdb_tables() WHERE database_name = $1 AND table_name = $2", [database, table]
    ).fetchall()
    return sum(
        query_int(connection, f"SELECT count(*) FROM {'.'.join(map(quote_identifier, (database, schema, table)))}")
        for (schema,) in places
        if schema in _KEPT
    )
