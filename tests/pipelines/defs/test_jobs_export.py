"""The export of a market as the daemon runs it: no part of the ingest, from whatever release is served."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from pipelines.definitions_builder import build_defs
from pipelines.defs.jobs import export_job_name, job_name
from pipelines.sources.source import FolderSource
from pipelines.workspace import Workspace
from tests.pipelines.invented import MARKET
from tests.pipelines.places import Place
from warehouse.exports.exports import ExportStore
from warehouse.storage.locks import market_lock


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield Place(tmp_path, instance=instance)


def definitions(place: Place) -> dg.Definitions:
    workspace = Workspace(place.settings, (MARKET,), place.clock)
    return build_defs(place.settings, workspace=workspace, resources={"origin": FolderSource(place.folder)})


def run(place: Place) -> dict[str, object]:
    job = definitions(place).resolve_job_def(export_job_name(MARKET))
    result = job.execute_in_process(instance=place.instance)
    [made] = result.asset_materializations_for_node("fi__export")
    return {name: value.value for name, value in made.metadata.items()}


@pytest.mark.slow
def test_a_nightly_export_of_what_is_released(place: Place) -> None:
    place.plain()
    place.ingest()
    exports = ExportStore(place.settings.layout)
    assert exports.latest("FI") is None  # an ingest exports nothing
    with market_lock(place.settings.layout, "FI"):  # an ingest that runs keeps nobody from it
        told = run(place)
    latest = exports.latest("FI")
    assert latest is not None
    assert told == {"release": 1, "as_of_sequence": 0, "folder": str(latest.folder), "is_new": True}
    assert latest.manifest["datasets"][0]["licence"] == "CC0-1.0"
    assert run(place)["is_new"] is False


def test_the_ingest_does_not_wait_for_it(place: Place) -> None:
    made = definitions(place)
    ingest = made.resolve_job_def(job_name(MARKET)).asset_layer.executable_asset_keys
    assert dg.AssetKey(["fi", "export"]) not in ingest
    schedule = made.resolve_schedule_def(f"{export_job_name(MARKET)}_nightly")
    assert (schedule.cron_schedule, schedule.execution_timezone) == ("30 3 * * *", "UTC")
