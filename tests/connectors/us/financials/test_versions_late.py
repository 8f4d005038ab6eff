"""A report whose list comes before its facts: told once, and with its figures."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import polars as pl
import pytest

from connectors.us import UNITED_STATES
from pipelines.transforms.events.emission_rules import EmissionContext
from pipelines.transforms.events.event_rows import build_event_rows
from pipelines.transforms.financials.versions import build_financial_versions
from tests.connectors.us.fact_files import Fact, body, present, read
from tests.connectors.us.filer_bodies import CIK, COMPANY, batches, filer, filing
from tests.pipelines.frames import DAY_1, DAY_2, differences, frame, whole
from warehouse.schema.tables import FINANCIALS, FINANCIALS_REPORTED, OWNERS

AGENT = "0000999999-26-"
OLD = filing("10-K", "2026-02-20", reportDate="2025-12-31", isXBRL=1, accessionNumber=f"{AGENT}000001")
NEW = filing("10-Q", "2026-05-05", reportDate="2026-03-31", isXBRL=1, accessionNumber=f"{AGENT}000002")
COVER = filing("10-K/A", "2026-05-05", reportDate="2025-12-31", isXBRL=1, accessionNumber=f"{AGENT}000003")
YEAR: Fact = ("Revenues", "2025-01-01", "2025-12-31", 100_000.0, "26001", "10-K", "2026-02-20")
QUARTER: Fact = ("Revenues", "2026-01-01", "2026-03-31", 30_000.0, "26002", "10-Q", "2026-05-05")
CORRECTED: Fact = (*QUARTER[:3], 31_000.0, *QUARTER[4:])
FILED, FRIDAY = date(2026, 5, 5), date(2026, 5, 8)

World = dict[str, pl.DataFrame]


def world(today: date, lists: list[dict[str, Any]], *facts: Fact, before: World | None = None) -> World:
    """What is known on one day of a filer's list and of its facts."""
    rows = present([*batches(filer(lists)), *read(body(facts, cik=CIK), f"companyfacts/CIK{CIK}.json")])
    made = UNITED_STATES.to_shared_tables(rows, today)
    former = frame(FINANCIALS) if before is None else before["financials"]
    figures = build_financial_versions(made[FINANCIALS_REPORTED.name], made["filings"], former)
    return {"companies": made["companies"], "filings": made["filings"]} | {
        "financials": figures,
        "owners": frame(OWNERS),
    }


def told(before: World, after: World) -> list[tuple[str, str | None, int | None]]:
    occasion = EmissionContext(DAY_2, DAY_2, {"us.submissions": DAY_1, "us.companyfacts": DAY_1}, frozenset())
    found = differences(before, after)
    found["companies"].known = pl.Series("company_id", [COMPANY], pl.String)
    rows = build_event_rows(found, whole(after), occasion).to_dicts()
    filings = [(row["event_type"], json.loads(row["data"])["filing"]) for row in rows]
    return [(kind, one["period"], one["revenue"]) for kind, one in filings]


@pytest.fixture(scope="module")
def known() -> World:
    return world(date(2026, 4, 1), [OLD], YEAR)


def test_the_list_waits_for_the_facts_and_the_report_is_told_once_with_its_figures(known: World) -> None:
    listed = world(FILED, [NEW, OLD], YEAR, before=known)
    followed = world(FILED, [NEW, OLD], YEAR, QUARTER, before=listed)
    corrected = world(FRIDAY, [NEW, OLD], YEAR, CORRECTED, before=followed)
    assert [told(known, listed), told(listed, followed), told(followed, corrected)] == [
        [],
        [("filing.added", "2026-Q1", 30_000)],
        [("filing.updated", "2026-Q1", 31_000)],
    ]


def test_facts_before_the_list_are_told_and_the_list_adds_nothing(known: World) -> None:
    facts = world(FILED, [OLD], YEAR, QUARTER, before=known)
    both = world(FILED, [NEW, OLD], YEAR, QUARTER, before=facts)
    assert told(known, facts) == [("filing.added", "2026-Q1", 30_000)]
    assert told(facts, both) == []
    assert both["filings"].filter(pl.col("native_id") == NEW["accessionNumber"])["period_end"].to_list() == [
        date(2026, 3, 31)
    ]


@pytest.mark.parametrize(
    ("report", "today"), [(NEW | {"isXBRL": 0}, FILED), (NEW, FRIDAY)], ids=["on paper", "after three days"]
)
def test_a_report_that_has_no_facts_is_told_without_figures(known: World, report: dict[str, Any], today: date) -> None:
    found = told(known, world(today, [report, OLD], YEAR, before=known))
    assert [(kind, revenue) for kind, _, revenue in found] == [("filing.added", None)]


def test_an_amendment_whose_facts_are_its_cover_alone_tells_nothing(known: World) -> None:
    cover = ("dei:EntityCommonStockSharesOutstanding", "", "2026-04-30", 5.0, "26003", "10-K/A", "2026-05-05")
    assert told(known, world(FRIDAY, [COVER, OLD], YEAR, cover, before=known)) == []
