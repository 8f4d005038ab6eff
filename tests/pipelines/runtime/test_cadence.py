"""Ticks of declared cadences, and what is due at one of them, from the runs that were requested before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

import connectors
from pipelines.runtime.cadence import LOST_RUNS, RequestedRun, due_datasets, newest_tick
from tests.tables import check_cases


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"2026-{text}").replace(tzinfo=UTC)


def run(due: str, *datasets: str, fetched: frozenset[str] | None = None) -> RequestedRun:
    return RequestedRun(frozenset(datasets), at(due), fetched=fetched)


def waiting(due: str, *datasets: str) -> RequestedRun:
    return replace(run(due, *datasets), is_waiting=True)


@check_cases(
    "cron,until,tick",
    [
        ("30 4 * * *", "03-03T04:30", "03-03T04:30"),
        ("30 4 * * *", "03-03T04:29", "03-02T04:30"),
        ("7,22,37,52 6-19 * * 1-5", "03-09T06:00", "03-06T19:52"),  # Monday morning: of Friday
        ("*/20 5-20 * * *", "03-03T12:41", "03-03T12:40"),
        ("*/2 10-23,0-4 * * *", "03-03T09:00", "03-03T04:58"),
        ("0 11 * * 2-6", "03-09T12:00", "03-07T11:00"),
        ("20 9 * * 6", "03-06T23:00", "02-28T09:20"),
        ("30 1 * * 1", "03-01T23:00", "02-23T01:30"),
        ("0 10 * * 0", "03-01T10:00", "03-01T10:00"),  # 0 is Sunday
        ("30 7 2-8 * *", "04-01T12:00", "03-08T07:30"),
    ],
)
def test_newest_tick_is_the_last_instant_that_the_expression_names(cron: str, until: str, tick: str) -> None:
    assert newest_tick(cron, at(until)) == at(tick)


def test_newest_tick_of_a_yearly_cadence_is_of_the_year_before() -> None:
    assert newest_tick("0 8 15 5 *", at("03-03T00:00")) == datetime(2025, 5, 15, 8, tzinfo=UTC)


@check_cases("cron", ["* * * *", "0 0 1 * 1", "61 0 * * *", "0 0 31 2 *", "9-3 * * * *"])
def test_newest_tick_of_another_expression_is_an_error(cron: str) -> None:
    with pytest.raises(ValueError, match=r"cron|within"):
        newest_tick(cron, at("03-03T00:00"))


def test_newest_tick_reads_every_declared_cadence() -> None:
    datasets = [dataset for made in connectors.JURISDICTIONS for dataset in made.datasets]
    now = at("03-03T12:00")
    assert all(newest_tick(dataset.cadence.cron, now) <= now for dataset in datasets)
    assert len({dataset.key for dataset in datasets}) > 90


CRONS = {"news": "*/20 * * * *", "register": "30 4 * * *", "index": "20 9 * * 6"}
FIRST = run("03-03T04:00", *CRONS)


def cases() -> Iterator[tuple[str, list[RequestedRun], set[str]]]:
    """Instant, earlier runs, what is due."""
    yield "03-03T04:00", [], set(CRONS)  # nothing was ever fetched
    yield "03-03T04:20", [FIRST], {"news"}
    yield "03-03T04:40", [FIRST, run("03-03T04:20", "news")], {"news", "register"}
    yield "03-07T09:20", [run("03-07T09:00", "news")], {"news", "index"}
    # the machine was off over the week's tick of the index
    yield "03-09T12:00", [run("03-06T12:00", "news")], set(CRONS)
    # what a waiting run will fetch is not requested again, whatever else is due
    yield "03-03T04:40", [FIRST, waiting("03-03T04:20", "news")], {"register"}
    yield "03-03T04:20", [FIRST, waiting("03-03T04:10", "news")], set()
    # killed before its register; met the market's lock; both at a tick that a later run does not repeat
    killed = run("03-03T04:40", "news", "register", fetched=frozenset({"news"}))
    yield "03-03T05:00", [FIRST, killed], {"news", "register"}
    locked = run("03-03T04:40", "news", "register", fetched=frozenset())
    later = run("03-03T05:00", "news")
    yield "03-03T05:20", [FIRST, locked, later], {"news", "register"}
    again = run("03-03T05:00", "news", "register")
    yield "03-03T05:20", [FIRST, locked, again], {"news"}
    # what kills every run waits for its next tick
    yield "03-03T05:40", [FIRST, *[killed] * LOST_RUNS], {"news"}
    yield "03-04T04:40", [FIRST, *[killed] * LOST_RUNS], {"news", "register"}


@check_cases("now,runs,due", list(cases()))
def test_due_datasets_are_those_with_a_tick_that_no_run_has_answered(
    now: str, runs: list[RequestedRun], due: set[str]
) -> None:
    assert set(due_datasets(CRONS, runs, at(now))) == due
