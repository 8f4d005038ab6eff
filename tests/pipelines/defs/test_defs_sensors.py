"""Sensors: one reader runs whatever was killed, and what it brought is taken in."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from pipelines.defs.asset_keys import fetched_datasets
from pipelines.defs.partitions import partitions_name
from pipelines.defs.sensors import listen_sensor, spool_sensor
from pipelines.sources import stream_listener
from pipelines.sources.stream_listener import listener_lock
from tests.pipelines.fed import Feed
from tests.pipelines.invented import MARKET
from warehouse.storage.locks import market_lock


@pytest.fixture
def feed(tmp_path: Path) -> Feed:
    return Feed(tmp_path)


def test_sensors_keep_the_reader_and_take_its_inbox(feed: Feed) -> None:
    with dg.DagsterInstance.ephemeral() as instance, closing(feed.workspace()) as workspace:
        context = dg.build_sensor_context(instance=instance)
        takes = spool_sensor(feed.market(), workspace)
        assert isinstance(takes(context), dg.SkipReason)
        feed.read()
        with market_lock(workspace.layout, "FI"):
            assert isinstance(takes(context), dg.SkipReason)
        asked: Any = takes(context)
        assert isinstance(asked, dg.RunRequest)
        assert asked.partition_key in instance.get_dynamic_partitions(partitions_name("FI"))
        listened = {dataset.key for dataset in stream_listener.streaming_datasets(feed.market())}
        assert fetched_datasets(feed.market(), asked.asset_selection or ()) == listened  # the others at their cadence
        keeps = listen_sensor(feed.market(), workspace)
        assert isinstance(keeps(context), dg.RunRequest)
        with listener_lock(workspace, feed.dataset()):
            assert isinstance(keeps(context), dg.SkipReason)  # whoever reads, `firm listen` too
    assert stream_listener.streaming_datasets(MARKET) == []


@pytest.mark.parametrize(
    ("status", "minutes", "starts"),
    [
        (dg.DagsterRunStatus.STARTED, 1, False),  # it may not have come to its lock yet
        (dg.DagsterRunStatus.STARTED, 6, True),  # its process is gone: nobody holds the lock
        (dg.DagsterRunStatus.SUCCESS, 1, True),
        (dg.DagsterRunStatus.CANCELED, 1, True),
    ],
)
def test_a_reader_that_was_killed_is_started_again(
    feed: Feed, status: dg.DagsterRunStatus, minutes: int, *, starts: bool
) -> None:
    at = datetime.now(UTC) + timedelta(minutes=minutes)
    with dg.DagsterInstance.ephemeral() as instance, closing(feed.workspace()) as workspace:
        run = instance.add_run(dg.DagsterRun(job_name="listen_fi", status=status))
        keeps = listen_sensor(feed.market(), replace(workspace, clock=lambda: at))
        asked = keeps(dg.build_sensor_context(instance=instance))
        assert isinstance(asked, dg.RunRequest) == starts
        now = instance.get_run_by_id(run.run_id)
        assert now is not None
        assert now.is_finished == (starts or run.is_finished)


def test_a_refused_reader_is_not_started_every_half_minute(feed: Feed) -> None:
    with dg.DagsterInstance.ephemeral() as instance, closing(feed.workspace()) as workspace:
        run = instance.add_run(dg.DagsterRun(job_name="listen_fi", status=dg.DagsterRunStatus.STARTED))
        instance.report_run_failed(run, "refused")
        context = dg.build_sensor_context(instance=instance)
        for minutes, kind in ((1, dg.SkipReason), (11, dg.RunRequest)):
            at = datetime.now(UTC) + timedelta(minutes=minutes)
            keeps = listen_sensor(feed.market(), replace(workspace, clock=lambda at=at: at))
            assert isinstance(keeps(context), kind)
