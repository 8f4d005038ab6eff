"""A register that says everything again: what a transaction must hold of it has room."""

from dataclasses import replace
from typing import cast

import duckdb
import polars as pl
import pytest

from tests.warehouse.helpers import day
from tests.warehouse.kills import STAGED
from warehouse.history import current_records, record_counts
from warehouse.history.history import MarketHistory
from warehouse.schema.types import Column, ColumnKind, Subject, Table
from warehouse.storage.duckdb import LostWriteError, open_database, set_memory_limit
from warehouse.storage.layout import Layout

ROWS, STRETCH = 300_000, 100_000


def _rows(at: int, first: int) -> pl.DataFrame:
    told = pl.select(i=pl.int_range(first, first + STRETCH)).select(
        pl.format("{}", "i").alias("number"),
        pl.lit(None, pl.String).alias(STAGED.names[1]),
        pl.format("firm:NO:{}", "i").alias("_company_id"),
        pl.lit(day(at)).alias("_observed_at"),
        pl.lit(f"{at:064}").alias("_raw"),
    )
    return told.select(*STAGED.names, "_company_id", "_observed_at", "_raw")


def _told(history: MarketHistory, at: int) -> None:
    with history.transaction():
        for first in range(0, ROWS, STRETCH):
            assert history.upsert_present(STAGED, _rows(at, first)).len() == (0 if at else STRETCH)


@pytest.mark.slow
def test_a_register_that_says_all_again_has_the_memory_for_it(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warehouse.history.history.MEMORY", "45MB")
    with MarketHistory(layout, "NO") as history:
        _told(history, 0)
        _told(history, 1)


def test_without_it_the_register_would_not_come_in(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warehouse.history.history.MEMORY", "45MB")
    monkeypatch.setattr(current_records, "UPDATING", "45MB")
    with MarketHistory(layout, "NO") as history:
        _told(history, 0)
        with pytest.raises(duckdb.Error):
            _told(history, 1)
    with open_database(layout.history_file("NO"), read_only=True) as history:
        assert record_counts.record_counts(history, [STAGED]) == {STAGED.name: ROWS}


def test_it_is_given_back(layout: Layout) -> None:
    with MarketHistory(layout, "NO"):
        pass
    usual = _limit(layout)
    with open_database(layout.history_file("NO")) as same:
        set_memory_limit(same, current_records.UPDATING)
    assert _limit(layout) != usual
    with MarketHistory(layout, "NO"):
        pass
    assert _limit(layout) == usual


class _ForgetfulConnection:
    """A connection that reports deletions and does not make them, as DuckDB 2.0.0 did now and then."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> object:
        return getattr(self._connection, name)

    def execute(self, statement: str, *parameters: object) -> object:
        return self if statement.startswith("DELETE FROM present") else self._connection.execute(statement, *parameters)


def test_upsert_records_with_a_lost_deletion_raises(layout: Layout) -> None:
    first = _rows(0, 0).head(2)
    changed = first.with_columns(pl.lit("new").alias(STAGED.names[1]), pl.lit(day(1)).alias("_observed_at"))
    with MarketHistory(layout, "NO") as history, history.transaction():
        history.upsert_present(STAGED, first)
    with open_database(layout.history_file("NO")) as connection:
        forgetful = cast("duckdb.DuckDBPyConnection", _ForgetfulConnection(connection))
        with pytest.raises(LostWriteError, match="has 4 rows after an update and should have 2"):
            current_records.upsert_records(forgetful, STAGED, changed)


def test_repeated_record_counts_of_a_history_with_a_lost_deletion_names_the_table(layout: Layout) -> None:
    with MarketHistory(layout, "NO") as history, history.transaction():
        history.upsert_present(STAGED, _rows(0, 0).head(3))
    with open_database(layout.history_file("NO")) as connection:
        assert record_counts.repeated_record_counts(connection, [STAGED]) == {}
        name = f"present.{STAGED.name}"
        connection.execute(f"INSERT INTO {name} FROM {name} LIMIT 2")
        assert record_counts.repeated_record_counts(connection, [STAGED]) == {STAGED.name: 2}


def _limit(layout: Layout) -> str:
    with open_database(layout.history_file("NO")) as same:
        return str(same.execute("SELECT current_setting('memory_limit')").fetchall()[0][0])


NOTICES = Table(
    "no_notices",
    "Notices by an id of the source.",
    ("id",),
    tuple(Column(name, ColumnKind.TEXT, "c", nullable=name != "id") for name in ("id", "number", "name", "text")),
    subjects=(Subject(numbers=("number",), names=("name",)),),
)


MARKED = replace(
    NOTICES,
    name="no_marked",
    columns=(*NOTICES.columns, Column("mark", ColumnKind.TEXT, "c")),
    subjects=(Subject(numbers=("number",), names=("name",), marks=("mark",)),),
)


def test_upsert_numbers_the_subjects_of_a_record_where_name_and_mark_or_number_are_anothers(layout: Layout) -> None:
    def seen(at: int, number: str | None, name: str, mark: str | None) -> tuple[int | None, int]:
        row = pl.DataFrame(
            [("a", number, name, "x", mark)], schema=dict.fromkeys(MARKED.names, pl.String), orient="row"
        )
        meta = {"_company_id": pl.lit("firm:NO:1"), "_observed_at": pl.lit(day(at)), "_raw": pl.lit(f"{at:064}")}
        history.upsert_present(MARKED, row.with_columns(**meta))
        [subject] = history.present_rows(MARKED).collect()["_subject_number"]
        count, companies = history.companies_of_changed_subjects(MARKED, day(at))
        assert companies.to_list() == ["firm:NO:1"] * count
        return subject, count

    with MarketHistory(layout, "NO") as history:
        assert seen(0, None, "Mrs Ann Example", "k1-a") == (None, 0)
        assert seen(1, None, "Mrs Ann Married", "k1-a") == (None, 1), "another name alone is told, and no other subject"
        assert seen(2, None, "Mrs Ann Married", "k1-b") == (None, 1), "another birth may be a correction, and is told"
        assert seen(3, None, "Mr Peter Stranger", "k2-c") == (None, 1), "marks of two keys say nothing"
        assert seen(4, None, "Miss Eve Third", "k2-d") == (2, 1)
        assert seen(5, None, "MISS EVE THIRD", "k2-d") == (2, 0)
        assert seen(6, None, "Miss Eve Third", None) == (2, 0), "a mark that is missing says nothing"
        assert seen(7, "1", "Holding AS", None) == (2, 1)
        assert seen(8, "2", "Other AS", None) == (3, 1)
        assert seen(9, "3", "Other AS", None) == (3, 1), "another number under the same name may be a typo"
        assert history.companies_of_changed_subjects(NOTICES, day(9))[0] == 0


def test_upsert_counts_records_that_name_another_subject(layout: Layout) -> None:
    def told(at: int, *notices: tuple[str, str | None, str | None, str]) -> None:
        rows = pl.DataFrame(notices, schema=dict.fromkeys(NOTICES.names, pl.String), orient="row").with_columns(
            pl.lit(None, pl.String).alias("_company_id"),
            pl.lit(day(at)).alias("_observed_at"),
            pl.lit(f"{at:064}").alias("_raw"),
        )
        history.upsert_present(NOTICES, rows)

    def changed() -> dict[str, int]:
        return history.changed_subject_counts([NOTICES, STAGED])

    with MarketHistory(layout, "NO") as history:
        assert changed() == {}
        told(0, ("a", "1", "Ann", "x"), ("b", None, "Ann Example", "x"), ("c", "3", "Ann", "x"), ("d", None, None, "x"))
        told(1, ("a", "1", "Bo", "y"), ("b", None, "ANN EXAMPEL", "y"), ("c", None, None, "y"), ("d", "4", "Di", "y"))
        assert changed() == {"no_notices": 0}, "numbers decide, a typo is no other name, unknown is no other subject"
        told(2, ("a", "2", "Bo", "y"), ("b", None, "Peter Stranger", "y"))
        assert changed() == {"no_notices": 2}
        told(3, ("a", "2", "Bo", "z"), ("b", None, "Peter Stranger", "y"))
        assert changed() == {"no_notices": 2}, "a record stays marked"
        assert history.unlinked_row_counts([NOTICES, STAGED]) == {"no_notices": 4}
        history.soft_delete_absent(NOTICES, pl.DataFrame({"id": ["a", "c", "d"]}), day(4))
        assert changed() == {"no_notices": 1}
