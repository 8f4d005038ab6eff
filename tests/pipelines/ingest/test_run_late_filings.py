"""Notices that come late, through the whole job: what is served of a past day, and which of them are events."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

import dagster as dg
import polars as pl
import pytest

from connectors.contract.dataset import SharedTables
from connectors.kit import holdings_history
from tests.pipelines.invented import MARKET
from tests.pipelines.places import ONE, Place, owner
from warehouse.ledger.ledger import Ledger
from warehouse.reader.reader import ReleaseReader
from warehouse.schema.tables import HOLDINGS, HOLDINGS_EARLIER

COMPANY = f"firm:FI:{ONE}"


def dated(present: Mapping[str, pl.LazyFrame], today: date) -> SharedTables:
    """The invented market, whose records of owners are notices: one holding by the holder's name, of many days."""
    shared = dict(MARKET.to_shared_tables(present, today))
    told = shared[HOLDINGS.name].with_columns(native_id="holder_name").sort("valid_from")
    return {
        **shared,
        HOLDINGS.name: holdings_history.latest_statements(told),
        HOLDINGS_EARLIER.name: holdings_history.superseded_statements(told),
    }


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with dg.DagsterInstance.ephemeral() as instance:
        market = replace(MARKET, to_shared_tables=dated, dated_datasets=("fi.owners",))
        yield Place(tmp_path, instance=instance, market=market)


def notice(place: Place, name: str, low: int, since: str) -> None:
    place.records(f"owners/{name}.json", owner(name, ONE, low, low + 5, since=since))


def held(place: Place, day: str) -> list[tuple[float, str]]:
    """Lower bounds and days of the owners that are served of a day."""
    reader = ReleaseReader(place.settings.layout)
    try:
        with reader.pin_release() as snapshot:
            page, _ = snapshot.company_owners(COMPANY, date.fromisoformat(day), None, None, 10)
    finally:
        reader.close()
    rows = [json.loads(row) for row in page.rows]
    return [(row["pct_min"], row["as_of"]) for row in rows]


@pytest.mark.slow
def test_late_notices_fill_their_days_and_notices_of_one_run_are_each_an_event(place: Place) -> None:
    place.plain()
    notice(place, "o1", 10, "2024-06-01")
    place.ingest()
    assert held(place, "2024-05-01") == []
    notice(place, "o0", 30, "2023-01-01")
    report = place.ingest()
    assert dict(report.events) == {}  # nothing has happened: only more is known
    assert held(place, "2024-05-01") == [(30, "2023-01-01")]
    assert held(place, "2024-06-01") == [(10, "2024-06-01")]
    notice(place, "o3", 3, "2025-03-01")
    notice(place, "o4", 21, "2025-09-01")
    assert dict(place.ingest().events) == {"ownership.changed": 2}
    events = [json.loads(event.data)["change"] for event in Ledger(place.settings.layout).after(0, 10)]
    told = [(one["previous_pct"], one["current_pct"], one["as_of"]) for one in events]
    assert told == [(10, 3, "2025-03-01"), (3, 21, "2025-09-01")]
    days = ("2023-06-01", "2024-12-01", "2025-05-01", "2026-01-01")
    assert [held(place, day)[0][0] for day in days] == [30, 10, 3, 21]
