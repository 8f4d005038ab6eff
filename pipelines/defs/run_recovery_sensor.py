"""Relaunches runs lost with a worker or broker: one sensor per market, where Celery workers run the ingests.

A run is alive as long as the lease of its market is renewed (`warehouse.replication.lease`); Dagster keeps
showing a killed run as started. Such a run is failed and requested again as a new batch, so that the next
worker begins from the saved state, not from a lost intermediate state. Does not belong here: a single
machine's killed runs (`runtime.crash_recovery`).
Docs: https://docs.dagster.io/guides/automate/sensors
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import dagster as dg

from connectors.contract.dataset import Jurisdiction
from pipelines.defs import partitions
from pipelines.defs.jobs import job_name
from pipelines.runtime import crash_recovery
from pipelines.runtime.batch_ids import next_batch
from pipelines.workspace import Workspace

START_WITHIN: Final = timedelta(hours=12)  # a run may wait for a worker for as long as other runs take
AFTER_FAILURE: Final = timedelta(minutes=5)  # for a run that was never handed out because the broker was away
_BEGUN: Final = (dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING)


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
        wanted = dg.RunsFilter(job_name=job_name(jurisdiction))
        record = next(iter(context.instance.get_run_records(wanted, limit=1)), None)
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
            crash_recovery.fail_dead_runs(context.instance, jurisdiction.code)
        batch = next_batch(now, context.instance.get_dynamic_partitions("batches"))
        partitions.register_batch(context.instance, batch)
        return dg.RunRequest(run_key=batch, partition_key=batch)

    return sensor


def _no_retry_reason(record: dg.RunRecord, now: datetime) -> str | None:
    """Why a finished run is not relaunched; None if it failed because no worker could be given it."""
    if record.dagster_run.status is not dg.DagsterRunStatus.FAILURE or record.start_time is not None:
        return "the newest run has ended"
    if record.end_time is not None and now - datetime.fromtimestamp(record.end_time, UTC) < AFTER_FAILURE:
        return "no worker accepted the newest run: it is retried soon"
    return None


def _still_alive_reason(record: dg.RunRecord, now: datetime, is_silent: bool) -> str | None:
    """Why an unfinished run is left alone; `is_silent`: its market's lease is unchanged since the last check."""
    if record.dagster_run.status not in _BEGUN:
        return None if now - record.create_timestamp >= START_WITHIN else "the newest run is waiting for a worker"
    return None if is_silent else "the newest run is in progress"
