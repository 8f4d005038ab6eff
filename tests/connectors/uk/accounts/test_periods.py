"""Periods of accounts: own, comparative, opening (docs/formats/uk.md 9.3), and pitfall 17."""

from datetime import date
from typing import Any

import pytest

YEAR = "2017-01-01/2017-12-31"
LAST = "2016-01-01/2016-12-31"
END = "2017-12-31"
BEFORE = "2016-12-31"


def test_pitfall_17_the_date_in_the_file_name_is_the_balance_date(blank: Any) -> None:
    page = blank()
    page.number("Equity", 5, END)
    page.context(YEAR)
    document = page.read()
    assert document.balance_date == date(2017, 12, 31)
    assert document.received is None
    page.text("BalanceSheetDate", "31 December 2017", YEAR, more='format="ixt:datedaymonthyearen"')
    assert page.read("Prod223_2125_01234567_20180131.html").balance_date == date(2017, 12, 31)


def test_comparatives_are_rows_and_opening_balances_are_not(blank: Any) -> None:
    page = blank()
    for period, end, value in ((YEAR, END, 3), (LAST, BEFORE, 2)):
        page.number("ProfitLoss", value, period)
        page.number("Equity", value * 10, end)
    page.number("Equity", 15, "2015-12-31")
    rows = page.read().rows
    assert [(row.period.start.year, row.period.is_comparative, row.equity) for row in rows] == [
        (2017, False, 30),
        (2016, True, 20),
    ]


def test_equity_alone_on_the_day_before_is_an_opening_balance(blank: Any) -> None:
    page = blank()
    page.number("Equity", 30, END)
    page.number("CurrentAssets", 30, END)
    page.number("Equity", 0, BEFORE)
    page.context(YEAR)
    assert len(page.read().rows) == 1
    page.number("CurrentAssets", 1, BEFORE)
    assert len(page.read().rows) == 2


def test_equity_alone_on_both_days_is_a_comparative(blank: Any) -> None:
    page = blank()
    page.number("Equity", 2, END)
    page.number("Equity", 1, BEFORE)
    page.context(YEAR)
    (_, before) = page.read().rows
    assert (before.equity, before.period.is_assumed, before.period.start) == (1, True, date(2016, 1, 1))


@pytest.mark.parametrize("start", ["2016-07-01", "2017-09-15"])
def test_first_periods_are_long_or_short_with_their_true_days(blank: Any, own: Any, start: str) -> None:
    page = blank()
    page.number("ProfitLoss", 2, f"{start}/{END}")
    assert own(page.read()).period.start == date.fromisoformat(start)


def test_longer_than_eighteen_months_is_no_period(blank: Any, own: Any) -> None:
    page = blank()
    page.number("ProfitLoss", 2, f"2012-01-01/{END}")
    page.number("Equity", 2, END)
    page.context(YEAR)
    row = own(page.read())
    assert (row.period.start, row.net_result) == (date(2017, 1, 1), None)


def test_a_stated_start_and_a_prior_balance_help_where_no_context_does(blank: Any, own: Any) -> None:
    page = blank()
    page.number("Equity", 2, END)
    page.number("CurrentAssets", 2, "2017-03-31")
    page.number("Equity", 2, "2017-03-31")
    period = own(page.read()).period
    assert (period.start, period.is_assumed) == (date(2017, 4, 1), True)
    page.text("StartDateForPeriodCoveredByReport", "2017-02-01", END)
    period = own(page.read()).period
    assert (period.start, period.is_assumed) == (date(2017, 2, 1), False)


def test_twelve_months_to_28_february_of_a_leap_year_start_in_march(blank: Any) -> None:
    page = blank()
    page.number("Equity", 5, "2024-02-28")
    period = page.read("Prod223_2125_01234567_20240228.html").period
    assert (period.start, period.end, period.is_assumed) == (date(2023, 3, 1), date(2024, 2, 28), True)


def test_figures_after_the_balance_date_are_signalled(blank: Any) -> None:
    page = blank()
    page.number("Equity", 5, END)
    page.number("Equity", 6, "2018-12-31")
    page.context(YEAR)
    document = page.read()
    assert [row.equity for row in document.rows] == [5]
    assert document.signals["later_figures", "than the balance date: left out"] == 1


def test_a_period_that_ends_before_it_starts_has_no_figures_and_is_signalled(blank: Any, own: Any) -> None:
    page = blank()
    page.number("Equity", 5, END)
    page.number("TurnoverRevenue", 6, "2017-12-31/2017-01-01")
    document = page.read()
    assert (own(document).equity, own(document).revenue) == (5, None)
    assert document.signals["impossible_period", "ends before it starts"] == 1
