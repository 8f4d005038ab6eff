"""Files that come late, through the whole job: what is served of a past day, what was known then, what is an event."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import SharedTables
from connectors.kit import holdings_history
from tests.pipelines.invented import MARKET
from tests.pipelines.places import ONE, Place, accounts, owner
from warehouse.history.history import MarketHistory
from warehouse.ledger.ledger import Ledger
from warehouse.reader.reader import ReleaseReader
from warehouse.schema.tables import FILINGS, HOLDINGS, HOLDINGS_EARLIER, TABLES

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
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, market=replace(MARKET, to_shared_tables=dated, dated_datasets=("fi.owners",)))


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


def known(place: Place, at: datetime) -> dict[str, list[dict[str, Any]]]:
    """All rows as they were known at an instant."""
    with MarketHistory(place.settings.layout, "FI") as history:
        return {table.name: history.rows_known_at(table, at).drop("known_to").to_dicts() for table in TABLES}


@pytest.mark.slow
@pytest.mark.parametrize("is_first", [False, True])
def test_ingest_of_a_late_file_leaves_what_was_known_as_it_was(tmp_path: Path, *, is_first: bool) -> None:
    """The accounts are older than the register, whether or not they are older than other accounts."""
    place = Place(tmp_path)
    place.plain()
    if is_first:
        (place.folder / "fi/accounts/a1.json").unlink()
    place.ingest()
    first, before = place.now, known(place, place.now)
    place.records("accounts/a0-2025-06-01.json", accounts("a0", ONE, 2023, 70))
    place.records("owners/o1.json", owner("o1", ONE, 50, 75))
    assert "filing.added" not in place.ingest().events
    assert known(place, first) == before
    after = known(place, place.now)
    assert [row["native_id"] for row in after[FILINGS.name]] == (["a0"] if is_first else ["a0", "a1"])


@pytest.mark.slow
def test_ingest_of_a_holding_whose_start_is_withdrawn_is_published(place: Place) -> None:
    place.market = MARKET
    for since in ("", "2024-06-01", ""):
        place.plain()
        place.records("owners/o1.json", owner("o1", ONE, 25, 50, since=since))
        report = place.ingest()
        assert (report.errors, report.release is None) == ((), False)
    with MarketHistory(place.settings.layout, "FI") as history:
        assert history.rows_known_at(HOLDINGS, place.now).select("valid_from", "valid_to").rows() == [(None, None)]
