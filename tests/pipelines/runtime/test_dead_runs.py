"""A step waits for a pool only as long as the process of the run that holds it is alive (`pipelines.runtime.dead_runs`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import dagster as dg
import pytest

from pipelines.dagster_instance.concurrency_slots import SlotAssigningEventLog
from pipelines.defs.resources import free_pools_of_dead_runs
from pipelines.ingest.job_runs import dagster_instance
from pipelines.runtime.dead_runs import MARKET_TAG, PARTITION_TAG
from pipelines.runtime.market_lease import LocalLease
from pipelines.settings import IngestSettings
from warehouse.storage.layout import Layout
from warehouse.storage.locks import market_lock

POOL: Final = "host_register"
STARTED: Final = dg.DagsterRunStatus.STARTED


@pytest.fixture
def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dg.DagsterInstance]:
    settings = IngestSettings(data=tmp_path)
    for name, value in settings.dagster_environment.items():
        monkeypatch.setenv(name, value)
    with dagster_instance(settings) as opened:
        assert events_of(opened).initialize_concurrency_limit_to_default(POOL)
        free_pools_of_dead_runs(opened, LocalLease(Layout(tmp_path)))
        yield opened


def events_of(instance: dg.DagsterInstance) -> SlotAssigningEventLog:
    assert isinstance(instance.event_log_storage, SlotAssigningEventLog)
    return instance.event_log_storage


def holder(
    instance: dg.DagsterInstance, *assets: str, status: dg.DagsterRunStatus = STARTED, **tags: str
) -> dg.DagsterRun:
    """A run that holds the pool."""
    chosen = frozenset(dg.AssetKey(name.split("/")) for name in assets)
    run = dg.DagsterRun("ingest", status=status, tags=tags, asset_selection=chosen or None)
    instance.add_run(run)
    assert events_of(instance).claim_concurrency_slot(POOL, run.run_id, "step").is_claimed
    return run


def test_pool_of_a_killed_run_of_another_market_is_free(instance: dg.DagsterInstance) -> None:
    killed = holder(instance, **{MARKET_TAG: "FI"})
    assert events_of(instance).claim_concurrency_slot(POOL, "of NO", "step").is_claimed
    found = instance.get_run_by_id(killed.run_id)
    assert found is not None
    assert found.status is dg.DagsterRunStatus.FAILURE


def test_pool_of_a_killed_run_of_chosen_assets_is_free(instance: dg.DagsterInstance) -> None:
    holder(instance, "fi/ytj_raw", "fi/ytj_staged", **{PARTITION_TAG: "20261101T040000000Z"})
    assert events_of(instance).claim_concurrency_slot(POOL, "of NO", "step").is_claimed


def test_pool_of_a_run_that_ended_meanwhile_is_free_and_its_end_stays(instance: dg.DagsterInstance) -> None:
    ended = holder(instance, status=dg.DagsterRunStatus.SUCCESS, **{MARKET_TAG: "FI"})
    assert events_of(instance).claim_concurrency_slot(POOL, "of NO", "step").is_claimed
    found = instance.get_run_by_id(ended.run_id)
    assert found is not None
    assert found.status is dg.DagsterRunStatus.SUCCESS


def test_pool_of_a_run_without_a_record_is_free(instance: dg.DagsterInstance) -> None:
    assert events_of(instance).claim_concurrency_slot(POOL, "pruned", "step").is_claimed
    assert events_of(instance).claim_concurrency_slot(POOL, "of NO", "step").is_claimed


def test_pool_of_a_run_whose_market_is_held_is_waited_for(instance: dg.DagsterInstance, tmp_path: Path) -> None:
    alive = holder(instance, **{MARKET_TAG: "FI"})
    with market_lock(Layout(tmp_path), "FI"):
        assert not events_of(instance).claim_concurrency_slot(POOL, "of NO", "step").is_claimed
    found = instance.get_run_by_id(alive.run_id)
    assert found is not None
    assert found.status is STARTED


def test_pool_of_a_run_of_no_market_is_waited_for(instance: dg.DagsterInstance) -> None:
    holder(instance)
    assert not events_of(instance).claim_concurrency_slot(POOL, "of NO", "step").is_claimed
