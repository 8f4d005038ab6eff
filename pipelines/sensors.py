"""Sensors: the reader of a market's feeds is kept running, and what it took is taken in within minutes.

All are off until turned on. Does not belong here: reading (`listening`), or runs by the clock (`schedules`).

Docs: https://docs.dagster.io/guides/automate/sensors
"""

from __future__ import annotations

import threading
from typing import Any, Final

import dagster as dg

from connectors.declare import Jurisdiction
from pipelines import partitions
from pipelines.batches import next_batch
from pipelines.jobs import job_name
from pipelines.listening import listen, listened
from pipelines.origins import Live
from pipelines.resources import Workspace
from warehouse.inbox import Inbox

AGAIN_SECONDS: Final = 30
TAKE_SECONDS: Final = 120
_UNDER_WAY: Final = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


def listen_job_name(jurisdiction: Jurisdiction) -> str:
    """`listen_<cc>`."""
    return f"listen_{jurisdiction.code.lower()}"


def listen_job(jurisdiction: Jurisdiction) -> dg.JobDefinition:
    """Reads a market's feeds until it is ended: no part of an ingest, and holds no market."""

    @dg.op(
        name=f"read_{jurisdiction.code.lower()}_feeds", description="One connection per feed, into the inbox."
    )
    def read(workspace: dg.ResourceParam[Workspace], origin: dg.ResourceParam[Live]) -> None:
        listen(workspace, jurisdiction, origin.http, threading.Event())

    @dg.job(
        name=listen_job_name(jurisdiction),
        executor_def=dg.in_process_executor,
        description=f"Feeds of {jurisdiction.code}, read while they happen.",
    )
    def job() -> None:
        read()

    return job


def listen_sensor(jurisdiction: Jurisdiction) -> dg.SensorDefinition:
    """Starts the reader where none runs: after a start, a kill, or a refusal that was mended."""

    @dg.sensor(
        name=f"{listen_job_name(jurisdiction)}_always",
        job_name=listen_job_name(jurisdiction),
        minimum_interval_seconds=AGAIN_SECONDS,
        description=f"Keeps the reader of {jurisdiction.code} running.",
    )
    def sensor(context: dg.SensorEvaluationContext) -> Any:
        if _is_under_way(context.instance, listen_job_name(jurisdiction)):
            return dg.SkipReason("the reader runs")
        return dg.RunRequest()

    return sensor


def inbox_sensor(jurisdiction: Jurisdiction, workspace: Workspace) -> dg.SensorDefinition:
    """Ingests the market where its reader has put something into the inbox and no ingest is under way."""

    @dg.sensor(
        name=f"{job_name(jurisdiction)}_inbox",
        job_name=job_name(jurisdiction),
        minimum_interval_seconds=TAKE_SECONDS,
        description=f"Takes in what the reader of {jurisdiction.code} brought.",
    )
    def sensor(context: dg.SensorEvaluationContext) -> Any:
        boxes = [Inbox(workspace.layout, dataset.key) for dataset in listened(jurisdiction)]
        if not any(next(box.letters(), None) for box in boxes):
            return dg.SkipReason("the inbox is empty")
        if _is_under_way(context.instance, job_name(jurisdiction)):
            return dg.SkipReason("an ingest is under way")
        batch = next_batch(workspace.clock(), context.instance.get_dynamic_partitions("batches"))
        partitions.register(context.instance, batch)
        return dg.RunRequest(run_key=batch, partition_key=batch)

    return sensor


def _is_under_way(instance: dg.DagsterInstance, job: str) -> bool:
    return bool(instance.get_runs(dg.RunsFilter(job_name=job, statuses=_UNDER_WAY), limit=1))
