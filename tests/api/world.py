"""A small world in five markets, invented by hand, published through the genuine release builder.

Loaded by `conftest` (pytest imports no helper modules of its own here). Does not belong here: fixtures.
"""

import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

from warehouse import schema_render
from warehouse.history.history import MarketHistory
from warehouse.release.publisher import MarketPart, ReleaseStore
from warehouse.schema import ids
from warehouse.schema.tables import BY_NAME, COMPANIES, FILINGS, FINANCIALS, IDENTIFIERS, LISTINGS, OWNERS
from warehouse.storage.layout import Layout

SE = "firm:SE:5599999991"
NO = "firm:NO:999999999"
FI = "firm:FI:9999999-2"
UK = "firm:UK:99999999"
US = "firm:US:US9999999999"
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def company(company_id: str, name: str, **more: Any) -> dict[str, Any]:
    _, country, org_number = company_id.split(":")
    return {
        "company_id": company_id,
        "org_number": org_number,
        "name": name,
        "country": country,
        "status": "active",
        "is_listed": False,
        "previous_names": [],
        "address_lines": [],
        "sources": "[]",
        "observed_at": NOON,
    } | more


WORLD = [
    company(
        SE,
        "Exempelbolaget AB",
        industry_code="70100",
        industry_label="Verksamheter som utövas av huvudkontor",
        industry_scheme="SNI2007",
        municipality="Göteborg",
        county="Västra Götalands län",
        registered_date=date(1915, 5, 5),
        is_listed=True,
        employees=1200,
        website="https://exempel.example",
        previous_names=["Gamla Exempelbolaget AB"],
        sources=json.dumps(
            [
                {
                    "register": "se.bolagsverket",
                    "native_id": "5599999991",
                    "url": None,
                    "retrieved_at": "2026-11-20T02:14:09Z",
                    "licence": "CC0-1.0",
                    "fields": ["name", "status"],
                }
            ]
        ),
    ),
    company(NO, "EKSEMPEL ASA", status="dormant", status_detail="bankruptcy", municipality="STAVANGER"),
    company(FI, "Esimerkki Oyj", registered_date=date(2001, 1, 2)),
    company(UK, "EXAMPLE PLC", status="dissolved", dissolved_date=date(2025, 3, 1)),
    company(US, "Example Corp."),
]


def period(company_id: str, year: int, quarter: int | None = None, **more: Any) -> dict[str, Any]:
    start = date(year, 1, 1) if quarter is None else date(year, 3 * quarter - 2, 1)
    end = date(year, 12, 31) if quarter in (None, 4) else date(year, 3 * quarter + 1, 1) - timedelta(1)
    return {
        "company_id": company_id,
        "period_start": start,
        "period_end": end,
        "is_consolidated": True,
        "currency": "USD",
        "version": 1,
        "is_current": True,
        "is_restated": False,
        "period_type": "annual" if quarter is None else "quarterly",
        "fiscal_year": year,
        "fiscal_quarter": quarter,
        "revenue": 1_000_000 + year,
        "derived": [],
        "is_comparative": False,
        "filing_id": ids.filing_id("no.regnskap", f"{company_id}-{start}-{end}-{more.get('version', 1)}"),
        "filed_at": end + timedelta(90),
        "register": "no.regnskap",
        "observed_at": NOON,
    } | more


PERIODS = [
    *(period(NO, year) for year in range(2016, 2025)),
    period(NO, 2025, is_current=False),
    period(NO, 2025, version=2, is_restated=True, revenue=7),
    period(NO, 2025, 4, revenue=None),
    period(NO, 2025, is_consolidated=False, revenue=5, filing_id=ids.filing_id("no.regnskap", "own")),
]


def owner(company_id: str, key: str, **more: Any) -> dict[str, Any]:
    return {
        "company_id": company_id,
        "holder_id": ids.holder_id(company_id, "test", key),
        "holder_name": key,
        "holder_type": "company",
        "basis": "exact",
        "is_direct": True,
        "as_of": date(2024, 1, 1),
        "first_seen": date(2019, 4, 30),
        "reconciliation": "single",
        "sources": "[]",
        "observed_at": NOON,
    } | more


def exact(share: str) -> dict[str, Decimal]:
    return dict.fromkeys(("pct", "pct_min", "pct_max"), Decimal(share))


OWNERS_OF_WORLD = [
    owner(SE, "Exempel Förvaltning AB", **exact("10.7"), holder_company_id="firm:SE:5599999983"),
    owner(SE, "Liten Ägare AB", **exact("2.5")),
    owner(UK, "Example Person", holder_type="person", basis="band", pct_min=Decimal(25), pct_max=Decimal(50)),
]


def event(company_id: str, number: int, kind: str = "status.changed") -> dict[str, Any]:
    at = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(days=number)
    _, country, org_number = company_id.split(":")
    change = {
        "previous_status": "active",
        "current_status": "dormant",
        "effective_date": f"{at:%Y-%m-%d}",
        "registry_status": None,
        "reason": None,
    }
    data = {
        "company_id": company_id,
        "org_nr": org_number,
        "name": "X",
        "country": country,
        "occurred_at": f"{at:%Y-%m-%dT%H:%M:%SZ}",
        "source": {"register": "test", "native_id": None, "url": None, "retrieved_at": None},
        "change": change,
    }
    return {
        "event_id": ids.natural_id("evt", company_id, kind, number),
        "event_type": kind,
        "company_id": company_id,
        "occurred_at": at,
        "data": json.dumps(data, separators=(",", ":")),
    }


def frame(name: str, rows: list[dict[str, Any]]) -> pl.DataFrame:
    table = BY_NAME[name]
    schema = schema_render.polars_schema(table)
    return pl.DataFrame([{column: row.get(column) for column in schema} for row in rows], schema=schema)


@dataclass
class World:
    """One data root; `publish` makes the next release of it."""

    layout: Layout
    releases: ReleaseStore
    now: datetime = NOON
    markets: set[str] = field(default_factory=set)

    def publish(
        self,
        companies: list[dict[str, Any]] = (),
        periods: list[dict[str, Any]] = (),
        owners: list[dict[str, Any]] = (),
        events: list[dict[str, Any]] = (),
        gone: list[str] = (),
        *,
        known_as: list[dict[str, Any]] = (),
        listings: list[dict[str, Any]] = (),
    ) -> int:
        self.now += timedelta(hours=1)
        rows = {"companies": companies, "financials": periods, "owners": owners}
        rows |= {"identifiers": known_as, "listings": listings}
        touched = {row["company_id"] for table in rows.values() for row in table} | set(gone)
        parts = {}
        for market in sorted(
            {company_id.split(":")[1] for company_id in touched} | (set() if touched else self.markets)
        ):
            self._apply(market, rows, {one for one in touched if one.split(":")[1] == market})
            parts[market] = MarketPart(market, self.layout.history_file(market), "fresh", self.now, {})
        self.markets |= set(parts)
        published = self.releases.publish(parts, frame("events", list(events)))
        assert published is not None
        return published.release

    def _apply(self, market: str, rows: dict[str, list[dict[str, Any]]], touched: set[str]) -> None:
        with MarketHistory(self.layout, market) as history, history.transaction():
            for table in (COMPANIES, FILINGS, FINANCIALS, OWNERS, IDENTIFIERS, LISTINGS):
                mine = [row for row in rows.get(table.name, ()) if row["company_id"] in touched]
                if mine or table is COMPANIES:
                    changed = pl.Series(
                        "company_id",
                        sorted(touched if table is COMPANIES else {row["company_id"] for row in mine}),
                    )
                    history.apply(table, frame(table.name, mine), changed, self.now)


def make_world(root: Path) -> World:
    layout = Layout(root)
    world = World(layout, None)  # type: ignore[arg-type]
    world.releases = ReleaseStore(layout, clock=lambda: world.now)
    return world


def whole_world(root: Path) -> World:
    """The five companies, with periods, owners and 12 events."""
    made = make_world(root)
    kinds = ("status.changed", "filing.added")
    events = [event(SE, number, kinds[number % 2]) for number in range(10)] + [event(NO, 1), event(NO, 2)]
    made.publish(WORLD, PERIODS, OWNERS_OF_WORLD, events)
    return made
