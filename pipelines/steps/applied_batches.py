"""What a history records of the staged batches that were applied to it, so that a rebuild applies them alike.

Marks: which batches were applied, at which instant of which run, and which belong to a first load of several runs. Does
not belong here: applying them (`normalise`), or replaying them (`pipelines.maintenance.replay`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Final

from pipelines.steps.normalise_plan import InstantPlan, NormaliseState
from warehouse.history.history import MarketHistory
from warehouse.staged.snapshots import RunKnowledge

STAGED_MARK: Final = "staged"  # keys: `dataset/batch`
MOVED_MARK: Final = "moved"  # keys: JSON of `MovedBatch`
DEFERRED_MARK: Final = "deferred"  # keys: JSON of `DeferredBatch`
FIRST_LOAD_MARK: Final = "first load"  # keys: dataset and instant of the snapshots after the first one


@dataclass(frozen=True, slots=True, order=True)
class MovedBatch:
    """A killed run's batch that a later run applied at its own instant; instants as ISO text (`normalise_plan`)."""

    batch: str
    instant: str
    applied_by: str
    applied_at: str

    def mark(self) -> str:
        """The key under which a history records it, so that a rebuild gives the same instants."""
        return json.dumps(asdict(self))


def moved_batches(plan: InstantPlan, batch: str) -> list[MovedBatch]:
    """The batches of earlier runs that this plan applies at the instant of the run `batch`."""
    found = {
        MovedBatch(snapshot.index.batch, snapshot.dated_at.isoformat(), batch, plan.instant.isoformat())
        for snapshot in plan.snapshots
        if snapshot.dated_at != plan.instant
    }
    return sorted(found)


def first_load_ends(history: MarketHistory) -> dict[str, datetime]:
    """By dataset whose first load took several runs, the instant of its last snapshot so far."""
    found: dict[str, datetime] = {}
    for key in history.recorded_keys(FIRST_LOAD_MARK):
        dataset, _, instant = key.partition(" ")
        found[dataset] = max(datetime.fromisoformat(instant), found.get(dataset, datetime.min.replace(tzinfo=UTC)))
    return found


def run_knowledge(
    state: NormaliseState, plans: Iterable[InstantPlan], ended: Mapping[str, datetime], decisions: int
) -> RunKnowledge:
    """What is known once a run has applied its plans.

    A run that dies after that leaves its snapshots to a later one: they make the events that they would have made.
    ended: as `first_load_ends` before it. decisions: how many rows the decision log has.
    """
    baselines, first_loads = {key: mark.baseline for key, mark in state.watermarks.items()}, dict(ended)
    for plan in plans:
        for snapshot in plan.snapshots:
            key = snapshot.dataset.key
            baselines.setdefault(key, plan.instant)
            if snapshot.is_first_load:  # a late part does not end the first load earlier
                first_loads[key] = max(plan.instant, first_loads.get(key, plan.instant))
    return RunKnowledge(baselines, first_loads, decisions, frozenset(state.watermarks))


def knowledge_at(knowledge: RunKnowledge, instant: datetime, state: NormaliseState) -> RunKnowledge:
    """What is known at one instant of a run that began in a state: no dataset that it loads first at a later one.

    Until a register is loaded, what a feed of it changes is silent, also where one run reads both.
    """
    loaded = {key: at for key, at in knowledge.baselines.items() if at <= instant or key in state.watermarks}
    return replace(knowledge, baselines=loaded)


@dataclass(frozen=True, slots=True, order=True)
class DeferredBatch:
    """A staged batch that a later run applied, together with its own: which is late-arriving depends on that."""

    dataset: str
    batch: str
    applied_by: str

    def mark(self) -> str:
        """The key under which a history records it, so that a rebuild applies the same batches together."""
        return json.dumps(asdict(self))


def deferred_batches(state: NormaliseState, batch: str) -> list[DeferredBatch]:
    """The batches that earlier runs staged and the run `batch` applies."""
    return [DeferredBatch(index.dataset, index.batch, batch) for index in state.pending if index.batch != batch]


def recorded_deferrals(history: MarketHistory) -> list[DeferredBatch]:
    """The batches that later runs of this history applied."""
    return sorted(DeferredBatch(**json.loads(key)) for key in history.recorded_keys(DEFERRED_MARK))


def recorded_moves(history: MarketHistory) -> list[MovedBatch]:
    """The batches that runs of this history applied at instants of later runs."""
    return sorted(MovedBatch(**json.loads(key)) for key in history.recorded_keys(MOVED_MARK))


def record_instant(history: MarketHistory, plan: InstantPlan, batch: str) -> None:
    """Records what the run `batch` applies at one instant: moved batches, and parts of first loads."""
    for moved in moved_batches(plan, batch):
        history.record_step(MOVED_MARK, moved.mark())
    for dataset in sorted({one.dataset.key for one in plan.snapshots if one.is_first_load}):
        history.record_step(FIRST_LOAD_MARK, f"{dataset} {plan.instant.isoformat()}")


def record_applied(history: MarketHistory, state: NormaliseState, batch: str) -> list[str]:
    """Records what the run `batch` applies; returns the marks of the staged batches."""
    batches = [f"{index.dataset}/{index.batch}" for index in state.pending]
    for applied in batches:
        history.record_step(STAGED_MARK, applied)
    for deferred in deferred_batches(state, batch):
        history.record_step(DEFERRED_MARK, deferred.mark())
    return batches


def has_been_applied(history: MarketHistory, batch: str) -> bool:
    """True if a run has applied staged batches, its own or earlier ones."""
    own = any(key.endswith(f"/{batch}") for key in history.recorded_keys(STAGED_MARK))
    return own or any(one.applied_by == batch for one in recorded_deferrals(history))
