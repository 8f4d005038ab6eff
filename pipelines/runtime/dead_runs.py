"""Runs of Dagster whose process died: fails them, so that later runs of their markets do not wait for them.

Called with the market's lock held, or takes it. Does not belong here: cleaning up data that such a run left
(`crash_recovery`), which needs no Dagster.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

import dagster as dg

from pipelines.runtime.market_lease import MarketLease
from warehouse.storage.locks import AlreadyLockedError

MARKET_TAG: Final = "firm/market"
PARTITION_TAG: Final = "dagster/partition"
BEGINNING: Final = timedelta(minutes=5)  # time in which a new run may not have taken its lock yet
_BEGUN: Final = [
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]
UNFINISHED: Final = [dg.DagsterRunStatus.QUEUED, *_BEGUN]
WAITING: Final = (dg.DagsterRunStatus.QUEUED, dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.STARTING)
_RETRIES_TAG: Final = "dagster/max_retries"


def fail_dead_runs(instance: dg.DagsterInstance, market: str, current_run: dg.DagsterRun | None = None) -> int:
    """Fails every unfinished run of a market locked by the caller (none can be alive); frees their pool slots."""
    found = instance.get_runs(dg.RunsFilter(statuses=_BEGUN, tags={MARKET_TAG: market}))
    dead = [run for run in found if current_run is None or run.run_id != current_run.run_id]
    _fail_runs(instance, dead)
    return len(dead)


def fail_abandoned_runs(instance: dg.DagsterInstance, lease: MarketLease, market: str, now: datetime) -> int:
    """Fails the runs of a market that began a while ago although no process holds the market.

    Dagster keeps showing a killed run as started, and would let every later one wait for it.
    """
    found = instance.get_run_records(dg.RunsFilter(statuses=_BEGUN, tags={MARKET_TAG: market}))
    old = [record.dagster_run for record in found if now - record.update_timestamp >= BEGINNING]
    if not old:
        return 0
    with suppress(AlreadyLockedError), lease.hold_lease(market):
        _fail_runs(instance, old)
        return len(old)
    return 0


def fail_dead_holders(instance: dg.DagsterInstance, lease: MarketLease, pool: str) -> None:
    """Fails the runs that hold slots of a pool although no process holds their market, as each does for its steps.

    Slots of a run that has ended meanwhile, or of which there is no record any more, are freed alone.
    """
    events = instance.event_log_storage
    held = events.get_concurrency_info(pool)
    for run_id in held.active_run_ids | held.assigned_run_ids:
        run = instance.get_run_by_id(run_id)
        if run is None:
            events.free_concurrency_slots_for_run(run_id)
        elif (market := run_market(run)) is not None:
            with suppress(AlreadyLockedError), lease.hold_lease(market):
                _fail_runs(instance, instance.get_runs(dg.RunsFilter(run_ids=[run_id], statuses=_BEGUN)))
                events.free_concurrency_slots_for_run(run_id)


def run_market(run: dg.DagsterRun) -> str | None:
    """The market that a run writes: by its job or, of assets materialised by hand, by their names."""
    market = run.tags.get(MARKET_TAG)
    if market is not None or PARTITION_TAG not in run.tags:
        return market
    return next((key.path[0].upper() for key in run.asset_selection or () if len(key.path) > 1), None)


def fail_dead_job_runs(instance: dg.DagsterInstance, job: str) -> None:
    """Fails every unfinished run of a job without a market lock; the caller knows that none is running."""
    _fail_runs(instance, instance.get_runs(dg.RunsFilter(statuses=_BEGUN, job_name=job)))


def _fail_runs(instance: dg.DagsterInstance, dead: Sequence[dg.DagsterRun]) -> None:
    for run in dead:
        instance.add_run_tags(run.run_id, {_RETRIES_TAG: "0"})  # who fails it continues its work
        instance.report_run_failed(run, "its process ended before finishing it")
        instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
