"""Schedules: each dataset of a market is fetched at its own cadence, in one run of all that are due together.

A market has one lease, so it has one schedule, which ticks at every cadence of its datasets and requests a run of those
that are due (`runtime.cadence`), and every hour, for what could not be fetched. While a run is at work, the next one
waits in Dagster's queue; what a waiting run will fetch is not requested again. All are off until turned on. Does not
belong here: runs by what has come (`sensors`).
Docs: https://docs.dagster.io/guides/automate/schedules
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any, Final

import dagster as dg

from connectors.contract.dataset import Jurisdiction
from pipelines.defs.asset_keys import fetched_datasets, raw_key
from pipelines.defs.jobs import DUE_TAG, PUBLISH_JOB, export_job_name, job_name, request_run
from pipelines.defs.metadata import read_failure_instant
from pipelines.defs.partitions import new_batch
from pipelines.defs.resources import BATCH_TAG, MARKETS_TAG, OVERTAKEN_TAG
from pipelines.runtime.cadence import RequestedRun, due_datasets
from pipelines.runtime.dead_runs import MARKET_TAG, UNFINISHED, WAITING, fail_abandoned_runs
from pipelines.steps import publish
from pipelines.workspace import Workspace
from warehouse.storage.locks import is_being_ingested

RETRY_CRON: Final = "0 * * * *"  # of every market, however rarely its datasets are fetched
EXPORT_CRON: Final = "30 3 * * *"
PUBLISH_CRON: Final = "*/10 * * * *"
RUNS_READ: Final = 100  # of the newest runs of a market
_FAILURE_REASON_TAG: Final = "dagster/failure_reason"
_STEP_FAILED: Final = "STEP_FAILURE"


def schedule_name(jurisdiction: Jurisdiction) -> str:
    """Name of a market's schedule: `ingest_<cc>_schedule`."""
    return f"{job_name(jurisdiction)}_schedule"


def market_schedule(jurisdiction: Jurisdiction, workspace: Workspace) -> dg.ScheduleDefinition:
    """Runs of one market, each of the datasets that are due; the batch id is assigned when the schedule fires."""

    @dg.schedule(
        name=schedule_name(jurisdiction),
        job_name=job_name(jurisdiction),
        cron_schedule=sorted({RETRY_CRON, *(dataset.cadence.cron for dataset in jurisdiction.datasets)}),
        execution_timezone="UTC",
        description=f"Fetches each dataset of {jurisdiction.code} at its own cadence.",
    )
    def schedule(context: dg.ScheduleEvaluationContext) -> Any:
        tick = context.scheduled_execution_time
        if not workspace.settings.celery_broker_url:  # there `recover_<cc>` does it
            fail_abandoned_runs(context.instance, workspace.market_lease, jurisdiction.code, workspace.clock())
        runs = requested_runs(context.instance, jurisdiction)
        crons = {dataset.key: dataset.cadence.cron for dataset in jurisdiction.datasets}
        due = due_datasets(crons, runs, tick, failed_fetches(context.instance, jurisdiction))
        if not due:
            return dg.SkipReason("no dataset is due that was not requested yet")
        if is_being_ingested(workspace.layout, jurisdiction.code) and not _unfinished_runs(context, jurisdiction):
            return dg.SkipReason("another process holds the market: what is due is fetched at the next tick")
        datasets = [dataset for dataset in jurisdiction.datasets if dataset.key in due]
        return request_run(context.instance, workspace, jurisdiction, datasets, {DUE_TAG: tick.isoformat()})

    return schedule


def _unfinished_runs(context: dg.ScheduleEvaluationContext, jurisdiction: Jurisdiction) -> bool:
    wanted = dg.RunsFilter(statuses=UNFINISHED, tags={MARKET_TAG: jurisdiction.code})
    return bool(context.instance.get_runs(wanted, limit=1))


def requested_runs(instance: dg.DagsterInstance, jurisdiction: Jurisdiction) -> list[RequestedRun]:
    """The newest scheduled runs of a market, with their retries."""
    wanted = dg.RunsFilter(job_name=job_name(jurisdiction))
    records = instance.get_run_records(wanted, limit=RUNS_READ)
    return [_requested_run(instance, jurisdiction, record) for record in records if DUE_TAG in record.dagster_run.tags]


def _requested_run(instance: dg.DagsterInstance, jurisdiction: Jurisdiction, record: dg.RunRecord) -> RequestedRun:
    run = record.dagster_run
    everything = frozenset(dataset.key for dataset in jurisdiction.datasets)
    chosen = fetched_datasets(jurisdiction, run.asset_selection) if run.asset_selection else everything
    requested = RequestedRun(chosen, datetime.fromisoformat(run.tags[DUE_TAG]), run.status in WAITING)
    if run.status is not dg.DagsterRunStatus.FAILURE and OVERTAKEN_TAG not in run.tags:
        return requested
    fetched = fetched_datasets(jurisdiction, _materialised_keys(instance, run.run_id))
    if run.tags.get(_FAILURE_REASON_TAG) == _STEP_FAILED:
        return replace(requested, unfetched=chosen - fetched)
    return replace(requested, fetched=fetched)


def _materialised_keys(instance: dg.DagsterInstance, run_id: str) -> list[dg.AssetKey]:
    entries = instance.all_logs(run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION)
    events = (entry.dagster_event for entry in entries)
    return [event.asset_key for event in events if event is not None and event.asset_key is not None]


def failed_fetches(instance: dg.DagsterInstance, jurisdiction: Jurisdiction) -> dict[str, datetime]:
    """The datasets of a market whose last fetch failed, by whichever run, and when."""
    datasets = {raw_key(dataset): dataset.key for dataset in jurisdiction.datasets}
    found: dict[str, datetime] = {}
    for record in instance.get_asset_records(list(datasets)):
        entry = record.asset_entry
        made = None if entry.last_materialization is None else entry.last_materialization.asset_materialization
        at = None if made is None else read_failure_instant(made.metadata)
        if at is not None:
            found[datasets[entry.asset_key]] = at
    return found


def publish_schedule(jurisdictions: tuple[Jurisdiction, ...], workspace: Workspace) -> dg.ScheduleDefinition:
    """One release of all markets whose newest run ended before its own; of none that is being written now."""

    @dg.schedule(
        name=f"{PUBLISH_JOB}_schedule",
        job_name=PUBLISH_JOB,
        cron_schedule=PUBLISH_CRON,
        execution_timezone="UTC",
        description="Publishes what runs left that ended before their release.",
    )
    def schedule(context: dg.ScheduleEvaluationContext) -> Any:
        left = [
            made.code
            for made in jurisdictions
            if publish.is_release_missing(workspace, made.code)
            and not is_being_ingested(workspace.layout, made.code)
            and not _unfinished_runs(context, made)
        ]
        if not left:
            return dg.SkipReason("every market's newest run has released what it brought")
        batch = new_batch(context.instance, workspace)
        return dg.RunRequest(run_key=batch, tags={MARKETS_TAG: ",".join(left), BATCH_TAG: batch})

    return schedule


def export_schedule(jurisdiction: Jurisdiction) -> dg.ScheduleDefinition:
    """A nightly export of one market; a no-op without a new release."""
    return dg.ScheduleDefinition(
        name=f"{export_job_name(jurisdiction)}_nightly",
        job_name=export_job_name(jurisdiction),
        cron_schedule=EXPORT_CRON,
        execution_timezone="UTC",
        description=f"Nightly bulk export of {jurisdiction.code}.",
    )
