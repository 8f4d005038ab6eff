"""What the steps tell of facts: a report once, a restatement with the fields it changed, repetition never."""

from __future__ import annotations

import json
from typing import Any

import polars as pl

from pipelines.transforms.events.emission_rules import EmissionContext
from pipelines.transforms.events.event_rows import build_event_rows
from pipelines.transforms.financials.versions import build_financial_versions
from tests.connectors.us.fact_files import Fact, body, read, shared
from tests.pipelines.frames import DAY_1, DAY_2, company, differences, frame, whole
from warehouse.schema.tables import COMPANIES, FILINGS, FINANCIALS, FINANCIALS_REPORTED, OWNERS

COMPANY = "firm:US:US0000999999"
YEAR = ("2025-02-02", "2026-01-31")
REPORT: list[Fact] = [
    ("Revenues", *YEAR, 8_194.0, "26001", "10-K", "2026-03-11"),
    ("NetIncomeLoss", *YEAR, 2_670.0, "26001", "10-K", "2026-03-11"),
    ("Assets", "", YEAR[1], 22_285.0, "26001", "10-K", "2026-03-11"),
]
QUARTER: Fact = ("Revenues", "2026-02-01", "2026-05-02", 2_417.0, "26002", "10-Q", "2026-05-28")
AMENDED: Fact = ("Revenues", *YEAR, 7_001.0, "26003", "10-K/A", "2026-06-10")

World = dict[str, pl.DataFrame]


def world(facts: list[Fact], before: World | None = None) -> World:
    profile = company(company_id=COMPANY, org_number="US0000999999", name="Example Corp", country="US")
    base = {"companies": frame(COMPANIES, profile), "owners": frame(OWNERS)}
    tables = shared(read(body(facts, fy=2026)))
    former = frame(FINANCIALS) if before is None else before["financials"]
    made = build_financial_versions(tables[FINANCIALS_REPORTED.name], tables[FILINGS.name], former)
    return base | {"filings": tables[FILINGS.name], "financials": made}


def told(before: World, after: World) -> list[tuple[str, dict[str, Any]]]:
    occasion = EmissionContext(DAY_2, DAY_2, {"us.companyfacts": DAY_1, "xx.register": DAY_1}, frozenset())
    found = differences(before, after)
    found["companies"].known = pl.Series("company_id", [COMPANY], pl.String)
    rows = build_event_rows(found, whole(after), occasion).to_dicts()
    return [(one["event_type"], json.loads(one["data"])["filing"]) for one in rows]


def test_a_report_is_told_once_with_the_filers_own_year_and_quarter() -> None:
    before = world(REPORT)
    after = world([*REPORT, QUARTER], before)
    ((kind, filing),) = told(before, after)
    assert kind == "filing.added"
    assert (filing["period"], filing["fiscal_year"], filing["fiscal_quarter"]) == ("2027-Q1", 2027, 1)
    assert (filing["filing_type"], filing["revenue"], filing["currency"]) == ("interim_report", 2_417, "USD")


def test_a_restatement_is_told_with_the_fields_it_changed() -> None:
    before = world(REPORT)
    after = world([*REPORT, AMENDED], before)
    ((kind, filing),) = told(before, after)
    assert kind == "filing.updated"
    assert (filing["version"], filing["previous_version"], filing["reason"]) == (2, 1, "amendment")
    assert filing["changed_fields"] == [{"field": "revenue", "previous": 8_194, "current": 7_001}]


def test_the_same_facts_again_tell_nothing() -> None:
    before = world([*REPORT, QUARTER, AMENDED])
    assert told(before, world([*REPORT, QUARTER, AMENDED], before)) == []
