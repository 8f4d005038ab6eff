"""Simulates the companyfacts API: every fact of every report of one filer (docs/formats/us.md 5).

A report covers its own period and the previous one; quarterly reports the quarter and the year to date; `fy` and
`fp` are those of the filing. Does not belong here: the list of filings (`submissions`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, Final

from sandbox.companies.us.filings import SHARES, company_cik, report_accession
from sandbox.model.company import Accounts, Company, Figures
from sandbox.model.us import QuarterlyReport

_FLOWS: Final = ("Revenues", "OperatingIncomeLoss", "NetIncomeLoss")
_BALANCES: Final = ("StockholdersEquity", "Assets", "LiabilitiesAndStockholdersEquity")
_SHARES: Final = "EntityCommonStockSharesOutstanding"
_COVER: Final = timedelta(days=10)  # from the date on the cover page to the filing date
Row = dict[str, Any]


class _FactCollector:
    """Collects facts by tag, in the order of the filings."""

    def __init__(self) -> None:
        self.money: dict[str, list[Row]] = defaultdict(list)
        self.shares: list[Row] = []

    def flows(self, filing: Row, start: date, end: date, amounts: tuple[int | None, ...]) -> None:
        for tag, amount in zip(_FLOWS, amounts, strict=True):
            if amount is not None:
                self.money[tag].append({"start": str(start), "end": str(end), "val": amount} | filing)

    def balance(self, filing: Row, end: date, equity: int, assets: int) -> None:
        for tag, amount in zip(_BALANCES, (equity, assets, assets), strict=True):
            self.money[tag].append({"end": str(end), "val": amount} | filing)

    def cover(self, filing: Row, published: date) -> None:
        self.shares.append({"end": str(published - _COVER), "val": SHARES} | filing)


def companyfacts_record(company: Company) -> Row | None:
    """The response of companyfacts; None for a filer without facts."""
    if not company.accounts:
        return None
    found = _FactCollector()
    for interim in company.american.quarterly_reports:
        _collect_quarter(found, company, interim)
    for accounts in company.accounts:
        _collect_year(found, company, accounts)
    for told in (*found.money.values(), found.shares):
        _assign_frames(told)
    return {
        "cik": int(company_cik(company)) if company.position % 2 else company_cik(company),
        "entityName": company.name,
        "facts": {
            "dei": {_SHARES: _tag_object(_SHARES, {"shares": found.shares})},
            "us-gaap": {tag: _tag_object(tag, {"USD": told}) for tag, told in sorted(found.money.items())},
        },
    }


def _tag_object(tag: str, units: Mapping[str, list[Row]]) -> Row:
    return {"label": tag, "description": None, "units": dict(units)}


def _collect_year(found: _FactCollector, company: Company, accounts: Accounts) -> None:
    filing = {
        "accn": report_accession(company, accounts),
        "fy": accounts.end.year,  # of the filing, not of the fact's period
        "fp": "FY",
        "form": "10-K/A" if accounts.is_amended else "10-K",
        "filed": str(accounts.published),
    }
    found.cover(filing, accounts.published)
    if accounts.prior is not None:
        _collect_period(found, filing, accounts.prior_start, accounts.prior_end, accounts.prior)
    _collect_period(found, filing, accounts.start, accounts.end, accounts.figures)


def _collect_period(found: _FactCollector, filing: Row, start: date, end: date, said: Figures) -> None:
    found.flows(filing, start, end, (said.revenue, said.operating_result, said.net_result))
    found.balance(filing, end, said.equity, said.total_assets)


def _collect_quarter(found: _FactCollector, company: Company, interim: QuarterlyReport) -> None:
    """Adds the quarter, the year to date, and both of the previous year if reported."""
    filing = {
        "accn": interim.accession,
        "fy": interim.fiscal_year,
        "fp": f"Q{interim.quarter}",
        "form": "10-Q",
        "filed": str(interim.published),
    }
    found.cover(filing, interim.published)
    before = [
        other
        for other in company.american.quarterly_reports
        if (other.fiscal_year, other.quarter) == (interim.fiscal_year - 1, interim.quarter)
    ]
    for told in (*before, interim):
        found.flows(filing, told.start, told.end, told.results)
        if told.quarter > 1:
            found.flows(filing, told.year_start, told.end, told.so_far)
    found.balance(filing, interim.end, interim.equity, interim.total_assets)
    last = [item for item in company.accounts if item.end == interim.year_start - timedelta(days=1)]
    for accounts in last[:1]:  # as reported at that time
        found.balance(filing, accounts.end, accounts.figures.equity, accounts.figures.total_assets)


def _assign_frames(told: list[Row]) -> None:
    """Sets the frame of each calendar period, on its last filed fact."""
    told.sort(key=lambda fact: (fact["end"], fact.get("start", ""), fact["filed"]))
    last = {(fact.get("start"), fact["end"]): fact for fact in told}
    for (start, end), fact in last.items():
        frame = _frame_name(start, date.fromisoformat(end))
        if frame is not None:
            fact["frame"] = frame


def _frame_name(start: str | None, end: date) -> str | None:
    quarter = (end.month - 1) // 3 + 1
    if start is None:
        return f"CY{end.year}Q{quarter}I"
    days = (end - date.fromisoformat(start)).days + 1
    if 335 <= days <= 395:  # noqa: PLR2004 - a year, give or take a month
        return f"CY{end.year}" if end.month == 12 else None  # noqa: PLR2004 - the calendar's year
    return f"CY{end.year}Q{quarter}" if days <= 121 else None  # noqa: PLR2004 - a quarter alike
