"""The rehearsal's registers change by one row in a hundred every day, however many days there are."""

import polars as pl

from benchmarks.changing import changed, endings
from tests.tables import check_cases


@check_cases("day", [1, 2, 57, 99, 100, 101, 199, 200, 201, 365])
def test_one_row_in_a_hundred_is_otherwise_than_the_day_before(day: int) -> None:
    rows = pl.DataFrame({"i": range(1_000)})
    before, after = (rows.select(changed(at)).to_series() for at in (day - 1, day))
    assert rows.filter(before != after)["i"].to_list() == list(range(day % 100, 1_000, 100))


def test_nothing_has_changed_on_the_first_day() -> None:
    assert endings(0) == frozenset()
