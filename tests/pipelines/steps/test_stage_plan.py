"""The plan of a staging: which bodies are parsed, when, and as what. Plain data, no files."""

from __future__ import annotations

import io
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from connectors.contract.dataset import Scope
from pipelines.steps.batch_figures import (
    INCREMENTAL,
    PARTIAL_FETCH,
    CompletedFetch,
    IncrementalArchive,
    ReissuedFile,
    UnchangedBody,
    figure_values,
    first_load_batches,
)
from pipelines.steps.stage_plan import StageState, confirmed_bodies, downgrade_incomplete, plan_stage
from tests.pipelines.invented import MARKET
from tests.pipelines.pending import pending_bodies
from tests.tables import check_cases
from warehouse.raw.archive import RawBody
from warehouse.schema.market_state import QuarantineReason
from warehouse.staged.store import StagedIndex

AT = datetime(2026, 1, 3, tzinfo=UTC)
LATER = datetime(2026, 1, 10, tzinfo=UTC)
PLAIN = MARKET.datasets[0]
NIGHTLY = replace(PLAIN, reread_interval=timedelta(days=7))


def is_whole(names: Collection[str]) -> bool:
    return set(names) == {"1of2", "2of2"}


SEVERAL = replace(PLAIN, is_complete_set=is_whole)


def body(
    name: str, at: datetime = AT, scope: Scope = Scope.FULL, sha256: str = "0" * 64, batch: str = "b1", **values: Any
) -> RawBody:
    made = RawBody(SEVERAL.key, name, sha256, at, scope, batch, at, 1, None, None, io.BytesIO)
    return replace(made, **values)


def index(batch: str, *bodies: RawBody, at: datetime = AT, **values: Any) -> StagedIndex:
    entries = tuple(
        {"name": one.name, "sha256": one.sha256, "rows": 5, "rejects": 0, "rejected": None} for one in bodies
    )
    snapshot = {"observed_at": at.isoformat(), "scope": "full", "rows": {}, "records": {"fi_register": 5}}
    return replace(StagedIndex(PLAIN.key, batch, {}, 0, (snapshot,), entries), **values)


def state(batch: str, bodies: Sequence[RawBody], indexes: Sequence[StagedIndex] = (), **values: Any) -> StageState:
    """State of a run whose batch is `batch`; every run has the instant LATER."""
    pending = pending_bodies(bodies, indexes)
    instants = dict.fromkeys({batch, *(one.batch for one in pending)}, LATER)
    return StageState(batch, bodies, indexes, pending, instants, **values)


A, B = "a" * 64, "b" * 64
FIRST = body("f", AT, sha256=A)
SECOND = body("f", LATER, sha256=B, batch="b2")


@check_cases(
    ("bodies", "indexes", "pending"),
    [
        ([FIRST], [], [FIRST]),
        ([FIRST], [index("b1", FIRST)], []),
        ([FIRST, SECOND], [index("b2", FIRST)], [SECOND]),  # of the very batch, and not named by it
        ([FIRST, SECOND], [index("b9", FIRST)], [SECOND]),  # the order of batches decides nothing
        ([FIRST, SECOND, again := replace(FIRST, batch="b3")], [index("b1", FIRST), index("b2", SECOND)], []),
        (
            [FIRST, SECOND, new := replace(FIRST, batch="b3", observed_at=LATER)],
            [index("b1", FIRST), index("b2", SECOND)],
            [new],
        ),
        ([FIRST, back := replace(again, replaces=B)], [index("b1", FIRST), index("b2", SECOND)], [back]),
    ],
    ids=["new", "parsed", "of a staged batch", "fetched before", "vintages again", "back again", "reissued"],
)
def test_pending_bodies_are_those_that_no_staged_batch_names(
    bodies: list[RawBody], indexes: list[StagedIndex], pending: list[RawBody]
) -> None:
    assert pending_bodies(bodies, indexes) == pending


def test_pending_bodies_repaired_body_replaces_itself() -> None:
    assert pending_bodies([FIRST], [index("b1", FIRST)], {A}) == [replace(FIRST, replaces=A)]


DAYS = [datetime(2026, 1, day, tzinfo=UTC) for day in range(1, 6)]


def line(at: datetime, name: str, sha256: str, *, new: bool = True, batch: str = "b1") -> dict[str, Any]:
    return {"name": name, "sha256": sha256, "observed_at": at.isoformat(), "scope": "full", "new": new, "batch": batch}


OLD = [line(DAYS[0], "f", A), line(DAYS[2], "f", A, new=False, batch="b2")]


@check_cases(
    ("lines", "indexes", "retracted", "confirmed"),
    [
        (OLD, [], (), []),
        ([*OLD, line(DAYS[1], "g", B)], [], (), [("f", DAYS[2])]),
        ([*OLD, line(DAYS[1], "f", B)], [], (), [("f", DAYS[2])]),
        ([*OLD, line(DAYS[3], "f", B)], [], (), []),
        ([*OLD, line(DAYS[1], "g", B)], [index("b3", FIRST, at=DAYS[2])], (), []),
        ([*OLD, line(DAYS[1], "g", B)], [index("b1", FIRST, held=QuarantineReason("max_rejected", 1, 0))], (), []),
        ([*OLD, line(DAYS[1], "g", B, batch="b3")], [], ("b3",), []),
        ([*OLD, line(DAYS[1], "g", B)], [], ("b2",), []),
        ([line(DAYS[0], "f", A), line(DAYS[0], "h", B), OLD[1], line(DAYS[1], "g", B)], [], (), []),
        ([line(DAYS[0], "f", A), line(DAYS[1], "h", B), line(DAYS[1], "f", A, new=False), OLD[1]], [], (), []),
    ],
    ids=[
        "unchanged",
        "older file",
        "older file of the name",
        "newer file",
        "staged",
        "quarantined",
        "retracted",
        "retracted run",
        "a file is missing",
        "of a set",
    ],
)
def test_confirmed_bodies_are_those_found_unchanged_after_another_complete_file(
    lines: list[dict[str, Any]], indexes: list[StagedIndex], retracted: tuple[str, ...], confirmed: list[Any]
) -> None:
    found = confirmed_bodies([FIRST, SECOND], lines, indexes, retracted)
    assert [(one.name, one.observed_at) for one in found] == confirmed


@check_cases(
    ("unchanged", "scope", "planned"),
    [
        ((), Scope.FULL, [(AT, Scope.PART), (LATER, Scope.FULL)]),
        ((), Scope.PART, [(AT, Scope.FULL), (LATER, Scope.PART)]),
        (({"name": "f", "sha256": A, "observed_at": LATER.isoformat()},), Scope.FULL, [(LATER, Scope.FULL)] * 2),
    ],
    ids=["another complete file", "single records", "another file of the set"],
)
def test_plan_does_not_unite_a_killed_runs_complete_file_with_that_of_the_next_run(
    unchanged: Sequence[dict[str, str]], scope: Scope, planned: list[tuple[datetime, Scope]]
) -> None:
    bodies = [FIRST, replace(SECOND, scope=scope)]
    made = replace(state("b2", bodies, unchanged=unchanged), run_instants={"b1": AT, "b2": LATER})
    assert [(one.observed_at, one.scope) for one in plan_stage(made, PLAIN).bodies] == planned


def test_plan_of_a_staged_batch_is_empty_and_counts_what_waits() -> None:
    plan = plan_stage(state("b2", [FIRST, SECOND], [index("b2", FIRST)]), PLAIN)
    assert (plan.is_empty, plan.postponed) == (True, 1)
    assert plan_stage(state("b3", [FIRST, SECOND], [index("b2", FIRST)]), PLAIN).bodies == (SECOND,)


@check_cases(("cursor", "stored", "planned"), [("7", None, "7"), ("7", "6", "7"), ("7", "7", None), (None, "7", None)])
def test_plan_without_bodies_is_needed_only_for_a_cursor_that_moved(
    cursor: str | None, stored: str | None, planned: str | None
) -> None:
    indexes = [index("b1", FIRST, cursor=stored), index("b2", SECOND)]
    plan = plan_stage(state("b3", [FIRST, SECOND], indexes, cursor=cursor), PLAIN)
    assert (plan.cursor, plan.is_empty) == (planned, planned is None)


def test_plan_cursor_that_a_retraction_took_back_is_stored_again() -> None:
    indexes = [index("b1", FIRST, cursor="7"), index("b3", SECOND, cursor="9")]
    plan = plan_stage(state("b4", [FIRST, SECOND], indexes, cursor="9", is_cursor_taken_back=True), PLAIN)
    assert (plan.cursor, plan.is_empty) == ("9", False)


def test_plan_retracted_batch_is_not_staged_again() -> None:
    plan = plan_stage(state("b1", [FIRST], retracted={"b1"}), PLAIN)
    assert (plan.is_empty, plan.postponed) == (True, 1)


def test_plan_reissue_of_the_newest_snapshot_comes_just_after_the_newest_instant_of_the_dataset() -> None:
    reissue = replace(FIRST, batch="b2", sha256=B, replaces=A)
    tick = timedelta(microseconds=1)
    for newest in (AT, AT + tick):  # the second: it has been reissued before
        plan = plan_stage(state("b2", [FIRST, reissue], [index("b1", FIRST)], newest_instant=newest), PLAIN)
        assert [(one.observed_at, one.scope) for one in plan.bodies] == [(newest + tick, Scope.FULL)]
        assert plan.reissued == (ReissuedFile(newest + tick),)
    older = replace(reissue, observed_at=AT - timedelta(days=1))
    plan = plan_stage(state("b2", [older, FIRST], [index("b1", FIRST)], newest_instant=AT), PLAIN)
    assert (plan.bodies[0].observed_at, plan.reissued) == (older.observed_at, ())


FOUND_AGAIN = [{"name": "now", "sha256": "0" * 64, "observed_at": LATER.isoformat()}]


def test_plan_body_that_a_killed_run_fetched_keeps_its_instant_and_names_both_runs() -> None:
    """When it is applied is decided once all datasets of the run are staged (`normalise_plan`)."""
    killed, dated = body("now", AT, Scope.PART), body("dated", AT - timedelta(days=9))
    known = replace(state("b2", [dated, killed], unchanged=FOUND_AGAIN), run_instants={"b1": AT, "b2": LATER})
    plan = plan_stage(known, PLAIN)
    assert [one.observed_at for one in plan.bodies] == [dated.observed_at, AT]
    assert plan.completed == (CompletedFetch(AT, LATER),)


@pytest.mark.parametrize("is_newer_stored", [False, True])
def test_plan_complete_file_of_a_killed_run_that_is_found_unchanged_counts_now(*, is_newer_stored: bool) -> None:
    killed, between = body("now", AT), body("dated", AT + timedelta(seconds=1), batch="b2")
    bodies = [killed, between] if is_newer_stored else [killed]
    known = replace(state("b2", bodies, unchanged=FOUND_AGAIN), run_instants={"b1": AT, "b2": LATER})
    plan = plan_stage(known, PLAIN)
    assert plan.bodies[0].observed_at == (AT if is_newer_stored else LATER)
    assert plan.completed == ((CompletedFetch(AT, LATER),) if is_newer_stored else ())


def test_plan_counts_an_unchanged_file_to_its_snapshot_and_knows_the_last_full_one() -> None:
    first, second = body("1of2", sha256=A), body("2of2", LATER, sha256=B, batch="b2")
    unchanged = [{"name": "1of2", "sha256": A, "observed_at": LATER.isoformat()}]
    plan = plan_stage(state("b2", [first, second], [index("b1", first)], unchanged=unchanged), SEVERAL)
    assert plan.unchanged == (UnchangedBody("1of2", A, LATER, "b1", 5),)
    assert (plan.bodies, plan.is_incomplete, plan.last_full_rows) == ((second,), False, 5)
    alone = plan_stage(state("b2", [first, second], [index("b1", first)]), SEVERAL)
    assert ([one.scope for one in alone.bodies], alone.is_incomplete) == ([Scope.PART], True)


HELD = QuarantineReason("max_rejected", 1, 0)
STANDING = IncrementalArchive(A, AT, ("c" * 64,), LATER - timedelta(days=8), 5)


@pytest.mark.parametrize(
    ("indexes", "values", "compared"),
    [
        ([index("b1", FIRST)], {}, True),
        ([index("b1", FIRST)], {"comparable": ()}, False),
        ([index("b1", FIRST, held=HELD)], {}, False),
        ([index("b1", FIRST), index("b15", held=HELD)], {}, False),
        ([index("b1", FIRST, figures={INCREMENTAL: figure_values([STANDING])})], {}, False),
    ],
    ids=["base", "damaged", "quarantined", "after a quarantine", "a week later"],
)
def test_plan_compares_an_archive_with_its_base(
    indexes: list[StagedIndex], values: dict[str, Any], compared: bool
) -> None:
    second = replace(SECOND, observed_at=AT + timedelta(days=6), scope=Scope.PART)
    answers = [body("told", LATER, scope=Scope.PART), body("early", AT - timedelta(days=1), scope=Scope.PART)]
    known = state("b2", [FIRST, second], indexes, **{"comparable": {B}, "sharing": answers, **values})
    plan = plan_stage(known, NIGHTLY)
    assert plan_stage(known, PLAIN).compared == {}
    assert list(plan.compared) == ([B] if compared else [])
    for previous, archive in plan.compared.values():
        assert previous.single_record_files == {"told"}
        assert archive == IncrementalArchive(B, second.observed_at, (A,), AT, 5)


def unchanged(name: str, at: datetime = AT) -> UnchangedBody:
    return UnchangedBody(name, "1" * 64, at, "a", 1)


@check_cases(
    ("bodies", "same", "scopes"),
    [
        ([body("1of2"), body("2of2")], [], ["full", "full"]),
        ([body("1of2")], [], ["part"]),
        ([body("2of2")], [unchanged("1of2")], ["full"]),  # the other one is what it was the last time
        ([body("2of2")], [unchanged("1of2", LATER)], ["part"]),
        ([body("1of2"), body("2of2", LATER)], [], ["part", "part"]),
        ([body("1of2"), body("2of2"), body("1of2", LATER)], [], ["full", "full", "part"]),
        ([body("1of2", scope=Scope.FEED)], [], ["feed"]),
        ([], [unchanged("1of2")], []),
    ],
)
def test_downgrade_incomplete_makes_a_part_of_a_snapshot_without_a_file(
    bodies: list[RawBody], same: list[UnchangedBody], scopes: list[str]
) -> None:
    assert [str(one.scope) for one in downgrade_incomplete(SEVERAL, bodies, same)] == scopes


def test_downgrade_incomplete_leaves_a_dataset_of_single_files() -> None:
    assert [one.scope for one in downgrade_incomplete(PLAIN, [body("1of2")], [])] == [Scope.FULL]


def test_plan_of_a_batch_leaves_bodies_of_later_runs_and_all_behind_a_later_batch_to_the_next_run() -> None:
    plan = plan_stage(state("b1", [FIRST, SECOND]), PLAIN)
    assert (plan.bodies, plan.postponed) == ((FIRST,), 1)
    assert pending_bodies([FIRST, SECOND], [index("b1", FIRST)]) == [SECOND]  # which names only what it parsed
    behind = plan_stage(state("b1", [FIRST, SECOND], [index("b2", SECOND)]), PLAIN)
    assert (behind.is_empty, behind.postponed) == (True, 1)


@check_cases(
    ("parts", "now", "planned"),
    [
        ((), (True, False), (True, False)),
        ((True,), (False, True), (False, True)),
        ((True,), (False, False), (False, False)),  # nothing was queried
        ((True,), (True, True), (True, False)),
        ((True, False), (False, True), (False, False)),  # complete before
        ((False,), (False, True), (False, False)),
        ((False, True), (False, True), (False, False)),  # a later fetch that broke off is no first load
    ],
)
def test_plan_completes_a_first_load_that_took_several_runs(
    parts: Sequence[bool], now: tuple[bool, bool], planned: tuple[bool, bool]
) -> None:
    """parts: whether the fetch of each batch so far was partial. now: that of this run, and whether it queried."""
    batches = [f"2026010{day}T000000000Z" for day in range(1, 9)]
    known = [index(batch, figures={PARTIAL_FETCH: part}) for batch, part in zip(batches, parts, strict=False)]
    is_partial, was_queried = now
    plan = plan_stage(state(batches[-1], [], known, is_partial_fetch=is_partial, was_queried=was_queried), PLAIN)
    assert (plan.is_partial_fetch, plan.completes_first_load) == planned
    assert plan.is_empty != plan.completes_first_load


def test_first_load_ends_after_two_weeks_though_a_part_of_it_always_fails() -> None:
    batches = [f"202601{day:02}T000000000Z" for day in (1, 8, 15, 16)]
    indexes = [index(batch, figures={PARTIAL_FETCH: True}) for batch in batches]
    assert first_load_batches(indexes) == batches[:3]
    assert first_load_batches([index("b1"), *indexes]) == ["b1"]
