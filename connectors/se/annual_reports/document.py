"""Converts one filing document to figures by company, year, scope and currency. Pure.

Belongs here: the company, the year and the other text facts of a document. Does not belong here: the choice among
facts (`figures`), packages and frames (`dataset`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Final, NamedTuple

from connectors.kit.xbrl.facts import Fact, XbrlReport, first_text, is_financial_year
from connectors.kit.xbrl.figures import first_day
from connectors.kit.xbrl.instance import read_report
from connectors.kit.xbrl.stated_years import count_other_years, year_of_results
from connectors.se.annual_reports import concepts as tags
from connectors.se.annual_reports.figures import AnnualReportFigures
from connectors.se.register import company_number

_FRAMEWORKS: Final = (("/k3", "K3"), ("/k2", "K2"))


class NotAnnualReportError(Exception):
    """The document is no annual report of a known company and year, but e.g. an accompanying audit report."""

    def __init__(self, reason: str, *, is_attachment: bool = False) -> None:
        super().__init__(reason)
        self.is_attachment = is_attachment


class AnnualReportRow(NamedTuple):
    """Figures of one period and scope, in staged columns; None where the document tags none.

    is_overview: taken from the multi-year overview only, which is rounded.
    """

    period_start: date
    period_end: date
    is_consolidated: bool
    is_comparative: bool
    is_overview: bool
    revenue: int | None
    gross_result: int | None
    operating_result: int | None
    after_financials: int | None
    net_result: int | None
    equity: int | None
    untaxed_reserves: int | None
    share_capital: int | None
    total_assets: int | None
    employees: int | None


@dataclass(slots=True)
class AnnualReportDocument:
    """Content of one document. `size`: number of tagged figures; separates the report from accompanying files."""

    number: str
    name: str | None
    registered_office: str | None
    start: date
    end: date
    currency: str | None
    framework: str | None
    signed: date | None
    adopted: date | None
    is_audited: bool
    size: int
    rows: list[AnnualReportRow] = field(default_factory=list)
    signals: Counter[tuple[str, str]] = field(default_factory=Counter)


class _DocumentTexts:
    """Text facts of a document by namespace family (an audit report repeats some of the company's)."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._facts = [fact for fact in facts if fact.name in tags.METADATA]

    def of(self, name: str, family: str) -> list[Fact]:
        return [fact for fact in self._facts if fact.name == name and family in (fact.namespace or "")]

    def text(self, name: str, family: str = tags.COMPANY_FAMILY) -> str | None:
        return first_text(self.of(name, family))

    def date(self, name: str, family: str) -> date | None:
        return first_day(self.of(name, family))


def parse_annual_report(body: bytes, expected_identity: tuple[str, date] | None) -> AnnualReportDocument:
    """Parses one document. `expected_identity`: company and last day from the package name; the company must match.

    Raises MalformedMarkupError (no XBRL) or NotAnnualReportError.
    """
    report = read_report(body, tags.WANTED)
    said = _DocumentTexts(report.facts)
    figures = AnnualReportFigures(report.facts, report.signals, _amount_unit(said))
    audits = [name for name in tags.AUDITED if said.of(name, tags.AUDIT_FAMILY)]
    if not figures.count:
        what = "an audit report" if audits else "a certificate or the like"
        raise NotAnnualReportError(f"{what}: no figure is tagged in it", is_attachment=True)
    number = _find_company_number(report, said, expected_identity)
    start, end = _financial_year(said, figures, report, None if expected_identity is None else expected_identity[1])
    document = AnnualReportDocument(
        number=number,
        name=said.text(tags.NAME),
        registered_office=said.text(tags.SEAT),
        start=start,
        end=end,
        currency=figures.currency,
        framework=_accounting_framework(report.schemas),
        signed=next(filter(None, (said.date(name, "") for name in tags.SIGNED)), None),
        adopted=said.date(tags.ADOPTED, tags.CERTIFICATE_FAMILY),
        is_audited=bool(audits),
        size=figures.count,
        signals=report.signals,
    )
    _check_period_and_currency(document, said, expected_identity)
    document.rows = _figure_rows(figures, start, end)
    return document


def _find_company_number(report: XbrlReport, said: _DocumentTexts, due: tuple[str, date] | None) -> str:
    """Company number; the package name decides, and a document stating another company is rejected."""
    contexts = (fact.context.entity for fact in report.facts if fact.context is not None)
    texts = (said.text(tags.NUMBER), next(contexts, None))
    stated = next(filter(None, (company_number(text or "") for text in texts)), None)
    if due is not None and stated is not None and stated != due[0]:
        raise NotAnnualReportError("it states another company than the name of its package")
    number = due[0] if due is not None else stated
    if number is None:
        raise NotAnnualReportError("it states no organisation number")
    return number


def _financial_year(
    said: _DocumentTexts, figures: AnnualReportFigures, report: XbrlReport, due: date | None
) -> tuple[date, date]:
    """Stated financial year; otherwise the longest period with figures among those ending last.

    A year left over from last year's document has figures too, as comparatives: a later one that ends on the day of the
    package's name counts, where the document has figures of it.
    """
    start = said.date(tags.FIRST_DAY, tags.COMPANY_FAMILY)
    end = said.date(tags.LAST_DAY, tags.COMPANY_FAMILY)
    results = {found for is_group in (False, True) for found in figures.periods(is_group)}
    if start is not None and end is not None and is_financial_year(start, end):
        later = due if due is not None and due > end else None
        named = [found for found in results if found[1] == later and is_financial_year(*found)]
        if not named:
            return year_of_results((start, end), results, report.signals)
        report.signals["other_period", "the document states the year before"] += 1
        return min(named)
    last = end or due
    found = [
        (until, until - since, since)
        for since, until in results
        if is_financial_year(since, until) and (last is None or until == last)
    ]
    if not found:
        raise NotAnnualReportError("it states no financial year, and none follows from its figures")
    report.signals["assumed_year", "the document does not state its year"] += 1
    until, _, since = max(found)
    return since, until


def _amount_unit(said: _DocumentTexts) -> int:
    """The power of ten in which the document states to print its amounts; 0: written out, or not stated."""
    stated = (next(filter(None, map(said.text, tags.UNIT)), None) or "").upper()
    return next((power for word, power in tags.UNITS.items() if word in stated), 0)


def _accounting_framework(schemas: Iterable[str]) -> str | None:
    named = [name for schema in schemas for part, name in _FRAMEWORKS if part in schema]
    return named[0] if named else None


def _check_period_and_currency(
    document: AnnualReportDocument, said: _DocumentTexts, due: tuple[str, date] | None
) -> None:
    if due is not None and due[1] != document.end:
        document.signals["other_period", "the name of the package ends on another day"] += 1
    stated = next(filter(None, map(said.text, tags.CURRENCY)), None)
    # later taxonomy versions use a list member (se-mem-base:…Member) instead of the code
    stated = tags.CURRENCIES.get((stated or "").rpartition(":")[2], stated)
    is_code = stated is not None and document.currency is not None and len(stated) == len(document.currency)
    if is_code and stated != document.currency:
        document.signals["other_currency", str(stated)] += 1


def _figure_rows(figures: AnnualReportFigures, start: date, end: date) -> list[AnnualReportRow]:
    """Rows: the document's own year per scope, then every earlier period with figures."""
    rows: list[AnnualReportRow] = []
    for is_group in (False, True):
        results = set(figures.periods(is_group))
        count_other_years((start, end), results, figures.signals)
        before = {found for found in results if found[1] < start}
        earlier = {found for found in before if is_financial_year(*found)}
        if earlier != before:
            figures.signals["implausible_period", "no financial year"] += len(before - earlier)
        for since, until in [(start, end), *sorted(earlier, reverse=True)]:
            row = _figure_row(figures, since, until, is_group, is_comparative=until != end)
            if row is not None:
                rows.append(row)
    return rows


def _figure_row(
    figures: AnnualReportFigures, start: date, end: date, is_group: bool, *, is_comparative: bool
) -> AnnualReportRow | None:
    def flow(names: tuple[str, ...], name: str) -> int | None:
        return figures.money(figures.value(is_group, start, end, names), name)

    def stock(names: tuple[str, ...], name: str) -> int | None:
        return figures.money(figures.value(is_group, None, end, names), name)

    row = AnnualReportRow(
        start,
        end,
        is_group,
        is_comparative,
        is_overview=False,
        revenue=flow(tags.REVENUE, "revenue"),
        gross_result=flow(tags.GROSS_RESULT, "gross_result"),
        operating_result=flow(tags.OPERATING_RESULT, "operating_result"),
        after_financials=flow(tags.AFTER_FINANCIALS, "after_financials"),
        net_result=figures.money(figures.net_result(is_group, start, end), "net_result"),
        equity=stock(tags.EQUITY, "equity"),
        untaxed_reserves=stock(tags.UNTAXED_RESERVES, "untaxed_reserves"),
        share_capital=stock(tags.SHARE_CAPITAL, "share_capital"),
        total_assets=figures.money(figures.total_assets(is_group, end), "total_assets"),
        employees=figures.heads(figures.value(is_group, start, end, tags.EMPLOYEES)),
    )
    return _mark_overview(row)


def _mark_overview(row: AnnualReportRow) -> AnnualReportRow | None:
    """None if the row has no figures; sets `is_overview` if an earlier year has no line of the statements."""
    statement = (row.operating_result, row.net_result, row.equity, row.gross_result)
    other = (row.revenue, row.after_financials, row.total_assets, row.employees)
    if all(value is None for value in (*statement, *other)):
        return None
    if row.is_comparative and all(value is None for value in statement):
        return row._replace(is_overview=True)
    return row
