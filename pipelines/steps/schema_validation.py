"""Validates a snapshot against the shared schema: types, nulls, codes, ranges, unique keys, companies.

A violation is our bug, not the registry's, and stops its market. Exception: days too far in the future, which
registers do write; they become null. Does not belong here: the rules (`warehouse.schema`, rendered by
`warehouse.schema_render`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import Final

import polars as pl

from warehouse import schema_render
from warehouse.schema.tables import NORMALISED, PASSING
from warehouse.schema.types import ColumnKind, Table
from warehouse.schema_render import SchemaViolation

_SHOWN: Final = 5


class SchemaViolationError(Exception):
    """A snapshot violates its schema; the message names table, column, rule and examples."""

    def __init__(self, violations: list[SchemaViolation]) -> None:
        shown = "; ".join(_describe_violation(found) for found in violations[:_SHOWN])
        more = f" and {len(violations) - _SHOWN} more" if len(violations) > _SHOWN else ""
        super().__init__(f"normalised rows violate their schema: {shown}{more}")
        self.violations = violations


def _describe_violation(found: SchemaViolation) -> str:
    examples = ", ".join(found.examples)
    return f"{found.table}.{found.column or 'key'}: {found.rule} ({found.count}: {examples})"


def without_far_future_days(
    tables: Mapping[str, pl.DataFrame], today: date
) -> tuple[dict[str, pl.DataFrame], Counter[str]]:
    """The tables with nullable days more than a year ahead set to null; their counts by `table.column`.

    One 9999-12-31 among a million companies must not invalidate the others.
    """
    known, far = dict(tables), Counter[str]()
    for table in (*NORMALISED, *PASSING):
        found = far_future_counts(table, tables[table.name], today)
        if found:
            far.update({f"{table.name}.{column}": count for column, count in found.items()})
            is_far = pl.col(*found) > schema_render.latest_plausible_day(today)
            known[table.name] = tables[table.name].with_columns(pl.when(~is_far).then(pl.col(*found)))
    return known, far


def far_future_counts(table: Table, frame: pl.DataFrame, today: date) -> dict[str, int]:
    """Number of days too far ahead, by nullable column. Columns of other types are rejected by `require_valid`."""
    may_be_null = [column.name for column in table.columns if column.kind is ColumnKind.DATE and column.nullable]
    days = [] if frame.is_empty() else [name for name in may_be_null if frame.schema.get(name) == pl.Date]
    if not days:
        return {}
    counts = frame.select((pl.col(*days) > schema_render.latest_plausible_day(today)).sum()).row(0, named=True)
    return {column: count for column, count in counts.items() if count}


def require_valid(tables: Mapping[str, pl.DataFrame], touched: pl.Series, today: date) -> None:
    """Raises SchemaViolationError if any table of a snapshot violates the schema."""
    found = [
        violation
        for table in (*NORMALISED, *PASSING)
        for violation in table_violations(table, tables[table.name], touched, today)
    ]
    if found:
        raise SchemaViolationError(found)


def table_violations(table: Table, frame: pl.DataFrame, touched: pl.Series, today: date) -> list[SchemaViolation]:
    """What one table of a snapshot violates."""
    found = schema_render.find_violations(table, frame, today)
    if frame.is_empty() or "company_id" not in frame.columns:
        return found
    strangers = frame.join(touched.rename("company_id").to_frame(), on="company_id", how="anti")
    if not strangers.is_empty():
        examples = tuple(strangers["company_id"].unique().sort().head(_SHOWN))
        rule = "rows of a company that was not requested"
        found.append(SchemaViolation(table.name, "company_id", rule, strangers.height, examples))
    return found
