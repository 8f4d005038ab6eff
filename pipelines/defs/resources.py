"""The workspace as a Dagster resource, and the tags of a run that it reads.

Resources are plain objects (`dg.ResourceParam`): Dagster builds a `dg.ConfigurableResource` anew from its config, which
it stores and shows, and a workspace has an injected clock, an origin has credentials. Their settings are validated
before, by `pipelines.settings`. A run has tags and no config: limits and look-ups of runs find it by its tags.
Does not belong here: composing the workspace (`workspace`).
Docs: https://docs.dagster.io/guides/build/external-resources
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import Final

import dagster as dg

from pipelines.dagster_instance.concurrency_slots import SlotAssigningEventLog
from pipelines.defs.asset_keys import RELEASE, fetched_datasets
from pipelines.maintenance.retract import finish_retractions
from pipelines.runtime import crash_recovery, dead_runs
from pipelines.runtime.dead_runs import PARTITION_TAG, run_market
from pipelines.runtime.market_lease import MarketLease
from pipelines.steps import stage
from pipelines.workspace import Workspace
from warehouse.storage.layout import Layout

MARKETS_TAG: Final = "firm/markets"  # markets published by the release of a run
LOCKED_TAG: Final = "firm/locked"  # the starter of the run already holds the lock
BATCH_TAG: Final = "firm/batch"  # of a run without a partition
REQUESTED_TAG: Final = "firm/requested"  # of a run that a schedule or sensor requested: its batch, assigned then
OVERTAKEN_TAG: Final = "firm/overtaken"  # of a requested run that came too late: the batch staged meanwhile
_RETRY_TAG: Final = "dagster/retry_number"  # of a run that Dagster has retried

# Erases from the control plane what is erased from the ledger; returns the number of its events. It belongs to `firm`.
ErasureFinisher = Callable[[Layout], int]
Around = Callable[[Workspace, str, str], AbstractContextManager[None]]


def leave_control_plane(layout: Layout) -> int:
    """An `ErasureFinisher` for runs whose starter finishes erasures itself, or that have no control plane."""
    del layout
    return 0


def run_batch(tags: Mapping[str, str]) -> str | None:
    """The batch of a run: its partition, or what its starter gave; None of a run launched by hand."""
    return tags.get(PARTITION_TAG) or tags.get(BATCH_TAG)


def released_markets(tags: Mapping[str, str]) -> list[str]:
    """The markets that a run publishes, in the order in which their locks are taken."""
    return sorted(market for market in tags.get(MARKETS_TAG, "").split(",") if market)


def free_pools_of_dead_runs(instance: dg.DagsterInstance, lease: MarketLease) -> None:
    """Makes steps that wait for a pool look whether those that hold it are alive: a killed run would hold it for ever.

    Not of an instance in memory, whose runs die with it.
    """
    events = instance.event_log_storage
    if isinstance(events, SlotAssigningEventLog):
        events.on_full_pool = partial(dead_runs.fail_dead_holders, instance, lease)


def workspace_resource(workspace: Workspace, wrap_step: Around) -> dg.ResourceDefinition:
    """The workspace as a Dagster resource: holds the run's markets from its first step to its last.

    `wrap_step` is entered for runs of a market that Dagster started and that publish, with the market and the batch.
    """

    @dg.resource(description="Stores of one data root; holds the locks of the run's markets during the run.")
    def resource(context: dg.InitResourceContext) -> Iterator[Workspace]:
        run = context.run
        with ExitStack() as stack:
            if run is not None and context.instance is not None and LOCKED_TAG not in run.tags:
                free_pools_of_dead_runs(context.instance, workspace.market_lease)
                market = run_market(run)
                for held in released_markets(run.tags) if market is None else [market]:
                    stack.enter_context(workspace.market_lease.hold_lease(held))
                    dead_runs.fail_dead_runs(context.instance, held, current_run=run)
                if market is not None and not _tag_overtaken(context.instance, workspace, run, market):
                    crash_recovery.recover_releases(workspace.release_store)
                    finish_retractions(workspace, workspace.jurisdiction(market))
                    stack.callback(workspace.close)
                    _begin_market_run(workspace, run, market)
                    if not run.asset_selection or RELEASE in run.asset_selection:
                        stack.enter_context(wrap_step(workspace, market, run.tags[PARTITION_TAG]))
            yield workspace

    return resource


def _tag_overtaken(instance: dg.DagsterInstance, workspace: Workspace, run: dg.DagsterRun, market: str) -> bool:
    """Whether a requested run that begins now is overtaken: what it fetched would be older than what is staged.

    Its id is of when it was requested. A run that is executed again by hand is refused by its steps.
    """
    if REQUESTED_TAG not in run.tags or (run.parent_run_id is not None and _RETRY_TAG not in run.tags):
        return False
    made = workspace.jurisdiction(market)
    chosen = fetched_datasets(made, run.asset_selection) if run.asset_selection else [one.key for one in made.datasets]
    newest = max(workspace.staged_store.newest_batches(chosen), default="")
    if newest <= run.tags[PARTITION_TAG]:
        return False
    instance.add_run_tags(run.run_id, {OVERTAKEN_TAG: newest})
    return True


def overtaking_batch(instance: dg.DagsterInstance, run: dg.DagsterRun) -> str | None:
    """The batch that overtook a run; None of a run that goes on. Its tag is added after the run began."""
    if REQUESTED_TAG not in run.tags:
        return None
    found = instance.get_run_by_id(run.run_id)
    return None if found is None else found.tags.get(OVERTAKEN_TAG)


def _begin_market_run(workspace: Workspace, run: dg.DagsterRun, market: str) -> None:
    if run.asset_selection:  # else the whole job
        made = workspace.jurisdiction(market)
        chosen = fetched_datasets(made, run.asset_selection)
        stage.record_datasets_left_out(workspace, made, chosen, run.tags[PARTITION_TAG])
