"""Companies of present rows with a day that has come: what is derived from such a row changes, though it stays equal.

Which days do is declared by the staged tables (`Table.turning_days`). Does not belong here: what they change
(`connectors`), or which days have passed (`pipelines.steps.normalise_plan`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Final

import duckdb
import polars as pl

from warehouse.history.current_records import ensure_record_table
from warehouse.history.record_counts import stored_tables
from warehouse.schema.types import ColumnKind, Table, TurningDay
from warehouse.storage.duckdb import query_frame, quote_identifier, string_literal

_ISO_DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"


def companies_of_passed_days(
    connection: duckdb.DuckDBPyConnection, tables: Iterable[Table], since: date | None, until: date
) -> pl.Series:
    """Companies of rows with a turning day after `since` and up to `until`, sorted; none without a day before."""
    found = pl.Series("company_id", [], pl.String)
    if since is None or since >= until:
        return found
    stored = stored_tables(connection)
    turning = [table for table in tables if table.turning_days and table.name in stored]
    for table in turning:
        ensure_record_table(connection, table)  # columns declared since
    selects = [
        f"""SELECT _company_id FROM present.{quote_identifier(table.name)}
            WHERE _company_id IS NOT NULL AND {_has_passed_sql(table, day, since, until)}"""
        for table in turning
        for day in table.turning_days
    ]
    if not selects:
        return found
    rows = query_frame(connection, f"SELECT DISTINCT _company_id FROM ({' UNION ALL '.join(selects)}) ORDER BY 1")
    return rows["_company_id"].cast(pl.String).alias("company_id")


def _has_passed_sql(table: Table, day: TurningDay, since: date, until: date) -> str:
    """SQL for rows with a day of the column that has passed; the column itself is compared, which skips blocks."""
    column, later = quote_identifier(day.column), timedelta(days=day.after_days)
    first, last = (string_literal((bound - later).isoformat()) for bound in (since, until))
    if table.column(day.column).kind is ColumnKind.DATE:
        return f"{column} > DATE {first} AND {column} <= DATE {last}"
    if day.written is not None:
        written = f"CAST(try_strptime({column}, {string_literal(day.written)}) AS DATE)"
        return f"{written} > DATE {first} AND {written} <= DATE {last}"
    # ISO days are in the order of their texts
    days = f"regexp_extract_all({column}, {string_literal(_ISO_DAY)})"
    return f"len(list_filter({days}, lambda day: day > {first} AND day <= {last})) > 0"
