"""xBRL-JSON: periods with exclusive ends, instants at midnight after, which of several facts counts."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from connectors.contract.dataset import UnreadableFileError
from tests.connectors.esef.esef_bodies import CLOSING, LEI, OPENING, OTHER, fact, path, read, report, row, statements


def test_ends_are_exclusive_and_instants_are_the_midnight_after() -> None:
    found = row(*statements())
    assert (found["period_start"], found["period_end"]) == (date(2025, 1, 1), date(2025, 12, 31))
    assert (found["prior_start"], found["prior_end"]) == (date(2024, 1, 1), date(2024, 12, 31))
    assert (found["Equity"], found["Assets"], found["prior_Equity"]) == (40, 90, 4)
    assert (found["Revenue"], found["prior_Revenue"], found["currency"], found["lei"]) == (100, 9, "EUR", LEI)


def test_facts_cut_by_a_dimension_are_no_totals() -> None:
    axis = {"ifrs-full:ComponentsOfEquityAxis": "ifrs-full:RetainedEarningsMember"}
    separate = {"ifrs-full:ConsolidatedAndSeparateFinancialStatementsAxis": "ifrs-full:SeparateMember"}
    cut = [fact("Equity", 1, CLOSING, dimensions=axis), fact("Revenue", 2, dimensions=separate)]
    found = row(*cut, *statements())
    assert (found["Equity"], found["Revenue"]) == (40, 100)


def test_of_repeated_facts_the_most_precise_counts() -> None:
    given = [fact("Revenue", 101_000_000, decimals=-6), fact("Revenue", 100_700_123, decimals=0)]
    assert row(*statements(Revenue=None), *given)["Revenue"] == 100_700_123


def test_facts_that_contradict_each_other_are_none_and_are_told() -> None:
    batch = read(report(*statements(), fact("Revenue", 555, decimals=0)))
    assert batch.rows["Revenue"].to_list() == [None]
    assert [(signal.code, signal.subject) for signal in batch.signals] == [("contradicting_facts", "Revenue")]


@pytest.mark.parametrize(("other", "decimals", "codes"), [(91, 0, ["unbalanced"]), (90, 0, []), (100, -1, [])])
def test_two_totals_of_a_balance_that_differ_are_told(other: int, decimals: int, codes: list[str]) -> None:
    given = [fact("Assets", 95, CLOSING, decimals=0)] if decimals < 0 else []
    facts = statements() if not given else [one for one in statements() if one["value"] != "90"]
    total = fact("EquityAndLiabilities", other, CLOSING, decimals=decimals)
    batch = read(report(*facts, *given, total))
    assert batch.rows["Assets"].to_list() == [95 if given else 90]
    assert [signal.code for signal in batch.signals] == codes


@pytest.mark.parametrize(("value", "codes"), [(5_123, ["finer_than_decimals"]), (5_000, [])])
def test_digits_below_the_stated_precision_are_told(value: int, codes: list[str]) -> None:
    facts = [fact(name, value, decimals=-3) for name in ("Revenue", "ProfitLoss")]
    batch = read(report(*facts))
    assert batch.rows["Revenue"].to_list() == [value]
    assert [signal.code for signal in batch.signals] == codes


def test_facts_of_another_issuer_in_the_report_are_none_of_its_own() -> None:
    """A subsidiary or a guarantor: its revenue is not the issuer's, nor does its year decide."""
    other = fact("Revenue", 777, dimensions={"entity": f"lei:{OTHER}"})
    later = [
        fact(name, 7, "2026-01-01T00:00:00/2027-01-01T00:00:00", dimensions={"entity": f"lei:{OTHER}"})
        for name in ("Revenue", "ProfitLoss")
    ]
    batch = read(report(*statements(Revenue=None), other, *later))
    (found,) = batch.rows.to_dicts()
    assert (found["lei"], found["Revenue"], found["ProfitLoss"]) == (LEI, None, 15)
    assert found["period_end"] == date(2025, 12, 31)
    assert [signal.code for signal in batch.signals] == ["several_entities"]


def test_amounts_without_a_currency_are_none_and_told() -> None:
    batch = read(report(fact("Revenue", 100, unit="xbrli:pure"), fact("Equity", 4, CLOSING, unit="xbrli:pure")))
    (found,) = batch.rows.to_dicts()
    assert (found["currency"], found["Revenue"], found["Equity"]) == (None, None, None)
    assert [(signal.code, signal.count) for signal in batch.signals] == [("no_currency", 2)]


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_currencies_with_as_many_amounts_neither_is_the_reports(order: int) -> None:
    given = [fact("Revenue", 100), fact("ProfitLoss", 10)]
    given += [fact("Revenue", 1100, unit="iso4217:SEK"), fact("ProfitLoss", 110, unit="iso4217:SEK")]
    batch = read(report(*given[::order]))
    (found,) = batch.rows.to_dicts()
    assert (found["currency"], found["Revenue"], found["ProfitLoss"]) == (None, None, None)
    assert [(signal.code, signal.subject) for signal in batch.signals] == [("mixed_currencies", "EUR SEK")]


@pytest.mark.parametrize(("written", "heads", "codes"), [("12.5", 13, []), ("-12", None, ["unreadable_value"])])
def test_people_are_rounded_half_up_and_never_less_than_none(written: str, heads: int | None, codes: list) -> None:
    batch = read(report(*statements(), fact("AverageNumberOfEmployees", written, unit="xbrli:pure")))
    assert batch.rows["AverageNumberOfEmployees"].to_list() == [heads]
    assert [signal.code for signal in batch.signals] == codes


def test_headcounts_as_precise_as_each_other_that_differ_are_none() -> None:
    heads = [fact("AverageNumberOfEmployees", count, unit="xbrli:pure", decimals=0) for count in (12, 13)]
    batch = read(report(*statements(), *heads))
    assert batch.rows["AverageNumberOfEmployees"].to_list() == [None]
    assert [(signal.code, signal.subject) for signal in batch.signals] == [
        ("contradicting_facts", "AverageNumberOfEmployees")
    ]


@pytest.mark.parametrize("zone", ["Z", "+01:00", "-05:00"])
def test_midnight_is_that_of_the_zone_that_is_written(zone: str) -> None:
    year = f"2025-01-01T00:00:00{zone}/2026-01-01T00:00:00{zone}"
    found = row(fact("Revenue", 5, year), fact("ProfitLoss", 4, year), fact("Equity", 3, f"2026-01-01T00:00:00{zone}"))
    assert (found["period_start"], found["period_end"]) == (date(2025, 1, 1), date(2025, 12, 31))
    assert (found["Revenue"], found["Equity"]) == (5, 3)


def test_pitfall_filings_xbrl_org_wrong_period_end() -> None:
    """Dates of later meetings and slips are tagged too: the statements' own year counts."""
    later = fact("DividendsProposed", 7, "2026-01-01T00:00:00/2026-05-01T00:00:00")
    slip = fact("ProfitLoss", 7, "4171-01-01T00:00:00/4172-01-01T00:00:00")
    founded = fact("Revenue", 7, "1998-01-01T00:00:00/2026-01-01T00:00:00")
    found = row(*statements(), later, slip, founded)
    assert (found["period_start"], found["period_end"]) == (date(2025, 1, 1), date(2025, 12, 31))
    assert found["Revenue"] == 100


def test_a_year_long_after_the_report_was_read_is_none() -> None:
    slip = [fact(name, 7, "2052-01-01T00:00:00/2053-01-01T00:00:00") for name in ("Revenue", "ProfitLoss")]
    assert row(*statements(), *slip)["period_end"] == date(2025, 12, 31)
    with pytest.raises(UnreadableFileError, match="no period that statements could cover"):
        read(report(*slip))


def test_a_quarter_beside_the_year_is_not_the_year() -> None:
    quarter = [fact(name, 1, "2025-10-01T00:00:00/2026-01-01T00:00:00") for name in ("Revenue", "ProfitLoss")]
    assert row(*statements(), *quarter)["period_start"] == date(2025, 1, 1)


def test_a_changed_year_keeps_its_length() -> None:
    long = "2024-07-01T00:00:00/2026-01-01T00:00:00"
    before = "2023-07-01T00:00:00/2024-07-01T00:00:00"
    found = row(fact("Revenue", 5, long), fact("Revenue", 4, before), fact("Assets", 3, CLOSING))
    assert (found["period_start"], found["prior_start"]) == (date(2024, 7, 1), date(2023, 7, 1))
    assert (found["Revenue"], found["prior_Revenue"], found["Assets"]) == (5, 4, 3)


def test_extension_concepts_are_null() -> None:
    own = fact("fsc:AdjustedOperatingResult", 21)
    found = row(*statements(ProfitLossFromOperatingActivities=None), own)
    assert found["ProfitLossFromOperatingActivities"] is None


@pytest.mark.parametrize(
    ("given", "due", "is_told"),
    [
        ({"InsuranceRevenue": 20}, ("InsuranceRevenue", 20), False),
        ({"InsuranceRevenue": 20, "RevenueFromInterest": 3}, ("InsuranceRevenue", 20), False),
        ({"InsuranceRevenue": 20, "RevenueFromInterest": 90}, None, True),  # a bank with an insurer in its group
        ({"RevenueFromContractsWithCustomers": 9, "InterestRevenueExpense": 90}, None, True),
        ({"RevenueFromContractsWithCustomers": 9, "InsuranceRevenue": 20}, ("InsuranceRevenue", 20), False),
        (
            {"RevenueFromContractsWithCustomers": 30, "InsuranceRevenue": 20},
            ("RevenueFromContractsWithCustomers", 30),
            False,
        ),
        ({"Revenue": 7, "RevenueFromInterest": 90}, ("Revenue", 7), False),
    ],
)
def test_part_of_the_revenue_that_is_smaller_than_another_is_no_total(
    given: dict[str, int], due: tuple[str, int] | None, is_told: bool
) -> None:
    facts = [fact(name, value) for name, value in given.items() if name != "Revenue"]
    batch = read(report(*statements(Revenue=given.get("Revenue")), *facts))
    (found,) = batch.rows.to_dicts()
    chain = ("Revenue", "RevenueFromContractsWithCustomers", "InsuranceRevenue")
    assert next(((name, found[name]) for name in chain if found[name] is not None), None) == due
    assert (("partial_revenue", "Revenue") in {(one.code, one.subject) for one in batch.signals}) == is_told


def test_amounts_in_a_currency_that_is_none_are_null_and_told() -> None:
    text = json.dumps(statements()).replace("iso4217:EUR", "iso4217:XYZ")
    found = row(*json.loads(text))
    assert (found["Revenue"], found["currency"]) == (None, None)


def test_other_units_and_currencies_are_left() -> None:
    more = [
        fact("Revenue", 108, unit="iso4217:USD"),
        fact("ProfitLoss", 3, unit="iso4217:EUR/xbrli:shares"),
        fact("AverageNumberOfEmployees", 12, unit="xbrli:pure"),
        fact("NumberOfEmployees", 13, CLOSING, unit=None),
    ]
    found = row(*statements(), *more)
    assert (found["Revenue"], found["ProfitLoss"], found["currency"]) == (100, 15, "EUR")
    assert (found["AverageNumberOfEmployees"], found["NumberOfEmployees"]) == (12, 13)


def test_prefixes_are_the_reports_own() -> None:
    spaces = {"i": "https://xbrl.ifrs.org/taxonomy/2022-03-24/ifrs-full", "c": "http://www.xbrl.org/2003/iso4217"}
    facts = json.loads(json.dumps(statements()).replace("ifrs-full:", "i:").replace("iso4217:", "c:"))
    assert row(*facts, namespaces=spaces)["Revenue"] == 100
    with pytest.raises(UnreadableFileError, match="no undimensioned IFRS facts"):
        row(*statements(), namespaces=spaces)


def test_nil_and_text_are_no_numbers() -> None:
    text = fact("DisclosureOfRevenue", "<p>words</p>", unit=None)
    broken = fact("Assets", "ninety", "2030-01-01T00:00:00")
    batch = read(report(*statements(Revenue=None), fact("Revenue", None), text, broken))
    assert batch.rows["Revenue"].to_list() == [None]
    assert [(signal.code, signal.subject) for signal in batch.signals] == [("unreadable_value", "Assets")]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"documentInfo": {"documentType": "https://xbrl.org/2021/xbrl-csv"}, "facts": {}}', "xbrl-csv"),
        (b'{"documentInfo": {}, "facts": ', "expected xBRL-JSON"),
        (report(), "no undimensioned IFRS facts"),
        (report(fact("Assets", 1, CLOSING)), "no period that"),
    ],
)
def test_what_is_no_report_is_unreadable(body: bytes, said: str) -> None:
    with pytest.raises(UnreadableFileError, match=said):
        read(body)


def test_a_report_of_nobody_is_unreadable() -> None:
    with pytest.raises(UnreadableFileError, match="not an LEI"):
        read(report(*statements()).replace(LEI.encode(), b"5560000000"))


def test_a_report_is_known_by_its_place_on_the_site() -> None:
    body = report(*statements())
    assert read(body, path(1)).rows["report"].to_list() == [f"{LEI}-2025-12-31-ESEF-FI-1"]
    assert read(body, "esef/copy-fi.json").rows["report"].to_list() == ["copy-fi"]


@pytest.mark.parametrize("period", ["2025-01-01/2025-12-31", "2025-01-01/2026-01-01", "2026-01-01"])
def test_a_period_without_a_clock_is_none_of_the_format_and_told(period: str) -> None:
    batch = read(report(*statements(Revenue=None), fact("Revenue", 1, period)))
    assert batch.rows["Revenue"].to_list() == [None]
    assert [(signal.code, signal.subject) for signal in batch.signals] == [("unreadable_value", "period")]


@pytest.mark.parametrize("decimals", [-1_000_000_000, 10**9, "-1000000000", "INF"])
def test_decimals_that_no_arithmetic_bears_are_bounded(decimals: object) -> None:
    facts = [fact("Revenue", 100, decimals=decimals), fact("Revenue", 100.0, decimals=0)]
    assert row(*statements(Revenue=None), *facts)["Revenue"] == 100
    read(report(*statements(), fact("Revenue", 101, decimals=decimals)))


def test_decimals_written_as_text_are_read() -> None:
    facts = [fact("Revenue", 101_000_000, decimals="-6"), fact("Revenue", 100_700_123, decimals="0")]
    assert row(*statements(Revenue=None), *facts)["Revenue"] == 100_700_123


def test_a_contradicted_concept_is_not_replaced_by_the_next_of_its_chain() -> None:
    parent = [fact("EquityAttributableToOwnersOfParent", 30, day) for day in (CLOSING, OPENING)]
    batch = read(report(*statements(), *parent, fact("Equity", 77, CLOSING, decimals=0)))
    (found,) = batch.rows.to_dicts()
    assert (found["Equity"], found["EquityAttributableToOwnersOfParent"]) == (None, None)
    assert (found["prior_Equity"], found["prior_EquityAttributableToOwnersOfParent"]) == (4, 30)
    assert [(signal.code, signal.subject) for signal in batch.signals] == [("contradicting_facts", "Equity")]


def test_genuine_report(sources: Path) -> None:
    name = "esef_fi_fsecure_2022-12-31_xbrl-json_trimmed.json"
    (found,) = read((sources / "fi" / name).read_bytes(), name).rows.to_dicts()
    assert (found["lei"], found["currency"]) == ("9845006BFDJF0375E466", "EUR")
    assert (found["period_start"], found["period_end"]) == (date(2022, 1, 1), date(2022, 12, 31))
    figures = {
        "Revenue": 111_017_000,
        "ProfitLossFromOperatingActivities": 38_770_000,
        "ProfitLoss": 30_153_000,
        "Equity": 24_804_000,
        "Assets": 62_667_000,
    }
    assert {name: found[name] for name in figures} == figures


@pytest.mark.parametrize("name", [".json", "reports/.esef.json"])
def test_a_report_whose_file_has_no_name_is_refused(name: str) -> None:
    """Nothing would be its number in the register, and an empty one stops the market."""
    with pytest.raises(UnreadableFileError, match="the file name does not identify the report"):
        read(report(*statements()), name)
