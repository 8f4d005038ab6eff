"""Rows that concern every company which another table's rows with the same values concern."""

import polars as pl

from tests.warehouse.helpers import day
from warehouse.history.companions import CompanionPath
from warehouse.history.history import MarketHistory
from warehouse.schema.types import Column, ColumnKind, Table
from warehouse.storage.layout import Layout

TEXT = ColumnKind.TEXT
COVERS = Table(
    "xx_covers",
    "Reports.",
    ("id",),
    (Column("id", TEXT, "", nullable=False), Column("by", TEXT, ""), Column("of", TEXT, "")),
)
LINES = Table(
    "xx_lines",
    "Their rows.",
    ("id",),
    (Column("id", TEXT, "", nullable=False), Column("by", TEXT, ""), Column("of", TEXT, "")),
)
PATH = CompanionPath(COVERS, LINES, ("by", "of"))
ONE, TWO, THREE = "firm:NO:1", "firm:NO:2", "firm:NO:3"


def rows(*told: tuple[str, str | None, str | None, str | None]) -> pl.DataFrame:
    frame = pl.DataFrame(told, schema=dict.fromkeys(("id", "by", "of", "_company_id"), pl.String), orient="row")
    return frame.with_columns(pl.lit(day(0)).alias("_observed_at"), pl.lit("0" * 64).alias("_raw"))


def filled(history: MarketHistory) -> None:
    history.upsert_present(LINES, rows(("1", "a", "q1", ONE), ("2", "a", "q1", TWO), ("3", "a", "q2", THREE)))
    history.upsert_present(LINES, rows(("4", None, "q1", THREE), ("5", "a", "q1", None), ("6", "a", "q1", ONE)))
    history.upsert_present(COVERS, rows(("x", "a", "q1", None), ("y", "a", "q3", None), ("z", None, "q1", None)))


def test_companion_rows_are_given_to_each_company_once(layout: Layout) -> None:
    with MarketHistory(layout, "NO") as history:
        filled(history)
        found = history.companion_rows(PATH, pl.Series([ONE, TWO, THREE])).collect()
        assert sorted(found.select("id", "_company_id").rows()) == [("x", ONE), ("x", TWO)]
        assert found.schema == history.present_rows_of([COVERS], pl.Series([ONE]))["xx_covers"].collect_schema()
        assert history.companion_rows(PATH, pl.Series([THREE])).collect().is_empty()


def test_companies_of_companions_are_those_with_rows_of_the_same_values(layout: Layout) -> None:
    with MarketHistory(layout, "NO") as history:
        filled(history)
        keys = pl.DataFrame(
            {"by": ["a", None, "a"], "of": ["q1", "q1", "q3"]}, schema={"by": pl.String, "of": pl.String}
        )
        assert history.companies_of_companions(PATH, keys).to_list() == [ONE, TWO]
