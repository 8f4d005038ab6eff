"""Accounts as other filers and other packagings send them: slips of dates and numbers, IFRS, loose packages."""

import gzip
import hashlib
import io
import zipfile
from datetime import UTC, date, datetime

import pytest

from connectors.contract.dataset import ArchiveMember, RecognisedFile, Scope
from connectors.uk.accounts import dataset as accounts_dataset
from connectors.uk.accounts.document import NotAccountsError, parse_accounts_document
from connectors.uk.accounts.schema import ACCOUNTS
from tests.tables import check_cases

AT = datetime(2026, 11, 1, tzinfo=UTC)
YEAR, END = "2017-01-01/2017-12-31", "2017-12-31"
BEFORE, BEFORE_END = "2016-01-01/2016-12-31", "2016-12-31"
UNNAMED = "accounts.xhtml"
IFRS = b"https://xbrl.ifrs.org/taxonomy/2023-03-23/ifrs-full"
CORE = b"http://xbrl.frc.org.uk/fr/2019-01-01/core"


def read(name, body):
    """Rows and rejects of one body handed in by itself."""
    piece = ArchiveMember(
        accounts_dataset.KEY, name, hashlib.sha256(body).hexdigest(), AT, Scope.PART, "b", lambda: io.BytesIO(body)
    )
    batches = [batch for part in accounts_dataset.split_members(piece) for batch in accounts_dataset.read_batches(part)]
    rows = [row for batch in batches if batch.table == ACCOUNTS.name for row in batch.rows.iter_rows(named=True)]
    return rows, [reject for batch in batches for reject in batch.rejects.iter_rows()]


def zipped(**members):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), body)
    return target.getvalue()


def two_years(blank, stated):
    page = blank()
    page.text("BalanceSheetDate", stated, END)
    for period, end, revenue in ((YEAR, END, 200), (BEFORE, BEFORE_END, 100)):
        page.number("TurnoverRevenue", revenue, period)
        page.number("Equity", revenue // 2, end)
        page.number("CurrentAssets", revenue, end)
    return page


def test_a_balance_date_left_from_last_year_does_not_hide_this_year(blank, own):
    document = two_years(blank, BEFORE_END).read()
    assert document.balance_date == date(2017, 12, 31)
    assert own(document).revenue == 200
    assert [row.revenue for row in document.rows if row.period.is_comparative] == [100]


def test_a_year_that_ended_within_a_week_of_its_reference_date_keeps_its_figures(blank, own):
    page = blank()
    page.text("BalanceSheetDate", END, END)
    page.number("TurnoverRevenue", 9, "2017-01-02/2017-12-30")
    page.number("Equity", 5, "2017-12-30")
    document = page.read()
    assert document.balance_date == date(2017, 12, 30)
    assert (own(document).revenue, own(document).equity) == (9, 5)


def test_a_balance_far_from_the_documents_day_is_not_taken_for_it(blank):
    page = blank()
    page.text("BalanceSheetDate", END, END)
    page.number("Equity", 5, "2017-12-20")
    assert page.read().balance_date == date(2017, 12, 31)


def entity(scheme, identifier):
    old = b'scheme="http://www.companieshouse.gov.uk/">01234567<'
    return lambda body: body.replace(old, f'scheme="{scheme}">{identifier}<'.encode())


@pytest.mark.parametrize(
    ("scheme", "identifier"),
    [
        ("http://standards.iso.org/iso/17442", "213800ABCDEFGHIJ1234"),
        ("http://www.software.example/clients", "1042"),
        ("Example Limited/results", "Example Limited"),
    ],
)
def test_other_numbering_schemes_make_no_company_number(blank, scheme, identifier):
    page = blank()
    page.number("Equity", 5, END)
    with pytest.raises(NotAccountsError, match="no company number"):
        parse_accounts_document(UNNAMED, entity(scheme, identifier)(page.body()))


@check_cases(
    ("scheme", "identifier", "number"),
    [
        ("http://www.companieshouse.gov.uk/", "1042", "00001042"),
        (" http://www.companieshouse.gov.uk/ ", "SC 1042", "SC001042"),
        ("http://www.companieshouse.gov.uk/01234568", "Example", "01234568"),
        ("01234568", "01234568", "01234568"),
        ("Example Limited/results", "1234568", "01234568"),
    ],
)
def test_a_number_in_full_or_of_companies_house_is_one(blank, scheme, identifier, number):
    page = blank()
    page.number("Equity", 5, END)
    assert parse_accounts_document(UNNAMED, entity(scheme, identifier)(page.body())).number == number


def ifrs(page, *, separate=False):
    body = page.body().replace(CORE, IFRS)
    if not separate:
        return body
    cut = b'dimension="a:GroupCompanyDataDimension">b:Company<'
    return body.replace(cut, b'dimension="a:ConsolidatedAndSeparateFinancialStatementsAxis">b:SeparateMember<')


def test_ifrs_statements_of_a_group_are_the_groups_and_the_separate_ones_the_companys(blank):
    page = blank()
    page.number("Revenue", 100, YEAR)
    page.number("Assets", 900, END)
    page.number("Equity", 500, END)
    page.number("Equity", 30, END, "Company")
    rows = {row.is_group: row for row in parse_accounts_document(page_name(), ifrs(page, separate=True)).rows}
    assert (rows[True].revenue, rows[True].equity, rows[True].total_assets) == (100, 500, 900)
    assert (rows[False].revenue, rows[False].equity, rows[False].total_assets) == (None, 30, None)


def page_name():
    return "Prod223_4000_01234567_20171231.html"


def test_a_share_of_owners_tells_that_ifrs_statements_are_a_groups(blank):
    page = blank()
    page.number("Equity", 500, END)
    page.number("EquityAttributableToOwnersOfParent", 450, END)
    (row,) = parse_accounts_document(page_name(), ifrs(page)).rows
    assert (row.is_group, row.equity) == (True, 500)


def test_ifrs_statements_without_any_sign_of_a_group_are_the_companys(blank):
    page = blank()
    page.number("Equity", 500, END)
    (row,) = parse_accounts_document(page_name(), ifrs(page)).rows
    assert row.is_group is False


def test_a_loose_document_is_recognised_in_utf16_and_packed(blank):
    page = blank()
    page.number("Equity", 5, END)
    wide = page.body().decode().encode("utf-16")
    for body in (wide, gzip.compress(page.body())):
        assert isinstance(accounts_dataset.recognise_file(f"accounts_ixbrl/{UNNAMED}", body), RecognisedFile)
        rows, rejects = read(UNNAMED, body)
        assert [row["equity"] for row in rows] == [5]
        assert rejects == []


def test_a_package_handed_in_by_itself_is_read_as_if_nested(blank):
    page = blank()
    page.number("Equity", 5, END)
    package = zipped(
        **{
            "CIC-01234567__accounts__mine_dot_xhtml": page.body(),
            "CIC-01234567__cic34__report_dot_html": b"<html/>",
            "CIC-01234567__cic34__report_dot_pdf": b"%PDF-1.4",
        }
    )
    rows, rejects = read("Prod223_4000_07654321_20171231_CIC.zip", package)
    assert [(row["company_number"], row["equity"], row["member"]) for row in rows] == [
        ("07654321", 5, "CIC-01234567/accounts/mine.xhtml")
    ]
    assert rejects == []


def test_a_package_without_accounts_says_so():
    _, rejects = read("Prod223_4000_07654321_20171231_CIC.zip", zipped(CIC__cic34__report_dot_html=b"<html/>"))
    assert [(record, reason) for record, reason, _ in rejects] == [
        ("Prod223_4000_07654321_20171231_CIC.zip", "a nested zip without an accounts document")
    ]


def test_a_part_of_the_year_with_more_figures_is_not_the_year(blank, own):
    page = blank()
    page.text("StartDateForPeriodCoveredByReport", "2017-01-01", YEAR)
    page.number("TurnoverRevenue", 100, YEAR)
    for name in ("TurnoverRevenue", "OperatingProfitLoss", "ProfitLoss"):
        page.number(name, 20, "2017-10-01/2017-12-31")  # since an acquisition
    row = own(page.read())
    assert (row.period.start, row.revenue, row.net_result) == (date(2017, 1, 1), 100, None)


def test_a_start_that_no_fact_has_gives_way_to_the_one_they_have(blank, own):
    page = blank()
    page.text("StartDateForPeriodCoveredByReport", "2016-06-01", BEFORE)
    page.number("TurnoverRevenue", 100, YEAR)
    assert own(page.read()).period.start == date(2017, 1, 1)
