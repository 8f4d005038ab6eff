"""What is read of the past for a staging: the plan is that of everything archived and staged, in random histories."""

from __future__ import annotations

import io
import random
from contextlib import closing
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path

import pytest

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from pipelines.runtime.batch_ids import batch_name
from pipelines.runtime.step_results import RunParameters
from pipelines.steps.batch_figures import DAMAGED, INCREMENTAL, PARTIAL_FETCH, UNCHANGED, figure_values
from pipelines.steps.fetch import FetchResult, fetch_result_name
from pipelines.steps.stage_plan import StagePlan, plan_stage
from pipelines.steps.stage_state import load_pending, load_stage_state
from pipelines.workspace import Workspace
from tests.pipelines.invented import MARKET
from tests.pipelines.pending import pending_bodies, whole_state
from tests.pipelines.places import START, Place
from warehouse.raw.archive import RawBody
from warehouse.schema.market_state import QuarantineReason
from warehouse.schema.retractions import BatchRetraction

REREAD = replace(MARKET.datasets[0], reread_interval=timedelta(days=30))
SHARING = replace(MARKET.datasets[1], staged_tables=REREAD.staged_tables)
HERE = replace(MARKET, datasets=(REREAD, SHARING, MARKET.datasets[2]))
NAMES, CONTENTS = ("f", "g", "h"), (b"a", b"b", b"c")
RUNS = 9


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 24), marks=pytest.mark.slow)], ids=["quick", "slow"])
def test_plan_from_the_index_equals_the_plan_from_everything(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        with closing(Workspace(Place(tmp_path / str(seed)).settings, (HERE,))) as workspace:
            _live(workspace, random.Random(seed))


def _live(workspace: Workspace, chance: random.Random) -> None:
    for number in range(RUNS):
        at = START + timedelta(days=number)
        batch = batch_name(at)
        workspace.step_results.begin(batch, RunParameters(at))
        _fetch(workspace, chance, number, batch)
        if chance.random() < 0.2:
            _retract(workspace, chance)
        if chance.random() < 0.2:
            _erase(workspace, chance)
        if chance.random() < 0.3:  # a killed run: nothing is staged
            continue
        key = REREAD.key
        bodies, indexes = list(workspace.raw_archive.bodies(key)), list(workspace.staged_store.indexes(key))
        damaged = any(DAMAGED in index.figures for index in indexes)
        if not damaged:
            assert _shown(load_pending(workspace, REREAD)) == _shown(pending_bodies(bodies, indexes))
        found = plan_stage(load_stage_state(workspace, HERE, REREAD, batch), REREAD)
        assert _plan(found) == _plan(plan_stage(whole_state(workspace, HERE, REREAD, batch), REREAD))
        if not found.is_empty:
            _stage(workspace, chance, found)


def _fetch(workspace: Workspace, chance: random.Random, number: int, batch: str) -> None:
    at, scope = START + timedelta(days=number), chance.choice((Scope.FULL, Scope.FULL, Scope.PART))
    for dataset in (REREAD, SHARING):
        for name in chance.sample(NAMES, chance.randrange(3)):
            dated = chance.choice((at, at, START + timedelta(days=chance.randrange(RUNS))))
            cursor = Cursor(f"{number}") if chance.random() < 0.2 else None
            file = FetchedFile(name, io.BytesIO(chance.choice(CONTENTS)), scope, dated, cursor)
            workspace.raw_archive.store_body(dataset.key, file, batch)
    unchanged = workspace.raw_archive.unchanged_bodies(REREAD.key, batch)
    fetched = FetchResult(REREAD.key, unchanged=unchanged, asked=True, has_more=chance.random() < 0.3)
    workspace.step_results.write(batch, fetch_result_name(REREAD.key), asdict(fetched))


def _stage(workspace: Workspace, chance: random.Random, plan: StagePlan) -> None:
    with workspace.staged_store.write_batch(REREAD.key, plan.batch) as writer:
        for body in plan.bodies:
            entry = writer.add_member(body)
            entry["rejected"] = "unreadable" if chance.random() < 0.1 else None
        writer.set_cursor(plan.cursor)
        figures = {UNCHANGED: figure_values(plan.unchanged)}
        figures[INCREMENTAL] = figure_values(archive for _, archive in plan.compared.values())
        writer.add_figures({name: value for name, value in figures.items() if value})
        if plan.is_partial_fetch:
            writer.add_figures({PARTIAL_FETCH: True})
        if plan.bodies and chance.random() < 0.1:
            writer.add_figures({DAMAGED: [plan.bodies[0].sha256]})
        if chance.random() < 0.15:
            writer.set_quarantine(QuarantineReason("max_rejected", 1, 0))
    if chance.random() < 0.1:
        for index in workspace.staged_store.quarantined_indexes(REREAD.key):
            workspace.staged_store.lift_quarantine(REREAD.key, index.batch)


def _retract(workspace: Workspace, chance: random.Random) -> None:
    store, key = workspace.staged_store, REREAD.key
    if not (staged := store.batches(key)):
        return
    batch = chance.choice(staged)
    retraction = BatchRetraction((batch,), (key,), staged[-1], START, "anna", "wrong")
    index = store.index(key, batch)
    assert index is not None
    bodies = {(piece["name"], piece["sha256"]) for piece in index.pieces}
    for other in store.indexes(key):
        if other.batch != batch:
            bodies -= {(piece["name"], piece["sha256"]) for piece in other.pieces}
    workspace.raw_archive.retract_batches(key, retraction, bodies)
    store.retract_batches(key, retraction)


def _erase(workspace: Workspace, chance: random.Random) -> None:
    if bodies := list(workspace.raw_archive.all_bodies(REREAD.key)):
        left = None if chance.random() < 0.5 else io.BytesIO(b"left")
        workspace.raw_archive.erase_body(REREAD.key, chance.choice(bodies).sha256, "asked", left)


def _shown(bodies: list[RawBody]) -> list[RawBody]:
    return [replace(body, open=io.BytesIO) for body in bodies]


def _plan(plan: StagePlan) -> tuple[object, ...]:
    compared = {
        sha256: (previous.single_record_files, archive) for sha256, (previous, archive) in plan.compared.items()
    }
    return (replace(plan, bodies=(), compared={}), _shown(list(plan.bodies)), compared)
