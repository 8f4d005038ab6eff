"""Sensors that keep the reader of a market's feeds running, and ingest what it spooled within minutes.

All are off until turned on. Does not belong here: reading (`sources.stream_listener`), or runs by the clock
(`schedules`). Docs: https://docs.dagster.io/guides/automate/sensors
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import dagster as dg

from connectors.contract.dataset import Jurisdiction
from pipelines.defs import partitions
from pipelines.defs.jobs import job_name
from pipelines.runtime import crash_recovery
from pipelines.runtime.batch_ids import next_batch
from pipelines.sources.source import LiveSource
from pipelines.sources.stream_listener import has_listener, listen, streaming_datasets
from pipelines.workspace import Workspace
from warehouse.raw.stream_spool import StreamSpool
from warehouse.storage.locks import is_being_ingested

AGAIN_SECONDS: Final = 30
TAKE_SECONDS: Final = 120
BEGINNING: Final = timedelta(minutes=5)  # time in which a new run may not have taken its lock yet
AFTER_FAILURE: Final = timedelta(minutes=10)


def listen_job_name(jurisdiction: Jurisdiction) -> str:
    """Name of a market's feed reader job: `listen_<cc>`."""
    return f"listen_{jurisdiction.code.lower()}"


def listen_job(jurisdiction: Jurisdiction) -> dg.JobDefinition:
    """The job that reads a market's feeds until it is stopped; not part of an ingest, holds no market lock."""

    @dg.op(name=f"read_{jurisdiction.code.lower()}_feeds", description="One connection per feed, into the spool.")
    def read(workspace: dg.ResourceParam[Workspace], origin: dg.ResourceParam[LiveSource]) -> None:
        listen(workspace, jurisdiction, origin.http, threading.Event())

    @dg.job(
        name=listen_job_name(jurisdiction),
        executor_def=dg.in_process_executor,
        description=f"Streaming feeds of {jurisdiction.code}.",
    )
    def job() -> None:
        read()

    return job


def listen_sensor(jurisdiction: Jurisdiction, workspace: Workspace) -> dg.SensorDefinition:
    """Starts the reader if none runs: after a start, a kill, or a refusal that was fixed.

    Checks the reader's locks, which the system releases when it dies, because Dagster keeps showing a killed
    run.
    """

    @dg.sensor(
        name=f"{listen_job_name(jurisdiction)}_always",
        job_name=listen_job_name(jurisdiction),
        minimum_interval_seconds=AGAIN_SECONDS,
        description=f"Keeps the feed reader of {jurisdiction.code} running.",
    )
    def sensor(context: dg.SensorEvaluationContext) -> Any:
        if any(has_listener(workspace, dataset) for dataset in streaming_datasets(jurisdiction)):
            return dg.SkipReason("the feeds are being read")
        job = listen_job_name(jurisdiction)
        if reason := _skip_reason(context.instance, job, workspace.clock(), AFTER_FAILURE):
            return dg.SkipReason(reason)
        crash_recovery.fail_dead_job_runs(context.instance, job)
        return dg.RunRequest()

    return sensor


def spool_sensor(jurisdiction: Jurisdiction, workspace: Workspace) -> dg.SensorDefinition:
    """Ingests the market if its spool is not empty and no ingest is in progress."""

    @dg.sensor(
        name=f"{job_name(jurisdiction)}_inbox",
        job_name=job_name(jurisdiction),
        minimum_interval_seconds=TAKE_SECONDS,
        description=f"Ingests what the feed reader of {jurisdiction.code} received.",
    )
    def sensor(context: dg.SensorEvaluationContext) -> Any:
        if all(StreamSpool(workspace.layout, dataset.key).is_empty() for dataset in streaming_datasets(jurisdiction)):
            return dg.SkipReason("the spool is empty")
        if is_being_ingested(workspace.layout, jurisdiction.code):
            return dg.SkipReason("an ingest is in progress")
        now = workspace.clock()
        if reason := _skip_reason(context.instance, job_name(jurisdiction), now, timedelta(0)):
            return dg.SkipReason(reason)
        batch = next_batch(now, context.instance.get_dynamic_partitions("batches"))
        partitions.register_batch(context.instance, batch)
        return dg.RunRequest(run_key=batch, partition_key=batch)

    return sensor


def _skip_reason(instance: dg.DagsterInstance, job: str, now: datetime, pause: timedelta) -> str | None:
    """Why the job is not started again now. A run that began long ago and holds no lock is dead."""
    record = next(iter(instance.get_run_records(dg.RunsFilter(job_name=job), limit=1)), None)
    if record is None:
        return None
    ended = None if record.end_time is None else datetime.fromtimestamp(record.end_time, UTC)
    if not record.dagster_run.is_finished:
        return "a run is starting" if now - record.create_timestamp < BEGINNING else None
    if record.dagster_run.status is dg.DagsterRunStatus.FAILURE and ended is not None and now - ended < pause:
        return f"the last run failed at {ended:%H:%M}: retry {pause.total_seconds() / 60:.0f} min later"
    return None
