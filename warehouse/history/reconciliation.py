"""Counts what a market's history cannot account for: unlinked rows, changed subjects, undecided rows, statuses.

Belongs here: queries over a history file. Does not belong here: what the counts mean
(`pipelines.steps.reconciliation`), or marking a changed subject (`record_subjects`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import duckdb
import polars as pl

from warehouse import schema_render
from warehouse.history import record_counts
from warehouse.history.current_records import ensure_record_table
from warehouse.history.record_counts import stored_tables
from warehouse.history.record_subjects import SUBJECT_CHANGED
from warehouse.schema.tables import COMPANIES
from warehouse.schema.types import Table
from warehouse.storage.duckdb import query_frame, quote_identifier, quoted_columns, string_literal

_EXAMPLES: Final = 5


@dataclass(frozen=True, slots=True)
class StatusGroup:
    """Companies with one registry status, served with one status by one source without a reason."""

    registry_status: str
    served: str
    source: str | None
    companies: int
    examples: tuple[str, ...]


def unlinked_row_counts(connection: duckdb.DuckDBPyConnection, tables: Iterable[Table]) -> dict[str, int]:
    """By staged table, present rows that are not soft-deleted and link to no company."""
    return _present_counts(connection, tables, "_company_id IS NULL")


def changed_subject_counts(connection: duckdb.DuckDBPyConnection, tables: Iterable[Table]) -> dict[str, int]:
    """By staged table, present rows that are not soft-deleted and once named another subject under their key."""
    with_subjects = [table for table in tables if table.subjects]
    stored = stored_tables(connection)
    for table in with_subjects:
        if table.name in stored:
            ensure_record_table(connection, table)  # files of earlier versions lack the mark
    return _present_counts(connection, with_subjects, f"{SUBJECT_CHANGED} IS NOT NULL")


def companies_of_changed_subjects(
    connection: duckdb.DuckDBPyConnection, table: Table, instant: datetime
) -> tuple[int, pl.Series]:
    """Number of present rows that name another subject since a snapshot of this instant, and their companies."""
    if not table.subjects or table.name not in stored_tables(connection):
        return 0, pl.Series("_company_id", [], pl.String)
    ensure_record_table(connection, table)
    rows = query_frame(
        connection,
        f"""SELECT _company_id FROM present.{quote_identifier(table.name)}
            WHERE _retired_at IS NULL AND {SUBJECT_CHANGED} = TIMESTAMPTZ {string_literal(instant.isoformat())}""",
    )
    return rows.height, rows["_company_id"].cast(pl.String).drop_nulls().unique().sort()


def _present_counts(connection: duckdb.DuckDBPyConnection, tables: Iterable[Table], condition: str) -> dict[str, int]:
    return record_counts.count_records(connection, tables, f"_retired_at IS NULL AND {condition}")


def companies_with_records(connection: duckdb.DuckDBPyConnection, tables: Iterable[Table]) -> pl.Series:
    """Companies with a present row in any of the staged tables, sorted."""
    stored = stored_tables(connection)
    selects = [
        f"SELECT _company_id FROM present.{quote_identifier(table.name)}" for table in tables if table.name in stored
    ]
    if not selects:
        return pl.Series("_company_id", [], pl.String)
    rows = query_frame(
        connection,
        f"SELECT _company_id FROM ({' UNION ALL '.join(selects)}) WHERE _company_id IS NOT NULL GROUP BY 1 ORDER BY 1",
    )
    return rows["_company_id"].cast(pl.String)


def count_current_rows(connection: duckdb.DuckDBPyConnection, table: Table, condition: pl.Expr) -> int:
    """Current rows of a shared table that meet a condition over its columns."""
    names = sorted(set(condition.meta.root_names()))
    kinds = schema_render.polars_schema(table)
    rows = query_frame(connection, f"SELECT {quoted_columns(names)} FROM open.{quote_identifier(table.name)}")
    typed = rows.cast(pl.Schema({name: kinds[name] for name in names}))
    return int(typed.select(condition.fill_null(value=False).sum()).item())


def status_groups(connection: duckdb.DuckDBPyConnection) -> list[StatusGroup]:
    """Current companies with a registry status and no reason for their status, by what is served."""
    found = connection.execute(
        f"""SELECT registry_status, status, status_source, count(*), min(company_id, {_EXAMPLES})
            FROM open.{quote_identifier(COMPANIES.name)}
            WHERE registry_status IS NOT NULL AND status_detail IS NULL GROUP BY ALL ORDER BY ALL"""
    ).fetchall()
    return [StatusGroup(word, served, source, count, tuple(some)) for word, served, source, count, some in found]
