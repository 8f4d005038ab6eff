"""At which instant pending snapshots are applied, and how, from plain records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from connectors.contract.dataset import Dataset, Jurisdiction, Scope
from pipelines.steps.applied_batches import moved_batches, run_knowledge
from pipelines.steps.batch_figures import COMPLETED, REISSUED, CompletedFetch, ReissuedFile, figure_values
from pipelines.steps.normalise_plan import InstantPlan, NormaliseState, Watermark, plan_instants
from tests.pipelines.invented import MARKET
from warehouse.decisions import DecisionRecord
from warehouse.staged.snapshots import RunKnowledge
from warehouse.staged.store import StagedIndex

NOON = datetime(2026, 11, 3, 12, tzinfo=UTC)
REGISTER, FILED, OWNED = MARKET.datasets
FEED = replace(REGISTER, key="fi.feed")
WITH_FEED = replace(MARKET, datasets=(*MARKET.datasets, FEED))
DECISION = DecisionRecord(1, "FI", "firm:FI:1", "own_1", "own_2", "same", "me", NOON, "seen")


def day(number: int) -> datetime:
    return NOON + timedelta(days=number)


def batch(number: int) -> str:
    return f"{day(number):%Y%m%dT%H%M%S}000000Z"


def staged(
    dataset: Dataset,
    at: int,
    scope: Scope = Scope.FULL,
    rows: Mapping[str, int] | None = None,
    figures: Mapping[str, Any] | None = None,
) -> StagedIndex:
    """A batch of one snapshot, of the day of the same number."""
    rows = dict.fromkeys(dataset.staged_tables, 1) if rows is None else rows
    edition = {"observed_at": day(at).isoformat(), "scope": str(scope), "rows": rows, "records": rows}
    return StagedIndex(dataset.key, batch(at), rows, 0, (edition,), (), figures=figures or {})


def applied(*first_and_newest: tuple[Dataset, int, int]) -> dict[str, Watermark]:
    return {dataset.key: Watermark(day(first), day(newest)) for dataset, first, newest in first_and_newest}


def planned(*pending: StagedIndex, market: Jurisdiction = MARKET, **state: Any) -> list[InstantPlan]:
    """Plans of a run of day 9."""
    return plan_instants(market, NormaliseState(day(9), pending, **state))


def completed(found: StagedIndex, by: int = 9) -> StagedIndex:
    """What a run that died on the day of a snapshot had fetched, as the run of another day staged it."""
    (edition,) = found.editions
    fetch = CompletedFetch(datetime.fromisoformat(edition["observed_at"]), day(by))
    return replace(found, batch=batch(by), figures={COMPLETED: figure_values([fetch])})


def days(*pending: StagedIndex, died: Sequence[int] = (), market: Jurisdiction = MARKET, **state: Any) -> list[int]:
    """On which days the snapshots are applied by a run of day 9; runs of these days died."""
    plans = planned(*pending, market=market, unfinished={batch(number): day(number) for number in died}, **state)
    found = {id(one.index): (plan.instant - NOON).days for plan in plans for one in plan.snapshots}
    return [found[id(index)] for index in pending]


def test_plan_last_unfinished_run_is_part_of_the_run_that_completes_it() -> None:
    assert days(staged(REGISTER, 8), staged(FILED, 9), died=(8,)) == [9, 9]
    assert days(staged(REGISTER, 8), staged(FILED, 9), died=()) == [8, 9]
    parts = staged(FILED, 8, Scope.PART), staged(FILED, 9, Scope.PART)
    assert days(*parts, died=(8,)) == [9, 9]


def test_plan_unfinished_run_moves_whole_or_not_at_all() -> None:
    begun = staged(REGISTER, 8), staged(FILED, 8)
    assert days(*begun, died=(8,)) == [9, 9]
    assert days(*begun, staged(REGISTER, 9), died=(8,)) == [8, 8, 9]


def test_plan_unfinished_run_passes_nothing_newer_of_the_same_records() -> None:
    assert days(staged(REGISTER, 7), staged(FEED, 8), died=(7,), market=WITH_FEED) == [7, 8]
    assert days(staged(REGISTER, 7), staged(FILED, 8), died=(7,), market=WITH_FEED) == [9, 8]


def test_plan_week_of_unfinished_runs_stays_a_week() -> None:
    week = [staged(REGISTER, number) for number in (5, 6, 7, 8)]
    assert days(*week, staged(REGISTER, 9), died=(5, 6, 7, 8)) == [5, 6, 7, 8, 9]
    assert days(*week, staged(FILED, 9), died=(5, 6, 7, 8)) == [5, 6, 7, 9, 9], "the last one only"


def test_plan_reissued_file_is_dated_after_what_is_applied_and_its_rows_are_not() -> None:
    """Its rows stay older than what a feed has stated since."""
    figures = {REISSUED: figure_values([ReissuedFile(day(5))])}
    marks = applied((REGISTER, 1, 4), (FEED, 1, 7))
    [plan] = planned(staged(REGISTER, 5, figures=figures), market=WITH_FEED, watermarks=marks)
    [snapshot] = plan.snapshots
    tick = timedelta(microseconds=1)
    assert (plan.instant, snapshot.instant) == (day(7) + tick, day(5))
    assert (snapshot.complete_before, snapshot.is_complete) == (day(5) + tick, True)
    assert moved_batches(plan, batch(9)) == []
    again = applied((REGISTER, 1, 7), (FEED, 1, 7))
    [second] = planned(staged(REGISTER, 5, figures=figures), market=WITH_FEED, watermarks=again)
    assert [one.is_late_arriving for one in second.snapshots] == [False]


def test_plan_what_a_killed_run_fetched_is_applied_with_the_run_that_staged_it() -> None:
    assert days(completed(staged(REGISTER, 8)), staged(FILED, 9)) == [9, 9]
    assert days(completed(staged(REGISTER, 8)), staged(FILED, 8), died=(8,)) == [9, 9], "the other half it had staged"
    assert days(completed(staged(REGISTER, 7), by=8), staged(FILED, 9)) == [8, 9]
    parts = completed(staged(FILED, 7, Scope.PART)), completed(staged(FILED, 8, Scope.PART)), staged(REGISTER, 9)
    assert days(*parts) == [7, 9, 9], "the last one only"


def test_plan_what_a_killed_run_fetched_passes_nothing_newer_of_the_same_records() -> None:
    killed = completed(staged(REGISTER, 6, Scope.PART))
    assert days(killed, staged(FEED, 7, Scope.PART), market=WITH_FEED) == [6, 7]
    assert days(killed, staged(FILED, 7, Scope.PART), market=WITH_FEED) == [9, 7]
    assert days(killed, completed(staged(FILED, 6)), staged(FEED, 7), market=WITH_FEED) == [6, 6, 7], "whole or not"
    assert days(killed, staged(REGISTER, 9)) == [6, 9], "nor is it hidden behind a complete file"
    assert days(killed, market=WITH_FEED, watermarks=applied((FEED, 1, 7))) == [6]
    assert days(killed, market=WITH_FEED, watermarks=applied((FEED, 1, 5), (FILED, 1, 7))) == [9]


def test_plan_what_a_killed_run_fetched_is_judged_as_of_when_it_counts() -> None:
    """A run that is executed again fetches at the instant that it has applied."""
    [plan] = planned(completed(staged(REGISTER, 8)), watermarks=applied((REGISTER, 1, 8)))
    [snapshot] = plan.snapshots
    assert (plan.instant, snapshot.dated_at, snapshot.instant) == (day(9), day(9), day(8))
    assert (snapshot.is_late_arriving, snapshot.is_complete) == (False, True)
    assert moved_batches(plan, batch(9)) == []


def test_plan_run_that_died_after_it_had_completed_another_moves_with_what_it_completed() -> None:
    [plan] = planned(completed(staged(REGISTER, 7), by=8), unfinished={batch(8): day(8)})
    assert plan.instant == day(9)
    [moved] = moved_batches(plan, batch(9))
    assert (moved.batch, moved.instant) == (batch(8), day(8).isoformat())


@pytest.mark.parametrize(
    ("scope", "newest", "is_late", "is_complete"),
    [
        (Scope.FULL, 7, False, True),
        (Scope.PART, 7, False, False),
        (Scope.FEED, 7, False, False),
        (Scope.FULL, 8, True, False),
        (Scope.FULL, 9, True, False),
    ],
)
def test_plan_only_a_full_snapshot_after_the_watermark_is_complete(
    scope: Scope, newest: int, is_late: bool, is_complete: bool
) -> None:
    [plan] = planned(staged(REGISTER, 8, scope), watermarks=applied((REGISTER, 1, newest)))
    [snapshot] = plan.snapshots
    assert (snapshot.is_late_arriving, snapshot.is_complete) == (is_late, is_complete)


def test_plan_tables_without_rows_are_not_applied() -> None:
    [plan] = planned(staged(REGISTER, 8, rows=dict.fromkeys(REGISTER.staged_tables, 0)))
    assert list(plan.snapshots[0].tables) == []


def test_plan_links_of_all_tables_are_followed_first_then_those_of_changed_ones() -> None:
    first, second = planned(staged(REGISTER, 7), staged(FILED, 8))
    assert first.changed_tables == {name for dataset in MARKET.datasets for name in dataset.staged_tables}
    assert second.changed_tables == set(FILED.staged_tables)


def test_plan_decisions_apply_to_the_newest_state() -> None:
    plans = planned(staged(REGISTER, 7), staged(FILED, 8), decisions=[DECISION])
    assert [list(plan.decisions) for plan in plans] == [[], [DECISION]]
    [alone] = planned(decisions=[DECISION], watermarks=applied((REGISTER, 1, 5)))
    assert (alone.instant, list(alone.snapshots), list(alone.decisions)) == (day(5), [], [DECISION])
    assert planned(decisions=[DECISION]) == [], "they wait until there is a state"


def test_plan_content_from_behind_known_time_is_known_by_the_run_that_brings_it() -> None:
    state = {"watermarks": applied((REGISTER, 1, 7)), "known_until": day(7)}
    [late] = planned(staged(FILED, 5), **state)
    assert (late.instant, late.known_at) == (day(5), day(9)), "late for the market, if not for its dataset"
    [same] = planned(staged(FILED, 7), **state)
    assert same.known_at == day(9)
    plans = planned(staged(FILED, 6), staged(FILED, 5), staged(REGISTER, 8), staged(FILED, 9), **state)
    assert [plan.instant for plan in plans] == [day(5), day(6), day(8), day(9)]
    tick = timedelta(microseconds=1)
    assert [plan.known_at for plan in plans] == [day(8) - 2 * tick, day(8) - tick, day(8), day(9)]
    [decided] = planned(decisions=[replace(DECISION, at=day(8))], **state)
    assert (decided.instant, decided.known_at) == (day(7), day(8)), "the same in a rebuild"


def test_plan_known_time_moves_on_even_if_the_clock_does_not() -> None:
    first, second = planned(staged(FILED, 5), staged(FILED, 6), known_until=day(20))
    assert day(20) < first.known_at < second.known_at < day(21)
    assert [plan.known_at for plan in planned(staged(FILED, 5))] == [day(5)], "a first load has nothing before it"


def test_plan_of_instants_a_tick_apart_is_known_in_the_order_in_which_it_is_applied() -> None:
    """The first is at the end of known time, so the next one's own instant is taken, too."""
    tick = timedelta(microseconds=1)
    edition = {**staged(REGISTER, 7).editions[0], "observed_at": (day(7) + tick).isoformat()}
    newer = replace(staged(REGISTER, 8), editions=(edition,))
    first, second = planned(staged(FILED, 7), newer, watermarks=applied((REGISTER, 1, 7)), known_until=day(7))
    assert (first.instant, second.instant) == (day(7), day(7) + tick)
    assert day(7) < first.known_at < second.known_at


def test_run_knowledge_are_those_after_the_run_and_a_late_part_ends_no_first_load_earlier() -> None:
    state: dict[str, Any] = {"watermarks": applied((REGISTER, 1, 7))}
    plans = planned(staged(REGISTER, 3), staged(FILED, 5), first_loads=[f"{REGISTER.key}/{batch(3)}"], **state)
    knowledge = run_knowledge(NormaliseState(day(9), **state), plans, {REGISTER.key: day(4)}, 2)
    loads = {REGISTER.key: day(1), FILED.key: day(5)}, {REGISTER.key: day(4)}
    assert knowledge == RunKnowledge(*loads, 2, loaded_before=frozenset({REGISTER.key}))
    assert run_knowledge(NormaliseState(day(9), **state), plans, {}, 0).first_loads == {REGISTER.key: day(3)}


def test_plan_archive_parsed_in_part_is_repeated_by_the_snapshot_of_its_instant() -> None:
    archive = {"sha256": "b", "on": ["a"], "observed_at": day(8).isoformat()}
    archive |= {"whole_at": day(1).isoformat(), "rows": 3}
    other = {**archive, "sha256": "c", "observed_at": day(7).isoformat()}
    [plan] = planned(staged(FILED, 8, Scope.PART, figures={"stands_on": [archive, other]}))
    assert [one.sha256 for one in plan.snapshots[0].repeated] == ["b"]


NAMED = replace(REGISTER, change_feed_key=FILED.key)
FED = replace(MARKET, datasets=(NAMED, FILED, OWNED), holder_columns={})


def test_plan_full_snapshot_is_compared_with_its_feed_since_the_one_before() -> None:
    marks = applied((NAMED, 1, 6), (FILED, 2, 8))
    first, second = planned(staged(NAMED, 7), staged(NAMED, 8), market=FED, watermarks=marks)
    assert (first.feed_gaps, second.feed_gaps) == ({NAMED.key: day(6)}, {NAMED.key: day(7)})


@pytest.mark.parametrize(
    ("pending", "marks"),
    [
        (staged(NAMED, 7), applied((FILED, 1, 8))),  # the first one, which changes everything
        (staged(NAMED, 7), applied((NAMED, 1, 6))),  # without a feed yet
        (staged(NAMED, 9), applied((NAMED, 1, 6), (FILED, 7, 8))),  # the feed began after the one before
        (staged(NAMED, 7, Scope.PART), applied((NAMED, 1, 6), (FILED, 1, 8))),
        (staged(NAMED, 5), applied((NAMED, 1, 6), (FILED, 1, 8))),  # late-arriving
        (staged(NAMED, 7, rows={}), applied((NAMED, 1, 6), (FILED, 1, 8))),
    ],
)
def test_plan_other_snapshots_are_not_compared_with_a_feed(
    pending: StagedIndex, marks: Mapping[str, Watermark]
) -> None:
    [plan] = planned(pending, market=FED, watermarks=marks)
    assert plan.feed_gaps == {}


def test_rules_of_the_day_have_the_newest_day_so_far_and_the_one_before() -> None:
    """A late-arriving file is applied on the day that the market has come to; the first instant has none before it."""
    pending = (staged(OWNED, 2), staged(FILED, 5), staged(FILED, 7))
    plans = planned(*pending, watermarks=applied((REGISTER, 1, 4)))
    dates = [
        ((plan.today - NOON.date()).days, plan.previous_today and (plan.previous_today - NOON.date()).days)
        for plan in plans
    ]
    assert dates == [(4, 4), (5, 4), (7, 5)]
    [first] = planned(staged(REGISTER, 3))
    assert (first.today, first.previous_today) == (day(3).date(), None)
