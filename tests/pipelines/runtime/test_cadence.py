"""Ticks of declared cadences, and what is due at one of them, from the runs that were requested before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

import connectors
from connectors.contract.dataset import Dataset
from pipelines.runtime.cadence import LOST_RUNS, RequestedRun, due_datasets, newest_tick, next_tick, retry_wait
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


@check_cases("cron", ["* * * *", "61 0 * * *", "0 0 31 2 *", "9-3 * * * *", "daily", "0 0 * * 8"])
def test_newest_tick_of_another_expression_is_an_error(cron: str) -> None:
    for tick in (newest_tick, next_tick):
        with pytest.raises(ValueError, match="cron expression"):
            tick(cron, at("03-03T00:00"))


def test_newest_tick_reads_every_declared_cadence() -> None:
    datasets = [dataset for made in connectors.DECLARED for dataset in made.datasets]
    now = at("03-03T12:00")
    assert all(newest_tick(dataset.cadence.cron, now) <= now for dataset in datasets)
    assert len({dataset.key for dataset in datasets}) > 90


DATASETS = [dataset for made in connectors.DECLARED for dataset in made.datasets]
CRONS = {"news": "*/20 * * * *", "register": "30 4 * * *", "index": "20 9 * * 6"}
FIRST = run("03-03T04:00", *CRONS)


def cases() -> Iterator[tuple[str, list[RequestedRun], dict[str, datetime], set[str]]]:
    """Instant, earlier runs, failed fetches, what is due."""
    yield "03-03T04:00", [], {}, set(CRONS)  # nothing was ever fetched
    yield "03-03T04:20", [FIRST], {}, {"news"}
    # a clock that was ahead for one tick
    yield "03-03T04:20", [FIRST, run("12-03T04:00", *CRONS)], {}, {"news"}
    yield "03-03T04:40", [FIRST, waiting("12-03T04:00", "news")], {}, {"register"}
    yield "03-03T04:40", [FIRST, run("03-03T04:20", "news")], {}, {"news", "register"}
    yield "03-07T09:20", [run("03-07T09:00", "news")], {}, {"news", "index"}
    # the machine was off over the week's tick of the index
    yield "03-09T12:00", [run("03-06T12:00", "news")], {}, set(CRONS)
    # what a waiting run will fetch is not requested again, whatever else is due
    yield "03-03T04:40", [FIRST, waiting("03-03T04:20", "news")], {}, {"register"}
    yield "03-03T04:20", [FIRST, waiting("03-03T04:10", "news")], {}, set()
    # killed before its register; met the market's lock; both at a tick that a later run does not repeat
    killed = run("03-03T04:40", "news", "register", fetched=frozenset({"news"}))
    yield "03-03T05:00", [FIRST, killed], {}, {"news", "register"}
    locked = run("03-03T04:40", "news", "register", fetched=frozenset())
    later = run("03-03T05:00", "news")
    yield "03-03T05:20", [FIRST, locked, later], {}, {"news", "register"}
    again = run("03-03T05:00", "news", "register")
    yield "03-03T05:20", [FIRST, locked, again], {}, {"news"}
    # what kills every run waits for its next tick
    yield "03-03T05:40", [FIRST, *[killed] * LOST_RUNS], {}, {"news"}
    yield "03-04T04:40", [FIRST, *[killed] * LOST_RUNS], {}, {"news", "register"}
    # what could not be fetched is due again after a quarter of its cadence, once a run
    night = [FIRST, run("03-03T04:30", "news", "register")]
    failed = {"register": at("03-03T04:35")}
    day = [*night, run("03-03T10:20", "news")]
    yield "03-03T10:20", night, failed, {"news"}
    yield "03-03T10:40", day, failed, {"news", "register"}
    yield "03-03T10:45", [*day, run("03-03T10:40", "news", "register")], failed, set()
    yield "03-03T10:45", [*day, waiting("03-03T04:30", "register")], failed, {"news"}
    # a step of its run failed before it was fetched
    broken = replace(run("03-03T04:30", "news", "register"), unfetched=frozenset({"register"}))
    yield "03-03T10:00", [FIRST, broken], {}, {"news"}
    yield "03-03T10:40", [FIRST, broken], {}, {"news", "register"}
    yield "03-03T10:45", [FIRST, broken, run("03-03T10:40", "news", "register")], {}, set()


@check_cases("now,runs,failures,due", list(cases()))
def test_due_datasets_are_those_with_a_tick_that_no_run_has_answered(
    now: str, runs: list[RequestedRun], failures: dict[str, datetime], due: set[str]
) -> None:
    assert set(due_datasets(CRONS, runs, at(now), failures)) == due


@check_cases(
    "cron,failed,minutes",
    [
        ("*/2 * * * *", "03-03T12:01", 15),
        ("*/20 5-18 * * *", "03-03T12:01", 15),
        ("*/20 5-18 * * *", "03-03T20:00", 155),  # over the night, 10 h 20
        ("0 */2 * * *", "03-03T12:01", 30),
        ("30 4 * * *", "03-03T04:30", 360),
        ("20 9 * * 6", "03-03T04:30", 360),
    ],
)
def test_retry_wait_is_a_quarter_of_the_cadence_within_limits(cron: str, failed: str, minutes: int) -> None:
    assert retry_wait(cron, at(failed)) == timedelta(minutes=minutes)


def longest_gap(cron: str) -> timedelta:
    """The longest time between two instants of a cadence."""
    day_of_month, month = cron.split()[2:4]
    until = at("03-01T00:00") + timedelta(days=15 if day_of_month == month == "*" else 9 * 366)
    ticks = [newest_tick(cron, at("03-01T00:00"))]
    while ticks[-1] < until:
        ticks.append(next_tick(cron, ticks[-1]))
    return max(later - tick for tick, later in pairwise(ticks))


A_MONTH = timedelta(days=31)


def test_stale_after_of_every_dataset_is_longer_than_two_of_its_longest_gaps() -> None:
    """One fetch that failed is no stale source; of a source of one day a year, a month after it is."""
    gaps = {cron: longest_gap(cron) for cron in {dataset.cadence.cron for dataset in DATASETS}}
    too_soon = {
        dataset.key: dataset.cadence.stale_after_hours
        for dataset in DATASETS
        for gap in [gaps[dataset.cadence.cron]]
        if timedelta(hours=dataset.cadence.stale_after_hours) < min(2 * gap, gap + A_MONTH)
    }
    assert too_soon == {}


def test_sources_page_has_cadence_and_stale_hours_of_every_dataset() -> None:
    page = (Path(__file__).parents[3] / "docs" / "sources.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split(" | ")] for line in page.splitlines() if line.startswith("| `")]
    told = {key.removeprefix("| ").strip("`"): (cron.strip("`"), stale) for key, _, cron, stale, *_ in rows}
    assert told == {dataset.key: (dataset.cadence.cron, _stale_text(dataset)) for dataset in DATASETS}


def _stale_text(dataset: Dataset) -> str:
    """A source that is out of reach is never stale: nothing new can be expected of it."""
    hours = dataset.cadence.stale_after_hours
    text = f"{hours} h" if hours % 24 else f"{hours // 24} d"
    return text if dataset.out_of_reach is None else "out of reach"
