"""Whose accounts, under which rules, and documents that say too little or are damaged."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.kit.xml.parse import MalformedMarkupError
from connectors.uk.accounts.document import NotAccountsError, company_number, parse_accounts_document, parse_file_name
from tests.tables import check_cases

NAME = "Prod223_2125_01234567_20171231.html"
YEAR = "2017-01-01/2017-12-31"
END = "2017-12-31"
BEFORE = "2016-12-31"


@check_cases(
    ("schema", "member", "standard"),
    [
        ("https://xbrl.frc.org.uk/FRS-102/2019-01-01/a.xsd", "Micro-entities", "FRS105"),
        ("https://xbrl.frc.org.uk/FRS-102/2019-01-01/a.xsd", None, "FRS102"),
        ("https://xbrl.frc.org.uk/FRS-102/2019-01-01/a.xsd", "FRS101", "FRS101"),
        ("https://xbrl.frc.org.uk/FRS-102/2019-01-01/a.xsd", "FullIFRS", "IFRS"),
        ("https://xbrl.frc.org.uk/FRS-102/2014-09-01/a.xsd", "FRSSE", "FRSSE"),
        ("https://xbrl.frc.org.uk/FRS-101/2024-01-01/a.xsd", None, "FRS101"),
        ("https://xbrl.frc.org.uk/FRS-105/2026-01-01/a.xsd", None, "FRS105"),
        ("https://xbrl.frc.org.uk/IFRS/2014-09-01/a.xsd", None, "IFRS"),
        ("http://www.xbrl.org/uk/gaap/core/2009-09-01/a.xsd", None, "UKGAAP"),
        ("http://elsewhere/a.xsd", None, None),
    ],
)
def test_the_standard_is_a_member_else_the_taxonomy(
    blank: Any, schema: str, member: str | None, standard: str | None
) -> None:
    page = blank(schema=schema)
    page.number("Equity", 2, END)
    if member:
        page.text("AccountingStandardsApplied", "", YEAR, member)
    page.text("AccountsTypeFullOrAbbreviated", "", YEAR, "AbridgedAccounts")
    document = page.read()
    assert (document.standard, document.accounts_type) == (standard, "AbridgedAccounts")


def test_an_unknown_standard_is_told_and_the_taxonomy_counts(blank: Any) -> None:
    page = blank()
    page.number("Equity", 2, END)
    page.text("AccountingStandardsApplied", "", YEAR, "OtherStandards")
    document = page.read()
    assert document.standard == "FRS102"
    assert ("unknown_accounting_standard", "OtherStandards") in document.signals


def test_amended_accounts_say_so(blank: Any) -> None:
    page = blank()
    page.text("ReportAnAmendedRevisedVersionPreviouslyFiledReportTruefalse", "true", YEAR)
    assert page.read().is_amendment


@check_cases(
    ("text", "number"),
    [
        ("1234567", "01234567"),
        (" SC 1234 ", "SC001234"),
        ("oc437536", "OC437536"),
        ("A Name Ltd", None),
        ("Acme Ltd", None),
        ("IP12345R", "IP12345R"),
        ("", None),
        (None, None),
    ],
)
def test_company_numbers(text: str | None, number: str | None) -> None:
    assert company_number(text) == number


def test_names_of_members() -> None:
    assert parse_file_name("Prod223_3951_15052776_20240831_CIC.zip!/CIC-15052776/accounts/x.xhtml") == (
        "15052776",
        date(2024, 8, 31),
    )
    assert parse_file_name("Prod224_0042_NI681295_20221340.html") == ("NI681295", None)
    assert parse_file_name("accounts.html") == (None, None)


def test_what_is_nobodys_or_of_no_day_or_nothing_is_told(blank: Any) -> None:
    page = blank()
    page.number("SomethingElse", 2, END)
    with pytest.raises(NotAccountsError, match="nothing that is tagged"):
        page.read()
    page = blank()
    page.text("EntityDormantTruefalse", "true", YEAR)
    with pytest.raises(NotAccountsError, match="balance date"):
        page.read("accounts.html")
    page.number("Equity", 2, END)
    with pytest.raises(NotAccountsError, match="company number"):
        parse_accounts_document("accounts.html", page.body().replace(b"01234567", b"Acme Ltd"))


def test_a_document_of_two_numbers_is_of_no_company_unless_its_file_says_of_which(blank: Any) -> None:
    page = blank()
    page.number("Equity", 2, END)
    for number in ("01234567", "07654321"):
        page.text("UKCompaniesHouseRegisteredNumber", number, YEAR)
    with pytest.raises(NotAccountsError, match="several company numbers: 01234567, 07654321"):
        page.read("accounts.html")
    document = page.read(NAME)
    assert document.number == "01234567"
    assert "other_company_number" in {code for code, _ in document.signals}


def other_company(body: bytes, context: str) -> bytes:
    """The body, with one context of another company."""
    head, begin, tail = body.partition(f'<xbrli:context id="{context}">'.encode())
    return head + begin + tail.replace(b"01234567", b"07654321", 1)


def test_figures_of_another_company_are_left_out_and_signalled(blank: Any, own: Any) -> None:
    page = blank()
    page.number("Equity", 2, END)
    page.number("TurnoverRevenue", 999, YEAR)
    document = parse_accounts_document(NAME, other_company(page.body(), "c1"))
    assert (own(document).equity, own(document).revenue) == (2, None)
    assert document.signals["other_company_facts", "of contexts with another company number"] == 1
    with pytest.raises(NotAccountsError, match="several company numbers"):
        parse_accounts_document("accounts.html", other_company(page.body(), "c1"))


def test_contexts_of_another_company_alone_are_signalled_and_the_file_name_counts(blank: Any, own: Any) -> None:
    page = blank()
    page.number("Equity", 2, END)
    document = parse_accounts_document(NAME, page.body().replace(b"01234567", b"07654321"))
    assert (document.number, own(document).equity) == ("01234567", 2)
    assert dict(document.signals) == {("other_company_number", "in the contexts than in the file's name"): 1}


def test_receipt_before_the_balance_date_is_none_and_is_signalled(blank: Any) -> None:
    page = blank()
    page.number("Equity", 2, END)
    page.text("DateAccountsReceived", "2017-06-30", END)
    document = page.read()
    assert (document.received, document.signals["impossible_date", "DateAccountsReceived"]) == (None, 1)


def test_a_document_without_figures_has_no_row(blank: Any) -> None:
    page = blank()
    page.text("EntityDormantTruefalse", "true", YEAR)
    document = page.read()
    assert (document.rows, document.is_dormant, document.period.start) == ([], True, date(2017, 1, 1))


@settings(max_examples=200, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_changed_bytes_never_crash_the_mapping(blank: Any, data: st.DataObject) -> None:
    page = blank()
    page.number("ProfitLoss", 3, YEAR, more='scale="3" decimals="-3"')
    page.number("AverageNumberEmployeesDuringPeriod", 3, YEAR, unit="pure")
    page.number("Equity", 30, END)
    page.number("Equity", 20, BEFORE)
    page.text("BalanceSheetDate", END, YEAR)
    body = bytearray(page.body())
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(body) - 1))
        body[at : at + data.draw(st.integers(0, 5))] = data.draw(
            st.sampled_from([b"9", b"-", b"0000", b"", b"Z", b"<", b'"'])
        )
    try:
        document = parse_accounts_document(NAME, bytes(body))
    except (MalformedMarkupError, NotAccountsError):
        return
    assert all(isinstance(row.equity, int | None) and not isinstance(row.equity, Decimal) for row in document.rows)
