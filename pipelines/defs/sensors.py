"""Sensors: keep the reader of a market's feeds running, ingest what it spooled within minutes, relaunch lost runs.

Those of feeds are off until turned on. Runs are relaunched where Celery workers run the ingests: a run is alive as
long as the lease of its market is renewed (`warehouse.replication.lease`), but Dagster keeps showing a killed run
as started. Such a run is failed and requested again as a new batch, so that the next worker begins from the saved
state, not from a lost intermediate state. Does not belong here: reading feeds (`sources.stream_listener`), runs by
the clock (`schedules`), or a single machine's killed runs (`runtime.dead_runs`).
Docs: https://docs.dagster.io/guides/automate/sensors
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import dagster as dg

from connectors.contract.dataset import Jurisdiction
from pipelines.defs.asset_keys import fetched_datasets
from pipelines.defs.jobs import DUE_TAG, job_name, request_run
from pipelines.runtime import dead_runs
from pipelines.runtime.dead_runs import BEGINNING
from pipelines.sources.source import LiveSource
from pipelines.sources.stream_listener import has_listener, listen, streaming_datasets
from pipelines.workspace import Workspace
from warehouse.raw.stream_spool import StreamSpool
from warehouse.storage.locks import is_being_ingested

AGAIN_SECONDS: Final = 30
TAKE_SECONDS: Final = 120
AFTER_FAILURE: Final = timedelta(minutes=10)
START_WITHIN: Final = timedelta(hours=12)  # a run may wait for a worker for as long as other runs take
# for a run that was never handed out because the broker was away
AFTER_HANDOVER_FAILURE: Final = timedelta(minutes=5)
_BEGUN: Final = (dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING)


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
        dead_runs.fail_dead_job_runs(context.instance, job)
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
        return request_run(context.instance, workspace, jurisdiction, streaming_datasets(jurisdiction))

    return sensor


def _newest_run(instance: dg.DagsterInstance, job: str) -> dg.RunRecord | None:
    return next(iter(instance.get_run_records(dg.RunsFilter(job_name=job), limit=1)), None)


def _skip_reason(instance: dg.DagsterInstance, job: str, now: datetime, pause: timedelta) -> str | None:
    """Why the job is not started again now. A run that began long ago and holds no lock is dead."""
    record = _newest_run(instance, job)
    if record is None:
        return None
    ended = None if record.end_time is None else datetime.fromtimestamp(record.end_time, UTC)
    if not record.dagster_run.is_finished:
        return "a run is starting" if now - record.create_timestamp < BEGINNING else None
    if record.dagster_run.status is dg.DagsterRunStatus.FAILURE and ended is not None and now - ended < pause:
        return f"the last run failed at {ended:%H:%M}: retry {pause.total_seconds() / 60:.0f} min later"
    return None


def recover_sensor(jurisdiction: Jurisdiction, workspace: Workspace) -> dg.SensorDefinition:
    """Relaunches the market's newest run if its worker is gone or it could not be handed to one."""

    @dg.sensor(
        name=f"recover_{jurisdiction.code.lower()}",
        job_name=job_name(jurisdiction),
        minimum_interval_seconds=workspace.settings.claim_seconds,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=f"Restarts runs of {jurisdiction.code} that lost their worker.",
    )
    def sensor(context: dg.SensorEvaluationContext) -> Any:
        record = _newest_run(context.instance, job_name(jurisdiction))
        if record is None:
            return dg.SkipReason("no runs yet")
        now = workspace.clock()
        if record.dagster_run.is_finished:
            if reason := _no_retry_reason(record, now):
                return dg.SkipReason(reason)
        else:
            seen = f"{record.dagster_run.run_id} {workspace.market_lease.heartbeat_tag(jurisdiction.code)}"
            if reason := _still_alive_reason(record, now, context.cursor == seen):
                context.update_cursor(seen)
                return dg.SkipReason(reason)
            dead_runs.fail_dead_runs(context.instance, jurisdiction.code)
        return _request_again(context.instance, workspace, jurisdiction, record.dagster_run)

    return sensor


def _request_again(
    instance: dg.DagsterInstance, workspace: Workspace, jurisdiction: Jurisdiction, run: dg.DagsterRun
) -> dg.RunRequest:
    """Requests a new batch of the datasets of a run, for the same tick."""
    tags = {DUE_TAG: run.tags[DUE_TAG]} if DUE_TAG in run.tags else {}
    if not run.asset_selection:
        return request_run(instance, workspace, jurisdiction, tags=tags)
    fetched = fetched_datasets(jurisdiction, run.asset_selection)
    datasets = [dataset for dataset in jurisdiction.datasets if dataset.key in fetched]
    return request_run(instance, workspace, jurisdiction, datasets, tags)


def _no_retry_reason(record: dg.RunRecord, now: datetime) -> str | None:
    """Why a finished run is not relaunched; None if it failed because no worker could be given it."""
    if record.dagster_run.status is not dg.DagsterRunStatus.FAILURE or record.start_time is not None:
        return "the newest run has ended"
    if record.end_time is not None and now - datetime.fromtimestamp(record.end_time, UTC) < AFTER_HANDOVER_FAILURE:
        return "no worker accepted the newest run: it is retried soon"
    return None


def _still_alive_reason(record: dg.RunRecord, now: datetime, is_silent: bool) -> str | None:
    """Why an unfinished run is left alone; `is_silent`: its market's lease is unchanged since the last check."""
    if record.dagster_run.status not in _BEGUN:
        return None if now - record.create_timestamp >= START_WITHIN else "the newest run is waiting for a worker"
    return None if is_silent else "the newest run is in progress"
