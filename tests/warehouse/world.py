"""Histories of a few companies and releases of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import polars as pl

from tests.warehouse.helpers import day, market_history, rows
from warehouse.publish.publisher import MarketPart, ReleaseStore
from warehouse.release.manifest import ReleaseManifest
from warehouse.schema.tables import BY_NAME, EVENTS
from warehouse.storage.atomic_files import Step, ignore_step
from warehouse.storage.layout import Layout

NO_EVENTS = rows(EVENTS)


def member(market: str, number: int, **given: Any) -> dict[str, Any]:
    org = f"{900000000 + number}"
    base = {"company_id": f"firm:{market}:{org}", "org_number": org, "name": f"Firma {number} AS"}
    return base | {"country": market, "status": "active", "sources": "[]"} | given


def period(company_id: str, year: int, **given: Any) -> dict[str, Any]:
    base = {
        "company_id": company_id,
        "period_start": dt.date(year, 1, 1),
        "period_end": dt.date(year, 12, 31),
        "fiscal_year": year,
        "period_type": "annual",
        "is_current": True,
        "currency": "NOK",
        "filing_id": f"fil_{company_id[-1]}{year}",
        "revenue": year * 1000,
    }
    return base | given


def owner(company_id: str, holder: str, pct: str | None = None, **given: Any) -> dict[str, Any]:
    shares = {"pct": Decimal(pct), "pct_min": Decimal(pct), "pct_max": Decimal(pct)} if pct else {}
    base = {"company_id": company_id, "holder_id": holder, "holder_type": "company", "basis": "exact"}
    return base | shares | {"as_of": dt.date(2025, 1, 1), "sources": "[]"} | given


def learn(layout: Layout, market: str, at: int, **tables: list[dict[str, Any]]) -> None:
    """Brings whole tables of a market to these rows."""
    with market_history(layout, market) as history, history.transaction():
        for name, given in tables.items():
            frame = rows(BY_NAME[name], *given)
            known = history.current_rows(BY_NAME[name])["company_id"]
            touched = pl.concat([known, frame["company_id"]]).unique()
            history.merge_snapshot(BY_NAME[name], frame, touched, day(at))


def publish(
    layout: Layout,
    *markets: str,
    at: int = 0,
    events: pl.DataFrame = NO_EVENTS,
    full: bool = False,
    on_step: Step = ignore_step,
    keep: int = 9,
) -> ReleaseManifest | None:
    releases = ReleaseStore(layout, clock=lambda: day(at), keep=keep, on_step=on_step)
    return releases.publish(parts(layout, *markets, at=at), events, full=full)


def parts(layout: Layout, *markets: str, at: int = 0) -> Mapping[str, MarketPart]:
    return {market: MarketPart(market, layout.history_file(market), "fresh", day(at)) for market in markets}
