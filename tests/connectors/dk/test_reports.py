"""Annual reports: scopes, periods, withheld revenue, duplicates, taxonomies; personal numbers are masked."""

import gzip
import io
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from connectors.contract.dataset import Batch, NotApplicable, RecognisedFile, UnreadableFileError
from connectors.dk.personal_numbers import mask_personal_numbers
from tests.connectors.dk.records import NUMBER, REPORTS, batches, piece, signals
from tests.connectors.dk.report_files import GROUP, LEI, PRIOR, YEAR, Report, full, named
from tests.tables import check_cases

FIGURES = ("revenue", "operating_result", "net_result", "equity", "total_assets", "employees")


def read(body: bytes, name: str = "report.xml") -> list[Batch]:
    return batches(REPORTS, body, name)


def rows(body: bytes) -> list[dict[str, Any]]:
    return list(read(body)[0].rows.iter_rows(named=True))


def own(body: bytes, *, group: bool = False) -> dict[str, Any]:
    (found,) = [row for row in rows(body) if not row["is_comparative"] and row["is_consolidated"] == group]
    return found


@check_cases("syntax", ["instance", "inline"])
def test_both_syntaxes_give_the_same_rows(syntax: str) -> None:
    found = rows(getattr(full(), syntax)())
    assert [(row["period_start"], row["is_comparative"]) for row in found] == [
        (date(2025, 1, 1), False),
        (date(2024, 1, 1), True),
    ]
    assert [found[0][name] for name in FIGURES] == [None, 150, 100, 500, 800, 5]
    assert [found[1][name] for name in FIGURES] == [None, 300, 200, 1000, 1600, 10]
    assert (found[0]["cvr_nummer"], found[0]["currency"], found[0]["standard"]) == (NUMBER, "DKK", "ÅRL B")


def test_revenue_that_is_withheld_stays_unknown_whatever_gross_profit_is() -> None:
    assert (own(full().instance())["revenue"], own(full().instance())["gross_result"]) == (None, 900)
    assert own(full().flow("Revenue", 3000).instance())["revenue"] == 3000


def test_a_group_has_figures_of_its_own_and_parts_are_not_taken() -> None:
    report = full().flow("Revenue", 9000, parts=GROUP).stock("Equity", 7000, parts=GROUP)
    part = (("cmn:Equity", "fsa:ContributedCapitalMember"),)
    report.stock("Equity", 40, parts=part).stock("Equity", 41, parts=(*GROUP, *part))
    assert (own(report.instance())["equity"], own(report.instance())["revenue"]) == (500, None)
    assert (own(report.instance(), group=True)["equity"], own(report.instance(), group=True)["revenue"]) == (7000, 9000)


@check_cases(("values", "found"), [((0, 1), 1), ((1, 0), 1), ((3, 4), None), ((0, 3, 4), None), ((2, 2), 2)])
def test_of_contradicting_facts_the_one_that_is_not_zero_counts_and_none_of_several(
    values: tuple[int, ...], found: int | None
) -> None:
    report = Report().year().flow("ProfitLoss", 1)
    for value in values:
        report.flow("AverageNumberOfEmployees", value, unit="xbrli:pure")
    assert own(report.instance())["employees"] == found
    said = {("conflicting_facts", "AverageNumberOfEmployees"): 1} if len(set(values)) > 1 else {}
    assert signals(read(report.instance())) == said


@pytest.mark.parametrize("values", [(1_000_000, 2_000_000), (2_000_000, 1_000_000)])
def test_amounts_that_contradict_each_other_are_none_and_nothing_stands_in(values: tuple[int, int]) -> None:
    """The order in a document is no evidence of which is meant."""
    report = Report().year().stock("LiabilitiesAndEquity", 790).flow("ProfitLoss", 5)
    for value in values:
        report.flow("Revenue", value).stock("Assets", value)
    found = own(report.flow("RevenueFromContractsWithCustomers", 7).instance())
    assert (found["revenue"], found["total_assets"], found["net_result"]) == (None, None, 5)
    assert signals(read(report.instance())) == {("conflicting_facts", "Assets"): 1, ("conflicting_facts", "Revenue"): 1}


@pytest.mark.parametrize("period", [("2024-12-31", "2024-01-01"), ("2019-01-01", "2024-12-31")])
def test_a_period_that_is_no_financial_year_is_told_and_no_comparative(period: tuple[str, str]) -> None:
    report = Report().year().flow("Revenue", 9).flow("Revenue", 7, PRIOR).flow("Revenue", 8, period)
    found = read(report.instance())
    assert [amount for batch in found for amount in batch.rows["revenue"]] == [9, 7]
    assert signals(found) == {("implausible_period", "no financial year"): 1}


@pytest.mark.parametrize(
    ("period", "codes"),
    [
        (YEAR, {"later_figures"}),  # the header is last year's: this year's results are left out
        (("2023-12-25", "2024-12-20"), {"overlapping_period"}),
        (("2024-01-01", "2024-12-28"), {"overlapping_period"}),
        (("2024-07-01", "2024-12-31"), set()),  # a part of the year
    ],
)
def test_results_of_other_periods_than_the_stated_year_are_told(period: tuple[str, str], codes: set[str]) -> None:
    found = read(Report().year(*PRIOR).flow("Revenue", 9, PRIOR).flow("Revenue", 7, period).instance())
    assert [amount for batch in found for amount in batch.rows["revenue"]] == [9]
    assert {code for code, _ in signals(found)} == codes


def test_results_that_begin_days_from_the_stated_year_are_of_their_own_days_and_told() -> None:
    report = Report().year().flow("Revenue", 9, ("2025-01-02", YEAR[1])).stock("Equity", 5)
    found = own(report.instance())
    assert (found["period_start"], found["revenue"], found["equity"]) == (date(2025, 1, 2), 9, 5)
    assert {code for code, _ in signals(read(report.instance()))} == {"other_first_day"}
    late = own(Report().year().flow("Revenue", 9, ("2025-02-01", YEAR[1])).instance())
    assert (late["period_start"], late["revenue"]) == (date(2025, 1, 1), None)


def test_a_stated_year_without_its_own_figures_is_told() -> None:
    found = read(Report().year().flow("Revenue", 9, PRIOR).instance())
    assert {code for code, _ in signals(found)} == {"empty_year"}
    assert signals(read(Report().year().instance())) == {}


def test_a_period_long_after_the_report_was_read_is_a_slip() -> None:
    report = Report().year("2052-01-01", "2052-12-31").flow("Revenue", 9, ("2052-01-01", "2052-12-31"))
    with pytest.raises(UnreadableFileError, match="its period ends on 2052-12-31"):
        read(report.instance())


def test_digits_below_the_stated_precision_are_told() -> None:
    body = Report().year().stock("Assets", 5123).flow("ProfitLoss", 101).instance()
    assert signals(read(body)) == {}
    assert signals(read(body.replace(b'decimals="0"', b'decimals="-3"'))) == {("finer_than_decimals", "amounts"): 2}


def test_statements_that_do_not_balance_are_counted() -> None:
    report = Report().year().stock("Assets", 800).stock("LiabilitiesAndEquity", 790)
    assert signals(read(report.instance())) == {("unbalanced", "total_assets"): 1}
    assert own(report.instance())["total_assets"] == 800
    assert own(Report().year().stock("LiabilitiesAndEquity", 790).instance())["total_assets"] == 790


@check_cases(
    "uri",
    [
        "http://xbrl.dcca.dk/fsa",
        "http://archprod.service.eogs.dk/taxonomy/20121115/fsa",
        "http://rep.oio.dk/eogs/xbrl.gov/fsa",
    ],
)
def test_taxonomies_are_known_by_the_end_of_their_namespace(uri: str) -> None:
    assert own(Report(names={"fsa": uri}).year().flow("Revenue", 7).instance())["revenue"] == 7


def test_a_fact_of_a_foreign_taxonomy_is_no_figure() -> None:
    assert own(Report(names={"fsa": "http://example.org/own"}).year().flow("Revenue", 7).instance())["revenue"] is None


def test_ifrs_of_a_company_and_of_a_group() -> None:
    report = Report().year().flow("ifrs:Revenue", 5).flow("ifrs:Revenue", 9, parts=GROUP)
    report.flow("ifrs:ProfitLossFromOperatingActivities", 2).flow("ifrs:ProfitLoss", 1).stock("ifrs:Assets", 20)
    found = own(report.instance())
    assert [found[name] for name in FIGURES] == [5, 2, 1, None, 20, None]
    assert (found["standard"], own(report.instance(), group=True)["revenue"]) == ("IFRS", 9)


def test_an_esef_report_is_the_groups_and_names_no_cvr_number() -> None:
    separate = (("ifrs:ConsolidatedAndSeparateFinancialStatementsAxis", "ifrs:SeparateMember"),)
    report = Report("549300ABCDEFGHIJKL12", LEI).flow("ifrs:Revenue", 5).flow("ifrs:Revenue", 1, parts=separate)
    assert (own(report.inline(), group=True)["revenue"], own(report.inline())["revenue"]) == (5, 1)
    assert {row["cvr_nummer"] for row in rows(report.inline())} == {None}


def test_the_number_of_the_contexts_counts_where_none_is_stated() -> None:
    assert own(Report().flow("Revenue", 5).instance())["cvr_nummer"] == NUMBER


def test_the_period_is_the_longest_that_ends_last_where_none_is_stated() -> None:
    report = (
        Report().flow("ProfitLoss", 9, ("2025-10-01", YEAR[1])).flow("ProfitLoss", 30).flow("ProfitLoss", 40, PRIOR)
    )
    found = own(report.instance())
    assert (found["period_start"], found["net_result"]) == (date(2025, 1, 1), 30)
    assert ("assumed_year", "the document does not state its period") in signals(read(report.instance()))


def test_a_first_year_may_last_eighteen_months_and_no_longer() -> None:
    long = ("2024-07-01", YEAR[1])
    found = own(Report().year(*long).flow("ProfitLoss", 5, long).instance())
    assert (found["period_start"], found["net_result"]) == (date(2024, 7, 1), 5)
    absurd = Report().year("2020-01-01", YEAR[1]).flow("ProfitLoss", 5)
    assert own(absurd.instance())["period_start"] == date(2025, 1, 1)


def test_a_report_without_figures_is_a_row_of_nulls() -> None:
    found = own(Report().year().instance())
    assert [found[name] for name in FIGURES] == [None] * 6
    assert (found["period_end"], found["size"]) == (date(2025, 12, 31), 0)


def test_amounts_in_another_currency_are_in_that_currency() -> None:
    assert own(Report().year().flow("Revenue", 7, unit="iso4217:EUR").instance())["currency"] == "EUR"


@check_cases(("kind", "is_interim"), [("Årsrapport", False), ("Halvårsrapport", True), ("Quarterly report", True)])
def test_the_kind_of_a_report(kind: str, is_interim: bool) -> None:
    report = Report().year().text("InformationOnTypeOfSubmittedReport", kind).flow("Revenue", 7)
    assert own(report.instance())["is_interim"] is is_interim


@check_cases(
    ("name", "found"), [(named(), ("urn:ofk:oid:9366144", 1)), ("report.xml", (None, None)), ("a~b.xml", (None, None))]
)
def test_the_name_says_of_which_publication_a_document_is(name: str, found: object) -> None:
    row = read(full().instance(), name)[0].rows.row(0, named=True)
    assert (row["publikation"], row["nummer"]) == found


@check_cases(
    ("body", "reason"),
    [
        (full().instance(), None),
        (gzip.compress(full().inline()), None),  # gzip that no header announces
        (b"%PDF-1.7", "PDF"),
        (b"PK\x03\x04", "zip"),
        (b"<!doctype html><html><body>404</body></html>", "no XBRL"),
    ],
)
def test_documents_are_recognised_by_their_bytes(body: bytes, reason: str | None) -> None:
    found = REPORTS.recognise_file("regnskaber/x", body)
    assert isinstance(found, RecognisedFile) if reason is None else isinstance(found, NotApplicable)
    if isinstance(found, NotApplicable):
        assert (reason or "") in found.reason


@check_cases("body", [b"<html><body>no</body></html>", full().instance()[:-400], Report().instance()])
def test_what_is_no_report_is_rejected(body: bytes) -> None:
    with pytest.raises(UnreadableFileError):
        read(body)


def test_gzip_is_read_as_such() -> None:
    plain, packed = (
        read(body)[0].rows.drop("document_sha256") for body in (full().inline(), gzip.compress(full().inline()))
    )
    assert plain.equals(packed)
    assert replace(piece(REPORTS, b""), name="x").name == "x"


@check_cases(
    ("text", "masked"),
    [
        ("født 010203-1234, bor", "født ******-****, bor"),
        ("CPR-nr. 0102031234 og", "CPR-nr. ******-**** og"),
        ("cpr: 010203 1234", "cpr: ******-****"),
        ("P-nummer 1001201234", "P-nummer 1001201234"),
        ("oid 4010203-12345", "oid 4010203-12345"),
        ("321203-1234", "321203-1234"),  # no such day
        ("2025-01-01 2024-12-31", "2025-01-01 2024-12-31"),
    ],
)
def test_personal_numbers_are_masked(text: str, masked: str) -> None:
    assert mask_personal_numbers(text.encode()) == masked.encode()


def test_a_report_is_archived_without_personal_numbers_and_reads_the_same() -> None:
    assert REPORTS.redact is not None
    body = full().text("DateOfGeneralMeeting", "dirigent 010203-1234").inline()
    archived = REPORTS.redact(io.BytesIO(gzip.compress(body))).read()
    assert b"010203-1234" not in archived
    assert read(archived)[0].rows.equals(read(body)[0].rows)
    for hidden in (b"PK\x03\x04zip", body.decode().encode("utf-16-le"), b"\xff\xfe<a>"):
        assert b"unreadable" in REPORTS.redact(io.BytesIO(hidden)).read()
    wide = body.decode().replace("UTF-8", "UTF-16").encode("utf-16")
    masked = REPORTS.redact(io.BytesIO(wide)).read()
    assert "010203-1234" not in masked.decode("utf-16")
    assert read(masked)[0].rows.equals(read(body)[0].rows)
