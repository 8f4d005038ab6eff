"""Periods by their days, versions by their filings, quarters by difference: on facts written by hand."""

import json

import pytest

from connectors.contract.dataset import MAPPING_SIGNALS
from connectors.us.companyfacts.parse import parse_companyfacts
from connectors.us.financials.latest_values import REPEATED_SUM
from connectors.us.financials.periods import FiscalYears, SpanLength, span_length
from connectors.us.financials.versions import build_statements
from tests.connectors.us.fact_files import Fact, amounts, answer, body, read, shared, statements
from tests.tables import check_cases

YEAR = ("2024-01-01", "2024-12-31")
REVENUE = "Revenues"


def year(tag: str, value: float, number: str = "25001", form: str = "10-K", filed: str = "2025-02-10") -> Fact:
    return (tag, *YEAR, value, number, form, filed)


def test_pitfall_03_fy_and_fp_are_the_filings_never_the_facts() -> None:
    """All comparatives of a report carry its year; their own days tell which year they are."""
    facts = [
        (REVENUE, "2022-01-01", "2022-12-31", 80.0, "25001", "10-K", "2025-02-10"),
        (REVENUE, "2023-01-01", "2023-12-31", 90.0, "25001", "10-K", "2025-02-10"),
        year(REVENUE, 100),
    ]
    found = statements(facts, fy=2024, fp="FY")
    assert [(one.span[1][:4], one.fiscal_year, one.amounts["revenue"]) for one in found] == [
        ("2022", 2022, 80),
        ("2023", 2023, 90),
        ("2024", 2024, 100),
    ]
    assert [one.is_comparative for one in found] == [True, True, False]


def test_null_fy_and_fp_lose_nothing() -> None:
    found = statements([year(REVENUE, 100)], fy=None, fp=None)
    assert [(one.amounts["revenue"], one.fiscal_year) for one in found] == [(100, 2024)]


def test_pitfall_04_the_quarter_and_the_year_to_date_are_told_by_their_days() -> None:
    facts = [
        (REVENUE, "2024-01-01", "2024-06-30", 45.0, "24002", "10-Q", "2024-08-01"),
        (REVENUE, "2024-04-01", "2024-06-30", 25.0, "24002", "10-Q", "2024-08-01"),
    ]
    found = statements(facts)
    assert [(one.span, one.amounts["revenue"], one.derived) for one in found] == [
        (("2024-04-01", "2024-06-30"), 25, ())
    ]


def test_pitfall_05_a_fact_without_a_frame_counts() -> None:
    with_frame = statements([year(REVENUE, 100)], frame="CY2024")
    without = statements([year(REVENUE, 100)])
    assert [one.amounts for one in with_frame] == [one.amounts for one in without]


def test_facts_that_lie_ahead_are_none() -> None:
    facts = [year(REVENUE, 100), (REVENUE, "2025-01-01", "2025-12-31", 7.0, "25001", "10-K", "2025-02-10")]
    assert amounts(facts) == {YEAR: 100}


def test_a_recast_of_later_years_is_the_newest_version_and_all_versions_are_kept() -> None:
    facts = [
        year(REVENUE, 100_000),
        year("NetIncomeLoss", 10_000),
        year(REVENUE, 90_000, "27001", "10-K", "2027-02-10"),
    ]
    found = statements(facts)
    assert [(one.filing.filed, one.amounts["revenue"], one.amounts["net_result"]) for one in found] == [
        ("2025-02-10", 100_000, 10_000),
        ("2027-02-10", 90_000, 10_000),  # what the later report leaves out stands as it was
    ]
    assert not any(one.is_comparative for one in found)


def test_a_filing_makes_the_same_statement_whatever_follows() -> None:
    first = [year(REVENUE, 100_000), year("ProfitLoss", 12_000)]
    later = [year("NetIncomeLoss", 10_000, "26001", "10-K", "2026-02-10")]
    alone, both = statements(first), statements([*first, *later])
    assert both[0].amounts == alone[0].amounts
    assert [one.amounts["net_result"] for one in both] == [12_000, 10_000]


def test_a_wider_scope_never_replaces_the_parents() -> None:
    facts = [year("NetIncomeLoss", 10_000), year("ProfitLoss", 12_000, "26001", "10-K", "2026-02-10")]
    assert amounts(facts, "net_result") == {YEAR: 10_000}


@check_cases(("form", "value"), [("10-K", 3), ("10-K/A", 3), ("20-F", 3), ("8-K", 1), ("S-1", 1)])
def test_proxies_registrations_and_current_reports_count_only_where_no_report_does(form: str, value: int) -> None:
    facts = [year(REVENUE, 1), year(REVENUE, 3, "25009", form, "2025-09-01")]
    assert amounts(facts) == {YEAR: value}
    assert amounts([year(REVENUE, 3, "25009", "8-K", "2025-09-01")]) == {YEAR: 3}


def test_a_report_ends_what_a_registration_said() -> None:
    facts = [year(REVENUE, 1, "25000", "S-1", "2025-01-20"), year(REVENUE, 3)]
    assert [one.filing.form for one in statements(facts)] == ["10-K"]


def test_what_a_current_report_said_does_not_come_in_with_a_later_report() -> None:
    facts = [
        year(REVENUE, 1),
        year(REVENUE, 3, "25008", "8-K", "2025-08-01"),
        year("NetIncomeLoss", 1, "25009", "10-K/A", "2025-09-01"),
    ]
    assert [one.amounts["revenue"] for one in statements(facts)] == [1, 1]


def test_a_coarser_rounding_is_no_version() -> None:
    facts = [
        year(REVENUE, 4_462_383_000),
        year("NetIncomeLoss", -62_532_000),
        year(REVENUE, 4_462_400_000, "26001", "10-K", "2026-02-10"),
        year("NetIncomeLoss", -62_600_000, "26001", "10-K", "2026-02-10"),  # made to add up: not the nearest tenth
    ]
    told = {(one.amounts["revenue"], one.amounts["net_result"]) for one in statements(facts)}
    assert told == {(4_462_383_000, -62_532_000)}


def test_one_round_amount_is_no_coarser_unit() -> None:
    """Amended accounts of a shell whose only other amounts are zeros."""
    before = [year("NetIncomeLoss", -5_400), year(REVENUE, 400)]
    round_loss = [year("NetIncomeLoss", -5_000, "25002", "10-K/A", "2025-04-10")]
    zeros = [year(tag, 0, "25002", "10-K/A", "2025-04-10") for tag in (REVENUE, "OperatingIncomeLoss")]
    found = statements([*before, *round_loss, *zeros])[-1].amounts
    assert (found["net_result"], found["revenue"]) == (-5_000, 0)
    assert statements([*before, *zeros])[-1].amounts["revenue"] == 0


def test_a_part_that_is_repeated_does_not_replace_the_total_it_was_part_of() -> None:
    contract = "RevenueFromContractWithCustomerExcludingAssessedTax"
    facts = [year(REVENUE, 100), year(contract, 70), year(contract, 70, "26001", "10-K", "2026-02-10")]
    assert amounts(facts) == {YEAR: 100}
    assert amounts([*facts, year(contract, 60, "27001", "10-K", "2027-02-10")]) == {YEAR: 60}


def test_a_total_that_falls_to_a_part_is_a_restatement() -> None:
    contract = "RevenueFromContractWithCustomerExcludingAssessedTax"
    later = [year(tag, 70, "26001", "10-K", "2026-02-10") for tag in (REVENUE, contract)]
    assert amounts([year(REVENUE, 100), year(contract, 70), *later]) == {YEAR: 70}


def test_a_sum_of_parts_never_replaces_a_total_that_was_filed() -> None:
    parts = ("InterestIncomeExpenseNet", 60), ("NoninterestIncome", 39)
    later = [year(tag, amount, "26001", "10-K", "2026-02-10") for tag, amount in parts]
    assert amounts([year("RevenuesNetOfInterestExpense", 100), *later]) == {YEAR: 100}


def test_a_month_after_the_year_is_not_the_reports_period() -> None:
    month = ("Revenues", "2025-01-01", "2025-01-31", 9.0, "25001", "10-K", "2025-02-10")
    assert [(one.span, one.is_comparative) for one in statements([year(REVENUE, 100), month])] == [(YEAR, False)]


def test_days_after_the_quarter_are_not_the_reports_period() -> None:
    quarter = (REVENUE, "2024-04-01", "2024-06-30", 25.0, "24002", "10-Q", "2024-08-01")
    days = (REVENUE, "2024-07-01", "2024-07-15", 4.0, "24002", "10-Q", "2024-08-01")
    assert [(one.span[1], one.is_comparative) for one in statements([quarter, days])] == [("2024-06-30", False)]


def test_days_a_week_apart_are_one_period() -> None:
    facts = [
        (REVENUE, "2023-01-29", "2024-02-03", 100.0, "24001", "10-K", "2024-03-10"),
        (REVENUE, "2023-02-01", "2024-01-31", 90.0, "25001", "10-K", "2025-03-10"),
        ("Assets", "", "2024-01-31", 500.0, "25001", "10-K", "2025-03-10"),
    ]
    found = statements(facts)
    assert [(one.span[1], one.amounts["revenue"], one.amounts["total_assets"]) for one in found] == [
        ("2024-02-03", 100, None),
        ("2024-02-03", 90, 500),
    ]


def test_52_and_53_weeks_are_years_and_13_and_14_quarters() -> None:
    assert span_length(("2023-01-29", "2024-02-03")) is SpanLength.YEAR
    assert span_length(("2024-02-04", "2025-02-01")) is SpanLength.YEAR
    assert span_length(("2023-10-29", "2024-02-03")) is SpanLength.QUARTER
    assert span_length(("2024-09-02", "2024-11-24")) is SpanLength.QUARTER  # 12 weeks
    assert span_length(("2024-05-13", "2024-09-01")) is SpanLength.QUARTER  # 16 weeks
    assert span_length(("2024-01-01", "2024-06-30")) is SpanLength.HALF


def nine_months(value: float, number: str = "24003", filed: str = "2024-11-01") -> Fact:
    return (REVENUE, "2024-01-01", "2024-09-30", value, number, "10-Q", filed)


def test_the_fourth_quarter_is_the_year_less_nine_months_and_says_so() -> None:
    found = {one.span: one for one in statements([nine_months(70), year(REVENUE, 100)])}
    quarter = found["2024-10-01", "2024-12-31"]
    assert (quarter.amounts["revenue"], quarter.derived, quarter.filing.form) == (30, ("revenue",), "10-K")


def test_else_the_year_less_three_quarters() -> None:
    quarters = [("2024-01-01", "2024-03-31"), ("2024-04-01", "2024-06-30"), ("2024-07-01", "2024-09-30")]
    facts = [(REVENUE, *span, 20.0, f"2400{n}", "10-Q", "2024-11-01") for n, span in enumerate(quarters)]
    assert amounts([*facts, year(REVENUE, 100)])["2024-10-01", "2024-12-31"] == 40
    assert ("2024-10-01", "2024-12-31") not in amounts([*facts[:2], year(REVENUE, 100)])


def test_second_and_third_quarters_come_of_sums_where_only_sums_are_filed() -> None:
    facts = [
        (REVENUE, "2024-01-01", "2024-03-31", 10.0, "24001", "10-Q", "2024-05-01"),
        (REVENUE, "2024-01-01", "2024-06-30", 30.0, "24002", "10-Q", "2024-08-01"),
        nine_months(60),
    ]
    found = amounts(facts)
    assert (found["2024-04-01", "2024-06-30"], found["2024-07-01", "2024-09-30"]) == (20, 30)


def test_a_filed_fourth_quarter_wins() -> None:
    filed = (REVENUE, "2024-10-01", "2024-12-31", 31.0, "25001", "10-K", "2025-02-10")
    found = {one.span: one for one in statements([nine_months(70), year(REVENUE, 100), filed])}
    quarter = found["2024-10-01", "2024-12-31"]
    assert (quarter.amounts["revenue"], quarter.derived) == (31, ())


def test_a_year_restated_alone_makes_no_quarter() -> None:
    facts = [nine_months(70), year(REVENUE, 100), year(REVENUE, 150, "25002", "10-K/A", "2025-04-01")]
    assert amounts(facts)["2024-10-01", "2024-12-31"] == 30
    again = [nine_months(90, "25003", "2025-11-01"), year(REVENUE, 150, "26001", "10-K", "2026-02-10")]
    assert amounts([*facts, *again])["2024-10-01", "2024-12-31"] == 60


def test_quarter_derived_before_its_year_or_its_nine_months_were_restated_is_told() -> None:
    filed = [nine_months(70), year(REVENUE, 100)]
    for later in (year(REVENUE, 150, "25002", "10-K/A", "2025-04-01"), nine_months(60, "25003", "2025-04-01")):
        rows = shared(read(body([*filed, later])))[MAPPING_SIGNALS]
        assert rows.select("code", "subject").rows() == [("quarter_of_two_scopes", "revenue")]
    assert shared(read(body(filed)))[MAPPING_SIGNALS].is_empty()


def test_no_quarter_of_two_tags_of_balances_of_heads_or_below_zero() -> None:
    two = [nine_months(70), year("SalesRevenueNet", 100)]
    assert ("2024-10-01", "2024-12-31") not in amounts(two)
    assert ("2024-10-01", "2024-12-31") not in amounts([nine_months(170), year(REVENUE, 100)])
    heads = [
        ("ifrs-full:AverageNumberOfEmployees", "2024-01-01", "2024-09-30", 5.0, "24003", "10-Q", "2024-11-01"),
        ("ifrs-full:AverageNumberOfEmployees", *YEAR, 7.0, "25001", "10-K", "2025-02-10"),
    ]
    found = {one.span: one.amounts for one in statements([nine_months(70), year(REVENUE, 100), *heads])}
    assert found[YEAR]["employees"] == 7
    assert found["2024-10-01", "2024-12-31"]["employees"] is None


def test_balances_are_of_the_last_day_and_a_later_report_may_lack_them() -> None:
    facts = [
        ("Assets", "", "2023-12-31", 400.0, "25001", "10-K", "2025-02-10"),
        ("Assets", "", "2024-12-31", 500.0, "25001", "10-K", "2025-02-10"),
        ("StockholdersEquity", "", "2024-12-31", 200.0, "25001", "10-K", "2025-02-10"),
        year(REVENUE, 100),
    ]
    found = statements(facts)[-1].amounts
    assert (found["total_assets"], found["equity"]) == (500, 200)


@check_cases(
    ("labels", "span", "year"),
    [
        ([("2024-02-03", 2023), ("2025-02-01", 2024)], ("2025-02-02", "2025-05-03"), 2025),  # as Target counts
        ([("2025-02-01", 2025), ("2026-01-31", 2026)], ("2026-02-01", "2026-05-02"), 2027),  # as Marvell counts
        ([("2022-01-30", 2022), ("2023-01-29", 2022), ("2024-01-28", 2024)], ("2022-01-31", "2023-01-29"), 2023),
        ([("2024-12-29", 2024)], ("2024-09-30", "2024-12-29"), 2024),
        ([("2025-01-03", 2024)], ("2024-09-28", "2025-01-03"), 2024),
        ([], ("2024-01-01", "2024-03-31"), None),
    ],
)
def test_the_filers_own_label_made_robust(
    labels: list[tuple[str, int]], span: tuple[str, str], year: int | None
) -> None:
    years = FiscalYears(((f"{int(end[:4]) - 1}{end[4:]}", end), label) for end, label in labels)
    assert years.of(span) == year


def test_transition_and_half_years_of_reports_are_kept_under_their_own_days() -> None:
    half = (REVENUE, "2024-01-01", "2024-06-30", 45.0, "24002", "6-K", "2024-08-01")
    assert amounts([half]) == {("2024-01-01", "2024-06-30"): 45}
    transition = (REVENUE, "2024-01-01", "2024-05-31", 45.0, "24002", "10-KT", "2024-08-01")
    assert amounts([transition]) == {("2024-01-01", "2024-05-31"): 45}


def test_amounts_of_two_currencies_never_meet() -> None:
    found = answer([year("ifrs-full:Revenue", 700), year("ifrs-full:ProfitLoss", 70)], unit="CNY")
    dollars = answer([year("ifrs-full:Revenue", 100)], unit="USD")
    found["facts"]["ifrs-full"]["Revenue"]["units"] |= dollars["facts"]["ifrs-full"]["Revenue"]["units"]
    made = build_statements(parse_companyfacts(json.dumps(found).encode()).filings.values()).statements
    assert [(one.currency, one.amounts["revenue"], one.amounts["net_result"]) for one in made] == [("CNY", 700, 70)]


def test_labels_of_a_filer_without_an_annual_report_are_those_of_its_quarterly_ones() -> None:
    fiscal = ("2024-02-01", "2025-01-31")
    first, second, half = ("2025-02-01", "2025-04-30"), ("2025-05-01", "2025-07-31"), ("2025-02-01", "2025-07-31")
    offered = [(REVENUE, *fiscal, 400, "25001", "S-1", "2025-03-10")]
    quarters = [
        (REVENUE, *first, 100, "25002", "10-Q", "2025-06-10"),
        *((REVENUE, *span, 110, "25003", "10-Q", "2025-09-10") for span in (second, half)),
    ]
    labels = {one.span: one.fiscal_year for one in statements([*offered, *quarters], fy=2026)}
    assert labels == {fiscal: 2025, first: 2026, second: 2026}


HALF, FIRST, SECOND = ("2024-01-01", "2024-06-30"), ("2024-01-01", "2024-03-31"), ("2024-04-01", "2024-06-30")


def test_quarter_that_repeats_the_sum_to_its_end_is_the_difference_and_told() -> None:
    first = (REVENUE, *FIRST, 100, "24100", "10-Q", "2024-05-05")
    later = [(REVENUE, *span, 205, "24200", "10-Q", "2024-08-05") for span in (SECOND, HALF)]
    assert amounts([first, *later])[SECOND] == 105
    rows = shared(read(body([first, *later])))[MAPPING_SIGNALS]
    assert rows.select("code", "subject").rows() == [(REPEATED_SUM, "revenue")]
    for begun in ([], [(*first[:3], 0, *first[4:])]):  # nothing was earned before
        assert amounts([*begun, *later])[SECOND] == 205


def test_part_that_one_period_shows_to_be_one_replaces_no_total_of_another() -> None:
    gross, last_year = "GrossProfit", ("2023-01-01", "2023-12-31")
    before = [
        (tag, *last_year, value, "24001", "10-K", "2024-02-10") for tag, value in ((REVENUE, 2_997), (gross, 900))
    ]
    now = [year(REVENUE, 25), year(gross, 1_300)]
    part = (REVENUE, *last_year, 22, "25001", "10-K", "2025-02-10")
    assert amounts([*before, *now, part]) == {last_year: 2_997}
    assert amounts([*before, year(REVENUE, 3_100), year(gross, 1_300), part]) == {last_year: 22, YEAR: 3_100}


# Changed year ends

TO_DECEMBER, SIX_MONTHS = ("2023-01-01", "2023-12-31"), ("2023-07-01", "2023-12-31")
TRANSITION = ("24001", "10-KT", "2024-02-20")


def revenue(span: tuple[str, str], filing: tuple[str, str, str]) -> Fact:
    return ("Revenues", *span, 100, *filing)


@pytest.mark.parametrize("short", [SIX_MONTHS, ("2023-10-01", "2023-12-31"), ("2023-02-01", "2023-12-31")])
def test_period_of_a_transition_report_is_not_the_twelve_months_beside_it(short: tuple[str, str]) -> None:
    facts = [revenue(span, TRANSITION) for span in (short, TO_DECEMBER, ("2023-11-01", "2023-12-31"))]
    ((_, own),) = build_statements(parse_companyfacts(body(facts)).filings.values()).reports
    assert own == short


def test_twelve_months_beside_a_transition_period_do_not_share_a_fiscal_years_label() -> None:
    fiscal = ("2022-07-01", "2023-06-30")
    facts = [
        revenue(fiscal, ("23003", "10-K", "2023-08-20")),
        revenue(SIX_MONTHS, TRANSITION),
        revenue(TO_DECEMBER, TRANSITION),
    ]
    assert [one.span for one in statements(facts) if one.fiscal_year == 2023 and one.span != SIX_MONTHS] == [fiscal]


def test_comparatives_of_a_new_year_end_do_not_share_a_fiscal_years_label() -> None:
    fiscal, later = ("2022-01-01", "2022-12-31"), ("2023-07-01", "2024-06-30")
    of_later = ("24003", "10-K", "2024-08-20")
    facts = [
        revenue(fiscal, ("23001", "10-K", "2023-02-20")),
        *(revenue(span, of_later) for span in (later, ("2021-07-01", "2022-06-30"), ("2022-07-01", "2023-06-30"))),
    ]
    assert [(one.fiscal_year, one.span) for one in statements(facts)] == [
        (2022, fiscal),
        (2023, ("2022-07-01", "2023-06-30")),  # no other year has this label
        (2024, later),
    ]


def test_quarters_of_reports_before_the_first_annual_one_are_told_where_the_calendar_numbers_them_otherwise() -> None:
    second, since = ("2023-04-24", "2023-07-16"), ("2022-12-26", "2023-07-16")  # 12 and 28 weeks: the filer's Q2
    facts = [(REVENUE, *span, amount, "23002", "10-Q", "2023-08-20") for span, amount in ((second, 90), (since, 200))]
    doubt = ("quarter_by_calendar", "fiscal_quarter", second[1])
    assert build_statements(parse_companyfacts(body(facts)).filings.values()).doubts == {doubt}
    for year, form, filed in (("2022-12-26", "10-K", "2024-02-20"), ("2021-12-27", "S-1", "2023-05-20")):
        annual = (REVENUE, year, f"{year[:3]}{int(year[3]) + 1}-12-25", 400, "24001", form, filed)
        assert build_statements(parse_companyfacts(body([*facts, annual])).filings.values()).doubts == frozenset()
    usual = [
        (REVENUE, start, "2023-06-30", amount, "23002", "10-Q", "2023-08-20")
        for start, amount in (("2023-04-01", 90), ("2023-01-01", 200))
    ]
    assert build_statements(parse_companyfacts(body(usual)).filings.values()).doubts == frozenset()
