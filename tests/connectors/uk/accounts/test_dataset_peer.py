"""Every genuine accounts file against stream-read-xbrl, the open parser that the United Kingdom's trade ministry has.

Figures are equal, or the difference is one of its known errors, each of which is proved from the file and listed
below with the files it spoils. Does not belong here: the reading written from docs/formats/uk.md
(`test_dataset_genuine`).
"""

from __future__ import annotations

import importlib
import sys
import types
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from connectors.kit.xbrl.facts import Fact
from connectors.kit.xbrl.instance import read_report
from connectors.uk.accounts.document import AccountsDocument, AccountsRow, parse_accounts_document

pytestmark = [pytest.mark.sources, pytest.mark.slow]

COLUMNS = {
    "revenue": "turnover_gross_operating_revenue",
    "operating_result": "operating_profit_loss",
    "net_result": "profit_loss_for_period",
    "equity": "shareholder_funds",
    "employees": "average_number_employees_during_period",
}
CONCEPTS = {
    "revenue": {"TurnoverRevenue", "TurnoverGrossOperatingRevenue"},
    "operating_result": {"OperatingProfitLoss"},
    "net_result": {"ProfitLoss", "ProfitLossForPeriod"},
    "equity": {"Equity", "ShareholderFunds"},
    "employees": {"AverageNumberEmployeesDuringPeriod", "EmployeesTotal"},
}
CLASS = "takes a class of equity for the whole"
GROUP = "takes the group's figure for the company's"
SEGMENT = "takes a segment for the whole"
ONE_NUMBER = "has one number of employees for all periods, not that of the newest"
NET_ASSETS = "knows no equity but what is called so, where only net assets are tagged"
CHARITY = "knows no words of charities"
AXES = {"GroupCompanyDataDimension": GROUP, "EquityClassesDimension": CLASS, "GeographicSegmentsDimension": SEGMENT}
# Its errors: the field they spoil, in the accounts of which companies (or loose files).
KNOWN = {
    (CLASS, "equity"): """
        00225951 00541560 00787985 03195231 04415655 09110532 09113928 09124261 09151417 09162869 09172336 09221756
        09239897 09355500 09364854 09368279 09513651 09627875 09652609 09669291 09676057 09680485 09707484 09716308
        09719678 09733085 09741170 09749826 09767796 09834783 09835877 09838043 09846950 09886696 09900460 09906832
        09941993 09958116 10092118 10535033 12040362 SC312961 account_5.html ch_validator_failure_duplicate_facts.xhtml
        ch_validator_success.xhtml""",
    (CLASS, "net_result"): "09680485",
    (GROUP, "revenue"): "11010959",
    (GROUP, "operating_result"): "11010959",
    (GROUP, "net_result"): "03195231 10535033 11010959 12040362",
    (SEGMENT, "revenue"): "12040362",
    (ONE_NUMBER, "employees"): """
        00541560 03195231 04415655 09368279 09707484 09847839 09906832 11010959 12040362""",
    (NET_ASSETS, "equity"): "09258374",
    (CHARITY, "revenue"): "09847839",
    (CHARITY, "net_result"): "09847839",
    (CHARITY, "equity"): "09847839",
}
NOT_READ = {  # files whose names it refuses; bytes given another name it does read
    "Prod223_3951_15052776_20240831_CIC.zip!/CIC-15052776/accounts/financialStatement.xhtml",
    "account_1.xml",
    "account_3.html",
    "account_5.html",
    "ch_validator_failure_duplicate_facts.xhtml",
    "ch_validator_success.xhtml",
}
DOCUMENTS = 276  # of the saved files; with others beside them the lists above are not all
Theirs = Mapping[str, Any]


@pytest.fixture(scope="module")
def documents(bodies: dict[str, bytes]) -> dict[str, tuple[AccountsDocument, bytes]]:
    return {name: (parse_accounts_document(name, body), body) for name, body in bodies.items()}


@pytest.fixture(scope="module")
def peer() -> types.ModuleType:
    """stream-read-xbrl; its typing-only import of an AWS client is given an empty stand-in."""
    stand_in = types.ModuleType("mypy_boto3_s3")
    stand_in.S3Client = object  # type: ignore[attr-defined]
    sys.modules.setdefault("mypy_boto3_s3", stand_in)
    try:
        return importlib.import_module("stream_read_xbrl")
    except ImportError as error:
        pytest.skip(f"stream-read-xbrl is not installed: {error}")


def _read(peer: types.ModuleType, name: str, body: bytes) -> list[Theirs]:
    """Its rows, one per period; none where it does not read the file."""
    rows: list[Theirs] = [dict(zip(peer._COLUMNS, row, strict=False)) for row in peer._xbrl_to_rows((name, body))]
    return [] if any(row["error"] for row in rows) else rows


def _renamed(name: str, document: AccountsDocument) -> str:
    """A name that it takes, for bytes that have another."""
    if name not in NOT_READ:
        return name
    ending = "xml" if name.endswith(".xml") else "html"
    return f"Prod223_0001_{document.number}_{document.balance_date:%Y%m%d}.{ending}"


@pytest.fixture(scope="module")
def readings(
    documents: dict[str, tuple[AccountsDocument, bytes]], peer: types.ModuleType
) -> dict[str, tuple[AccountsDocument, bytes, list[Theirs]]]:
    """Each file read by both, whatever its name."""
    return {
        name: (document, body, _read(peer, _renamed(name, document), body))
        for name, (document, body) in documents.items()
    }


def _place(name: str) -> str:
    return name.split("_")[2] if name.startswith("Prod") else name


def _days(row: AccountsRow, key: str) -> tuple[date, date]:
    return (row.period.end if key == "equity" else row.period.start), row.period.end


def _theirs(rows: list[Theirs], row: AccountsRow, key: str) -> Decimal | None:
    column = COLUMNS[key]
    if key == "employees":
        return rows[0][column]
    found = [period[column] for period in rows if (period["period_start"], period["period_end"]) == _days(row, key)]
    return next(iter(found), None)


def _pairs(
    rows: list[Theirs], document: AccountsDocument
) -> Iterator[tuple[AccountsRow, str, int | None, Decimal | None]]:
    """What both say of the company; it knows nothing of groups, and employees of one period only."""
    for row in document.rows:
        for key in COLUMNS:
            if not row.is_group and not (key == "employees" and row.period.is_comparative):
                yield row, key, getattr(row, key), _theirs(rows, row, key)


def _error(facts: list[Fact], row: AccountsRow, key: str, theirs: Decimal | None) -> str | None:
    """The error of it that makes the difference, as the file proves; None where there is none."""
    if theirs is None:
        if any(fact.name in {"CharityFunds", "IncomeEndowments"} for fact in facts):
            return CHARITY
        is_alone = not any(fact.name in CONCEPTS["equity"] for fact in facts)
        return NET_ASSETS if key == "equity" and is_alone else None
    told = [
        (fact.context.end, {cut.axis for cut in fact.context.dimensions})
        for fact in facts
        if fact.name in CONCEPTS[key]
        and fact.context is not None
        and fact.number is not None
        and (abs(fact.number) if key == "employees" else fact.number) == theirs
    ]
    if key == "employees":
        return ONE_NUMBER if any(end != row.period.end or axes for end, axes in told) else None
    axes = set[str]().union(*(axes for end, axes in told if end == row.period.end))
    return next((error for axis, error in AXES.items() if axis in axes), None)


def test_figures_equal_stream_read_xbrl_but_for_its_known_errors(
    readings: dict[str, tuple[AccountsDocument, bytes, list[Theirs]]],
) -> None:
    compared, unexplained, found = 0, [], defaultdict(set)
    for name, (document, body, rows) in readings.items():
        facts: list[Fact] = []
        for row, key, ours, theirs in _pairs(rows, document) if rows else ():
            compared += 1
            if ours == (None if theirs is None else round(theirs)):
                continue
            facts = facts or read_report(body).facts
            error = _error(facts, row, key, theirs)
            if error is None:
                unexplained.append(f"{name} {row.period.end} {key}: {ours}, theirs {theirs}")
            else:
                found[error, key].add(_place(name))
    assert unexplained == []
    assert compared > 2300
    if len(readings) == DOCUMENTS:
        assert found == {place: set(names.split()) for place, names in KNOWN.items()}


def test_company_day_name_and_dormancy_are_the_same(
    readings: dict[str, tuple[AccountsDocument, bytes, list[Theirs]]],
) -> None:
    for name, (document, _, (theirs, *_)) in readings.items():
        assert document.balance_date == theirs["balance_sheet_date"], name
        assert document.name is not None
        assert document.name.replace('"', "") == " ".join(theirs["entity_current_legal_name"].split()), name
        assert document.number == theirs["companies_house_registered_number"].strip().zfill(8), name
        # it reads the text of a boolean, which may be anything or nothing: the format decides
        assert theirs["company_dormant"] in {document.is_dormant, None}, name


def test_no_balance_of_the_two_periods_is_missed_that_it_has(
    readings: dict[str, tuple[AccountsDocument, bytes, list[Theirs]]],
) -> None:
    """What it has of other days are opening balances, one left from years ago, and one stated with two signs."""
    others = []
    for name, (document, _, rows) in readings.items():
        days = {row.period.end for row in document.rows}
        for row in rows:
            has = any(row[column] is not None for key, column in COLUMNS.items() if key != "employees")
            if has and row["period_end"] not in days:
                others.append((_place(name), row["period_end"].isoformat()))
    if len(readings) == DOCUMENTS:
        assert sorted(others) == [
            ("00541560", "2018-11-30"),
            ("03195231", "2018-06-30"),
            ("03331142", "2009-03-31"),
            ("04415655", "2018-12-31"),
            ("09160591", "2015-08-31"),
            ("09835877", "2018-01-01"),
            ("10535033", "2018-12-31"),
            ("account_1.xml", "2019-12-31"),  # equity as -1000 and as 1000: nothing says which is meant
        ]


def test_more_files_are_read_than_it_reads(
    readings: dict[str, tuple[AccountsDocument, bytes, list[Theirs]]], peer: types.ModuleType
) -> None:
    ours = {name for name, (document, _, _) in readings.items() if document.rows}
    refused = {name for name in NOT_READ if name in readings and not _read(peer, name, readings[name][1])}
    theirs = {name for name, (*_, rows) in readings.items() if rows} - refused
    assert ours == set(readings)
    assert theirs < ours
    assert ours - theirs >= NOT_READ
    if len(readings) == DOCUMENTS:
        assert (len(ours), len(theirs)) == (276, 270)
