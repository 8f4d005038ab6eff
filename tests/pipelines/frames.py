"""Rows of shared tables written short: what a test does not say has a plain value."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import polars as pl

from pipelines.transforms.events.emission_rules import EmissionContext
from warehouse import schema_render
from warehouse.schema import tables
from warehouse.schema.ids import filing_id
from warehouse.schema.types import ColumnKind, Table

COMPANY = "firm:FI:0000001-9"
DAY_1 = datetime(2026, 1, 1, tzinfo=UTC)
DAY_2 = datetime(2026, 1, 2, tzinfo=UTC)
DAY_3 = datetime(2026, 1, 3, tzinfo=UTC)
DATASETS = ("xx.register", "xx.accounts", "xx.owners")


def frame(table: Table, *rows: dict[str, Any]) -> pl.DataFrame:
    percents = {column.name for column in table.columns if column.kind is ColumnKind.PERCENT}
    complete = [dict.fromkeys(table.names) | row for row in rows]
    for row in complete:
        for name in percents:
            row[name] = None if row[name] is None else Decimal(str(row[name]))
    return pl.DataFrame(complete, schema=schema_render.polars_schema(table), orient="row")


def company(**values: Any) -> dict[str, Any]:
    plain = {
        "company_id": COMPANY,
        "org_number": "0000001-9",
        "name": "Yhtiö Oy",
        "country": "FI",
        "status": "active",
        "status_source": "xx.register",
        "is_listed": False,
        "sources": '[{"register":"xx.register","native_id":"1","url":null,'
        '"retrieved_at":"2026-01-02T03:04:05Z","licence":"CC0","fields":["status"]}]',
        "observed_at": DAY_2,
    }
    return plain | values


def filing(native: str, end: date = date(2025, 12, 31), **values: Any) -> dict[str, Any]:
    plain = {
        "filing_id": filing_id("xx.accounts", native),
        "company_id": COMPANY,
        "filing_type": "annual_report",
        "native_id": native,
        "period_start": date(end.year, 1, 1),
        "period_end": end,
        "is_amendment": False,
        "register": "xx.accounts",
        "raw": "ab",
        "observed_at": DAY_2,
    }
    return plain | values


def statement(native: str, end: date = date(2025, 12, 31), **values: Any) -> dict[str, Any]:
    plain = {
        "filing_id": filing_id("xx.accounts", native),
        "company_id": COMPANY,
        "period_start": date(end.year, 1, 1),
        "period_end": end,
        "is_consolidated": False,
        "currency": "EUR",
        "is_comparative": False,
        "derived": [],
        "register": "xx.accounts",
        "raw": "ab",
        "observed_at": DAY_2,
    }
    return plain | values


def holding(native: str = "p1", low: Any = None, high: Any = None, **values: Any) -> dict[str, Any]:
    plain = {
        "company_id": COMPANY,
        "register": "xx.owners",
        "native_id": native,
        "holder_name": "Åsa Ägare",
        "holder_type": "person",
        "pct_min": low,
        "pct_max": high,
        "basis": None if low is None else "band",
        "controls": [],
        "valid_from": date(2020, 5, 1),
        "observed_at": DAY_2,
    }
    return plain | values


@dataclass
class Difference:
    """What history gives, made by comparing two frames by the table's key."""

    added: pl.DataFrame
    removed: pl.DataFrame
    changed_before: pl.DataFrame
    changed_after: pl.DataFrame
    known: pl.Series = field(default_factory=lambda: pl.Series("company_id", [COMPANY], pl.String))


def difference(table: Table, before: pl.DataFrame, after: pl.DataFrame) -> Difference:
    key = list(table.key)
    same = [name for name in table.business if name not in key]
    changed = after.join(before.select([*key, *same]), on=[*key, *same], how="anti", nulls_equal=True)
    changed = changed.join(before.select(key), on=key, how="semi").sort(key)
    return Difference(
        after.join(before, on=key, how="anti"),
        before.join(after, on=key, how="anti"),
        before.join(changed.select(key), on=key, how="semi").sort(key),
        changed,
    )


def differences(before: dict[str, pl.DataFrame], after: dict[str, pl.DataFrame]) -> dict[str, Difference]:
    names = ("companies", "filings", "financials", "owners")
    return {
        name: difference(
            tables.BY_NAME[name],
            before.get(name, schema_render.empty_frame(tables.BY_NAME[name])),
            after.get(name, schema_render.empty_frame(tables.BY_NAME[name])),
        )
        for name in names
    }


def whole(image: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    return {table.name: image.get(table.name, schema_render.empty_frame(table)) for table in tables.TABLES}


def occasion(instant: datetime = DAY_2, baseline: datetime = DAY_1, late: tuple[str, ...] = ()) -> EmissionContext:
    known_at = instant if instant >= baseline else baseline + timedelta(microseconds=1)
    return EmissionContext(instant, known_at, dict.fromkeys(DATASETS, baseline), frozenset(late))
