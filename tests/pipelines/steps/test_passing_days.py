"""A day that comes changes what is derived from a row that stays equal, whatever the run brings."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.maintenance.rebuild import RebuildOptions, rebuild
from pipelines.sources.source import FolderSource
from pipelines.workspace import WorkspaceOverrides
from tests.pipelines.invented import MARKET, REGISTER, normalise
from tests.pipelines.places import ONE, TWO, Place, accounts
from tests.without_dagster import without_dagster
from warehouse.history.history import MarketHistory
from warehouse.ledger.ledger import Ledger
from warehouse.schema.tables import COMPANIES
from warehouse.schema.types import TurningDay

pytestmark = pytest.mark.slow
DATED = replace(REGISTER, turning_days=(TurningDay("date"),))


def closes_on_its_day(present: Mapping[str, pl.LazyFrame], today: date) -> dict[str, pl.DataFrame]:
    """A company is open until the day of its end."""
    tables = normalise(present, today)
    is_open = pl.col("status_date") > today
    status = pl.when(is_open).then(pl.lit("active")).otherwise("status").alias("status")
    return {**tables, "companies": tables["companies"].with_columns(status)}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    register = replace(MARKET.datasets[0], staged_tables={REGISTER.name: DATED})
    market = replace(MARKET, datasets=(register, *MARKET.datasets[1:]), to_shared_tables=closes_on_its_day)
    made = Place(tmp_path, market=market)
    made.register((ONE, "Yksi Oy", "closed", "2026-03-05"), (TWO, "Kaksi Oy", "open", ""), day="2026-03-01")
    made.day("2026-03-01", "fi.register", "fi.accounts")
    made.records("accounts/a1.json", accounts("a1", TWO, 2024, 100), day="2026-03-01")
    return made


def accounts_come(place: Place, day: str, number: str) -> str:
    """A day with accounts of one company and no file of the register; the status of the company that ends."""
    place.records(f"accounts/{day}.json", accounts(day, number, 2024, 100), day=day)
    place.day(day)
    return ingested(place, day)


def ingested(place: Place, day: str) -> str:
    overrides = IngestOverrides(jurisdictions=(place.market,), clock=place.clock)
    place.now = max(place.now, datetime.fromisoformat(f"{day}T09:00:00+00:00"))
    source = FolderSource(place.folder / day)
    with without_dagster():
        ingest(place.settings, ["fi"], source, progress=place.lines.append, overrides=overrides)
    with MarketHistory(place.settings.layout, "FI") as history:
        return dict(history.current_rows(COMPANIES).select("org_number", "status").iter_rows())[ONE]


def events(place: Place) -> list[Any]:
    found = Ledger(place.settings.layout).after(0, 100)
    return [(event.event_type, event.company_id[-9:]) for event in found if event.event_type == "status.changed"]


def rebuilt(place: Place) -> tuple[int, Mapping[str, int], Mapping[str, int]]:
    """Events that a rebuild derives and the ledger has, and by type those that one of them lacks."""
    overrides = WorkspaceOverrides((place.market,), place.clock)
    [found] = rebuild(place.settings, ["fi"], RebuildOptions(), place.lines.append, overrides)
    with MarketHistory(place.settings.layout, "FI") as history:
        assert history.current_rows(COMPANIES).filter(org_number=ONE)["status"].item() == "dissolved"
    return found.told, found.untold, found.missing


def test_a_state_changes_on_its_day_though_nothing_of_its_company_comes(place: Place) -> None:
    assert ingested(place, "2026-03-01") == "active"
    assert accounts_come(place, "2026-03-04", TWO) == "active"
    assert accounts_come(place, "2026-03-06", TWO) == "dissolved"
    assert accounts_come(place, "2026-03-07", TWO) == "dissolved"
    assert events(place) == [("status.changed", ONE)]
    assert rebuilt(place) == (1, {}, {})


def test_a_late_file_does_not_turn_the_day_back(place: Place) -> None:
    assert ingested(place, "2026-03-01") == "active"
    assert accounts_come(place, "2026-03-06", TWO) == "dissolved"
    assert accounts_come(place, "2026-03-03", ONE) == "dissolved"
    assert events(place) == [("status.changed", ONE)]
    assert rebuilt(place) == (1, {}, {})
