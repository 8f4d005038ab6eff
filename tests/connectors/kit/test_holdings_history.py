"""Statements of holders: the newest of each record, and what it said before."""

from __future__ import annotations

from datetime import date

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.kit import holdings_history

NAMES = ("company_id", "register", "native_id", "valid_from", "pct")
SCHEMA = {**dict.fromkeys(NAMES[:3], pl.String), "valid_from": pl.Date, "pct": pl.Int64}


def told(*rows: tuple[str, date | None, int]) -> pl.DataFrame:
    return pl.DataFrame([("c", "xx", *row) for row in rows], schema=SCHEMA, orient="row")


def shown(rows: pl.DataFrame) -> list[tuple[str, date | None, int]]:
    return rows.select(NAMES[2:]).rows()


def test_the_last_word_of_each_day_counts_and_the_newest_day_is_now() -> None:
    rows = told(
        ("a", date(2025, 1, 1), 1),
        ("a", date(2025, 1, 1), 2),
        ("a", date(2025, 2, 1), 3),
        ("a", date(2025, 2, 1), 4),
        ("b", date(2025, 1, 1), 9),
    )
    assert shown(holdings_history.latest_statements(rows)) == [("a", date(2025, 2, 1), 4), ("b", date(2025, 1, 1), 9)]
    assert shown(holdings_history.superseded_statements(rows)) == [("a", date(2025, 1, 1), 2)]


def test_a_statement_of_an_unknown_day_is_of_no_earlier_day() -> None:
    rows = told(("a", None, 1), ("a", date(2025, 1, 1), 2), ("b", date(2025, 1, 1), 3), ("b", None, 4))
    assert shown(holdings_history.latest_statements(rows)) == [("a", date(2025, 1, 1), 2), ("b", None, 4)]
    assert shown(holdings_history.superseded_statements(rows)) == []


rows_of = st.lists(
    st.tuples(st.sampled_from("ab"), st.none() | st.dates(date(2025, 1, 1), date(2025, 1, 5)), st.integers(0, 9))
)


@settings(max_examples=40)
@given(rows_of)
def test_no_day_of_a_record_is_told_twice(rows: list[tuple[str, date | None, int]]) -> None:
    frame = told(*sorted(rows, key=lambda row: row[1] or date.min))
    both = pl.concat([holdings_history.latest_statements(frame), holdings_history.superseded_statements(frame)])
    assert both.select("native_id", "valid_from").is_duplicated().sum() == 0
    assert set(both["native_id"]) == {row[0] for row in rows}
