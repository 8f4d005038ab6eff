"""What a dead worker or a dead broker left is begun anew: one sensor per market, where Celery workers take them in.

A run lives as long as the claim of its market is renewed (`warehouse.remote.claims`): Dagster goes on showing a
killed one. It is failed and asked for again under a name of its own, so that whoever gets it begins from the state
that was kept, not from the middle of what is gone. Does not belong here: one machine's killed runs (`healing`).

Docs: https://docs.dagster.io/guides/automate/sensors
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import dagster as dg

from connectors.declare import Jurisdiction
from pipelines import healing, partitions
from pipelines.batches import next_batch
from pipelines.jobs import job_name
from pipelines.resources import Workspace

START_WITHIN: Final = timedelta(hours=12)  # a run may wait for a worker for as long as others take
AFTER_FAILURE: Final = timedelta(minutes=5)  # a run that nobody could be given, for the broker was away
_BEGUN: Final = (dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING)


def recover_sensor(jurisdiction: Jurisdiction, workspace: Workspace) -> dg.SensorDefinition:
    """Begins the market's newest run anew where its worker is gone, or where no worker could be given it."""

    @dg.sensor(
        name=f"recover_{jurisdiction.code.lower()}",
        job_name=job_name(jurisdiction),
        minimum_interval_seconds=workspace.settings.claim_seconds,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=f"Begins runs of {jurisdiction.code} anew whose worker is gone.",
    )
    def sensor(context: dg.SensorEvaluationContext) -> Any:
        wanted = dg.RunsFilter(job_name=job_name(jurisdiction))
        record = next(iter(context.instance.get_run_records(wanted, limit=1)), None)
        if record is None:
            return dg.SkipReason("nothing has been run yet")
        now = workspace.clock()
        if record.dagster_run.is_finished:
            if reason := _stays_finished(record, now):
                return dg.SkipReason(reason)
        else:
            seen = f"{record.dagster_run.run_id} {workspace.custody.sign(jurisdiction.code)}"
            if reason := _may_live(record, now, context.cursor == seen):
                context.update_cursor(seen)
                return dg.SkipReason(reason)
            healing.fail_dead_runs(context.instance, jurisdiction.code)
        batch = next_batch(now, context.instance.get_dynamic_partitions("batches"))
        partitions.register(context.instance, batch)
        return dg.RunRequest(run_key=batch, partition_key=batch)

    return sensor


def _stays_finished(record: dg.RunRecord, now: datetime) -> str | None:
    """Why a run that has ended is not begun anew; None where it ended because nobody could be given it."""
    if record.dagster_run.status is not dg.DagsterRunStatus.FAILURE or record.start_time is not None:
        return "the newest run has ended by itself"
    if record.end_time is not None and now - datetime.fromtimestamp(record.end_time, UTC) < AFTER_FAILURE:
        return "no worker could be given the newest run: it is tried again soon"
    return None


def _may_live(record: dg.RunRecord, now: datetime, is_silent: bool) -> str | None:
    """Why a run that has not ended is let be; `is_silent`: its market's claim is as it was at the last look."""
    if record.dagster_run.status not in _BEGUN:
        return None if now - record.create_timestamp >= START_WITHIN else "the newest run waits for a worker"
    return None if is_silent else "the newest run is under way"
