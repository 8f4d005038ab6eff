"""Retention of runs: their step results below `runs/`, and Dagster's records and per-run files.

Called by the job `prune` every day, and by every ingest from the command line. Does not belong here: data
(`maintenance.retention`), ticks of schedules and sensors (`retention` in dagster.yaml).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

import dagster as dg

from pipelines.runtime.step_results import StepResults

if TYPE_CHECKING:
    from pipelines.settings import IngestSettings

KEPT_PER_JOB: Final = 50  # whatever their age: by the newest, schedules know what is due
_READ_AT_ONCE: Final = 1000
_ENDED: Final = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]


@dataclass(frozen=True, slots=True)
class PrunedRuns:
    """How many batches' step results, and how many of Dagster's runs were deleted."""

    step_results: int
    dagster_runs: int


def prune_runs(
    results: StepResults, instance: dg.DagsterInstance, settings: IngestSettings, now: datetime
) -> PrunedRuns:
    """Deletes what the settings no longer keep."""
    return PrunedRuns(results.prune(settings.keep_runs, now), prune_dagster_runs(instance, settings, now))


def prune_dagster_runs(instance: dg.DagsterInstance, settings: IngestSettings, now: datetime) -> int:
    """Deletes ended runs of Dagster that are older than the settings keep.

    Kept whatever their age: the newest of each job, and those that materialised an asset last, by which Dagster
    knows how old it is.
    """
    before = now - timedelta(days=settings.keep_dagster_days)
    old = _old_runs(instance, before)
    if not old:
        return 0
    last = {record.asset_entry.last_run_id for record in instance.get_asset_records()}
    deleted = [run_id for run_id in old if run_id not in last]
    for run_id in deleted:
        instance.delete_run(run_id)
    return len(deleted)


def _old_runs(instance: dg.DagsterInstance, before: datetime) -> list[str]:
    """Ended runs created before an instant, without the newest of each job."""
    if not instance.get_run_records(dg.RunsFilter(statuses=_ENDED, created_before=before), limit=1):
        return []
    newest: Counter[str] = Counter()
    old: list[str] = []
    cursor: str | None = None
    while records := instance.get_run_records(dg.RunsFilter(), limit=_READ_AT_ONCE, cursor=cursor):
        for record in records:  # newest first
            run = record.dagster_run
            newest[run.job_name] += 1
            is_old = run.status in _ENDED and record.create_timestamp < before
            if is_old and newest[run.job_name] > KEPT_PER_JOB:
                old.append(run.run_id)
        cursor = records[-1].dagster_run.run_id
    return old
