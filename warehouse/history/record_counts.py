"""How many present rows of staged records a history has. Does not belong here: changing them (`current_records`)."""

from __future__ import annotations

from collections.abc import Iterable

import duckdb

from warehouse.schema.types import Table
from warehouse.storage.duckdb import query_int, quote_identifier, quoted_columns, string_literal


def record_counts(connection: duckdb.DuckDBPyConnection, tables: Iterable[Table]) -> dict[str, int]:
    """Number of present rows that are not soft-deleted, by staged table; 0 for a missing table."""
    asked = list(tables)
    return {table.name: 0 for table in asked} | count_records(connection, asked, "_retired_at IS NULL")


def count_records(connection: duckdb.DuckDBPyConnection, tables: Iterable[Table], condition: str) -> dict[str, int]:
    """Number of rows that meet a condition, by staged table; a table that the history does not have is missing."""
    stored = stored_tables(connection)
    selects = [
        f"SELECT {string_literal(table.name)}, count(*) FROM present.{quote_identifier(table.name)} WHERE {condition}"
        for table in tables
        if table.name in stored
    ]
    return dict(connection.execute(" UNION ALL ".join(selects)).fetchall()) if selects else {}


def repeated_record_counts(connection: duckdb.DuckDBPyConnection, tables: Iterable[Table]) -> dict[str, int]:
    """By staged table, records with more than one current row; only tables that have some. See `delete_rows`."""
    stored = stored_tables(connection)
    counts = {
        table.name: query_int(
            connection,
            f"""SELECT count(*) FROM (SELECT 1 FROM present.{quote_identifier(table.name)}
                GROUP BY {quoted_columns(table.key)} HAVING count(*) > 1)""",
        )
        for table in tables
        if table.name in stored
    }
    return {name: count for name, count in counts.items() if count}


def stored_tables(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """Names of the staged tables that a history has."""
    found = connection.execute(
        """SELECT table_name FROM duckdb_tables()
            WHERE database_name = current_database() AND schema_name = 'present'"""
    )
    return {name for (name,) in found.fetchall()}
