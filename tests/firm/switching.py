"""A world in which every release says its own number everywhere, and what each release must answer.

Every company has another name, revenue and one more event in each release, so that no answer of one release can be
taken for one of another. The answers are made from what was put in, by none of the code that serves them. Does not
belong here: asking (`test_release_switch`).
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl

from warehouse import schema_render
from warehouse.history.history import MarketHistory
from warehouse.publish.publisher import MarketPart, ReleaseStore
from warehouse.schema import ids
from warehouse.schema.tables import BY_NAME, COMPANIES, EVENTS, FINANCIALS
from warehouse.storage.layout import Layout

COMPANIES_COUNT = 60
NUMBERS = [str(910_000_000 + 37 * number) for number in range(COMPANIES_COUNT)]
START = datetime(2026, 11, 20, tzinfo=UTC)
PAGE = 20
Expectations = dict[str, Callable[[int, dict[str, Any]], None]]
"""Paths to ask, and what says of a body that it is wholly that of a release."""


def company_id(number: str) -> str:
    return f"firm:NO:{number}"


def name(number: str, release: int) -> str:
    return f"Selskap {number[-4:]} utgave {release} AS"


def profile(number: str, release: int) -> dict[str, Any]:
    """The 14 fields as that release must tell them."""
    return {
        "id": company_id(number),
        "org_number": number,
        "name": name(number, release),
        "country": "NO",
        "sni_code": "62010",
        "sni_label": f"Utgave {release}",
        "municipality": "TROMSØ",
        "county": "Troms",
        "registered_date": "2001-02-03",
        "status": "active",
        "is_listed": False,
        "latest_revenue": 1000 * release + int(number[-3:]),
        "latest_currency": "NOK",
        "latest_year": 2025,
    }


def _frame(table: str, rows: list[dict[str, Any]]) -> pl.DataFrame:
    schema = schema_render.polars_schema(BY_NAME[table])
    return pl.DataFrame([{column: row.get(column) for column in schema} for row in rows], schema=schema)


def _company(number: str, release: int) -> dict[str, Any]:
    told = profile(number, release)
    kept = {
        key: told[key] for key in ("org_number", "name", "country", "municipality", "county", "status", "is_listed")
    }
    return kept | {
        "company_id": company_id(number),
        "industry_code": told["sni_code"],
        "industry_label": told["sni_label"],
        "registered_date": date(2001, 2, 3),
        "previous_names": [],
        "address_lines": [],
        "sources": "[]",
        "observed_at": START,
    }


def _accounts(number: str, release: int) -> dict[str, Any]:
    return {
        "company_id": company_id(number),
        "period_start": date(2025, 1, 1),
        "period_end": date(2025, 12, 31),
        "is_consolidated": False,
        "currency": "NOK",
        "version": 1,
        "is_current": True,
        "is_restated": False,
        "period_type": "annual",
        "fiscal_year": 2025,
        "revenue": profile(number, release)["latest_revenue"],
        "derived": [],
        "is_comparative": False,
        "filing_id": ids.filing_id("no.regnskap", number),
        "filed_at": date(2026, 6, 30),
        "register": "no.regnskap",
        "observed_at": START,
    }


def event_id(number: str, release: int) -> str:
    return ids.natural_id("evt", company_id(number), "switch", release)


def _event(number: str, release: int) -> dict[str, Any]:
    return {
        "event_id": event_id(number, release),
        "event_type": "status.changed",
        "company_id": company_id(number),
        "known_at": START + timedelta(hours=release),
        "occurred_at": START + timedelta(hours=release),
        "data": json.dumps(
            {
                "company_id": company_id(number),
                "occurred_at": f"{START + timedelta(hours=release):%Y-%m-%dT%H:%M:%SZ}",
                "change": {"release": release},
            }
        ),
    }


@dataclass
class Switching:
    """A data root whose next release can be published again and again, older ones pruned."""

    root: Path
    keep: int = 2
    release: int = 0
    _sequences: dict[str, int] = field(default_factory=dict)

    def publish(self) -> int:
        """Publishes the next release with everything in it changed."""
        self.release += 1
        layout = Layout(self.root)
        now = START + timedelta(hours=self.release)
        with MarketHistory(layout, "NO") as history, history.transaction():
            touched = pl.Series("company_id", [company_id(number) for number in NUMBERS])
            for table, row in ((COMPANIES, _company), (FINANCIALS, _accounts)):
                rows = _frame(table.name, [row(number, self.release) for number in NUMBERS])
                history.merge_snapshot(table, rows, touched, now)
        part = MarketPart("NO", layout.history_file("NO"), "fresh", now, {})
        events = _frame(EVENTS.name, [_event(number, self.release) for number in NUMBERS])
        published = ReleaseStore(layout, clock=lambda: now, keep=self.keep).publish({"NO": part}, events)
        assert published is not None
        assert published.release == self.release
        told = sorted(event_id(number, self.release) for number in NUMBERS)  # of one instant: by id
        self._sequences |= {one: published.first + place for place, one in enumerate(told)}
        return self.release

    def kept(self) -> list[int]:
        """Numbers of the releases on disk."""
        return sorted(int(folder.name) for folder in Layout(self.root).releases_folder.glob("[0-9]*"))

    def expectations(self) -> Expectations:
        """One profile of each company, lists of them, and what lies below some."""
        paths: Expectations = {
            "/api/v1/companies?country=NO&limit=50": lambda release, body: self._page(body, release, NUMBERS[:50]),
            f"/api/v1/companies?q=selskap&limit={PAGE}": self._found,
            f"/api/v1/companies?q=utgave&sort=name&limit={PAGE}": lambda release, body: self._page(
                body, release, sorted(NUMBERS, key=lambda number: number[-4:])[:PAGE]
            ),
        }
        for number in NUMBERS:
            paths[f"/api/v1/companies/{number}"] = lambda release, body, n=number: _same(body, profile(n, release))
        for number in NUMBERS[::6]:
            paths[f"/api/v1/companies/{number}/events?limit=100"] = lambda release, body, n=number: self._events(
                n, release, body
            )
            paths[f"/api/v1/companies/{number}/financials"] = lambda release, body, n=number: self._financials(
                n, release, body
            )
        return paths

    def _page(self, body: dict[str, Any], release: int, numbers: list[str]) -> None:
        _same(body["data"], [profile(number, release) for number in numbers])

    def _found(self, release: int, body: dict[str, Any]) -> None:
        """Whatever the order: so many of them, each as the release tells it."""
        found = [row["org_number"] for row in body["data"]]
        assert len(set(found)) == PAGE
        self._page(body, release, found)

    def _events(self, number: str, release: int, body: dict[str, Any]) -> None:
        _same(body["name"], name(number, release))
        told = [(row["event_id"], row["sequence"], row["data"]["change"]["release"]) for row in body["data"]]
        one_each = [(event_id(number, known), known) for known in range(release, 0, -1)]
        _same(told, [(event, self._sequences[event], known) for event, known in one_each])

    def _financials(self, number: str, release: int, body: dict[str, Any]) -> None:
        _same(body["name"], name(number, release))
        _same([row["revenue"] for row in body["data"]], [profile(number, release)["latest_revenue"]])


def _same(told: Any, expected: Any) -> None:
    assert told == expected, f"{told} is not {expected}"
