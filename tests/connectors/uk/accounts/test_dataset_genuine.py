"""Every genuine accounts file, figure by figure, against a reading that shares nothing with the mapping.

It is written here, from docs/formats/uk.md 9, with XPath over local names and no regard for speed. The reading by
stream-read-xbrl has a module of its own.
"""

from __future__ import annotations

import io
import re
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from lxml import etree

from connectors.uk.accounts.document import AccountsDocument, AccountsRow, parse_accounts_document

pytestmark = pytest.mark.sources

REVENUE = ("TurnoverRevenue", "TurnoverGrossOperatingRevenue", "Revenue", "IncomeEndowments", "TotalIncomeEndowments")
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
WITHOUT_RESULTS = {"FilletedAccounts", "AbridgedAccounts", "AbbreviatedAccounts"}
# Turnover of a group, tagged with the member «total of all segments» and not with the one for the group
# (docs/formats/uk.md 9.4)
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
                self.facts.setdefault((name, *self._where(contexts[node.get("contextRef")])), []).append(value)

    def _all(self, name: str) -> list[Any]:
        return self.root.xpath(f"//*[local-name()='{name}']")

    @staticmethod
    def _where(context: Any) -> tuple[frozenset[str], str, str]:
        def text(name: str) -> str:
            found = context.xpath(f".//*[local-name()='{name}']/text()")
            return found[0].strip() if found else ""

        members = {node.text.strip().split(":")[-1] for node in context.xpath(".//*[local-name()='explicitMember']")}
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
            if name == "Creditors" and day == end and rest and rest <= members and (scope in dimensions or not scope):
                return abs(values[0])
        return abs(self.figure(names, scope, "", end) or Decimal(0))

    def balances_with(self, total: int, scope: str, end: str) -> bool:
        """Whether a balance sheet with these total assets balances: docs/formats/uk.md 9.5."""

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
        provisions = abs(get("ProvisionsForLiabilitiesBalanceSheetSubtotal", "ProvisionsForLiabilitiesCharges"))
        pension = abs(get("DefinedBenefitPensionPlanNetLiability", "PensionLiability"))
        net = get("NetAssetsLiabilities", "NetAssetsLiabilitiesIncludingPensionAssetLiability", *EQUITY)
        less = get("TotalAssetsLessCurrentLiabilities")
        claims = {less + owed for owed in (within, within + accruals, undivided)}
        for owed in (within + after + provisions, undivided + provisions):
            claims |= {net + owed, net + owed + accruals, net + owed + pension, net + owed + accruals + pension}
        return any(abs(claim - total) <= 1 for claim in claims)


@pytest.fixture(scope="module")
def documents(bodies: dict[str, bytes]) -> dict[str, tuple[AccountsDocument, bytes]]:
    return {name: (parse_accounts_document(name, body), body) for name, body in bodies.items()}


def test_every_genuine_file_gives_figures(documents: dict[str, tuple[AccountsDocument, bytes]]) -> None:
    assert len(documents) >= 270
    assert [name for name, (document, _) in documents.items() if not document.rows] == []


def test_every_mapped_figure_is_in_the_file(documents: dict[str, tuple[AccountsDocument, bytes]]) -> None:
    differences: list[str] = []
    for name, (document, body) in documents.items():
        naive = Naive(body)
        for row in document.rows:
            differences += [f"{name}: {text}" for text in _differences(name, naive, row)]
    assert differences == []


def _differences(name: str, naive: Naive, row: AccountsRow) -> list[str]:
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
    found = [f"{end} {key} {getattr(row, key)} for {value}" for key, value in due.items() if getattr(row, key) != value]
    if row.total_assets is not None:
        is_sound = row.total_assets > 0 and row.derived == ("total_assets",)
        if not is_sound or not naive.balances_with(row.total_assets, scope, end):
            found.append(f"{end} total assets {row.total_assets} do not balance")
    return found


def _whole(value: Decimal | None) -> int | None:
    return None if value is None else int(value.to_integral_value(ROUND_HALF_EVEN))


@pytest.mark.slow
def test_no_tagged_period_is_left_out(documents: dict[str, tuple[AccountsDocument, bytes]]) -> None:
    """Each result, and each balance at the end of a reported period, stands in some row."""
    missing: list[str] = []
    for name, (document, body) in documents.items():
        rows = {(row.is_group, row.period.end.isoformat()) for row in document.rows}
        for concept, dimensions, start, end in Naive(body).facts:
            is_result = concept in {*REVENUE, *OPERATING, *NET} and dimensions <= {"Consolidated"} and start
            if is_result and (bool(dimensions), end) not in rows:
                missing.append(f"{name} {concept} {end}")
    assert missing == []


def test_pitfall_16_micro_and_filleted_accounts_have_no_turnover(
    documents: dict[str, tuple[AccountsDocument, bytes]],
) -> None:
    """Null, not zero; one micro-entity publishes its profit and loss account all the same, and has it."""
    found: dict[str, list[int | None]] = {}
    for name, (document, body) in documents.items():
        if document.standard == "FRS105" or document.accounts_type in WITHOUT_RESULTS:
            is_tagged = any(concept in REVENUE for concept, *_ in Naive(body).facts)
            revenues = {row.revenue for row in document.rows}
            found.setdefault("tagged" if is_tagged else "untagged", []).extend(revenues)
            assert is_tagged or revenues == {None}, name
    assert len(found["untagged"]) > 40
    assert None not in found["tagged"]


def test_total_assets_are_known_for_nearly_all(documents: dict[str, tuple[AccountsDocument, bytes]]) -> None:
    with_equity = [row for document, _ in documents.values() for row in document.rows if row.equity is not None]
    assert sum(row.total_assets is not None for row in with_equity) > 0.9 * len(with_equity)
