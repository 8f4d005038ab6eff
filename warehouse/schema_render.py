"""Rendering of table declarations: polars schemas, DuckDB DDL, checks, data dictionary.

Does not belong here: any table (`warehouse.schema`) or where its rows are stored.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any, Final

import polars as pl

from warehouse.schema.types import Column, ColumnKind, Table
from warehouse.storage.duckdb import quote_identifier

INSTANT: Final = pl.Datetime("us", "UTC")
PERCENT: Final = pl.Decimal(9, 4)
POLARS: Final[dict[ColumnKind, pl.DataType]] = {
    ColumnKind.TEXT: pl.String(),
    ColumnKind.TEXTS: pl.List(pl.String()),
    ColumnKind.JSON: pl.String(),
    ColumnKind.INTEGER: pl.Int64(),
    ColumnKind.MONEY: pl.Int64(),
    ColumnKind.PERCENT: PERCENT,
    ColumnKind.BOOLEAN: pl.Boolean(),
    ColumnKind.DATE: pl.Date(),
    ColumnKind.INSTANT: INSTANT,
}
DUCKDB: Final[dict[ColumnKind, str]] = {
    ColumnKind.TEXT: "VARCHAR",
    ColumnKind.TEXTS: "VARCHAR[]",
    ColumnKind.JSON: "VARCHAR",
    ColumnKind.INTEGER: "BIGINT",
    ColumnKind.MONEY: "BIGINT",
    ColumnKind.PERCENT: "DECIMAL(9, 4)",
    ColumnKind.BOOLEAN: "BOOLEAN",
    ColumnKind.DATE: "DATE",
    ColumnKind.INSTANT: "TIMESTAMPTZ",
}
# DuckDB's automatic choice of text compression takes longer than writing everything else. JSON repeats its
# keys: Zstandard needs half the time and a third of the space. Hash-like texts repeat nothing: they are
# stored uncompressed in a quarter of the time; the longest ones with Zstandard, which needs half a byte per
# hex digit.
_STORED_BY_KIND: Final = {ColumnKind.JSON: "zstd"}
_STORED_BY_NAME: Final = {
    **dict.fromkeys(("event_id", "filing_id", "holder_id", "etag"), "uncompressed"),
    **dict.fromkeys(("document_sha256", "url"), "zstd"),
}
EXAMPLES: Final = 5


@dataclass(frozen=True, slots=True)
class SchemaViolation:
    """One violated rule: number of rows, and the keys of the first few."""

    table: str
    column: str | None
    rule: str
    count: int
    examples: tuple[str, ...]


def polars_schema(table: Table) -> pl.Schema:
    """The table's columns as polars types, in order."""
    return pl.Schema({column.name: POLARS[column.kind] for column in table.columns})


def empty_frame(table: Table) -> pl.DataFrame:
    """An empty frame with the table's schema."""
    return _cached_empty(table).clone()


@cache
def _cached_empty(table: Table) -> pl.DataFrame:
    """Cached: most tables of a small change are empty, and copying a frame is faster than declaring one."""
    return pl.DataFrame(schema=polars_schema(table))


def conform_frame(table: Table, frame: pl.DataFrame) -> pl.DataFrame:
    """Selects and casts the frame to exactly the declared columns and types, in order.

    Raises polars' own error if a column is missing or cannot be cast.
    """
    return frame.select(pl.col(column.name).cast(POLARS[column.kind]) for column in table.columns)


def has_unique_keys(table: Table, frame: pl.DataFrame) -> bool:
    """True if keys are unique and not null."""
    if frame.is_empty():
        return True
    key = pl.col(table.key[0]) if len(table.key) == 1 else pl.struct(table.key)
    nulls = pl.any_horizontal(pl.col(table.key).is_null()).any()
    return frame.select(nulls.alias("null"), key.n_unique().alias("keys")).row(0) == (False, frame.height)


def duckdb_types(table: Table) -> dict[str, str]:
    """The table's columns as DuckDB types, in order."""
    return {column.name: DUCKDB[column.kind] for column in table.columns}


def duckdb_storage_types(table: Table) -> dict[str, str]:
    """`duckdb_types` with compression clauses, for CREATE TABLE."""
    compressed = {
        column.name: _STORED_BY_KIND.get(column.kind) or _STORED_BY_NAME.get(column.name) for column in table.columns
    }
    return {
        name: f"{kind} USING COMPRESSION {compressed[name]}" if compressed[name] else kind
        for name, kind in duckdb_types(table).items()
    }


def duckdb_columns(table: Table) -> str:
    """The column list of a CREATE TABLE, without constraints.

    Storage accepts everything; violations are found by checks.
    """
    return ", ".join(f"{quote_identifier(name)} {kind}" for name, kind in duckdb_storage_types(table).items())


def duckdb_ddl(table: Table) -> str:
    """CREATE TABLE without keys or indexes (docs/architecture.md 4)."""
    return f"CREATE TABLE {quote_identifier(table.name)} ({duckdb_columns(table)})"


def declarations_fingerprint(tables: Iterable[Table]) -> str:
    """SHA-256 of what decides which bytes are stored: equal means that stored rows need not be made again."""
    shapes = [_shape_of(table) for table in sorted(tables, key=lambda table: table.name)]
    return hashlib.sha256(json.dumps(shapes, sort_keys=True).encode()).hexdigest()


def _shape_of(table: Table) -> dict[str, Any]:
    """What a declaration decides about stored rows: their columns, which of them are compared, their valid time.

    Not what only checks or explains them: a reworded description, a column that may be null now or a new code is no
    reason to make stored rows again.
    """
    columns = [(column.name, str(column.kind), column.business) for column in table.columns]
    return {"name": table.name, "key": table.key, "columns": columns, "valid": (table.valid_from, table.ended)}


def find_violations(table: Table, frame: pl.DataFrame, today: date) -> list[SchemaViolation]:
    """All rules of the declaration that the rows violate; empty if valid."""
    return list(_iterate_violations(table, frame, today))


def _iterate_violations(table: Table, frame: pl.DataFrame, today: date) -> Iterator[SchemaViolation]:
    yield from _column_violations(table, frame)
    if frame.is_empty():
        return
    schema, kinds = polars_schema(table), frame.schema
    fitting = {name for name, kind in schema.items() if kinds.get(name) == kind}
    rules = [one for one in _table_rules(table, today) if one[0] in fitting]
    # all rules in one query, as violations are rare
    told = frame.select(broken.any().alias(str(place)) for place, (*_, broken) in enumerate(rules))
    for (name, rule, broken), is_broken in zip(rules, told.row(0) if rules else (), strict=True):
        if is_broken:
            yield from _violation_rows(table, frame, name, rule, frame.filter(broken))
    if all(name in frame.columns for name in table.key):
        twice = frame.filter(pl.struct(table.key).is_duplicated())
        yield from _violation_rows(table, frame, None, f"key ({', '.join(table.key)}) is not unique", twice)


def _column_violations(table: Table, frame: pl.DataFrame) -> Iterator[SchemaViolation]:
    """Missing, undeclared or wrongly typed columns."""
    schema, kinds = polars_schema(table), frame.schema
    for name in schema:
        if name not in kinds:
            yield SchemaViolation(table.name, name, "column is missing", frame.height, ())
    for name, kind in kinds.items():
        if name not in schema:
            yield SchemaViolation(table.name, name, "column is not declared", frame.height, ())
        elif kind != schema[name]:
            yield SchemaViolation(table.name, name, f"type is {kind}, not {schema[name]}", frame.height, ())


def latest_plausible_day(today: date) -> date:
    """The latest plausible date in a register on a day; registers write 9999-12-31 for unknown dates."""
    return today + timedelta(days=366)


@lru_cache(maxsize=256)  # of a day every part of a snapshot is checked by the same rules
def _table_rules(table: Table, today: date) -> tuple[tuple[str, str, pl.Expr], ...]:
    """Column, rule, and what breaks it."""
    return tuple(
        (column.name, rule, broken) for column in table.columns for rule, broken in _column_rules(column, today)
    )


def _column_rules(column: Column, today: date) -> Iterator[tuple[str, pl.Expr]]:
    value = pl.col(column.name)
    if not column.nullable:
        yield "null in a required column", value.is_null()
    if column.allowed:
        yield "value is not in the code list", value.is_not_null() & ~value.is_in(column.allowed)
    if column.kind is ColumnKind.PERCENT:
        yield "percentage below 0 or above 100", ~value.is_between(Decimal(0), Decimal(100))
    if column.kind is ColumnKind.DATE:
        yield "date more than a year ahead", value > latest_plausible_day(today)
    if column.kind is ColumnKind.TEXTS:
        yield "null inside a list", value.list.eval(pl.element().is_null()).list.any()
    if column.kind is ColumnKind.TEXT:
        yield "empty text instead of null", value == ""


def _violation_rows(
    table: Table, frame: pl.DataFrame, column: str | None, rule: str, broken: pl.DataFrame
) -> Iterator[SchemaViolation]:
    if broken.is_empty():
        return
    key = [name for name in table.key if name in frame.columns]
    examples = tuple(" ".join(map(str, row)) for row in broken.select(key).head(EXAMPLES).rows())
    yield SchemaViolation(table.name, column, rule, broken.height, examples)


def data_dictionary(tables: Iterable[Table]) -> str:
    """The data dictionary in Markdown: one section per table."""
    parts = ["# Data dictionary\n\nGenerated from `warehouse.schema`; null means unknown, never 0.\n"]
    for table in tables:
        parts.append(f"\n## {table.name}\n\n{table.description} Key: `{', '.join(table.key)}`.\n\n")
        parts.append("| column | kind | null | meaning |\n|---|---|---|---|\n")
        parts.extend(_dictionary_row(column) for column in table.columns)
    return "".join(parts)


def _dictionary_row(column: Column) -> str:
    allowed = f" ({', '.join(column.allowed)})" if column.allowed else ""
    null = "yes" if column.nullable else "no"
    meaning = f"{column.description}{allowed}".replace("<", "&lt;")  # a text, not markup
    return f"| {column.name} | {column.kind} | {null} | {meaning} |\n"
