"""Schedules: each market once a day, at the cadence of its profile dataset, and its export at night.

All are off until turned on.
Docs: https://docs.dagster.io/guides/automate/schedules
"""

from __future__ import annotations

from typing import Final

import dagster as dg

from connectors.contract.dataset import Jurisdiction
from pipelines.defs import partitions
from pipelines.defs.jobs import export_job_name, job_name
from pipelines.runtime.batch_ids import next_batch
from pipelines.workspace import Workspace, profile_dataset

EXPORT_CRON: Final = "30 3 * * *"


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
        taken = context.instance.get_dynamic_partitions("batches")
        batch = next_batch(workspace.clock(), taken)
        partitions.register_batch(context.instance, batch)
        return dg.RunRequest(run_key=batch, partition_key=batch)

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
