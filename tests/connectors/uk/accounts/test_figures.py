"""Figures of accounts, which and in what units: docs/formats/uk.md 9.2 and 9.4, pitfalls 12 to 14 and 16."""

from datetime import date
from typing import Any

import pytest

from connectors.uk.accounts.document import parse_accounts_document
from tests.tables import check_cases

YEAR = "2017-01-01/2017-12-31"
LAST = "2016-01-01/2016-12-31"
END = "2017-12-31"
BEFORE = "2016-12-31"


def test_pitfall_12_values_are_signed_scaled_zero_dashed_and_prefixes_mean_nothing(blank: Any, own: Any) -> None:
    for version in ("2008", "2013"):
        page = blank(version)
        page.number("TurnoverRevenue", "1,234", YEAR, more='scale="3" format="ixt:numdotdecimal"')
        page.number("ProfitLoss", "-5", YEAR)
        page.number("OperatingProfitLoss", "-", YEAR, more='format="ixt:zerodash"')
        page.number("Equity", "7<ix:exclude>9</ix:exclude>", END)
        row = own(page.read())
        assert (row.revenue, row.net_result, row.operating_result, row.equity) == (1_234_000, -5, 0, 7)


@pytest.mark.parametrize(("kind", "dormant"), [("booleantrue", True), ("booleanfalse", False)])
def test_pitfall_12_the_format_of_an_empty_boolean_decides(blank: Any, kind: str, dormant: bool) -> None:
    page = blank()
    page.text("EntityDormantTruefalse", "", YEAR, more=f'format="ixt:{kind}"')
    assert page.read().is_dormant is dormant


@check_cases(("period", "dormant"), [(LAST, None), ("/" + LAST.partition("/")[2], None), (YEAR, True), (END, True)])
def test_dormancy_flag_of_last_year_says_nothing_of_this_one(blank: Any, period: str, dormant: bool | None) -> None:
    page = blank()
    page.number("Equity", 7, END)
    page.text("StartDateForPeriodCoveredByReport", YEAR.partition("/")[0], YEAR)
    page.text("EntityDormantTruefalse", "true", period)
    assert page.read().is_dormant is dormant


@check_cases("name", ["EntityDormantTruefalse", "CompanyDormant", "CompanyNotDormant"])
def test_dormancy_flags_that_contradict_each_other_say_nothing_and_are_signalled(blank: Any, name: str) -> None:
    page = blank()
    page.number("Equity", 7, END)
    page.text(name, "true", YEAR)
    page.text(name, "false", YEAR)
    page.text("EntityDormant", "true", YEAR)  # which would stand in for it
    document = page.read()
    assert document.is_dormant is (True if name != "EntityDormantTruefalse" else None)
    assert (("conflicting_facts", name) in document.signals) == (name == "EntityDormantTruefalse")


def test_dormancy_flag_of_the_own_period_counts_beside_another_of_its_last_day(blank: Any) -> None:
    page = blank()
    page.number("Equity", 7, END)
    page.text("EntityDormantTruefalse", "true", YEAR)
    page.text("EntityDormantTruefalse", "false", END, "ShareCapital")
    document = page.read()
    assert (document.is_dormant, dict(document.signals)) == (True, {})


def test_pitfall_12_names_split_over_spans_are_joined(blank: Any) -> None:
    page = blank()
    page.text("EntityCurrentLegalOrRegisteredName", "<span>ACME</span>  <span>&amp; SONS\nLTD</span>", YEAR)
    assert page.read().name == "ACME & SONS LTD"


@check_cases(
    ("text", "more", "value"),
    [
        ("12345", 'scale="-2"', 123),
        ("1.5", 'scale="6" decimals="-5"', 1_500_000),
        ("1,234", 'format="ixt:numcommadot"', 1234),
        ("1.234", 'format="ixt:numdotcomma"', 1234),
        ("1\u00a0234", 'format="ixt:numspacedot"', 1234),
        ("1,234", 'format="ns9:numdotdecimalblahblah"', 1234),
        ("<b>1,</b><i>234</i>", "", 1234),
        ("–", 'format="ixt:numdash"', 0),
        ("–", "", None),
        ("", "", None),
        ("(5)", "", None),
        ("5", 'xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"', None),
    ],
)
def test_pitfall_12_the_printed_text_by_its_format_scale_and_sign(
    blank: Any, text: str, more: str, value: int | None
) -> None:
    for sign in (1, -1):
        page = blank()
        page.number("ProfitLoss", text, YEAR, more=more + (' sign="-"' if sign < 0 else ""))
        page.number("Equity", 5, END)
        (row,) = page.read().rows
        assert row.net_result == (value if value is None else sign * value)
    assert (("unaccepted_text", "no transform") in page.read().signals) is (text == "(5)")


@check_cases("prefix", ["core", "uk-core", "ns5", "d", "frs102-core"])
def test_pitfall_12_prefixes_mean_nothing(blank: Any, own: Any, prefix: str) -> None:
    page = blank()
    page.number("Equity", 5, END)
    page.context(YEAR)
    body = page.body().replace(b"x7:", prefix.encode() + b":").replace(b"xmlns:x7=", b"xmlns:%s=" % prefix.encode())
    assert own(parse_accounts_document("Prod223_2125_01234567_20171231.html", body)).equity == 5


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("&quot;1 C O&quot; LIMITED", '"1 C O" LIMITED'),
        ("! LIMITED", "! LIMITED"),
        ("SMITH, JONES &amp; CO. LTD", "SMITH, JONES & CO. LTD"),
        ("CAF\u00c9 &#8217;N LTD", "CAF\u00c9 \u2019N LTD"),
    ],
)
def test_pitfall_23_names_with_quotes_marks_commas_and_ampersands(blank: Any, written: str, name: str) -> None:
    page = blank()
    page.text("EntityCurrentLegalOrRegisteredName", written, YEAR)
    assert page.read().name == name


@pytest.mark.parametrize(
    ("written", "number", "told"), [("1234567", "01234567", 0), ("SC1234", "01234567", 1), ("n/a", "01234567", 0)]
)
def test_pitfall_2_numbers_in_bodies_drop_zeros_and_the_file_name_counts(
    blank: Any, written: str, number: str, told: int
) -> None:
    page = blank()
    page.text("UKCompaniesHouseRegisteredNumber", written, YEAR)
    page.number("Equity", 5, END)
    document = page.read()
    assert document.number == number
    assert document.signals["other_company_number", "than in the file's name, which counts"] == told


def test_pitfall_13_an_xml_instance_names_the_company_where_the_number_was_due(own: Any) -> None:
    body = b"""<?xml version="1.0"?><xbrl xmlns="http://www.xbrl.org/2003/instance"
 xmlns:pt="http://www.xbrl.org/uk/fr/gaap/pt/2004-12-01" xmlns:ae="http://www.companieshouse.gov.uk/ef/xbrl/ae"
 xmlns:iso4217="http://www.xbrl.org/2003/iso4217"><ae:CompanyNotDormant contextRef="y">true</ae:CompanyNotDormant>
<ae:EntityCurrentLegalName contextRef="y">Wend Ltd</ae:EntityCurrentLegalName>
<ae:CompaniesHouseRegisteredNumber contextRef="y"> 2204793 </ae:CompaniesHouseRegisteredNumber>
<ae:BalanceSheetDate contextRef="e">2016-09-29</ae:BalanceSheetDate>
<ae:DateAccountsReceived contextRef="e">2017-05-10</ae:DateAccountsReceived>
<pt:ShareholderFunds precision="6" contextRef="e" unitRef="currency_thisyear"> -88596 </pt:ShareholderFunds>
<unit id="currency_thisyear"><measure>iso4217:GBP</measure></unit>
<context id="y"><entity><identifier scheme="WCM/results">Wend Ltd</identifier></entity><period>
<startDate>2015-09-30</startDate><endDate>2016-09-29</endDate></period></context>
<context id="e"><entity><identifier scheme="WCM/results">Wend Ltd</identifier></entity><period>
<instant>2016-09-29</instant></period></context></xbrl>"""
    document = parse_accounts_document("anything.xml", body)
    assert (document.number, document.name, document.is_dormant) == ("02204793", "Wend Ltd", False)
    assert (document.received, document.balance_date) == (date(2017, 5, 10), date(2016, 9, 29))
    row = own(document)
    assert (row.equity, row.currency, row.period.start) == (-88596, "GBP", date(2015, 9, 30))


def test_pitfall_14_group_and_company_never_mix(blank: Any, own: Any) -> None:
    page = blank()
    page.number("ProfitLoss", 100, YEAR, "Consolidated")
    page.number("Equity", 900, END, "Consolidated")
    page.number("Equity", 50, END)
    page.number("AverageNumberEmployeesDuringPeriod", 7, YEAR, unit="pure")
    document = page.read()
    group, company = own(document, group=True), own(document)
    assert (group.net_result, group.equity, group.employees) == (100, 900, None)
    assert (company.net_result, company.equity, company.employees) == (None, 50, 7)


def test_pitfall_14_turnover_of_a_group_tagged_by_segment_total_is_the_groups(blank: Any, own: Any) -> None:
    page = blank()
    page.number("ProfitLoss", 100, YEAR, "Consolidated")
    page.number("TurnoverRevenue", 5, YEAR, "Europe")
    page.number("TurnoverRevenue", 12, YEAR, "TotalGeographicSegmentsIncludingAnyUnallocatedAmount")
    page.number("Equity", 50, END)
    document = page.read()
    assert own(document, group=True).revenue == 12
    assert own(document).revenue is None
    assert ("group_total_by_segment", "TurnoverRevenue") in document.signals


def test_the_total_of_segments_counts_where_nothing_is_undimensioned(blank: Any, own: Any) -> None:
    page = blank()
    page.number("TurnoverRevenue", 12, YEAR, "TotalGeographicSegmentsIncludingAnyUnallocatedAmount")
    assert own(page.read()).revenue == 12
    page.number("TurnoverRevenue", 13, YEAR)
    assert own(page.read()).revenue == 13


def test_group_result_falls_back_to_the_owners_share_only_for_the_group(blank: Any, own: Any) -> None:
    page = blank()
    page.number("ProfitLossAttributableToOwnersParent", 80, YEAR, "Consolidated")
    page.number("ProfitLossAttributableToOwnersParent", 70, YEAR)
    page.number("Equity", 1, END)
    document = page.read()
    assert own(document, group=True).net_result == 80
    assert own(document).net_result is None


def test_parts_are_never_totals_and_net_assets_stand_in(blank: Any, own: Any) -> None:
    page = blank()
    page.number("Equity", 100, END, "ShareCapital")
    page.number("ProfitLoss", 3, YEAR, "PriorPeriodIncreaseDecrease")
    page.number("NetAssetsLiabilities", 250, END, "Company")
    row = own(page.read())
    assert (row.equity, row.net_result) == (250, None)


def test_a_restated_amount_is_valid_where_it_stands_alone(blank: Any) -> None:
    page = blank()
    page.number("Equity", 10, END)
    page.number("Equity", 8, BEFORE, "RestatedAmount")
    page.number("NetAssetsLiabilities", 9, BEFORE)
    page.number("ProfitLoss", 2, LAST, "RestatedAmount")
    page.context(YEAR)
    (_, before) = page.read().rows
    assert (before.equity, before.net_result, before.period.is_comparative) == (8, 2, True)


def test_a_restated_amount_counts_beside_another_without_dimension_and_is_signalled(blank: Any) -> None:
    page = blank()
    page.number("Equity", 10, END)
    page.number("Equity", 9, BEFORE)
    page.number("Equity", 8, BEFORE, "RestatedAmount")
    page.number("ProfitLoss", 2, LAST)
    page.number("ProfitLoss", 2, LAST, "RestatedAmount")
    page.context(YEAR)
    document = page.read()
    (_, before) = document.rows
    assert (before.equity, before.net_result) == (8, 2)
    assert dict(document.signals) == {("conflicting_facts", "Equity"): 1}


def test_pitfall_16_absent_turnover_is_null_not_zero(blank: Any, own: Any) -> None:
    page = blank()
    page.number("Equity", 5, END)
    page.context(YEAR)
    row = own(page.read())
    assert (row.revenue, row.operating_result, row.net_result, row.employees) == (None, None, None, None)


@check_cases(
    ("text", "more", "heads"),
    [
        ("2.5", "", 3),
        ("2.4", "", 2),
        ("-3", "", 3),
        ("2017 - 2", "", 2),
        ("Total: 3", "", 3),
        ("31 December 2017 - 2", "", 2),
        # of two numbers the last one is the year before's, or a part
        ("2023: 5 2022: 4", "", None),
        ("2017 - 2, 2016 - 3", "", None),
        ("Directors: 2, staff: 30", "", None),
        ("2017 - 12", 'format="ixt:numdotdecimal"', 12),
        ("10 - 20", "", None),  # a range
        ("none", "", None),
        ("99999999999999999999999999999999", "", None),
    ],
)
def test_employees_round_half_up_and_lose_sign_and_words(
    blank: Any, own: Any, text: str, more: str, heads: int | None
) -> None:
    page = blank()
    page.number("AverageNumberEmployeesDuringPeriod", text, YEAR, unit="pure", more=more)
    page.number("Equity", 5, END)
    assert own(page.read()).employees == heads


@pytest.mark.parametrize(("text", "units"), [("2.5", 2), ("3.5", 4), ("-2.5", -2), ("9" * 25, None)])
def test_money_rounds_half_to_even(blank: Any, own: Any, text: str, units: int | None) -> None:
    page = blank()
    page.number("ProfitLoss", text, YEAR)
    page.number("Equity", 5, END)
    assert own(page.read()).net_result == units


def test_the_currency_is_the_facts_own_and_mixtures_are_told(blank: Any, own: Any) -> None:
    page = blank()
    page.number("Equity", 5, END, unit="USD")
    page.number("FixedAssets", 5, END, unit="USD")
    page.number("ProfitLoss", 4, YEAR, unit="EUR")
    page.number("TurnoverRevenue", 4, YEAR, unit="pure")
    document = page.read()
    row = own(document)
    assert (row.currency, row.equity, row.net_result, row.revenue) == ("USD", 5, None, None)
    assert {("mixed_currencies", "EUR"), ("no_currency", "TurnoverRevenue")} <= set(document.signals)


@pytest.mark.parametrize("units", [("USD", "EUR"), ("EUR", "USD")])
def test_of_two_currencies_with_as_many_amounts_neither_is_that_of_the_accounts(
    blank: Any, own: Any, units: tuple[str, str]
) -> None:
    page = blank()
    for unit, number in zip(units, (5, 4), strict=True):
        page.number("Equity", number, END, unit=unit)
        page.number("ProfitLoss", number, YEAR, unit=unit)
    page.number("AverageNumberEmployeesDuringPeriod", 3, YEAR, unit="pure")
    document = page.read()
    row = own(document)
    assert (row.currency, row.equity, row.net_result, row.employees) == (None, None, None, 3)
    assert {("mixed_currencies", "EUR"), ("mixed_currencies", "USD")} <= set(document.signals)


def test_figures_of_contradicting_repeats_are_none_unless_another_total_confirms_one(blank: Any, own: Any) -> None:
    page = blank()
    page.number("Equity", 5, END)
    page.number("Equity", 6, END)
    page.number("NetAssetsLiabilities", 6, END)
    page.number("ProfitLoss", 1, YEAR)
    page.number("ProfitLoss", 2, YEAR)
    page.number("OperatingProfitLoss", 3, YEAR)
    document = page.read()
    row = own(document)
    assert (row.equity, row.net_result, row.operating_result) == (6, None, 3)
    assert {("conflicting_facts", "Equity"), ("conflicting_facts", "ProfitLoss")} <= set(document.signals)


def test_figures_of_a_contradicted_concept_are_not_taken_from_the_next_concept(blank: Any, own: Any) -> None:
    page = blank()
    page.number("TurnoverRevenue", 1_000_000, YEAR)
    page.number("TurnoverRevenue", 2_000_000, YEAR)
    page.number("Revenue", 700, YEAR)
    page.number("ProfitLoss", 50, YEAR)
    row = own(page.read())
    assert (row.revenue, row.net_result) == (None, 50)


def test_figures_of_two_totals_that_both_find_confirmation_are_none(blank: Any, own: Any) -> None:
    page = blank()
    page.number("Equity", 5, END)
    page.number("Equity", 6, END)
    page.number("NetAssetsLiabilities", 5, END)
    page.number("ShareholderFunds", 6, END)
    page.number("ProfitLoss", 1, YEAR)
    assert own(page.read()).equity is None


@check_cases(
    ("sheet", "due", "is_told"),
    [
        ({"CurrentAssets": 1_000, "NetAssetsLiabilities": -500, "Equity": -500}, -500, False),
        ({"CurrentAssets": 1_000, "NetAssetsLiabilities": -500, "Equity": 500}, None, True),
        ({"CurrentAssets": 1_000, "NetAssetsLiabilities": 500, "Equity": -500}, None, True),
        ({"NetAssetsLiabilities": 500, "Equity": -500}, None, True),
        # every amount of the sheet has the sign of a ledger: assets are no debts
        ({"CurrentAssets": -1_000, "NetAssetsLiabilities": -500, "Equity": 500}, 500, True),
        ({"CurrentAssets": 1_000, "NetAssetsLiabilities": 0, "Equity": 0}, 0, False),
    ],
)
def test_equity_and_net_assets_of_opposite_signs_are_none_and_signalled(
    blank: Any, own: Any, sheet: dict[str, int], due: int | None, is_told: bool
) -> None:
    page = blank()
    for name, amount in sheet.items():
        page.number(name, amount, END)
    page.number("ProfitLoss", 1, YEAR)
    document = page.read()
    assert own(document).equity == due
    assert (("conflicting_facts", "Equity, NetAssetsLiabilities") in document.signals) == is_told


@check_cases(("scale", "is_told"), [("", True), ('scale="3"', False)])
def test_amounts_with_digits_below_their_precision_are_signalled(
    blank: Any, own: Any, scale: str, is_told: bool
) -> None:
    page = blank()
    for name, amount in (("TurnoverRevenue", 1_234), ("ProfitLoss", 56)):
        page.number(name, amount, YEAR, more=f'decimals="-3" {scale}')
    document = page.read()
    assert own(document).revenue == (1_234 if is_told else 1_234_000)
    assert (("finer_than_decimals", "amounts") in document.signals) == is_told


def test_figures_of_earlier_periods_alone_are_signalled(blank: Any) -> None:
    page = blank()
    page.text("BalanceSheetDate", END, END)
    page.number("TurnoverRevenue", 5, LAST)
    document = page.read()
    assert [row.period.is_comparative for row in document.rows] == [True]
    assert set(document.signals) == {("no_own_figures", "of the balance date")}


def test_amounts_of_a_period_of_the_other_type_are_left_out_and_signalled(blank: Any, own: Any) -> None:
    page = blank()
    page.number("Equity", 5, YEAR)
    page.number("ProfitLoss", 6, END)
    page.number("TurnoverRevenue", 7, YEAR)
    document = page.read()
    assert (own(document).equity, own(document).net_result, own(document).revenue) == (None, None, 7)
    assert {("wrong_period_type", "Equity"), ("wrong_period_type", "ProfitLoss")} == set(document.signals)


@check_cases(
    ("heads", "due"),
    [
        ((4, 9), None),
        ((0, 1), None),  # half a person is no rounding of both
        ((12, 13), None),
        ((12, 12), 12),
    ],
)
def test_headcounts_that_contradict_each_other_are_none(
    blank: Any, own: Any, heads: tuple[int, int], due: int | None
) -> None:
    page = blank()
    for count in heads:
        page.number("AverageNumberEmployeesDuringPeriod", count, YEAR, unit="pure", more='decimals="0"')
    page.number("ProfitLoss", 1, YEAR)
    document = page.read()
    assert own(document).employees == due
    assert (("conflicting_facts", "AverageNumberEmployeesDuringPeriod") in document.signals) == (due is None)


def test_a_headcount_and_its_rounding_agree(blank: Any, own: Any) -> None:
    page = blank()
    page.number("AverageNumberEmployeesDuringPeriod", 13, YEAR, unit="pure", more='decimals="0"')
    page.number("AverageNumberEmployeesDuringPeriod", "12.6", YEAR, unit="pure", more='decimals="1"')
    page.number("ProfitLoss", 1, YEAR)
    assert own(page.read()).employees == 13


def test_charities_and_partnerships_have_their_own_words(blank: Any, own: Any) -> None:
    page = blank()
    page.number("IncomeEndowments", 9, YEAR)
    page.number("NetIncomeExpenditureBeforeTransfersBetweenFundsOtherRecognisedGainsLosses", 4, YEAR)
    page.number("CharityFunds", 7, END)
    row = own(page.read())
    assert (row.revenue, row.net_result, row.equity) == (9, 4, 7)
    page = blank()
    page.number("TotalMembersInterests", 6, END)
    page.context(YEAR)
    assert own(page.read("Prod223_3384_OC437536_20171231.html")).equity == 6
