"""Days of a registry: what each release served is served again, a day is as it was known at its end, and what changed
from one export to the next is in the delta between them."""

import json
import os
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from sandbox import World, write_days
from sandbox.world import minimum_companies
from tests.firm.inside import profiles_on
from tests.warehouse.handed import TABLES, applied, objects
from tests.warehouse.past_served import Served, served_now, served_then
from tests.without_dagster import without_dagster
from warehouse.exports.exports import ExportStore
from warehouse.reader.company_state import StateQuery
from warehouse.reader.reader import PinnedRelease, ReleaseReader
from warehouse.release.manifest import served_manifest

pytestmark = pytest.mark.slow
MARKET = "NO"
LONG = (30, 1_000) if os.environ.get("FIRM_TESTS") == "full" else (20, 0)
"""Days and companies of the long series; 0: as few as show every event on as many days."""


@dataclass(frozen=True)
class Release:
    """When a release was published, and what it served of each company on that day."""

    at: datetime
    served: dict[str, Served | None]


@pytest.mark.parametrize(("count", "companies"), [(3, 0), LONG])
def test_every_release_of_a_registry_is_served_again(count: int, companies: int, tmp_path: Path) -> None:
    world = World(seed=17, companies=max(companies, minimum_companies(MARKET, count)), days=count, markets=(MARKET,))
    days = write_days(world, tmp_path / "days")
    told = json.loads((tmp_path / "days" / "truth.json").read_text())
    settings = IngestSettings(data=tmp_path / "data", workers=1)
    kept: dict[int, Release] = {}
    exports = ExportStore(settings.layout)
    held: dict[str, list[dict[str, Any]]] = {}
    with closing(ReleaseReader(settings.layout)) as reader:
        for folder in days:
            at = datetime.fromisoformat(f"{folder.name}T10:00:00+00:00")
            with without_dagster():
                overrides = IngestOverrides(clock=lambda at=at: at)
                ingest(settings, [MARKET.lower()], FolderSource(folder), at=at, overrides=overrides)
            [export] = exports.write([MARKET], ("parquet", "ndjson"))
            exported = {table: objects(export, table) for table in TABLES}
            held = {table: applied(held[table], export.delta, table) for table in TABLES} if export.delta else exported
            assert held == exported, folder.name
            reader.close()  # looks at once for the next release
            with reader.pin_release() as snapshot:
                served = {one: served_now(snapshot, one, at.date()) for one in told["companies"]}
                kept.setdefault(snapshot.release_number, Release(at, served))
        assert len(kept) == count
        with reader.pin_release() as snapshot:
            for number, release in kept.items():
                instants = (release.at, min(release.at + timedelta(hours=23), at))  # of neighbours and days in turn
                for place, (one, then) in enumerate(release.served.items()):
                    asked = instants[(number + place) % 2]
                    assert served_then(snapshot, one, asked, release.at.date()) == then, (number, one)
            for place, folder in enumerate(days):
                _check_day(snapshot, profiles_on(told, place), date.fromisoformat(folder.name))
    manifest = served_manifest(settings.layout)
    assert manifest is not None
    assert len(manifest.past) <= 3


def _check_day(snapshot: PinnedRelease, profiles: dict[str, dict[str, Any]], on: date) -> None:
    """Everything but the status, whose changes have dates of their own, is as the world tells it of the day."""
    for company, expected in profiles.items():
        state = snapshot.company_state(company, StateQuery(as_of=on))
        assert state is not None
        found = json.loads(state.profile())
        assert {**found, "status": None} == {**expected, "status": None}, (company, on)
