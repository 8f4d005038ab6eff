"""Listed issuers through the pipeline: reports by LEI find their company, and repeat what it filed at home."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from connectors.no import NORWAY
from firm.demo.sandbox_origin import sandbox_source
from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.reporting.report import IngestReport
from pipelines.settings import IngestSettings
from sandbox import SandboxServer, World, expected_events, serve
from sandbox import expected as sandbox_expected
from sandbox.shared import esef_http
from sandbox.write import file_document_key
from tests.firm.inside import fact_key, fact_keys
from tests.without_dagster import without_dagster
from warehouse.history.history import MarketHistory
from warehouse.ledger.ledger import Ledger
from warehouse.schema.tables import FILINGS, FINANCIALS, IDENTIFIERS
from warehouse.schema.types import Table

pytestmark = pytest.mark.slow
WORLD = World(seed=5, companies=90, days=4, markets=("NO",))
READ = ("no.enheter", "no.regnskap", "no.esef", "no.lei")
MARKET = replace(
    NORWAY,
    datasets=tuple(made for made in NORWAY.datasets if made.key in READ),
    links=tuple(link for link in NORWAY.links if link.table.startswith("no_esef_")),
    holder_columns={},
    companions=(),
    dated_datasets=(),
)


@dataclass
class Place:
    """One data root, asked day by day."""

    settings: IngestSettings

    def take(self, registry: SandboxServer) -> IngestReport:
        with sandbox_source(registry.url, self.settings) as origin:
            overrides = IngestOverrides(jurisdictions=(MARKET,))
            with without_dagster():
                return ingest(self.settings, ["no"], origin, at=registry.now, overrides=overrides)

    def rows(self, table: Table) -> pl.DataFrame:
        with MarketHistory(self.settings.layout, "NO") as history:
            return history.current_rows(table)

    def events(self) -> set[str]:
        return fact_keys(Ledger(self.settings.layout).after(0, 10_000))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(IngestSettings(data=tmp_path / "data", workers=1))


@pytest.fixture
def registry() -> Iterator[SandboxServer]:
    with serve(WORLD) as running:
        yield running


def planned() -> set[str]:
    """The events that the registers read give a sign of to those who ask them daily."""
    told = expected_events.all_events(WORLD, file_document_key)
    of_others = "ownership.changed"
    kept = (event for event in told if event["signalled"] and event["event_type"] != of_others)
    return {fact_key(event["event_id"], event["event_type"], event["data"]) for event in kept}


def is_the_truth(place: Place, day: int) -> None:
    """Every report is its company's, and the group's figures are those that the company filed itself."""
    due: dict[str, str] = {}
    for entry in esef_http.filing_entries(WORLD, day, "NO"):
        due[entry.lei] = entry.company.company_id
    filings = place.rows(FILINGS).filter(pl.col("register") == "no.esef")
    assert set(filings["company_id"]) == set(due.values())
    assert all(due[native[:20]] == company for native, company in filings.select("native_id", "company_id").rows())
    assert dict(place.rows(IDENTIFIERS).select("value", "company_id").rows()) == due
    served = place.rows(FINANCIALS).filter("is_current", "is_consolidated")
    found = {(row["company_id"], str(row["period_end"])): row for row in served.to_dicts()}
    expected: dict[tuple[str, str], dict[str, Any]] = {
        (company.company_id, row["period_end"]): row
        for company in WORLD.all("NO", day)
        for row in sandbox_expected.expected_financials(company)
        if row["is_consolidated"]
    }
    assert found.keys() == expected.keys()
    for key, row in expected.items():
        assert {name: found[key][name] for name in ("revenue", "equity", "version")} == {
            name: row[name] for name in ("revenue", "equity", "version")
        }


def test_reports_find_their_company_and_events_are_exactly_the_planned_ones(
    place: Place, registry: SandboxServer
) -> None:
    for day in range(WORLD.days):
        report = place.take(registry)
        assert (report.errors, report.held) == ((), ())
        is_the_truth(place, day)
        if day + 1 < WORLD.days:
            registry.advance()
    assert place.events() == planned()


def test_what_could_not_be_had_comes_when_it_is_asked_again_and_makes_no_events(
    place: Place, registry: SandboxServer
) -> None:
    place.take(registry)
    registry.advance()
    registry.troubles.by_path["/api/v1/lei-records"] = "html"
    assert [item.dataset for item in place.take(registry).held] == ["no.lei"]
    assert place.rows(FILINGS).filter(pl.col("register") == "no.esef").is_empty()
    registry.troubles.by_path.clear()
    registry.advance()
    fresh = {entry.json_url for entry in esef_http.filing_entries(WORLD, 2, "NO")} - {
        entry.json_url for entry in esef_http.filing_entries(WORLD, 1, "NO")
    }
    registry.troubles.by_path[max(filter(None, fresh))] = "html"
    assert [item.dataset for item in place.take(registry).held] == ["no.esef"]
    registry.troubles.by_path.clear()
    registry.advance()
    place.take(registry)
    is_the_truth(place, 3)
    assert place.events() == planned()
