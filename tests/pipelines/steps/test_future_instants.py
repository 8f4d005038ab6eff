"""Instants ahead of a run: which are accepted, and what becomes of rows that have one."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import polars as pl

from connectors.contract.dataset import FetchedFile, Scope
from pipelines.steps.future_instants import (
    FUTURE_SLACK,
    describe_refused,
    latest_accepted_instant,
    stated_instant,
    without_future_instants,
)
from tests.pipelines.invented import MARKET
from tests.tables import check_cases
from warehouse.schema.types import Column, ColumnKind, Table

NOW = datetime(2026, 11, 3, 12, tzinfo=UTC)
DAY = timedelta(days=1)
FAR = datetime(2062, 11, 3, tzinfo=UTC)
NEWS = Table(
    "xx_news",
    "News.",
    ("id",),
    (
        Column("id", ColumnKind.TEXT, "i", nullable=False),
        Column("published_at", ColumnKind.INSTANT, "p", nullable=False),
        Column("changed_at", ColumnKind.INSTANT, "c"),
    ),
)
TYPES = {"id": pl.String, "published_at": pl.Datetime("us", "UTC"), "changed_at": pl.Datetime("us", "UTC")}


def rows(*found: tuple[str, datetime, datetime | None]) -> pl.DataFrame:
    return pl.DataFrame(found, schema=TYPES, orient="row")


@check_cases(
    ("at", "now", "expected"),
    [
        (NOW, NOW, NOW + FUTURE_SLACK),
        (NOW - 90 * DAY, NOW, NOW + FUTURE_SLACK),  # an old time of the run makes today's files no future
        (NOW + 90 * DAY, NOW, NOW + 90 * DAY + FUTURE_SLACK),  # a simulated time is the run's own present
    ],
)
def test_the_latest_instant_follows_the_later_of_run_and_clock(at: datetime, now: datetime, expected: datetime) -> None:
    assert latest_accepted_instant(at, now) == expected


def test_rows_without_a_future_instant_stay_as_they_are() -> None:
    given = rows(("a", NOW, None), ("b", NOW + DAY, NOW + DAY))
    kept, rejects, signals = without_future_instants("xx.news", NEWS, given, NOW + DAY)
    assert (kept is given, rejects.is_empty(), signals) == (True, True, ())


def test_an_optional_future_instant_becomes_unknown_and_is_named() -> None:
    given = rows(("a", NOW, FAR), ("b", NOW, NOW))
    kept, rejects, [signal] = without_future_instants("xx.news", NEWS, given, NOW + DAY)
    assert kept.equals(rows(("a", NOW, None), ("b", NOW, NOW)))
    assert rejects.is_empty()
    assert (signal.dataset, signal.code, signal.subject) == ("xx.news", "instant_in_future", "changed_at")
    assert (signal.count, signal.examples) == (1, ("a",))


def test_a_row_that_needs_its_future_instant_is_rejected_by_its_key() -> None:
    given = rows(("a", FAR, FAR), ("b", NOW, None))
    kept, rejects, signals = without_future_instants("xx.news", NEWS, given, NOW + DAY)
    assert kept.equals(rows(("b", NOW, None)))
    assert rejects.rows() == [("a", "in the future: published_at", None)]
    assert {signal.subject for signal in signals} == {"published_at", "changed_at"}


def test_a_fetched_body_states_its_instant_by_its_name_and_a_stream_none() -> None:
    dataset = MARKET.datasets[0]
    file = FetchedFile("register-2062-11-03.csv", io.BytesIO(b"number"), Scope.FULL, NOW)
    assert stated_instant(dataset, file) == FAR
    assert file.body.read() == b"number", "the body is still to be archived"
    assert stated_instant(dataset, replace(file, name="register.csv", body=io.BytesIO())) is None
    assert stated_instant(dataset, replace(file, body=io.BytesIO(b"<html>"))) is None
    streamed = replace(dataset, listen_stream=lambda _http, _cursor: iter(()))
    assert stated_instant(streamed, replace(file, body=io.BytesIO())) is None


def test_refused_files_are_described_by_name_with_what_to_do() -> None:
    refused = [{"name": f"{number}.csv", "observed_at": FAR.isoformat()} for number in range(5)]
    assert describe_refused(refused) == (
        "0.csv, 1.csv, 2.csv and 2 more: dated 2062-11-03T00:00:00Z, in the future: it was not archived; correct the "
        "date (day.json, the file's name or its content), or this machine's clock, and ingest it again"
    )
