"""Every genuine accounts file, figure by figure, against readings that share nothing with the mapping.

The first is written here, from FORMAT uk 9, with XPath over local names and no regard for speed. The second is
stream-read-xbrl, where it reads the file; where the two differ, the rule that differs has a name below.
"""

from __future__ import annotations

import importlib
import io
import re
import sys
import types
from datetime import date
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from connectors.uk.accounts_document import Document, Row, read_document

pytestmark = pytest.mark.sources

REVENUE = (
    "TurnoverRevenue",
    "TurnoverGrossOperatingRevenue",
    "Revenue",
    "IncomeEndowments",
    "TotalIncomeEndowments",
)
OPERATING = ("OperatingProfitLoss", "ProfitLossFromOperatingActivities")
CHARITY = (
    "NetIncreaseDecreaseInCharitableFunds",
    "NetIncomeExpenditureBeforeTransfersBetweenFundsOtherRecognisedGainsLosses",
)
NET = ("ProfitLoss", "ProfitLossForPeriod", *CHARITY)
GROUP_NET = ("ProfitLoss", "ProfitLossForPeriod", "ProfitLossAttributableToOwnersParent", *CHARITY)
EQUITY = (
    "Equity",
    "ShareholderFunds",
    "NetAssetsLiabilities",
    "NetAssetsLiabilitiesIncludingPensionAssetLiability",
    "CharityFunds",
    "TotalMembersInterests",
    "CapitalEmployed",
)
EMPLOYEES = ("AverageNumberEmployeesDuringPeriod", "EmployeesTotal")
# Turnover of a group, tagged with the member «total of all segments» and not with the one for the group (FORMAT 9.4)
GROUP_TURNOVER_BY_SEGMENT = {"Prod223_2911_12040362_20201231.html": {2020: 13511844, 2019: 8273387}}


class Naive:
    """Facts of one file: (name, dimensions, start, end) -> values in document order."""

    def __init__(self, body: bytes) -> None:
        self.root = etree.parse(io.BytesIO(body[body.index(b"<") :])).getroot()
        self.facts: dict[tuple[str, frozenset[str], str, str], list[Decimal]] = {}
        contexts = {node.get("id"): node for node in self._all("context")}
        for node in self._all("nonFraction") or self.root.xpath("//*[@unitRef]"):
            value = self._value(node)
            if value is not None:
                name = (node.get("name") or etree.QName(node).localname).split(":")[-1]
                self.facts.setdefault((name, *self._where(contexts[node.get("contextRef")])), []).append(
                    value
                )

    def _all(self, name: str) -> list[Any]:
        return self.root.xpath(f"//*[local-name()='{name}']")

    @staticmethod
    def _where(context: Any) -> tuple[frozenset[str], str, str]:
        def text(name: str) -> str:
            found = context.xpath(f".//*[local-name()='{name}']/text()")
            return found[0].strip() if found else ""

        members = {
            node.text.strip().split(":")[-1] for node in context.xpath(".//*[local-name()='explicitMember']")
        }
        typed = {"typed" for _ in context.xpath(".//*[local-name()='typedMember']")}
        return frozenset(members | typed), text("startDate"), text("endDate") or text("instant")

    @staticmethod
    def _value(node: Any) -> Decimal | None:
        text = "".join(node.xpath(".//text()[not(ancestor::*[local-name()='exclude'])]")).strip()
        kind = (node.get("format") or "").split(":")[-1]
        if kind in {"zerodash", "numdash", "fixed-zero"}:
            text = "0"
        digits = re.sub(r"[,\s\u00a0]", "", text)
        if not re.fullmatch(r"-?\d+(\.\d+)?", digits):
            return None
        value = Decimal(digits) * Decimal(10) ** int(node.get("scale") or 0)
        return -value if node.get("sign") == "-" else value

    def figure(self, names: tuple[str, ...], scope: str, start: str, end: str) -> Decimal | None:
        for name in names:
            found = self.facts.get((name, frozenset({scope} if scope else ()), start, end))
            if found:
                return found[0]
        return None

    def creditors(self, scope: str, end: str, maturity: str) -> Decimal:
        words = {"within": {"WithinOneYear", "CurrentFinancialInstruments"}}
        members = words.get(maturity, {"AfterOneYear", "Non-currentFinancialInstruments"})
        names = {
            "within": ("CreditorsDueWithinOneYear", "CreditorsDueWithinOneYearTotalCurrentLiabilities"),
            "after": ("CreditorsDueAfterOneYear", "CreditorsDueAfterOneYearTotalNoncurrentLiabilities"),
        }[maturity]
        for (name, dimensions, _, day), values in self.facts.items():
            rest = dimensions - {scope}
            if (
                name == "Creditors"
                and day == end
                and rest
                and rest <= members
                and (scope in dimensions or not scope)
            ):
                return abs(values[0])
        return abs(self.figure(names, scope, "", end) or Decimal(0))

    def balances_with(self, total: int, scope: str, end: str) -> bool:
        """Whether a balance sheet with these total assets balances: FORMAT 9.5."""

        def get(*names: str) -> Decimal:
            return self.figure(names, scope, "", end) or Decimal(0)

        within, after = self.creditors(scope, end, "within"), self.creditors(scope, end, "after")
        undivided = abs(get("Creditors"))
        accruals = abs(
            get(
                "AccruedLiabilitiesNotExpressedWithinCreditorsSubtotal",
                "AccrualsDeferredIncome",
                "AccruedLiabilitiesDeferredIncome",
            )
        )
        provisions = abs(
            get("ProvisionsForLiabilitiesBalanceSheetSubtotal", "ProvisionsForLiabilitiesCharges")
        )
        pension = abs(get("DefinedBenefitPensionPlanNetLiability", "PensionLiability"))
        net = get("NetAssetsLiabilities", "NetAssetsLiabilitiesIncludingPensionAssetLiability", *EQUITY)
        less = get("TotalAssetsLessCurrentLiabilities")
        claims = {less + owed for owed in (within, within + accruals, undivided)}
        for owed in (within + after + provisions, undivided + provisions):
            claims |= {
                net + owed,
                net + owed + accruals,
                net + owed + pension,
                net + owed + accruals + pension,
            }
        return any(abs(claim - total) <= 1 for claim in claims)


@pytest.fixture(scope="module")
def documents(bodies: dict[str, bytes]) -> dict[str, tuple[Document, bytes]]:
    return {name: (read_document(name, body), body) for name, body in bodies.items()}


def test_every_genuine_file_gives_figures(documents: dict[str, tuple[Document, bytes]]) -> None:
    assert len(documents) >= 270
    assert [name for name, (document, _) in documents.items() if not document.rows] == []


def test_every_mapped_figure_is_in_the_file(documents: dict[str, tuple[Document, bytes]]) -> None:
    differences: list[str] = []
    for name, (document, body) in documents.items():
        naive = Naive(body)
        for row in document.rows:
            differences += [f"{name}: {text}" for text in _differences(name, naive, row)]
    assert differences == []


def _differences(name: str, naive: Naive, row: Row) -> list[str]:
    scope = "Consolidated" if row.is_group else ""
    start, end = row.period.start.isoformat(), row.period.end.isoformat()
    revenue = _whole(naive.figure(REVENUE, scope, start, end))
    if row.is_group and name in GROUP_TURNOVER_BY_SEGMENT:
        revenue = GROUP_TURNOVER_BY_SEGMENT[name][row.period.end.year]
    employees = naive.figure(EMPLOYEES, scope, start, end)
    due = {
        "revenue": revenue,
        "operating_result": _whole(naive.figure(OPERATING, scope, start, end)),
        "net_result": _whole(naive.figure(GROUP_NET if row.is_group else NET, scope, start, end)),
        "equity": _whole(naive.figure(EQUITY, scope, "", end)),
        "employees": None if employees is None else int(abs(employees).quantize(Decimal(1), ROUND_HALF_UP)),
    }
    found = [
        f"{end} {key} {getattr(row, key)} for {value}"
        for key, value in due.items()
        if getattr(row, key) != value
    ]
    if row.total_assets is not None:
        is_sound = row.total_assets > 0 and row.derived == ("total_assets",)
        if not is_sound or not naive.balances_with(row.total_assets, scope, end):
            found.append(f"{end} total assets {row.total_assets} do not balance")
    return found


def _whole(value: Decimal | None) -> int | None:
    return None if value is None else int(value.to_integral_value(ROUND_HALF_EVEN))


def test_no_tagged_period_is_left_out(documents: dict[str, tuple[Document, bytes]]) -> None:
    """Each result, and each balance at the end of a reported period, stands in some row."""
    missing: list[str] = []
    for name, (document, body) in documents.items():
        rows = {(row.is_group, row.period.end.isoformat()) for row in document.rows}
        for concept, dimensions, start, end in Naive(body).facts:
            is_result = concept in {*REVENUE, *OPERATING, *NET} and dimensions <= {"Consolidated"} and start
            if is_result and (bool(dimensions), end) not in rows:
                missing.append(f"{name} {concept} {end}")
    assert missing == []


def test_total_assets_are_known_for_nearly_all(documents: dict[str, tuple[Document, bytes]]) -> None:
    with_equity = [
        row for document, _ in documents.values() for row in document.rows if row.equity is not None
    ]
    assert sum(row.total_assets is not None for row in with_equity) > 0.9 * len(with_equity)


COLUMNS = {
    "revenue": "turnover_gross_operating_revenue",
    "operating_result": "operating_profit_loss",
    "net_result": "profit_loss_for_period",
    "equity": "shareholder_funds",
}


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


def _why(name: str, key: str, naive: Naive, row: Row, theirs: Decimal | None) -> str | None:
    """The rule by which a difference is known; None where there is none."""
    start, end = (
        ("", row.period.end.isoformat())
        if key == "equity"
        else (row.period.start.isoformat(), row.period.end.isoformat())
    )
    cut = {
        value
        for (concept, dimensions, first, last), values in naive.facts.items()
        if dimensions and (first, last) == (start, end) and concept in {*REVENUE, *OPERATING, *NET, *EQUITY}
        for value in values
    }
    if theirs is not None and theirs in cut:
        return "it takes a part (class, segment) or the group's figure for the company's"
    if theirs is None and key == "equity":
        return "it knows no fall-back from Equity to net assets or funds"
    if theirs is None and naive.figure((*CHARITY, "IncomeEndowments"), "", start, end) is not None:
        return "it knows no charities"
    return None


def test_figures_equal_stream_read_xbrl_but_for_named_rules(
    documents: dict[str, tuple[Document, bytes]], peer: types.ModuleType
) -> None:
    compared, unexplained = 0, []
    for name, (document, body) in documents.items():
        rows = [
            dict(zip(peer._COLUMNS, row, strict=False)) for row in peer._xbrl_to_rows((Path(name).name, body))
        ]
        if not rows or rows[0]["error"]:
            continue
        naive = Naive(body)
        for row in (row for row in document.rows if not row.is_group):
            for key, column in COLUMNS.items():
                first = row.period.end if key == "equity" else row.period.start
                theirs = _theirs(rows, first, row.period.end, column)
                ours = getattr(row, key)
                compared += 1
                if _whole(theirs) != ours and _why(name, key, naive, row, theirs) is None:
                    unexplained.append(f"{name} {row.period.end} {key}: {ours}, theirs {theirs}")
    assert compared > 2000
    assert unexplained == []


def _theirs(rows: list[dict[str, Any]], start: date, end: date, column: str) -> Decimal | None:
    for row in rows:
        if (row["period_start"], row["period_end"]) == (start, end):
            return row[column]
    return None
