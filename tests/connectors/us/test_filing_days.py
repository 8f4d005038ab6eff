"""Days on which something may have been filed."""

from datetime import date

from connectors.us.filing_days import is_filing_day, newest_filing_day
from tests.tables import check_cases

TODAY = date(2026, 11, 20)


@check_cases(
    ("day", "is_possible"),
    [
        (date(1, 1, 1), False),
        (date(1934, 6, 5), False),
        (date(1934, 6, 6), True),
        (TODAY, True),
        (date(2027, 11, 21), True),
        (date(2027, 11, 22), False),
        (date(9999, 12, 31), False),
    ],
)
def test_is_filing_day_before_the_law_or_far_ahead_is_false(day: date, is_possible: bool) -> None:
    assert is_filing_day(day, TODAY) is is_possible


def test_newest_filing_day_is_a_year_ahead() -> None:
    assert newest_filing_day(TODAY) == date(2027, 11, 21)
