"""Schedules and sensors whose last tick is dated in the future, by a clock that was ahead, begin again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteInstigatorOrigin, RemoteRepositoryOrigin
from dagster._core.scheduler.instigation import (
    InstigatorState,
    InstigatorStatus,
    InstigatorType,
    ScheduleInstigatorData,
    SensorInstigatorData,
    TickData,
    TickStatus,
)

from pipelines.ingest.job_runs import dagster_instance
from pipelines.runtime.future_ticks import restart_future_instigators
from pipelines.settings import IngestSettings

NOW = datetime(2026, 3, 3, 4, 30, tzinfo=UTC)
YEAR = timedelta(days=365)


@pytest.fixture
def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dg.DagsterInstance]:
    settings = IngestSettings(data=tmp_path)
    for name, value in settings.dagster_environment.items():
        monkeypatch.setenv(name, value)
    with dagster_instance(settings) as opened:
        yield opened


def ticked(
    instance: dg.DagsterInstance, name: str, at: datetime, kind: InstigatorType = InstigatorType.SCHEDULE
) -> InstigatorState:
    """A schedule or sensor that is on, and has ticked."""
    origin = RemoteInstigatorOrigin(RemoteRepositoryOrigin(RegisteredCodeLocationOrigin("here"), "all"), name)
    data = (
        ScheduleInstigatorData("0 4 * * *", (NOW - YEAR).timestamp(), at.timestamp())
        if kind is InstigatorType.SCHEDULE
        else SensorInstigatorData(at.timestamp(), "key", 30, "cursor", at.timestamp())
    )
    state = instance.add_instigator_state(InstigatorState(origin, kind, InstigatorStatus.RUNNING, data))
    origin_id, selector_id = state.instigator_origin_id, state.selector_id
    instance.create_tick(
        TickData(origin_id, name, kind, TickStatus.SUCCESS, at.timestamp(), [], selector_id=selector_id)
    )
    return state


def stored(instance: dg.DagsterInstance, state: InstigatorState) -> InstigatorState:
    found = instance.get_instigator_state(state.instigator_origin_id, state.selector_id)
    assert found is not None
    return found


def newest_tick(instance: dg.DagsterInstance, state: InstigatorState) -> float:
    ticks = instance.get_ticks(state.instigator_origin_id, state.selector_id)
    return max((tick.timestamp for tick in ticks), default=0.0)


def test_restart_of_a_schedule_that_ticked_in_the_future_lets_it_tick_after_now(instance: dg.DagsterInstance) -> None:
    ahead, sound = ticked(instance, "ahead", NOW + YEAR), ticked(instance, "sound", NOW - timedelta(minutes=30))
    assert restart_future_instigators(instance, NOW) == ["ahead"]
    found = stored(instance, ahead)
    assert found.status is InstigatorStatus.RUNNING
    assert found.instigator_data == ScheduleInstigatorData("0 4 * * *", NOW.timestamp())
    assert newest_tick(instance, ahead) == 0
    assert stored(instance, sound) == sound
    assert newest_tick(instance, sound) > 0
    assert restart_future_instigators(instance, NOW) == []


def test_restart_of_a_sensor_that_ticked_in_the_future_keeps_its_cursor(instance: dg.DagsterInstance) -> None:
    ahead = ticked(instance, "ahead", NOW + YEAR, InstigatorType.SENSOR)
    assert restart_future_instigators(instance, NOW) == ["ahead"]
    assert stored(instance, ahead).instigator_data == SensorInstigatorData(None, "key", 30, "cursor")
