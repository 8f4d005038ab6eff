"""Figures of annual reports: periods, scopes, precision, signs (pitfall 5)."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.contract.dataset import UnreadableFileError
from tests.connectors.se.report_files import (
    COMMON,
    COMPANY,
    GROUP,
    PRIOR,
    THIRD,
    YEAR,
    Report,
    audit,
    batches,
    full,
    own,
    rows,
    signals,
)
from tests.tables import check_cases


def test_pitfall_5_contexts_and_units_are_known_by_dates_and_measures() -> None:
    found = own(batches(full().bytes()))
    assert (found["revenue"], found["operating_result"], found["net_result"]) == (1_000_000, 200_000, 150_000)
    assert (found["total_assets"], found["equity"], found["employees"]) == (900_000, 400_000, 3)
    assert (found["period_start"], found["period_end"]) == (date(2025, 1, 1), date(2025, 12, 31))
    assert (found["currency"], found["framework"], found["organisationsnummer"]) == ("SEK", "K3", "5560000001")


@pytest.mark.parametrize("edition", ["2017-09-30", "2020-12-01", "2021-10-31", "2031-01-01"])
def test_pitfall_5_every_edition_of_the_namespaces_is_read(edition: str) -> None:
    assert own(batches(Report(edition=edition).flow("Nettoomsattning", "5").bytes()))["revenue"] == 5


@pytest.mark.parametrize("order", [1, -1])
def test_pitfall_5_of_thousands_and_kronor_the_kronor_count(order: int) -> None:
    said = [("1 235", {"scale": "3", "decimals": "-3"}), ("1 234 567", {})]
    report = Report()
    for text, extra in said[::order]:
        report.flow("Nettoomsattning", text, **extra)
    found = batches(report.bytes())
    assert own(found)["revenue"] == 1_234_567
    assert signals(found) == {}


def test_pitfall_5_repeats_that_contradict_are_flagged() -> None:
    report = Report().flow("Nettoomsattning", "9 000", scale="3", decimals="-3").flow("Nettoomsattning", "1 234 567")
    assert signals(batches(report.bytes())) == {("conflicting_facts", "Nettoomsattning"): 1}


@pytest.mark.parametrize("order", [1, -1])
def test_pitfall_5_an_overview_cut_instead_of_rounded_is_told_and_the_statement_counts(order: int) -> None:
    said = [("2 649", {"scale": "3", "decimals": "-3"}), ("2 649 812", {})]
    report = Report()
    for text, extra in said[::order]:
        report.flow("Nettoomsattning", text, **extra)
    found = batches(report.bytes())
    assert own(found)["revenue"] == 2_649_812
    assert signals(found) == {("conflicting_facts", "Nettoomsattning"): 1}


def test_pitfall_5_exact_counts_before_whole_kronor() -> None:
    report = Report().flow("Nettoomsattning", "7", decimals="0").flow("Nettoomsattning", "9")
    assert own(batches(report.bytes()))["revenue"] == 9


@pytest.mark.parametrize("coarse", [[], [("1 234", {"scale": "3", "decimals": "-3"})]])
def test_pitfall_5_most_precise_repeats_that_contradict_give_no_value(coarse: list) -> None:
    report = Report().flow("Rorelseresultat", "7")
    for text, extra in [*coarse, ("1 234 567", {}), ("9 000 000", {})]:
        report.flow("Nettoomsattning", text, **extra)
    found = batches(report.bytes())
    assert own(found)["revenue"] is None
    assert signals(found) == {("conflicting_facts", "Nettoomsattning"): 1}


@check_cases(
    ("text", "said", "value"),
    [
        ("1 000", {"sign": "-"}, -1000),
        ("2\u00a0650\u00a0000", {}, 2_650_000),
        ("2\u2009650", {}, 2650),
        ("3", {"scale": "6", "decimals": "-6"}, 3_000_000),
        ("<b>1</b> 000", {}, 1000),
        ("0", {}, 0),
        ("-", {}, None),
        ("", {}, None),
        ("-", {"format": "ixt:zerodash"}, 0),
    ],
)
def test_pitfall_5_signs_scales_and_spellings(text: str, said: dict[str, str], value: int | None) -> None:
    report = Report().flow("Rorelseresultat", text, **said).flow("Nettoomsattning", "7")
    assert own(batches(report.bytes()))["operating_result"] == value


def test_pitfall_5_group_and_company_are_told_by_their_segments() -> None:
    report = (
        Report()
        .flow("Nettoomsattning", "10", segment=COMPANY)
        .flow("Nettoomsattning", "30", segment=GROUP)
        .stock("EgetKapital", "5", segment=GROUP)
        .flow("Nettoomsattning", "99", segment=COMMON)
        .flow("Nettoomsattning", "20", PRIOR, segment=GROUP)
    )
    found = batches(report.bytes())
    assert (own(found)["revenue"], own(found)["equity"]) == (10, None)
    assert (own(found, True)["revenue"], own(found, True)["equity"]) == (30, 5)
    assert rows(found).height == 3
    assert signals(found) == {}


def test_a_segment_or_dimension_nobody_knows_is_a_part_and_told() -> None:
    report = Report().flow("Nettoomsattning", "10", segment="AnnatSegment").flow("Nettoomsattning", "7")
    report.flow("Nettoomsattning", "8", dimension="MarknadAxis")
    found = batches(report.bytes())
    assert own(found)["revenue"] == 7
    assert signals(found) == {("unknown_segment", "AnnatSegment"): 1, ("unknown_dimension", "MarknadAxis"): 1}


def test_names_that_only_begin_alike_are_other_things() -> None:
    report = (
        Report().flow("NettoomsattningTjanster", "10").flow("Rorelseresultat", "7").stock("EgetKapitalSkulder", "9")
    )
    found = own(batches(report.bytes()))
    assert (found["revenue"], found["equity"], found["total_assets"]) == (None, None, 9)


def test_a_gross_result_is_no_revenue() -> None:
    found = own(batches(Report().flow("BruttoresultatKostnadsslagsindelad", "10").bytes()))
    assert (found["revenue"], found["gross_result"]) == (None, 10)


def test_the_result_in_equity_counts_where_no_statement_has_it() -> None:
    assert own(batches(Report().stock("AretsResultatEgetKapital", "10").bytes()))["net_result"] == 10
    both = Report().stock("AretsResultatEgetKapital", "10").flow("AretsResultat", "11")
    assert own(batches(both.bytes()))["net_result"] == 11


def test_result_of_the_other_sign_in_equity_leaves_it_unknown_and_told() -> None:
    report = Report().flow("AretsResultat", "150").stock("AretsResultatEgetKapital", "150", sign="-")
    found = batches(report.stock("EgetKapital", "400").bytes())
    assert (own(found)["net_result"], own(found)["equity"]) == (None, 400)
    assert signals(found) == {("conflicting_facts", "AretsResultatEgetKapital"): 1}


@check_cases(
    ("other", "said", "is_told"),
    [("900", {}, True), ("1 000", {}, False), ("1", {"scale": "3", "decimals": "-3"}, False)],
)
def test_two_totals_of_a_balance_that_differ_are_told(other: str, said: dict[str, str], is_told: bool) -> None:
    report = Report().stock("Tillgangar", "1 000").stock("EgetKapitalSkulder", other, **said)
    found = batches(report.bytes())
    assert own(found)["total_assets"] == 1_000
    assert signals(found) == ({("unbalanced", "total_assets"): 1} if is_told else {})


@check_cases(
    ("name", "text", "scale", "due"),
    [
        ("BeloppsformatList", "se-mem-base:BeloppsformatTusentalMember", "0", None),
        ("Beloppsformat", "TUSENTAL", "0", None),
        ("Beloppsformat", "MILJONTAL", "3", None),
        ("BeloppsformatList", " se-mem-base:BeloppsformatTusentalMember ", "3", 5_123_000),
        ("BeloppsformatList", "se-mem-base:BeloppsformatNormalformMember", "0", 5_123),
    ],
)
def test_amounts_in_another_unit_than_the_document_states_are_none(
    name: str, text: str, scale: str, due: int | None
) -> None:
    report = Report().word(name, text)
    for concept, amount in (("Nettoomsattning", "5 123"), ("AretsResultat", "101")):
        report.flow(concept, amount, scale=scale)
    report.stock("EgetKapital", "4 000", scale=scale).flow("MedelantaletAnstallda", "3", unit="AntalAnstallda")
    found = batches(report.bytes())
    assert (own(found)["revenue"], own(found)["employees"]) == (due, 3)
    assert (("other_scale", "Beloppsformat") in signals(found)) == (due is None)


@check_cases(
    ("decimals", "amounts", "is_told"),
    [("-3", ("5 123", "101"), True), ("-3", ("5 000", "101 000"), False), ("0", ("5 123", "101"), False)],
)
def test_digits_below_the_stated_precision_are_told(decimals: str, amounts: tuple[str, str], is_told: bool) -> None:
    report = Report()
    for concept, amount in zip(("Nettoomsattning", "AretsResultat"), amounts, strict=True):
        report.flow(concept, amount, decimals=decimals)
    found = batches(report.bytes())
    assert own(found)["revenue"] == int(amounts[0].replace(" ", ""))
    assert (("finer_than_decimals", "amounts") in signals(found)) == is_told


@check_cases(
    ("text", "is_told"), [("se-mem-base:ValutaEuroMember", True), ("se-mem-base:ValutaSvenskaKronorMember ", False)]
)
def test_another_currency_than_the_document_states_is_told(text: str, is_told: bool) -> None:
    found = batches(full().word("RedovisningsvalutaHandlingList", text).bytes())
    assert (("other_currency", "EUR") in signals(found)) == is_told


@check_cases("second", ["250 000", "99 999 999 999 999 999 999 999"])
def test_a_result_that_is_no_value_is_not_replaced_by_the_line_in_equity(second: str) -> None:
    """Contradicted by a repeat, or out of range: the house's rule is that no next concept stands in."""
    report = Report().flow("Nettoomsattning", "5").flow("AretsResultat", second).stock("AretsResultatEgetKapital", "1")
    found = own(batches((report.flow("AretsResultat", "7") if len(second) < 10 else report).bytes()))
    assert (found["net_result"], found["revenue"]) == (None, 5)


@check_cases("period", [("2024-12-31", "2024-01-01"), ("2019-01-01", "2024-12-31")])
def test_a_period_that_is_no_financial_year_is_told_and_no_comparative(period: tuple[str, str]) -> None:
    found = batches(full().flow("Nettoomsattning", "7", PRIOR).flow("Nettoomsattning", "8", period).bytes())
    assert rows(found)["revenue"].to_list() == [1_000_000, 7]
    assert signals(found) == {("implausible_period", "no financial year"): 1}


@pytest.mark.parametrize(
    ("period", "codes"),
    [
        (YEAR, {"later_figures"}),
        (("2023-12-25", "2024-12-20"), {"overlapping_period"}),
        (("2024-01-01", "2024-12-28"), {"overlapping_period"}),
        (("2024-07-01", "2024-12-31"), set()),
    ],
)
def test_results_of_other_periods_than_the_stated_year_are_told(period: tuple[str, str], codes: set[str]) -> None:
    found = batches(full(PRIOR).flow("Nettoomsattning", "7", period).bytes())
    assert rows(found)["revenue"].to_list() == [1_000_000]
    assert {code for code, _ in signals(found)} == codes


def test_results_that_begin_days_from_the_stated_year_are_of_their_own_days_and_told() -> None:
    report = Report().flow("Nettoomsattning", "9", ("2025-01-02", YEAR[1])).stock("EgetKapital", "5")
    found = own(batches(report.bytes()))
    assert (found["period_start"], found["revenue"], found["equity"]) == (date(2025, 1, 2), 9, 5)
    assert {code for code, _ in signals(batches(report.bytes()))} == {"other_first_day"}


def test_a_year_long_after_the_report_was_read_is_a_slip() -> None:
    """Served, it would be the company's latest year."""
    with pytest.raises(UnreadableFileError, match="its year ends on 2052-12-31"):
        batches(full(("2052-01-01", "2052-12-31")).bytes())


def test_the_overview_gives_earlier_years_and_says_so() -> None:
    report = full().flow("Nettoomsattning", "900", PRIOR).flow("Rorelseresultat", "90", PRIOR)
    report.flow("Nettoomsattning", "1", THIRD, scale="3", decimals="-3")
    found = rows(batches(report.bytes())).sort("period_end")
    assert found.select("revenue", "is_comparative", "is_overview").rows() == [
        (1000, True, True),
        (900, True, False),
        (1_000_000, False, False),
    ]


@pytest.mark.parametrize(
    "year", [("2024-07-01", "2025-12-31"), ("2025-11-01", "2025-12-31"), ("2024-05-01", "2025-04-30")]
)
def test_long_short_and_broken_years_keep_their_days(year: tuple[str, str]) -> None:
    found = own(batches(full(year).bytes()))
    assert (str(found["period_start"]), str(found["period_end"])) == year


def test_a_year_that_is_not_stated_is_the_longest_that_ends_last() -> None:
    report = Report().flow("Nettoomsattning", "10").flow("Nettoomsattning", "3", ("2025-10-01", "2025-12-31"))
    report.flow("Nettoomsattning", "8", PRIOR)
    report.named = False
    found = batches(report.bytes())
    assert own(found)["revenue"] == 10
    assert ("assumed_year", "the document does not state its year") in signals(found)


def test_euros_are_kept_and_a_second_currency_is_told() -> None:
    report = Report().flow("Nettoomsattning", "10", unit="iso4217:EUR").flow("Rorelseresultat", "2", unit="iso4217:EUR")
    found = batches(report.flow("AretsResultat", "9", unit="iso4217:SEK").bytes())
    assert (own(found)["currency"], own(found)["revenue"], own(found)["net_result"]) == ("EUR", 10, None)
    assert signals(found)["mixed_currencies", "SEK"] == 1


def test_full_time_equivalents_are_rounded_half_up() -> None:
    report = full().flow("Nettoomsattning", "1", PRIOR).flow("Rorelseresultat", "1", PRIOR)
    report.flow("MedelantaletAnstallda", "2,5", PRIOR, unit="AntalAnstallda", format="ixt:numcomma", decimals="1")
    assert rows(batches(report.bytes())).filter("is_comparative")["employees"].to_list() == [3]


@check_cases(("heads", "due"), [(("2", "3"), None), (("0", "1"), None), (("3", "3"), 3)])
def test_headcounts_that_contradict_each_other_are_none(heads: tuple[str, str], due: int | None) -> None:
    report = Report().flow("Nettoomsattning", "1")
    for count in heads:
        report.flow("MedelantaletAnstallda", count, unit="AntalAnstallda", decimals="0")
    found = batches(report.bytes())
    assert own(found)["employees"] == due
    assert (("conflicting_facts", "MedelantaletAnstallda") in signals(found)) == (due is None)


@pytest.mark.parametrize("scale", ["25", "30"])
def test_amounts_that_no_register_means_are_told(scale: str) -> None:
    report = Report().flow("Nettoomsattning", "1", scale=scale, decimals="-3").flow("Rorelseresultat", "1")
    found = batches(report.bytes())
    assert own(found)["revenue"] is None
    assert signals(found) == {("amount_out_of_range", "revenue"): 1}


def test_audit_words_are_not_the_companys_but_mark_the_report() -> None:
    report = full().word("Organisationsnummer", "559999-0000", "a").word("UttalandeText", "Vi", "a")
    found = own(batches(report.word("Arsstamma", "2026-03-01", "b").bytes()))
    assert (found["organisationsnummer"], found["is_audited"], found["adopted_date"]) == (
        "5560000001",
        True,
        date(2026, 3, 1),
    )


@check_cases("body", [b"", b"<html/>", b"%PDF-1.4", audit().bytes(), full().bytes()[:-200], full().bytes()[:900]])
def test_what_is_no_report_is_unreadable(body: bytes) -> None:
    with pytest.raises(UnreadableFileError):
        batches(body)


def test_a_persons_number_is_no_company_and_not_told() -> None:
    with pytest.raises(UnreadableFileError) as told:
        batches(full(number="1212121212").bytes())
    assert "121212" not in str(told.value)


@settings(max_examples=50)
@given(st.integers(min_value=0, max_value=2**40), st.integers(min_value=0, max_value=6))
def test_any_rounding_of_a_value_agrees_with_it(value: int, digits: int) -> None:
    coarse = round(value, -digits) // 10**digits
    report = Report(YEAR).flow("Nettoomsattning", str(coarse), scale=str(digits), decimals=str(-digits))
    found = batches(report.flow("Nettoomsattning", str(value)).bytes())
    assert own(found)["revenue"] == value
    assert signals(found) == {}
