"""History against a plain model: random editions, late ones among them, and the same answers."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.warehouse.helpers import day, market_history, rows
from tests.warehouse.kills import STAGED, staged_rows
from warehouse.history.history import MarketHistory
from warehouse.schema.types import Column, ColumnKind, Table
from warehouse.storage.layout import Layout

COMPANY = Column("company_id", ColumnKind.TEXT, "company", nullable=False)
NUMBER = Column("number", ColumnKind.INTEGER, "key within the company", nullable=False)
VALUE = Column("value", ColumnKind.TEXT, "what is said")
SEEN = Column("observed_at", ColumnKind.INSTANT, "when", business=False)
SINCE = Column("since", ColumnKind.DATE, "since when in the world")
ENDED = Column("ended_on", ColumnKind.DATE, "end in the world")
COMPANIES = ("c1", "c2", "c3")
PLAIN = Table("filings", "one axis", ("company_id", "number"), (COMPANY, NUMBER, VALUE, SEEN))
SPANS = Table(
    "owners",
    "two axes",
    ("company_id", "number"),
    (COMPANY, NUMBER, VALUE, SINCE, ENDED, SEEN),
    valid_from="since",
    ended="ended_on",
)
Key = tuple[str, int]


@dataclass
class Version:
    row: dict[str, Any]
    known_from: datetime
    known_to: datetime | None = None
    valid_to: date | None = None
    is_span: bool = False  # an earlier span of the world, not the newest row of its key


@dataclass
class Model:
    """Every version ever held true, in one list."""

    table: Table
    versions: list[Version] = field(default_factory=list)

    def open(self) -> dict[Key, Version]:
        return {_key(v.row): v for v in self.versions if v.known_to is None and not v.is_span}

    def same(self, left: dict[str, Any], right: dict[str, Any]) -> bool:
        return all(left[name] == right[name] for name in self.table.business)

    def apply(self, image: list[dict[str, Any]], touched: set[str], instant: datetime) -> tuple[set[Key], ...]:
        now = {_key(row): row for row in image}
        before = {key: version for key, version in self.open().items() if key[0] in touched}
        added, removed = now.keys() - before.keys(), before.keys() - now.keys()
        changed = {key for key in now.keys() & before.keys() if not self.same(before[key].row, now[key])}
        for key in removed:
            self._close(before[key], instant)
        for key in added | changed:
            self._replace(before.get(key), now[key], instant)
        return added, removed, changed

    def _close(self, version: Version, at: datetime) -> None:
        if version.known_from < at:
            version.known_to = at
        else:
            self.versions.remove(version)

    def _replace(self, old: Version | None, row: dict[str, Any], instant: datetime) -> None:
        key = _key(row)
        ends = [v.known_to for v in self.versions if _key(v.row) == key and v.known_to and v.known_to > instant]
        known = max([instant, *ends, *([old.known_from] if old else [])])
        if old:
            self._close(old, instant)
        start = row.get("since")
        for span in [v for v in self.versions if v.is_span and v.known_to is None and _key(v.row) == key]:
            if start is None or (span.valid_to is not None and span.valid_to > start):
                self._close(span, known)
                if start is not None and (span.row["since"] is None or span.row["since"] < start):
                    self._span(span.row, max(span.known_from, known), start)
        if old and start is not None and (old.row["since"] is None or start > old.row["since"]):
            ended = old.valid_to
            self._span(old.row, known, min(ended, start) if ended else start)
        self.versions.append(Version(row, known, None, row.get("ended_on")))

    def _span(self, row: dict[str, Any], known: datetime, valid_to: date) -> None:
        self.versions.append(Version(row, known, None, valid_to, is_span=True))

    def as_of(self, at: datetime) -> list[tuple[Any, ...]]:
        return sorted(
            (
                (*(v.row[name] for name in self.table.business), v.known_from, v.known_to, v.valid_to)
                for v in self.versions
                if v.known_from <= at and (v.known_to is None or v.known_to > at)
            ),
            key=str,
        )


def _key(row: dict[str, Any]) -> Key:
    return row["company_id"], row["number"]


dates = st.none() | st.integers(0, 5).map(lambda number: date(2025, 1, 1) + timedelta(days=number))
contents = st.dictionaries(
    st.tuples(st.sampled_from(COMPANIES), st.integers(0, 2)),
    st.tuples(st.sampled_from(["a", "b", None]), dates, st.none() | st.just(date(2025, 1, 4))),
    max_size=6,
)
editions = st.lists(st.tuples(contents, st.sets(st.sampled_from(COMPANIES)), st.integers(0, 6)), max_size=6)
quick = settings(max_examples=25, suppress_health_check=list(HealthCheck))


def _image(table: Table, content: dict[Key, Any], touched: set[str], at: int) -> list[dict[str, Any]]:
    whole = [
        {"company_id": c, "number": n, "value": v, "since": since, "ended_on": ended, "observed_at": day(at)}
        for (c, n), (v, since, ended) in content.items()
        if c in touched
    ]
    return [{name: row[name] for name in table.names} for row in whole]


def _check(table: Table, sequence: list[tuple[dict[Key, Any], set[str], int]]) -> None:
    model = Model(table)
    shared = patch("warehouse.history.database.TABLES", (table,))
    with shared, tempfile.TemporaryDirectory() as folder, MarketHistory(Layout(Path(folder)), "NO") as history:
        for content, touched, at in sequence:
            image = _image(table, content, touched, at)
            added, removed, changed = model.apply(image, touched, day(at))
            company_ids = pl.Series(sorted(touched), dtype=pl.String)
            found = history.merge_snapshot(table, rows(table, *image), company_ids, day(at))
            assert _keys(found.added) == added
            assert _keys(found.removed) == removed
            assert _keys(found.changed_before) == _keys(found.changed_after) == changed
        names = [*table.business, "known_from", "known_to", "valid_to"]
        for at in range(8):
            assert sorted(history.rows_known_at(table, day(at)).select(names).rows(), key=str) == model.as_of(day(at))
            assert table.valid_from is None or not _has_day_of_two_rows(model, day(at))


def _has_day_of_two_rows(model: Model, at: datetime) -> bool:
    known = [v for v in model.versions if v.known_from <= at and (v.known_to is None or v.known_to > at)]
    spans = sorted((_key(v.row), v.row["since"] or date.min, v.valid_to or date.max) for v in known)
    return any(one[0] == other[0] and other[1] < one[2] for one, other in pairwise(spans))


def _keys(frame: pl.DataFrame) -> set[Key]:
    return set(frame.select("company_id", "number").rows())


@pytest.mark.slow
@quick
@given(editions)
def test_known_axis_equals_the_model(sequence: list[tuple[dict[Key, Any], set[str], int]]) -> None:
    _check(PLAIN, sequence)


@pytest.mark.slow
@quick
@given(editions)
def test_both_axes_equal_the_model(sequence: list[tuple[dict[Key, Any], set[str], int]]) -> None:
    _check(SPANS, sequence)


records = st.dictionaries(st.sampled_from("123"), st.sampled_from(["A", "B", None]), max_size=3)
arrivals = st.lists(st.tuples(records, st.integers(0, 5), st.booleans()), max_size=7)


@pytest.mark.slow
@quick
@given(arrivals)
def test_present_rows_equal_the_model(sequence: list[tuple[dict[str, str | None], int, bool]]) -> None:
    model: dict[str, list[Any]] = {}  # number: [value, observed, retired]
    with tempfile.TemporaryDirectory() as folder, market_history(Layout(Path(folder)), "NO") as history:
        for content, at, full in sequence:
            touched = _receive(model, content, at)
            frame = staged_rows(*content.items()).cast(pl.String)
            sent = frame.with_columns(
                pl.format("firm:NO:{}", pl.col("number")).alias("_company_id"),
                pl.lit(day(at)).alias("_observed_at"),
                pl.lit("sha").alias("_raw"),
            )
            assert set(history.upsert_present(STAGED, sent)) == touched
            if full:
                gone = {n for n, (_, seen, out) in model.items() if n not in content and seen < at and out is None}
                for number in gone:
                    model[number][2] = at
                assert set(history.soft_delete_absent(STAGED, frame, day(at))) == {f"firm:NO:{n}" for n in gone}
        found = history.present_rows(STAGED).collect() if model else pl.DataFrame()
        assert {
            row["number"]: [row["Navn, «rart»"], row["_observed_at"], row["_retired_at"]]
            for row in found.rows(named=True)
        } == {n: [v, day(seen), None if out is None else day(out)] for n, (v, seen, out) in model.items()}


def _receive(model: dict[str, list[Any]], content: dict[str, str | None], at: int) -> set[str]:
    touched: set[str] = set()
    for number, value in content.items():
        if number in model and at < model[number][1]:
            continue
        retired = model[number][2] if number in model else None
        if number not in model or model[number][0] != value or retired is not None:
            touched.add(f"firm:NO:{number}")
        model[number] = [value, at, retired if retired is not None and retired > at else None]
    return touched
