"""Periods that headlines, texts and names of packages state (docs/formats/no.md 8)."""

from collections.abc import Iterable
from datetime import date

import pytest

from connectors.no.newsweb import periods
from connectors.no.newsweb.periods import ReportPeriod, StatedPeriod
from connectors.no.newsweb.schema import MESSAGES, TEXTS
from tests.connectors.no.market_files import read, rows, signals, whole
from tests.tables import check_cases

WINTER, SPRING, SUMMER, AUTUMN = date(2026, 2, 20), date(2026, 3, 21), date(2026, 8, 20), date(2026, 11, 20)
YEAR = ReportPeriod(date(2025, 1, 1), date(2025, 12, 31), is_dated=False)


def annual_period(texts: Iterable[str | None], names: Iterable[str], published: date) -> ReportPeriod | None:
    return periods.annual_statement(texts, names, published).period


def interim_period(texts: Iterable[str | None], published: date) -> ReportPeriod | None:
    return periods.interim_statement(texts, published).period


@check_cases(
    ("text", "start", "end", "dated"),
    [
        ("Eksempel: Annual report 2025", "2025-01-01", "2025-12-31", False),
        ("Eksempel presenterer integrert årsrapport for 2025", "2025-01-01", "2025-12-31", False),
        ("Eksempel AS - 2025 Annual Report", "2025-01-01", "2025-12-31", False),
        ("Financial Statements for 2025", "2025-01-01", "2025-12-31", False),
        ("Results for the year ended 28 February 2026", "2025-03-01", "2026-02-28", True),
        ("Accounts for the financial year ended December 31, 2025", "2025-01-01", "2025-12-31", True),
        ("Annual reports 2024 and annual report 2025: annual report 2024", None, None, None),
        ("Annual report 2027", None, None, None),
        ("Annual report 2019", None, None, None),
        ("Annual general meeting 2026", None, None, None),
    ],
)
def test_periods_of_annual_reports(text: str, start: str | None, end: str | None, dated: bool | None) -> None:
    found = annual_period([text], [], SPRING)
    told = (None, None, None) if found is None else (str(found.start), str(found.end), found.is_dated)
    assert told == (start, end, dated)


@pytest.mark.parametrize(
    "name", ["eqnr20251231NO.zip", "5967007LIEEXZX4LIK21-2025-12-31-1-en.zip", "LEI_2025_12_31_1_en.zip"]
)
def test_the_name_of_a_report_package_states_the_last_day(name: str) -> None:
    found = annual_period(["Årsrapport"], ["presentation.pdf", name], SPRING)
    assert found == periods.ReportPeriod(date(2025, 1, 1), date(2025, 12, 31), is_dated=True)


@check_cases(
    ("text", "start", "end"),
    [
        ("Results for the second quarter 2026", "2026-04-01", "2026-06-30"),
        ("ENVIPCO Q2 26 Return to growth", "2026-04-01", "2026-06-30"),
        ("Q2CY26 Results", "2026-04-01", "2026-06-30"),
        ("Resultat 2. kvartal 2026", "2026-04-01", "2026-06-30"),
        ("Delårsregnskap 2.kvartal 2026", "2026-04-01", "2026-06-30"),
        ("Resultat andre kvartal 2026", "2026-04-01", "2026-06-30"),
        ("2026 Q2 report", "2026-04-01", "2026-06-30"),
        ("2026 second quarter results", "2026-04-01", "2026-06-30"),
        ("First quarter 2026", "2026-01-01", "2026-03-31"),
        ("half-year report 2026", "2026-01-01", "2026-06-30"),
        ("Halvårsrapport 2026", "2026-01-01", "2026-06-30"),
        ("Q2 and H1 2026", "2026-01-01", "2026-06-30"),
        ("Interim report for the quarter ended 30 June 2026", "2026-04-01", "2026-06-30"),
        ("Report for the six months ended June 30, 2026", "2026-01-01", "2026-06-30"),
        ("Q2 2026 compared with Q2 2025", None, None),
        ("Second quarter results", None, None),
        ("Q4 2026 guidance", None, None),
    ],
)
def test_periods_of_interim_reports(text: str, start: str | None, end: str | None) -> None:
    found = interim_period([text], SUMMER)
    assert (start, end) == (None, None) if found is None else (str(found.start), str(found.end)) == (start, end)


def test_of_an_interim_report_the_year_that_its_body_mentions_is_not_the_period() -> None:
    body = "To be read with the annual financial statements for the year ended 31 December 2025."
    found = interim_period(["Eksempel first quarter 2026 results", body], date(2026, 5, 6))
    assert found == ReportPeriod(date(2026, 1, 1), date(2026, 3, 31), is_dated=False)


def test_the_headline_is_judged_before_what_the_body_compares_with() -> None:
    texts = ["Third quarter 2025 results", "Compared to the quarter ended 30 September 2024 revenue rose."]
    found = interim_period(texts, date(2025, 11, 6))
    assert found == ReportPeriod(date(2025, 7, 1), date(2025, 9, 30), is_dated=False)


def test_a_year_that_is_only_compared_with_contradicts_nothing() -> None:
    texts = ["Annual report 2025", "Compared to the year ended 31 December 2024 revenue rose."]
    assert annual_period(texts, [], SPRING) == YEAR


def test_of_an_annual_report_only_words_for_years_state_the_period() -> None:
    texts = ["Annual report 2025", "The report for the quarter ended 31 March 2026 follows."]
    assert annual_period(texts, [], date(2026, 4, 6)) == YEAR


def test_a_day_that_the_body_states_makes_the_headline_exact() -> None:
    texts = ["Annual report 2025", "Accounts for the year ended 31 December 2025 and the year ended 31 December 2024"]
    assert annual_period(texts, [], SPRING) == ReportPeriod(YEAR.start, YEAR.end, is_dated=True)
    half = ["Q2 2026", "Report for the half-year ended 30 June 2026"]
    assert interim_period(half, SUMMER) == ReportPeriod(date(2026, 1, 1), date(2026, 6, 30), is_dated=True)


def test_headline_and_body_that_contradict_each_other_state_nothing() -> None:
    part = ["Third quarter 2026 results", "Report for the quarter ended 30 June 2026"]
    assert periods.interim_statement(part, AUTUMN) == StatedPeriod(None, is_contradictory=True)
    year = ["Annual report 2025", "Accounts for the year ended 31 December 2024"]
    assert periods.annual_statement(year, [], SPRING) == StatedPeriod(None, is_contradictory=True)


def test_a_contradiction_is_told_and_the_headline_does_not_stand_in() -> None:
    batches = read("no.newsweb", whole(body="Accounts for the year ended 31 December 2024"), "message.json")
    assert signals(batches) == {("contradicting_periods", "text"): 1}
    assert [row["period_end"] for row in rows(batches, TEXTS.name)] == [None]
    assert [row["period_end"] for row in rows(batches, MESSAGES.name)] == [YEAR.end]  # as a list has it


@pytest.mark.parametrize("text", ["Q2 2025/26 interim report", "Second quarter 2025/2026", "Q2 2025-26", "H1 2025/26"])
def test_a_year_across_two_calendar_years_is_no_calendar_quarter(text: str) -> None:
    assert interim_period([text], WINTER) is None
    assert interim_period([text], date(2025, 8, 20)) is None


def test_an_annual_report_of_a_year_across_two_calendar_years_states_none() -> None:
    for text in ("Annual report 2025/26", "2024/2025 annual report", "Årsrapport 2025-26"):
        assert annual_period([text], [], SUMMER) is None


def test_an_interim_report_comes_within_five_months() -> None:
    assert interim_period(["Fourth quarter 2025"], WINTER) is not None
    assert interim_period(["Fourth quarter 2025"], SUMMER) is None


@check_cases(
    ("text", "start"),
    [
        ("Interim report Q1-Q3 2026", date(2026, 1, 1)),
        ("Resultat 1.-3. kvartal 2026", date(2026, 1, 1)),
        ("First to third quarter 2026", date(2026, 1, 1)),
        ("Q3 2026", date(2026, 7, 1)),
        ("Q2-Q3 2026", None),
        ("2026 Q1-Q3", None),
    ],
)
def test_a_range_of_quarters_is_cumulative(text: str, start: date | None) -> None:
    found = interim_period([text], AUTUMN)
    assert found == (None if start is None else ReportPeriod(start, date(2026, 9, 30), is_dated=False))


@pytest.mark.parametrize(
    "names",
    [
        ["20260320_presentation.zip", "eqnr20251231NO.zip"],
        ["eqnr-2026-03-20-2025-12-31-en.zip"],
        ["eqnr20241231NO.zip", "eqnr20251231NO.zip"],
    ],
)
def test_of_all_days_in_names_the_month_end_of_the_headlines_year_counts(names: list[str]) -> None:
    found = annual_period(["Annual report 2025"], names, date(2026, 4, 6))
    assert found == ReportPeriod(YEAR.start, YEAR.end, is_dated=True)


def test_without_a_year_in_the_headline_two_days_in_names_state_nothing() -> None:
    names = ["eqnr20241231NO.zip", "eqnr20251231NO.zip"]
    assert annual_period(["Our report"], names, SPRING) is None
    assert annual_period(["Annual report 2025"], ["eks20250131_x.zip"], SPRING) is not None


def test_a_package_whose_year_only_begins_in_the_headlines_year_contradicts_it() -> None:
    found = periods.annual_statement(["Annual report 2025"], ["eks20260331NO.zip"], date(2026, 8, 6))
    assert found == StatedPeriod(None, is_contradictory=True)
