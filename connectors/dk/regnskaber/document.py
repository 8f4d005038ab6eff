"""Converts one report to figures by period and scope. Pure.

Belongs here: company, year and the other text facts of a report. Does not belong here: the choice among facts
(`figures`), files and frames (`dataset`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Final, NamedTuple

from connectors.dk.register import canonical_number
from connectors.dk.regnskaber import concepts as tags
from connectors.dk.regnskaber.figures import ReportFigures
from connectors.kit.xbrl.facts import Fact, XbrlReport, first_text, is_financial_year
from connectors.kit.xbrl.figures import first_day
from connectors.kit.xbrl.instance import read_report
from connectors.kit.xbrl.stated_years import count_other_years, year_of_results

_CLASS: Final = re.compile(r"(?:klasse|class)\s+([A-D])\b", re.IGNORECASE)
_INTERIM: Final = re.compile(r"halv\s*år|halvaar|kvartal|delår|interim|half[- ]year|quarter", re.IGNORECASE)
DANISH: Final = "ÅRL"
_IFRS: Final = "IFRS"


class NotReportError(Exception):
    """The document is no report of a known year."""


class ReportRow(NamedTuple):
    """Figures of one period and scope, in staged columns; None where the report tags none."""

    period_start: date
    period_end: date
    is_consolidated: bool
    is_comparative: bool
    revenue: int | None
    gross_result: int | None
    operating_result: int | None
    before_tax: int | None
    net_result: int | None
    equity: int | None
    total_assets: int | None
    employees: int | None

    @property
    def has_figures(self) -> bool:
        """True if any figure is tagged."""
        return any(value is not None for value in self[4:])


@dataclass(slots=True)
class ReportDocument:
    """Content of one report. number: None where it names no company by CVR number (ESEF). size: tagged figures."""

    number: str | None
    name: str | None
    start: date
    end: date
    currency: str | None
    standard: str | None
    is_interim: bool
    size: int
    rows: list[ReportRow] = field(default_factory=list)
    signals: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def has_own_figures(self) -> bool:
        """True if a figure of the report's own year is tagged."""
        return any(row.period_end == self.end for row in self.rows)


def parse_report(body: bytes) -> ReportDocument:
    """Parses one document of either syntax. Raises MalformedMarkupError (no XBRL) or NotReportError."""
    report = read_report(body, tags.WANTED)
    figures = ReportFigures(report.facts, report.signals)
    texts = _general_facts(report.facts)
    start, end = _reporting_period(texts, figures, report)
    kind, written_class = _text(texts, tags.KIND), first_text(fact for fact in report.facts if fact.name == tags.CLASS)
    document = ReportDocument(
        number=_company_number(texts, report.facts),
        name=_text(texts, tags.NAME),
        start=start,
        end=end,
        currency=figures.currency,
        standard=_standard(figures, written_class),
        is_interim=kind is not None and _INTERIM.search(kind) is not None,
        size=figures.count,
        signals=report.signals,
    )
    document.rows = list(_report_rows(figures, start, end))
    return document


def _general_facts(facts: Iterable[Fact]) -> list[Fact]:
    return [
        fact for fact in facts if fact.name in tags.METADATA and (fact.namespace or "").endswith(tags.GENERAL_FAMILY)
    ]


def _text(facts: Iterable[Fact], name: str) -> str | None:
    return first_text(fact for fact in facts if fact.name == name)


def _company_number(texts: Iterable[Fact], facts: Iterable[Fact]) -> str | None:
    """The stated number, else the one by which contexts name the entity."""
    stated = canonical_number(_text(texts, tags.NUMBER))
    if stated is not None:
        return stated
    contexts = (fact.context for fact in facts if fact.context is not None)
    named = (one.entity for one in contexts if one.scheme.strip() == tags.SCHEME)
    return next(filter(None, map(canonical_number, named)), None)


def _reporting_period(texts: list[Fact], figures: ReportFigures, report: XbrlReport) -> tuple[date, date]:
    """The stated period; otherwise the longest period with results among those that end last."""
    start = first_day(fact for fact in texts if fact.name == tags.FIRST_DAY)
    end = first_day(fact for fact in texts if fact.name == tags.LAST_DAY)
    results = {found for is_group in (False, True) for found in figures.periods(is_group)}
    if start is not None and end is not None and is_financial_year(start, end):
        return year_of_results((start, end), results, report.signals)
    found = [
        (until, until - since, since)
        for since, until in results
        if is_financial_year(since, until) and (end is None or until == end)
    ]
    if not found:
        raise NotReportError("it states no reporting period, and none follows from its figures")
    report.signals["assumed_year", "the document does not state its period"] += 1
    until, _, since = max(found)
    return since, until


def _standard(figures: ReportFigures, written_class: str | None) -> str | None:
    """IFRS, or the Danish act with the class of the company where that is stated; None without figures."""
    if figures.is_ifrs:
        return _IFRS
    if not figures.count:
        return None
    found = _CLASS.search(written_class or "")
    return DANISH if found is None else f"{DANISH} {found[1].upper()}"


def _report_rows(figures: ReportFigures, start: date, end: date) -> Iterable[ReportRow]:
    """Rows: the report's own period per scope, then every earlier period with results."""
    for is_group in (False, True):
        results = set(figures.periods(is_group))
        count_other_years((start, end), results, figures.signals)
        before = {found for found in results if found[1] < start}
        earlier = {found for found in before if is_financial_year(*found)}
        if earlier != before:
            figures.signals["implausible_period", "no financial year"] += len(before - earlier)
        for since, until in [(start, end), *sorted(earlier, reverse=True)]:
            row = _report_row(figures, since, until, is_group=is_group, is_comparative=until != end)
            if row.has_figures:
                yield row


def _report_row(figures: ReportFigures, start: date, end: date, *, is_group: bool, is_comparative: bool) -> ReportRow:
    return ReportRow(
        start,
        end,
        is_group,
        is_comparative,
        revenue=figures.flow(is_group, start, end, "revenue"),
        gross_result=figures.flow(is_group, start, end, "gross_result"),
        operating_result=figures.flow(is_group, start, end, "operating_result"),
        before_tax=figures.flow(is_group, start, end, "before_tax"),
        net_result=figures.flow(is_group, start, end, "net_result"),
        equity=figures.stock(is_group, end, "equity"),
        total_assets=figures.stock(is_group, end, "total_assets"),
        employees=figures.employees(is_group, start, end),
    )
