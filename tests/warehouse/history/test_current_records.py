"""A register that says everything again: what a transaction must hold of it has room."""

import duckdb
import polars as pl
import pytest

from tests.warehouse.helpers import day
from tests.warehouse.kills import STAGED
from warehouse.history import current_records
from warehouse.history.history import MarketHistory
from warehouse.storage.duckdb import open_database, set_memory_limit
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
        assert current_records.record_counts(history, [STAGED]) == {STAGED.name: ROWS}


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


def _limit(layout: Layout) -> str:
    with open_database(layout.history_file("NO")) as same:
        return str(same.execute("SELECT current_setting('memory_limit')").fetchall()[0][0])
