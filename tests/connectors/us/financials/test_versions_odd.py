"""Odd filers and odd facts, written by hand: what each of them must not make of a company's figures."""

import json
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from connectors.us import financials_mapping
from connectors.us.companyfacts.parse import parse_companyfacts
from connectors.us.financials.concepts import SHARES
from connectors.us.financials.versions import build_statements
from connectors.us.ownership.shares_outstanding import outstanding_by_company
from tests.connectors.us.fact_files import (
    SEEN,
    Fact,
    accession,
    amounts,
    answer,
    body,
    present,
    read,
    shared,
    signals,
    statements,
)
from tests.tables import check_cases

YEAR = ("2024-01-01", "2024-12-31")
Q4 = ("2024-10-01", "2024-12-31")
SALES = "Revenues"


def year(tag: str, value: float, number: str = "25001", form: str = "10-K", filed: str = "2025-02-10") -> Fact:
    return (tag, *YEAR, value, number, form, filed)


def merged(*parts: dict[str, Any]) -> bytes:
    """Answers of several units as one."""
    whole: dict[str, Any] = {"cik": 999999, "entityName": "Example Corp", "facts": {}}
    for part in parts:
        for taxonomy, tags in part["facts"].items():
            for tag, told in tags.items():
                known = whole["facts"].setdefault(taxonomy, {}).setdefault(tag, {"units": {}})
                known["units"] |= told["units"]
    return json.dumps(whole).encode()


# Facts


def test_a_fact_that_cannot_be_placed_costs_no_other() -> None:
    found = answer([year(SALES, 100), year("NetIncomeLoss", 10)])
    found["facts"]["us-gaap"]["NetIncomeLoss"]["units"]["USD"][0].pop("filed")
    made = build_statements(parse_companyfacts(json.dumps(found).encode()).filings.values()).statements
    assert [one.amounts["revenue"] for one in made] == [100]


@check_cases(("fy", "due"), [(2024, 2024), ("2023", 2023), (2023.0, 2023), (24, 2024), (2104, 2024)])
def test_the_filers_label_may_be_a_text_and_one_that_cannot_be_is_none(fy: object, due: int) -> None:
    assert [one.fiscal_year for one in statements([year(SALES, 100)], fy=fy)] == [due]


def test_of_a_fact_that_is_given_twice_the_more_precise_counts() -> None:
    twice = [year(SALES, 4_462_400_000), year(SALES, 4_462_383_000)]
    for facts in (twice, twice[::-1]):
        assert amounts(facts) == {YEAR: 4_462_383_000}
        assert "conflicting_fact" not in signals(read(body(facts)))
    assert "conflicting_fact" in signals(read(body([year(SALES, 4_462_400_000), year(SALES, 4_470_000_000)])))


@check_cases(("one", "other"), [(0, 450_000_000), (1_000_000_000, 600_000_000), (0, 400)])
def test_an_amount_below_one_unit_is_not_rounded_to_it(one: int, other: int) -> None:
    for facts in ([year(SALES, one), year(SALES, other)], [year(SALES, other), year(SALES, one)]):
        assert amounts([*facts, year("NetIncomeLoss", 10)]) == {YEAR: None}
        assert "conflicting_fact" in signals(read(body(facts)))


def test_heads_below_none_are_impossible_and_told() -> None:
    head = ("dei:EntityNumberOfEmployees", "", YEAR[1], -5, "25001", "10-K", "2025-02-10")
    facts = [year(SALES, 100), year("NetIncomeLoss", -10), head]
    assert [one.amounts["employees"] for one in statements(facts)] == [None]
    assert [one.amounts["net_result"] for one in statements(facts)] == [-10]
    assert signals(read(body(facts)))["impossible_fact"] == {"dei_EntityNumberOfEmployees"}


@check_cases("value", ["100", True, ""])
def test_a_value_that_is_no_number_costs_no_other(value: Any) -> None:
    facts = [year(SALES, value), year("NetIncomeLoss", 10)]
    assert amounts(facts, "net_result") == {YEAR: 10}
    assert amounts(facts) == {YEAR: None}
    assert signals(read(body(facts)))["no_amount"] == {SALES}


def test_build_statements_facts_that_contradict_each_other_are_none() -> None:
    twice = [year(SALES, 4_462_400_000), year(SALES, 4_470_000_000)]
    for facts in (twice, twice[::-1], [*twice, twice[0]]):
        told = [*facts, year("NetIncomeLoss", 10)]
        assert amounts(told) == {YEAR: None}
        assert amounts(told, "net_result") == {YEAR: 10}
    later = year(SALES, 4_462_400_000, "26001", filed="2026-02-10")  # the next report says which it was
    assert amounts([*twice, year("NetIncomeLoss", 10), later]) == {YEAR: 4_462_400_000}


def test_balances_that_do_not_balance_are_told() -> None:
    sides = [
        (tag, "", YEAR[1], value, "25001", "10-K", "2025-02-10")
        for tag, value in (("Assets", 500.0), ("LiabilitiesAndStockholdersEquity", 400.0))
    ]
    assert signals(read(body(sides)))["does_not_balance"] == {"Assets"}
    assert "does_not_balance" not in signals(read(body([sides[0], (*sides[1][:3], 500.0, *sides[1][4:])])))


def test_result_of_the_other_sign_is_told_and_none_until_a_report_states_one() -> None:
    facts = [year(SALES, 100), year("NetIncomeLoss", 5), year("ProfitLoss", -5)]
    assert signals(read(body(facts)))["opposite_sign"] == {"NetIncomeLoss", "ProfitLoss"}
    assert amounts(facts, "net_result") == {YEAR: None}
    later = [year(tag, -5, "26001", filed="2026-02-10") for tag in ("NetIncomeLoss", "ProfitLoss")]
    assert amounts([*facts, *later], "net_result") == {YEAR: -5}


# Shares of the cover page


def cover(value: float, end: str = "2025-01-31", number: str = "25001") -> Fact:
    return (f"dei:{SHARES.removeprefix('dei_')}", "", end, value, number, "10-K", "2025-02-10")


def shares(*covers: Fact, unit: str = "shares") -> dict[str, int | None]:
    content = merged(answer([year(SALES, 100)]), answer(covers, unit=unit))
    rows = next(batch.rows for batch in read(content) if batch.table == "us_facts")
    stated = rows.filter(rows[SHARES].is_not_null())
    return dict(zip(stated["span"], stated[SHARES], strict=True))


def test_shares_outstanding_are_of_the_covers_own_day() -> None:
    assert shares(cover(14_776_353_000)) == {"2025-01-31": 14_776_353_000}


def test_several_numbers_of_one_cover_are_of_classes_and_none_is_the_companys() -> None:
    assert shares(cover(600), cover(40)) == {}
    assert shares(cover(600), cover(40), cover(600)) == {}
    assert shares(cover(600), cover(600)) == {"2025-01-31": 600}
    assert shares(cover(600), cover(40, "2025-02-03")) == {}
    assert shares(cover(600), cover(600, "2025-02-03")) == {"2025-01-31": 600, "2025-02-03": 600}
    assert shares(cover(600), cover(40), cover(7, "2024-04-30", "24009")) == {"2024-04-30": 7}


def test_covers_tell_the_shares_outstanding_of_their_days() -> None:
    covers = [cover(600), (*cover(500, "2025-04-30", "25002")[:5], "10-Q", "2025-05-05")]
    one_class = pl.LazyFrame({"_company_id": ["firm:US:US0000999999"], "classKey": ["COMMON"]})
    known = outstanding_by_company(present(read(body(covers, unit="shares"))), [one_class])
    counts = [(Decimal(600), date(2025, 1, 31)), (Decimal(500), date(2025, 4, 30))]
    assert known == {"firm:US:US0000999999": counts}


def test_shares_in_dollars_or_of_a_day_to_come_are_none() -> None:
    assert shares(cover(600), unit="USD") == {}
    assert shares(cover(600, "2052-01-31")) == {}


def test_a_cover_alone_is_no_statement_and_no_report() -> None:
    content = merged(
        answer([year(SALES, 100)]), answer([(*cover(5)[:4], "25002", "10-K/A", "2025-04-01")], unit="shares")
    )
    made = build_statements(parse_companyfacts(content).filings.values())
    assert [filing.accession for filing, _ in made.reports] == [accession("25001")]
    assert len(made.statements) == 1


# Periods


def test_a_year_and_its_nine_months_that_begin_a_day_apart_are_one_years() -> None:
    nine = (SALES, "2024-01-01", "2024-09-30", 70.0, "24003", "10-Q", "2024-11-01")
    whole = (SALES, "2023-12-31", "2024-12-31", 100.0, "25001", "10-K", "2025-02-10")
    assert amounts([nine, whole])[Q4] == 30


def test_a_successors_report_is_of_the_successors_period_and_not_of_the_year_before() -> None:
    """Fresh start: seven months of the new company, five of the old, and the old one's year before."""
    facts = [
        (SALES, "2024-06-01", "2024-12-31", 70.0, "25001", "10-K", "2025-02-10"),
        (SALES, "2024-01-01", "2024-05-31", 50.0, "25001", "10-K", "2025-02-10"),
        (SALES, "2023-01-01", "2023-12-31", 90.0, "25001", "10-K", "2025-02-10"),
        ("Assets", "", "2024-12-31", 500.0, "25001", "10-K", "2025-02-10"),
    ]
    made = build_statements(parse_companyfacts(body(facts)).filings.values())
    assert [own for _, own in made.reports] == [("2024-06-01", "2024-12-31")]
    assert {one.span: one.is_comparative for one in made.statements} == {
        ("2023-01-01", "2023-12-31"): True,
        ("2024-06-01", "2024-12-31"): False,
    }


def test_months_after_the_year_without_a_balance_sheet_are_not_the_reports_period() -> None:
    after = (SALES, "2025-01-01", "2025-03-31", 9.0, "25001", "10-K", "2025-08-10")
    made = build_statements(parse_companyfacts(body([year(SALES, 100, filed="2025-08-10"), after])).filings.values())
    assert [own for _, own in made.reports] == [YEAR]


def test_the_last_twelve_months_of_a_quarters_report_are_no_year() -> None:
    """As utilities give them; the year itself a quarter's report may state anew."""
    twelve = (SALES, "2024-04-01", "2025-03-31", 104.0, "25002", "10-Q", "2025-05-01")
    quarter = (SALES, "2025-01-01", "2025-03-31", 30.0, "25002", "10-Q", "2025-05-01")
    recast = year(SALES, 90, "25002", "10-Q", "2025-05-01")
    found = amounts([year(SALES, 100), quarter, twelve, recast])
    assert found == {YEAR: 90, ("2025-01-01", "2025-03-31"): 30}


def test_a_first_year_may_be_short() -> None:
    facts = [("NetIncomeLoss", "2024-08-05", "2024-12-31", -5.0, "25001", "10-K", "2025-02-10")]
    made = build_statements(parse_companyfacts(body(facts)).filings.values())
    assert [own for _, own in made.reports] == [("2024-08-05", "2024-12-31")]


def test_quarters_around_a_changed_year_end_carry_the_years_they_fall_in() -> None:
    """Calendar years to 2023, a transition period to June 2024, years to June after."""
    reports = [
        ("2022-01-01", "2022-12-31", "23001", "10-K", "2023-02-10", 2022),
        ("2023-01-01", "2023-12-31", "24001", "10-K", "2024-02-10", 2023),
        ("2024-01-01", "2024-03-31", "24002", "10-Q", "2024-05-10", 2024),
        ("2024-01-01", "2024-06-30", "24003", "10-KT", "2024-08-10", 2024),
        ("2024-07-01", "2024-09-30", "24004", "10-Q", "2024-11-10", 2025),
        ("2024-07-01", "2025-06-30", "25001", "10-K", "2025-08-10", 2025),
    ]
    facts = [(SALES, start, end, 10.0, number, form, filed) for start, end, number, form, filed, _ in reports]
    labels = {one.span: one.fiscal_year for one in statements(facts)}
    second = {("2024-04-01", "2024-06-30"): 2024}  # of the transition period less its first quarter
    assert labels == {(start, end): label for start, end, _, _, _, label in reports} | second


# Vintages


def test_a_proxy_says_nothing_of_a_period_that_a_report_tells_of() -> None:
    """Tables of pay against performance were a thousand times off."""
    proxy = year("NetIncomeLoss", 10, "25004", "DEF 14A", "2025-03-20")
    later = year(SALES, 101_000, "26001", "10-K", "2026-02-10")
    found = statements([year(SALES, 100_000), proxy, later])
    assert [(one.amounts["revenue"], one.amounts["net_result"]) for one in found] == [(100_000, None), (101_000, None)]
    assert amounts([proxy], "net_result") == {YEAR: 10}


def test_who_goes_over_to_ifrs_restates_its_years_and_no_figure_stays_of_the_other_standard() -> None:
    standards = {
        "10-K": ("Revenues", "NetIncomeLoss", "StockholdersEquity", "Assets", "OperatingIncomeLoss"),
        "20-F": (
            "ifrs-full:Revenue",
            "ifrs-full:ProfitLossAttributableToOwnersOfParent",
            "ifrs-full:EquityAttributableToOwnersOfParent",
            "ifrs-full:Assets",
            "ifrs-full:ProfitLossFromOperatingActivities",
        ),
    }
    facts: list[Fact] = []
    for factor, (form, tags) in enumerate(standards.items(), start=1):
        filed = f"202{4 + factor}-02-10"
        for place, tag in enumerate(tags):
            start = "" if place in (2, 3) else YEAR[0]
            facts.append((tag, start, YEAR[1], 1.0 * factor * (place + 1), f"2{factor}001", form, filed))
    for found, factor in ((statements(facts)[-1], 2), (statements(facts[:5])[-1], 1)):
        assert [found.amounts[name] for name in ("revenue", "net_result", "equity", "total_assets")] == [
            factor * place for place in (1, 2, 3, 4)
        ]
        assert found.amounts["operating_result"] == 5 * factor
    wider = [year("ifrs-full:ProfitLoss", 99, "27001", "20-F", "2027-02-10")]
    assert amounts([*facts, *wider], "net_result") == {YEAR: 4}


@pytest.mark.parametrize("before", [[], ["annual"]])
def test_of_as_many_amounts_in_two_currencies_the_dollars_are_the_translation(before: list[str]) -> None:
    """A half year's report with a translation for convenience: one amount each."""
    half = ("ifrs-full:Revenue", "2025-01-01", "2025-06-30", 70.0, "25002", "6-K", "2025-08-01")
    own = [year("ifrs-full:Revenue", 100), year("ifrs-full:ProfitLoss", 9)] if before else []
    content = merged(answer([*own, half], unit="CNY"), answer([(*half[:3], 10.0, *half[4:])], unit="USD"))
    found = build_statements(parse_companyfacts(content).filings.values()).statements
    assert found[-1].currency == "CNY"


def test_of_as_many_amounts_in_two_currencies_the_annual_reports_one_counts() -> None:
    half = ("ifrs-full:Revenue", "2025-01-01", "2025-06-30", 70.0, "25002", "6-K", "2025-08-01")
    content = merged(
        answer([year("ifrs-full:Revenue", 100), year("ifrs-full:ProfitLoss", 9), half]),
        answer([(*half[:3], 500.0, *half[4:])], unit="CNY"),
    )
    found = build_statements(parse_companyfacts(content).filings.values()).statements
    assert found[-1].currency == "USD"


def test_of_as_many_amounts_in_two_currencies_a_domestic_report_is_in_dollars() -> None:
    content = merged(answer([year(SALES, 100)]), answer([year(SALES, 90)], unit="EUR"))
    (found,) = build_statements(parse_companyfacts(content).filings.values()).statements
    assert found.currency == "USD"


def test_tags_of_the_other_standard_are_none_where_a_report_has_a_few() -> None:
    ifrs = [year(f"ifrs-full:{tag}", value, form="20-F") for tag, value in (("Revenue", 500), ("ProfitLoss", 50))]
    equity = ("ifrs-full:Equity", "", YEAR[1], 300, *ifrs[0][4:])
    strays = [year(SALES, 5, form="20-F"), year("NetIncomeLoss", 2, form="20-F")]
    (found,) = statements([*ifrs, equity, *strays])
    assert (found.amounts["revenue"], found.amounts["net_result"], found.amounts["equity"]) == (500, 50, 300)
    rows = shared(read(body([*ifrs, equity, *strays])))["financials_reported"]
    assert rows["accounting_standard"].to_list() == ["IFRS"]
    usual = [year(SALES, 5), year("NetIncomeLoss", 2), year("ifrs-full:Revenue", 500)]
    assert shared(read(body(usual)))["financials_reported"].select("revenue", "accounting_standard").rows() == [
        (5, "US-GAAP")
    ]


def test_a_filer_that_changes_its_currency_restates_in_the_new_one() -> None:
    crowns = answer([year("ifrs-full:Revenue", 1_000), year("ifrs-full:ProfitLoss", 100)], unit="SEK")
    both = [year(tag, value, "26001", "20-F", "2026-02-10") for tag, value in (("ifrs-full:Revenue", 95),)]
    found = build_statements(parse_companyfacts(merged(crowns, answer(both, unit="EUR"))).filings.values()).statements
    assert [(one.currency, one.amounts["revenue"], one.amounts["net_result"]) for one in found] == [
        ("SEK", 1_000, 100),
        ("EUR", 95, None),
    ]


def test_fact_that_the_filers_file_no_longer_has_is_no_figure() -> None:
    rows = present(read(body([year(SALES, 100)])))
    withdrawn = {name: frame.with_columns(_retired_at=pl.lit(SEEN)) for name, frame in rows.items()}
    heights = [
        financials_mapping.to_shared_tables(found, SEEN.date())["financials_reported"].height
        for found in (rows, withdrawn)
    ]
    assert heights == [1, 0]
