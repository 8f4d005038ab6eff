"""Jobs, their schedules and partitions: one job per market, from fetch to release, and one that exports it.

A job has one process: a process per step would cost seconds each; work that needs several cores has its own pool
(`runtime.parser_pool`). Partitions: one per batch, which is one ingest; never one per company, and not one per day.
Schedules: each market once a day, at the cadence of its profile dataset, and its export at night; all are off until
turned on.
Docs: https://docs.dagster.io/guides/build/jobs https://docs.dagster.io/guides/automate/schedules
https://docs.dagster.io/guides/build/partitions-and-backfills
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import dagster as dg

from connectors.contract.dataset import Dataset, Jurisdiction
from pipelines.defs.asset_keys import RELEASE, market_key, raw_key, staged_key
from pipelines.defs.resources import MARKETS_TAG
from pipelines.runtime.batch_ids import next_batch
from pipelines.runtime.crash_recovery import MARKET_TAG
from pipelines.workspace import Workspace, profile_dataset

BATCHES: Final = dg.DynamicPartitionsDefinition(name="batches")
EXPORT_CRON: Final = "30 3 * * *"
KEPT_PARTITIONS: Final = 500  # only Dagster's list; the stores know what a batch contains


def register_batch(instance: dg.DagsterInstance, batch: str) -> None:
    """Registers a batch as a Dagster partition and removes the oldest ones."""
    name = BATCHES.name
    if name is None:
        raise ValueError("the batch partitions have no name")
    instance.add_dynamic_partitions(name, [batch])
    for old in sorted(instance.get_dynamic_partitions(name))[:-KEPT_PARTITIONS]:
        instance.delete_dynamic_partition(name, old)


def request_run(instance: dg.DagsterInstance, now: datetime) -> dg.RunRequest:
    """Requests a run of a new batch; its id is assigned now."""
    batch = next_batch(now, instance.get_dynamic_partitions(str(BATCHES.name)))
    register_batch(instance, batch)
    return dg.RunRequest(run_key=batch, partition_key=batch)


def job_name(jurisdiction: Jurisdiction) -> str:
    """Name of a market's ingest job: `ingest_<cc>`."""
    return f"ingest_{jurisdiction.code.lower()}"


def export_job_name(jurisdiction: Jurisdiction) -> str:
    """Name of a market's export job: `export_<cc>`."""
    return f"export_{jurisdiction.code.lower()}"


def market_asset_keys(jurisdiction: Jurisdiction, datasets: Sequence[Dataset]) -> list[dg.AssetKey]:
    """The asset keys of a market for the given datasets, without the release."""
    return [
        *(raw_key(dataset) for dataset in datasets),
        *(staged_key(dataset) for dataset in datasets),
        *(market_key(jurisdiction, layer) for layer in ("normalised", "history", "events")),
    ]


def market_job(jurisdiction: Jurisdiction) -> Any:  # Dagster's name for the type is private
    """The full pipeline of one market, release included."""
    return dg.define_asset_job(
        job_name(jurisdiction),
        selection=dg.AssetSelection.assets(*market_asset_keys(jurisdiction, jurisdiction.datasets), RELEASE),
        executor_def=dg.in_process_executor,
        run_tags={MARKET_TAG: jurisdiction.code, MARKETS_TAG: jurisdiction.code},
        description=f"Ingest of {jurisdiction.code}: fetch, read, normalise, compare, publish.",
    )


def export_job(jurisdiction: Jurisdiction) -> Any:
    """The bulk export of one market: a separate job, so that an ingest never waits for export files."""
    return dg.define_asset_job(
        export_job_name(jurisdiction),
        selection=dg.AssetSelection.assets(market_key(jurisdiction, "export")),
        executor_def=dg.in_process_executor,
        description=f"Bulk export of {jurisdiction.code} from the current release.",
    )


def market_schedule(jurisdiction: Jurisdiction, workspace: Workspace) -> dg.ScheduleDefinition:
    """A daily run of one market; its batch id is assigned when the schedule fires."""

    @dg.schedule(
        name=f"{job_name(jurisdiction)}_daily",
        job_name=job_name(jurisdiction),
        cron_schedule=profile_dataset(jurisdiction).cadence.cron,
        execution_timezone="UTC",
        description=f"Daily ingest of {jurisdiction.code}.",
    )
    def schedule(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
        return request_run(context.instance, workspace.clock())

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
