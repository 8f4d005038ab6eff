"""Generates EDGAR filings: papers in a company's list, each with its accession number (docs/formats/us.md 2).

An accession number begins with the CIK of the submitter: the company, or an agent of those who file about it.
Belongs here: accession numbers, annual and quarterly reports. Does not belong here: holders of shares
(`holders`), the company's state on the first day (`initial_state`), or the format of a filing.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, NamedTuple

from sandbox.model.company import Accounts, Company, Figures
from sandbox.model.us import FiledDocument, FourthQuarterRestatement, QuarterlyReport

FIRST_CIK: Final = 9_000_000_000  # far above all real ones
SHARES: Final = 50_000_000  # outstanding, for every filer on every day
PREFIX: Final = "US"
_AGENTS: Final = 7_000_000_000  # every company has an agent; the position follows from its CIK
_EVENING: Final = time(21, 30, 11, tzinfo=UTC)
_TO_FILE: Final = timedelta(days=40)
_DAY: Final = timedelta(days=1)
_QUARTERS: Final = (1, 2, 3)
_WEIGHTS: Final = {1: 22, 2: 26, 3: 23}  # percent of a year's results


def company_cik(company: Company) -> str:
    """The CIK, ten digits."""
    return company.number.removeprefix(PREFIX)


def add_filing(company: Company, form: str, filed: date, **values: Any) -> FiledDocument:
    """Adds a filing of a day, accepted in the evening."""
    number = len(company.american.filings) + 1
    is_others = form == "25-NSE" or "ownership" in values
    submitter = str(_AGENTS + company.position) if is_others else company_cik(company)
    accession = f"{submitter}-{filed:%y}-{number:06}"
    paper = FiledDocument(accession, form, filed, datetime.combine(filed, _EVENING), **values)
    company.american.filings.append(paper)
    return paper


def add_annual_report(company: Company, accounts: Accounts) -> Accounts:
    """Files accounts as an annual report; the paper's serial becomes the document number."""
    form = "10-K/A" if accounts.is_amended else "10-K"
    paper = add_filing(company, form, accounts.published, period=accounts.end, is_xbrl=True)
    return replace(accounts, document=filing_serial(paper.accession))


def report_accession(company: Company, accounts: Accounts) -> str:
    """The accession number of a report."""
    return next(
        paper.accession for paper in company.american.filings if filing_serial(paper.accession) == accounts.document
    )


def filer_position(accession: str) -> int:
    """Position of the company that a filing is by or about; negative if no company can have filed it."""
    submitter = int(accession[:10])
    return submitter - (FIRST_CIK if submitter >= FIRST_CIK else _AGENTS)


def filing_serial(accession: str) -> int:
    return int(accession.rsplit("-", 1)[1])


class _QuarterFigures(NamedTuple):
    """Figures of a quarterly report for its quarter and its last day."""

    results: tuple[int, int, int]
    equity: int
    total_assets: int


def add_quarterly_reports(company: Company, accounts: Accounts) -> None:
    """Adds the three quarterly reports of a year with existing accounts, as parts of its results."""
    before, after = accounts.prior or accounts.figures, accounts.figures
    for number in _QUARTERS:
        equity = before.equity + (after.equity - before.equity) * number // 4
        assets = before.total_assets + (after.total_assets - before.total_assets) * number // 4
        _file_quarter(company, accounts.start, _QuarterFigures(_quarter_results(after, number), equity, assets))


def add_next_quarterly_report(company: Company, published: date | None = None) -> QuarterlyReport:
    """Adds the next report of the current year: the same quarter of the last accounts plus ten per cent."""
    last = company.accounts[-1]
    start = last.end + _DAY
    number = len(_reported_quarters(company, start)) + 1
    revenue, operating, net = (amount * 11 // 10 for amount in _quarter_results(last.figures, number))
    equity, assets = last.figures.equity + number * 1_000, last.figures.total_assets + number * 1_500
    return _file_quarter(company, start, _QuarterFigures((revenue, operating, net), equity, assets), published)


def fourth_quarter_restatement(company: Company, before: Accounts, after: Accounts) -> FourthQuarterRestatement:
    """The restatement of the fourth quarter that follows from restated accounts."""
    was, now = ((one.figures.equity, one.figures.total_assets) for one in (before, after))
    return FourthQuarterRestatement(was, now, after.end.year, after.end, report_accession(company, after))


def _reported_quarters(company: Company, year_start: date) -> list[QuarterlyReport]:
    """The reported quarters of a year."""
    return [interim for interim in company.american.quarterly_reports if interim.year_start == year_start]


def _quarter_results(figures: Figures, number: int) -> tuple[int, int, int]:
    stated = (figures.revenue, figures.operating_result, figures.net_result)
    revenue, operating, net = ((amount or 0) * _WEIGHTS[number] // 100 for amount in stated)
    return revenue, operating, net


def _file_quarter(
    company: Company, year_start: date, said: _QuarterFigures, published: date | None = None
) -> QuarterlyReport:
    """Files the next quarter of a year."""
    before = _reported_quarters(company, year_start)
    start = before[-1].end + _DAY if before else year_start
    end = month_after(start, 3) - _DAY
    sums = before[-1].so_far if before else (0, 0, 0)
    revenue, operating, net = (one + other for one, other in zip(sums, said.results, strict=True))
    filed = published or end + _TO_FILE
    interim = QuarterlyReport(
        start=start,
        end=end,
        year_start=year_start,
        fiscal_year=(month_after(year_start, 12) - _DAY).year,
        quarter=len(before) + 1,
        published=filed,
        accession=add_filing(company, "10-Q", filed, period=end, is_xbrl=True).accession,
        results=said.results,
        so_far=(revenue, operating, net),
        equity=said.equity,
        total_assets=said.total_assets,
    )
    company.american.quarterly_reports.append(interim)
    return interim


def month_after(first: date, months: int) -> date:
    """The first day of the month `months` months later."""
    years, month = divmod(first.month - 1 + months, 12)
    return date(first.year + years, month + 1, 1)
