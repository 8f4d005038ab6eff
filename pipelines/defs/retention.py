"""The job that prunes runs every day: step results, and Dagster's own records and files of runs.

The only schedule that is on from the start. Does not belong here: what is kept (`runtime.run_retention`).
"""

from typing import Final

import dagster as dg

from pipelines.runtime.run_retention import prune_runs
from pipelines.workspace import Workspace

PRUNE_JOB: Final = "prune"
PRUNE_CRON: Final = "10 2 * * *"
_LONGEST_SECONDS: Final = "3600"


def prune_job() -> dg.JobDefinition:
    """Deletes the records of runs that the settings no longer keep."""

    @dg.op(name="prune_runs", description="Step results below runs/, and Dagster's runs with their files.")
    def prune(context: dg.OpExecutionContext, workspace: dg.ResourceParam[Workspace]) -> None:
        pruned = prune_runs(workspace.step_results, context.instance, workspace.settings, workspace.clock())
        context.log.info("%d batches of step results, %d runs of Dagster", pruned.step_results, pruned.dagster_runs)

    @dg.job(
        name=PRUNE_JOB,
        executor_def=dg.in_process_executor,
        tags={"dagster/max_runtime": _LONGEST_SECONDS},
        description="Deletes the records of runs that FIRM_KEEP_RUNS and FIRM_KEEP_DAGSTER_DAYS no longer keep.",
    )
    def job() -> None:
        prune()

    return job


def prune_schedule() -> dg.ScheduleDefinition:
    """Every night."""
    return dg.ScheduleDefinition(
        name=f"{PRUNE_JOB}_nightly",
        job_name=PRUNE_JOB,
        cron_schedule=PRUNE_CRON,
        execution_timezone="UTC",
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Prunes the records of runs every night.",
    )
