"""Which companies have a row with a day that has come."""

from datetime import date

import polars as pl
import pytest

from tests.warehouse.helpers import day
from warehouse.history.history import MarketHistory
from warehouse.schema.types import Column, ColumnKind, Table, TurningDay
from warehouse.storage.layout import Layout

SINCE, UNTIL = date(2026, 2, 27), date(2026, 3, 2)
ROWS = {  # number: a day, a text of days, a day as written elsewhere
    "1": ("2026-03-02", None, None),
    "2": ("2026-02-27", "EX$2026-02-27|LI$2026-03-03", "27/02/2026"),
    "3": ("2026-03-03", "EX$2019-01-01|LI$2026-03-01", "31/02/2026"),
    "4": (None, '[{"dates":{"due":"2026-02-28T09:00:00"}}]', "no day"),
    "5": (None, None, "01/03/2026"),
}


def _table(*turning: TurningDay) -> Table:
    columns = (
        Column("number", ColumnKind.TEXT, "n", nullable=False),
        Column("ended", ColumnKind.DATE, "a day"),
        Column("under_way", ColumnKind.TEXT, "several"),
        Column("told", ColumnKind.TEXT, "as written"),
    )
    return Table("no_staged", "Rows.", ("number",), columns, turning_days=turning)


@pytest.fixture
def history(layout: Layout) -> MarketHistory:
    rows = pl.DataFrame(
        [(number, *said, f"firm:NO:{number}", day(0), "r") for number, said in ROWS.items()],
        schema=["number", "ended", "under_way", "told", "_company_id", "_observed_at", "_raw"],
        orient="row",
    )
    with MarketHistory(layout, "NO") as opened:
        opened.upsert_present(_table(), rows.with_columns(pl.col("ended").str.to_date()))
    return MarketHistory(layout, "NO")


@pytest.mark.parametrize(
    ("turning", "found"),
    [
        (TurningDay("ended"), ["1"]),
        (TurningDay("ended", after_days=3), ["2"]),  # 27 February and three days: 2 March
        (TurningDay("ended", after_days=-1), ["1", "3"]),
        (TurningDay("under_way"), ["3", "4"]),
        (TurningDay("told", written="%d/%m/%Y"), ["5"]),
    ],
)
def test_a_day_counts_after_the_first_and_up_to_the_last(
    history: MarketHistory, turning: TurningDay, found: list[str]
) -> None:
    with history:
        companies = history.companies_of_passed_days([_table(turning), Table("no_other", "", (), ())], SINCE, UNTIL)
    assert companies.to_list() == [f"firm:NO:{number}" for number in found]


def test_no_day_passes_before_the_first_or_within_one(history: MarketHistory) -> None:
    turning = _table(TurningDay("ended"))
    with history:
        for since in (None, UNTIL):
            assert history.companies_of_passed_days([turning], since, UNTIL).is_empty()


def test_a_turning_day_of_no_column_is_refused() -> None:
    with pytest.raises(ValueError, match="no column 'gone'"):
        _table(TurningDay("gone"))
