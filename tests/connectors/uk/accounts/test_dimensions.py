"""Company, group and parts: what dimensions make of a fact, on genuine group accounts and on written ones."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from connectors.uk.accounts.document import parse_accounts_document
from tests.tables import check_cases

NAME = "Prod223_2125_01234567_20171231.html"
YEAR, END = "2017-01-01/2017-12-31", "2017-12-31"
WHOLE = {"Consolidated", "TotalGeographicSegmentsIncludingAnyUnallocatedAmount"}
PARTS = 700  # facts of the eleven files that are parts
FIGURES = ("revenue", "operating_result", "net_result", "equity", "total_assets", "employees")
# (company, group, last day) -> revenue, operating result, net result, equity, total assets, employees: as printed
PRINTED = {
    ("11010959", True, "2020-06-30"): (27240615, -6572054, -12402299, -23843969, 51178249, 843),
    ("11010959", True, "2019-06-30"): (32702529, -2276853, -7419973, -11441670, 52965426, 803),
    ("11010959", False, "2020-06-30"): (None, None, None, 955000, 1431332, None),
    ("03195231", True, "2020-06-30"): (None, None, 377070, None, None, None),
    ("03195231", False, "2020-06-30"): (None, None, None, 34965012, 41369949, 110),
    ("10535033", True, "2020-12-31"): (None, None, 2483422, None, None, None),
    ("10535033", False, "2020-12-31"): (None, None, 2483523, 11019954, 11099894, 27),
    ("12040362", True, "2020-12-31"): (13511844, None, -2196250, None, None, None),
    ("12040362", False, "2020-12-31"): (None, None, -2227271, -3450397, 17237785, 243),
    ("00541560", False, "2020-11-30"): (5936600, -642553, 6064, 912253, 5457756, 86),
    ("04415655", False, "2020-12-31"): (11603544, 494321, 311708, 990129, 5809186, 62),
    ("09847839", False, "2020-10-31"): (71381, None, 30820, 67027, 68220, 2),  # a charity
    ("09835877", False, "2019-12-31"): (None, None, -253802, 88429188, 89714817, 0),
}


@pytest.fixture(scope="module")
def full(sources: Path) -> dict[str, bytes]:
    found = sorted((sources / "uk" / "accounts_ixbrl_full").iterdir())
    return {path.name: path.read_bytes() for path in found}


@pytest.mark.sources
def test_full_accounts_have_the_figures_that_they_print(full: dict[str, bytes]) -> None:
    found = {
        (document.number, row.is_group, row.period.end.isoformat()): tuple(getattr(row, name) for name in FIGURES)
        for document in (parse_accounts_document(name, body) for name, body in full.items())
        for row in document.rows
    }
    assert {place: found.get(place) for place in PRINTED} == PRINTED
    groups = {number for number, is_group, _ in found if is_group}
    assert groups == {number for number, is_group, _ in PRINTED if is_group}


@pytest.mark.sources
def test_parts_alone_give_no_figure(full: dict[str, bytes]) -> None:
    """Full accounts, all whole figures taken out: what is left are classes, segments, funds and maturities."""
    parts = 0
    for name, body in full.items():
        left, count = _only_parts(body)
        document, parts = parse_accounts_document(name, left), parts + count
        figures = {(row.is_group, key) for row in document.rows for key in FIGURES if getattr(row, key) is not None}
        assert figures == set(), name
    assert parts > PARTS


def _only_parts(body: bytes) -> tuple[bytes, int]:
    root = etree.fromstring(body)
    every = {node.get("id"): node for node in root.xpath("//*[local-name()='context']")}
    whole = {
        key
        for key, node in every.items()
        if {member.text.strip().rpartition(":")[2] for member in _members(node)} <= WHOLE
    }
    facts = root.xpath("//*[local-name()='nonFraction']")
    said = [fact for fact in facts if fact.get("contextRef") in whole]
    for fact in said:
        fact.set("name", "core:Nothing")
    return etree.tostring(root), len(facts) - len(said)


def _members(context: Any) -> list[Any]:
    return context.xpath(".//*[local-name()='explicitMember']")


CUTS = {
    # axis=member -> (whether the group's, whether it is the whole)
    "GroupCompanyDataDimension=Consolidated": (True, True),
    "GroupCompanyDimension=Consolidated": (True, True),
    "ConsolidationDimension=Consolidated": (True, True),
    "ConsolidationDimension=ShareJoint-ventures": (False, False),
    "GroupCompanyDimension=CompanyDefault": (False, True),
    "OriginalRevisedDataDimension=Original": (False, True),
    "OriginalRevisedDataDimension=Revised": (False, True),
    "OriginalRevisedDataDimension=Superseded": (False, False),
    "RestatementsFirstTimeAdoptionDimension=RestatedAmount": (False, True),
    "RestatementsDimension=RestatedAmount": (False, True),
    "RestatementsFirstTimeAdoptionDimension=PreviouslyStatedAmount": (False, False),
    "MaturitiesOrExpirationPeriodsDimension=AllPeriods": (False, True),
    "MaturitiesOrExpirationPeriodsDimension=BetweenOneFiveYears": (False, False),
    "ContinuingDiscontinuedOperationsDimension=ContinuingOperations": (False, False),
    "ContinuingDiscontinuedOperationsDimension=AllOperationsDefault": (False, True),
    "EquityClassesDimension=ShareCapital": (False, False),
    "EquityClassesDimension=TotalEquityAttributableToOwnersParentBeforeNon-controllingInterests": (False, False),
    "CharityFundsDimension=TotalUnrestrictedFunds": (False, False),
    "OperatingSegmentsDimension=TotalReportableOperatingSegmentsIncludingAnyUnallocatedAmount": (False, True),
    "ProductsServicesDimension=TotalBeforeUnallocatedAmountProductsServices": (False, False),
    "SegmentReconciliationDimension=OriginalSegmentValueBeforeAdjustments": (False, False),
}


def cut_by(page: Any, *cuts: str) -> bytes:
    """The page, its members `cut0`, `cut1`, … read as these axes and members."""
    body = page.body()
    for number, cut in enumerate(cuts):
        axis, _, member = cut.partition("=")
        old = f'dimension="a:Any">b:cut{number}<'.encode()
        body = body.replace(old, f'dimension="a:{axis}">b:{member}<'.encode())
    return body


@pytest.fixture(autouse=True)
def placeholders(monkeypatch: pytest.MonkeyPatch, axes: dict[str, str]) -> None:
    for number in range(3):
        monkeypatch.setitem(axes, f"cut{number}", "Any")


@check_cases("cut", CUTS)
def test_pitfall_14_what_a_cut_makes_of_a_figure(blank: Any, cut: str) -> None:
    page = blank()
    page.number("Equity", 70, END, "cut0")
    page.number("ProfitLoss", 7, YEAR, "cut0")
    page.number("NetCurrentAssetsLiabilities", 1, END)
    page.context(YEAR)
    is_group, is_whole = CUTS[cut]
    rows = [(row.is_group, row.equity, row.net_result) for row in parse_accounts_document(NAME, cut_by(page, cut)).rows]
    assert rows == ([(is_group, 70, 7)] if is_whole else [])


def test_a_first_filing_that_calls_every_figure_original_is_read_whole(blank: Any, own: Any) -> None:
    page = blank()
    page.number("Equity", 140, END, "cut0")
    page.number("FixedAssets", 100, END, "cut0")
    page.number("CurrentAssets", 60, END, "cut0")
    page.number("TotalAssetsLessCurrentLiabilities", 140, END, "cut0")
    page.number("Creditors", 20, END, "cut0", "WithinOneYear")
    page.number("Equity", 1, END, "cut0", "ShareCapital")
    page.number("AverageNumberEmployeesDuringPeriod", 3, YEAR, "cut0", unit="pure")
    document = parse_accounts_document(NAME, cut_by(page, "OriginalRevisedDataDimension=Original"))
    row = own(document)
    assert (row.equity, row.total_assets, row.employees) == (140, 160, 3)
    assert document.is_amendment is False


@pytest.mark.parametrize("better", ["", "OriginalRevisedDataDimension=Revised"])
def test_beside_revised_figures_the_original_ones_are_what_was_wrong(blank: Any, own: Any, better: str) -> None:
    page = blank()
    page.number("Equity", 70, END, "cut0")
    page.number("Equity", 75, END, *(["cut1"] if better else []))
    page.number("ProfitLoss", 7, YEAR, "cut0")
    page.number("AverageNumberEmployeesDuringPeriod", 3, YEAR, unit="pure")
    original = "OriginalRevisedDataDimension=Original" if better else "OriginalRevisedDataDimension=Superseded"
    document = parse_accounts_document(NAME, cut_by(page, original, better))
    row = own(document)
    assert (row.equity, row.net_result, document.is_amendment) == (75, None, True)


def test_a_figure_without_dimension_beats_the_original(blank: Any, own: Any) -> None:
    page = blank()
    page.number("Equity", 70, END, "cut0")
    page.number("Equity", 75, END)
    page.context(YEAR)
    assert own(parse_accounts_document(NAME, cut_by(page, "OriginalRevisedDataDimension=Original"))).equity == 75


@pytest.mark.parametrize(
    ("element", "rows"), [("Consolidated", [(True, 5)]), ("Company", [(False, 5)]), ("Division", [])]
)
def test_a_cut_without_dimension_is_told_and_no_whole_unless_it_says_so(
    blank: Any, element: str, rows: list[tuple[bool, int]]
) -> None:
    page = blank()
    page.number("Equity", 5, END)
    page.text("EntityDormantTruefalse", "false", YEAR)
    segment = f'<xbrli:segment><g:{element} xmlns:g="urn:g"/></xbrli:segment></xbrli:entity>'.encode()
    document = parse_accounts_document(NAME, page.body().replace(b"</xbrli:entity>", segment))
    assert [(row.is_group, row.equity) for row in document.rows] == rows
    assert document.signals["cut_without_dimension", element] == 1
    assert document.balance_date == date(2017, 12, 31)


def test_dormancy_is_that_of_the_documents_own_year(blank: Any) -> None:
    page = blank()
    page.text("EntityDormantTruefalse", "true", "2016-01-01/2016-12-31")
    page.text("EntityDormantTruefalse", "true", YEAR, "cut0")
    page.text("EntityDormantTruefalse", "false", YEAR)
    page.number("Equity", 5, END)
    assert parse_accounts_document(NAME, cut_by(page, "EntityOfficersDimension=Director1")).is_dormant is False
