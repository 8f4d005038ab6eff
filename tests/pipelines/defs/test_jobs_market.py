"""A market's job as the daemon runs it: nobody holds the lock before, and the release is its last step."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import dagster as dg
import pytest

from pipelines.definitions_builder import build_defs
from pipelines.defs.asset_keys import raw_key
from pipelines.defs.jobs import job_name
from pipelines.defs.partitions import register_batch
from pipelines.runtime.batch_ids import batch_name
from pipelines.sources.source import FolderSource
from pipelines.steps.stage_state import load_pending
from pipelines.workspace import Workspace
from tests.pipelines.invented import MARKET
from tests.pipelines.places import ONE, THREE, Place
from warehouse.publish.publisher import ReleaseStore
from warehouse.storage.atomic_files import Step, ignore_step
from warehouse.storage.locks import AlreadyLockedError, market_lock


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield Place(tmp_path, instance=instance)


def definitions(place: Place, on_step: Step = ignore_step) -> dg.Definitions:
    workspace = Workspace(place.settings, (MARKET,), place.clock, on_step=on_step)
    return build_defs(place.settings, workspace=workspace, resources={"origin": FolderSource(place.folder)})


def run(
    place: Place,
    instance: dg.DagsterInstance,
    batch: str | None = None,
    on_step: Step = ignore_step,
    *,
    raise_on_error: bool = True,
) -> dg.ExecuteInProcessResult:
    batch = batch or batch_name(place.clock())
    register_batch(instance, [MARKET.code], batch)
    job = definitions(place, on_step).resolve_job_def(job_name(MARKET))
    return job.execute_in_process(instance=instance, partition_key=batch, raise_on_error=raise_on_error)


@pytest.mark.slow
def test_the_whole_job_ends_with_a_release_and_fails_a_dead_run_before(place: Place) -> None:
    instance = place.instance
    assert instance is not None
    place.plain()
    job = definitions(place).resolve_job_def(job_name(MARKET))
    dead = instance.create_run_for_job(job, status=dg.DagsterRunStatus.STARTED, tags={"firm/market": "FI"})
    result = run(place, instance)
    assert result.success
    current = ReleaseStore(place.settings.layout).current_manifest()
    assert current is not None
    assert current.counts["companies"] == 2
    found = instance.get_run_by_id(dead.run_id)
    assert found is not None
    assert found.status is dg.DagsterRunStatus.FAILURE


def fill_disk(step: str) -> None:
    if step == "image written":
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.slow
def test_partition_executed_again_after_staging_is_refused_and_the_next_run_loses_nothing(place: Place) -> None:
    instance = place.instance
    assert instance is not None
    place.plain()
    batch = batch_name(place.clock())
    assert not run(place, instance, batch, fill_disk, raise_on_error=False).success
    place.register((ONE, "Yksi Oy", "asleep", "2026-03-03"), (THREE, "Kolme Oy", "open", ""))
    again = run(place, instance, batch, raise_on_error=False)
    assert not again.success
    (told, *_) = [event for event in again.all_events if event.is_step_failure]
    error = told.step_failure_data.error
    assert error is not None
    assert "is already staged: start a new run" in error.to_string()
    assert run(place, instance).success
    current = ReleaseStore(place.settings.layout).current_manifest()
    assert current is not None
    assert current.counts["companies"] == 3
    with closing(Workspace(place.settings, (MARKET,), place.clock)) as workspace:
        for dataset in MARKET.datasets:
            assert load_pending(workspace, dataset) == []


def test_it_waits_for_nobody_else_who_writes(place: Place) -> None:
    instance = place.instance
    assert instance is not None
    place.plain()
    with market_lock(place.settings.layout, "FI"), pytest.raises((AlreadyLockedError, dg.DagsterResourceFunctionError)):
        run(place, instance)


@pytest.mark.slow
def test_assets_materialised_by_hand_hold_the_market_too(place: Place) -> None:
    """Of a job that Dagster makes for a selection: it has no tags of ours."""
    instance = place.instance
    assert instance is not None
    place.plain()
    batch = batch_name(place.clock())
    register_batch(instance, [MARKET.code], batch)
    made = definitions(place)
    job = made.get_repository_def().get_implicit_job_def_for_assets([raw_key(MARKET.datasets[0])])
    assert job is not None
    given = {"instance": instance, "partition_key": batch, "asset_selection": [raw_key(MARKET.datasets[0])]}
    with market_lock(place.settings.layout, "FI"), pytest.raises((AlreadyLockedError, dg.DagsterResourceFunctionError)):
        job.execute_in_process(**given)
    assert job.execute_in_process(**given).success
