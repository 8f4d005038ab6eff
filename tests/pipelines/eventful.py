"""States of the shared tables, and what the steps tell of the difference between two of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import polars as pl

from pipelines.transforms.events.emission_rules import EmissionContext
from pipelines.transforms.events.event_rows import build_event_rows
from pipelines.transforms.financials.versions import build_financial_versions
from pipelines.transforms.ownership.owners import build_owners
from tests.pipelines.frames import DAY_1, DAY_2, company, differences, frame, occasion, whole
from warehouse.schema.tables import COMPANIES, FILINGS, FINANCIALS, FINANCIALS_REPORTED, HOLDINGS, OWNERS

World = dict[str, pl.DataFrame]


def world(
    *,
    companies: list[dict] | None = None,
    filings: list[dict] | None = None,
    statements: list[dict] | None = None,
    holdings: list[dict] | None = None,
    before: World | None = None,
    instant: datetime = DAY_2,
) -> World:
    """The shared tables of one state, derived ones made by the steps themselves."""
    before = before or {}
    base = {
        "companies": frame(COMPANIES, *([company()] if companies is None else companies)),
        "filings": frame(FILINGS, *(filings or [])),
    }
    reported = frame(FINANCIALS_REPORTED, *(statements or []))
    base["financials"] = build_financial_versions(
        reported, base["filings"], before.get("financials", frame(FINANCIALS))
    )
    former = before.get("owners", frame(OWNERS))
    base["owners"] = build_owners(frame(HOLDINGS, *(holdings or [])), former, instant)
    return base


def told(before: World, after: World, on: EmissionContext | None = None, known: list[str] | None = None) -> list[dict]:
    found = differences(before, after)
    if known is not None:
        found["companies"].known = pl.Series("company_id", known, pl.String)
    return build_event_rows(found, whole(after), on or occasion()).to_dicts()


def event_types_between(before: Mapping[str, pl.DataFrame], after: Mapping[str, pl.DataFrame]) -> list[str]:
    """What is told if a market's mapping gives other tables of the same companies, all datasets loaded before."""
    former, now = dict(before), dict(after)
    found = differences(former, now)
    known = former["companies"]["company_id"]
    for difference in found.values():
        difference.known = known
    registers = {row for rows in (former, now) for row in _registers(rows)}
    context = EmissionContext(DAY_2, DAY_2, dict.fromkeys(registers, DAY_1))
    return build_event_rows(found, whole(now), context)["event_type"].to_list()


def _registers(tables: World) -> set[str]:
    """The datasets that tables name."""
    columns = [rows[name] for rows in tables.values() for name in ("register", "status_source") if name in rows.columns]
    return {value for column in columns for value in column.cast(pl.String).drop_nulls().unique()}


def data(event: dict[str, Any]) -> dict[str, Any]:
    return json.loads(event["data"])
