"""Turns all filings of one filer into statements: every version of every period, in filing order.

A statement is the state of knowledge about a period once a filing is in: the filing's own figures, completed by
those that it omits and an earlier one gives (balances at quarter ends are often in the original report only). The
result of a filing thus depends on it and on earlier filings, never on later ones (docs/formats/us.md 12.3). Does
not belong here: which tag is which figure (`figure_rules`, `revenue_rules`), quarters derived from sums
(`derived_quarters`), shared tables (`mapping`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from connectors.us.financials import closing_totals, concepts, derived_quarters, figure_rules, revenue_rules
from connectors.us.financials.amount_scales import is_other_scale, nearer_amount
from connectors.us.financials.latest_values import (
    FLOWS,
    OTHER_SCALE,
    REPEATED_SUM,
    FilerFigures,
    FinancialStatement,
    LatestValue,
    PeriodVersions,
    is_other_company,
    is_other_scope,
)
from connectors.us.financials.model import COUNTS, TRANSITION, Facts, FactsFiling, Span
from connectors.us.financials.periods import (
    DAYS_OF_YEAR,
    ROUNDED,
    SHORTEST,
    TOLERANCE,
    FiscalYears,
    PeriodIndex,
    SpanLength,
    calendar_quarter,
    day_after,
    day_ordinal,
    days_from_usual,
    is_twelve_months,
    span_length,
)
from connectors.us.financials.tagged_figures import FilerType, TaggedFigure, filer_type_of, first_tagged
from connectors.us.form_types import INTERIM
from warehouse.schema.codes import FIGURES

_BALANCES: Final = (("equity", figure_rules.equity_figure), ("total_assets", figure_rules.total_assets_figure))
_WITHIN_YEAR: Final = (SpanLength.QUARTER, SpanLength.HALF, SpanLength.NINE_MONTHS)
_SERVED: Final = (SpanLength.YEAR, SpanLength.QUARTER)
CALENDAR_QUARTER: Final = "quarter_by_calendar"  # signal: the filer's own number of the quarter is another


class FilerStatements(NamedTuple):
    """The result for one filer: statements in filing order, the period of each report, and what is doubtful."""

    statements: list[FinancialStatement]
    reports: list[tuple[FactsFiling, Span]]
    unlike_parts: frozenset[tuple[str, Span]]  # figure and quarter that sums of two scopes do not give
    doubts: frozenset[tuple[str, str, str]]  # signal, figure and last day of amounts that are doubtful


def build_statements(filings: Iterable[FactsFiling]) -> FilerStatements:
    """Every version of every period of one filer."""
    reader = _FilerReader()
    for filing in sort_by_filing(filings):
        reader.take(filing)
    years = _fiscal_years(reader)
    statements = list(_labelled_statements(reader, years))
    doubts = reader.doubts().union(_calendar_quarters(statements, years))
    return FilerStatements(statements, reader.reports, reader.unlike_parts(), doubts)


def sort_by_filing(filings: Iterable[FactsFiling]) -> list[FactsFiling]:
    """Filings in the order in which they are applied.

    On equal days the annual report comes first; otherwise balances it shares with a quarterly report would
    become a version of its own.
    """
    return sorted(filings, key=lambda one: (one.filed, not one.is_annual, one.is_amendment, one.accession))


def _fiscal_years(reader: _FilerReader) -> FiscalYears:
    """The years of the filer's annual reports; before the first of them, those that quarterly reports show."""
    annual = [(own, filing.focus) for filing, own in reader.reports if filing.is_annual]
    labelled = (report for report in reader.reports if report[0].focus is not None)
    return FiscalYears(annual or map(_year_of_interim_report, labelled))


def _calendar_quarters(statements: Iterable[FinancialStatement], years: FiscalYears) -> set[tuple[str, str, str]]:
    """Doubts of quarters that are numbered by the calendar, since no year's figures are known, and are others."""
    spans = {one.span for one in statements}
    if any(span_length(span) is SpanLength.YEAR for span in spans):
        return set()
    spans = {span for span in spans if span_length(span) is SpanLength.QUARTER}
    wrong = (span for span in spans if years.quarter_of(span) not in (None, calendar_quarter(span)))
    return {(CALENDAR_QUARTER, "fiscal_quarter", end) for _, end in wrong}


def _labelled_statements(reader: _FilerReader, years: FiscalYears) -> Iterator[FinancialStatement]:
    """Adds fiscal year labels, and marks statements that appear only in another year's report."""
    fiscal = {own: years.of(own) for filing, own in reader.reports if filing.is_annual}
    several = {span for span, book in reader.books.items() if book.statements > 1}
    usual: dict[tuple[SpanLength, str], Span] = {}
    for span in sorted(reader.books):
        key = span_length(span), span[1]
        usual[key] = min(usual.get(key, span), span, key=days_from_usual)
    for statement in reader.statements:
        book = reader.books[statement.span]
        if (
            usual[span_length(statement.span), statement.span[1]] != statement.span
            and span_length(statement.span) in _SERVED
        ):
            continue  # a sum since inception, or of a predecessor's days too, with the same end
        if statement.filing.is_periodic or not book.is_periodic:
            statement.fiscal_year = years.of(statement.span)
            if _shares_label(statement, fiscal):
                continue
            statement.is_comparative = statement.is_comparative and statement.span not in several
            yield statement


def _year_of_interim_report(report: tuple[FactsFiling, Span]) -> tuple[Span, int | None]:
    """The fiscal year that a quarterly report's sum since the year's first day shows, and its stated label."""
    filing, (start, end) = report
    spans = (span for found in filing.units.values() for span in found)
    since = [first for first, last in spans if first and last == end and span_length((first, last)) in _WITHIN_YEAR]
    first = min((start, *since))
    return (first, day_after(first, DAYS_OF_YEAR - 1)), filing.focus


def _shares_label(statement: FinancialStatement, fiscal: Mapping[Span, int | None]) -> bool:
    """Whether twelve months are no fiscal year, but a comparison with one across a changed year end, of its label."""
    if span_length(statement.span) is not SpanLength.YEAR or statement.span in fiscal:
        return False
    return any(
        label == statement.fiscal_year
        and span_length(own) is SpanLength.YEAR
        and abs(day_ordinal(own[1]) - day_ordinal(statement.span[1])) > ROUNDED
        for own, label in fiscal.items()
    )


class _FilerReader:
    """Processes one filer's filings in order."""

    def __init__(self) -> None:
        self.statements: list[FinancialStatement] = []
        self.books: dict[Span, PeriodVersions] = {}
        self.reports: list[tuple[FactsFiling, Span]] = []
        self._usual: str | None = None  # the currency of annual reports
        self._years: set[Span] = set()  # covered by annual reports: sums of twelve months need not be years
        self._periods = PeriodIndex()
        self._book = FilerFigures()

    def unlike_parts(self) -> frozenset[tuple[str, Span]]:
        """Figures of quarters that no difference gives, as its sums are of two scopes."""
        return frozenset(self._book.unlike_parts)

    def doubts(self) -> frozenset[tuple[str, str, str]]:
        """Signals, figures and last days of amounts that are doubtful."""
        return frozenset(self._book.doubts | self._book.amounts_out_of_scale())

    def take(self, filing: FactsFiling) -> None:
        """Applies one filing and adds the statements that result."""
        currency = filing.currency(self._usual)
        spans = filing.facts_in(currency)
        filer = filer_type_of(tag for facts in spans.values() for tag in facts)
        flows, ends = self._period_facts(filing, spans)
        own = filing_period(filing, flows, spans)
        if own is not None:
            self.reports.append((filing, own))
        if filing.is_annual:
            self._usual = currency or self._usual
            self._years.update(span for span in flows if span_length(span) is SpanLength.YEAR)
        touched = self._apply_balances(filing, currency, spans, ends)
        touched |= self._apply_results(filing, currency, flows, filer, own)
        if filing.is_periodic:
            touched |= derived_quarters.derive_quarters(self._book, currency, flows, self._periods)
        for span in sorted(touched, key=lambda one: (one[1], one[0])):
            self._add_statement(filing, currency, span, own)
        self._book.end_report()

    def _period_facts(self, filing: FactsFiling, spans: dict[Span, Facts]) -> tuple[dict[Span, Facts], dict[str, str]]:
        """Facts by the known days of their period, and the end date the filing itself uses where it differs."""
        flows: dict[Span, Facts] = {}
        ends: dict[str, str] = {}
        for span, facts in spans.items():
            if not span[0] or not span[0] <= span[1] <= filing.known_until:  # amortisation tables look ahead
                continue
            known = self._periods.canonical_span(span, ROUNDED if filing.is_rounded else TOLERANCE)
            other = flows.get(known)
            if known != span:
                ends[span[1]] = known[1]
            if other is None:
                flows[known] = facts
            else:
                flows[known] = {**other, **facts} if known == span else {**facts, **other}
        return flows, ends

    def _apply_balances(
        self, filing: FactsFiling, currency: str | None, spans: dict[Span, Facts], ends: dict[str, str]
    ) -> set[Span]:
        changed: set[str] = set()
        for (start, day), facts in spans.items():
            if start or day > filing.known_until:
                continue
            places = (day, ends[day]) if day in ends else (day,)
            changed.update(one for one in places if self._apply_balance(filing, currency, one, facts))
        return {span for end in changed for span in self._book.ending(currency, end)}

    def _apply_balance(self, filing: FactsFiling, currency: str | None, day: str, facts: Facts) -> bool:
        held = self._book.balance(currency, day)
        if not held.is_news(facts, filing):
            return False
        changed = False
        for name, figure_of in _BALANCES:
            figure = figure_of(facts)
            before = held.items.get(name)
            if figure is None or self._is_scale_slip(filing, currency, day, name, figure.amount, before):
                continue
            if not held.take(name, figure, facts, filing):
                continue
            changed = True
            if name != "total_assets" or before is None or not (filing.is_periodic and before.periodic):
                continue
            if is_other_company(before.amount, figure.amount):
                for flow in FLOWS:  # the reporting entity is another one, as after a reverse merger
                    self._book.add_recast(currency, flow, before.last_filed, filing.filed)
        return changed

    def _apply_results(
        self, filing: FactsFiling, currency: str | None, flows: dict[Span, Facts], filer: FilerType, own: Span | None
    ) -> set[Span]:
        touched: set[Span] = set()
        closing = closing_totals.closing_by_span(flows)
        fragments = closing_totals.fragments_of(flows, closing)
        for span, facts in flows.items():
            held = self._book.period(currency, span)
            if not held.is_news(facts, filing):
                continue
            figures = (
                ("revenue", revenue_rules.revenue_figure(facts, filer, closing[span], fragments)),
                ("operating_result", figure_rules.operating_result_figure(facts, filer, closing[span])),
                ("net_result", figure_rules.net_result_figure(facts)),
            )
            for name, figure in figures:
                if figure is None:
                    continue
                touched.add(span)
                if derived_quarters.repeats_sum(self._book, currency, name, (span, figure), flows):
                    self._book.doubts.add((REPEATED_SUM, name, span[1]))
                else:
                    self._take_result(filing, currency, (span, own), name, figure, facts)
        self._apply_employees(filing, currency)
        return touched

    def _take_result(
        self,
        filing: FactsFiling,
        currency: str | None,
        spans: tuple[Span, Span | None],
        name: str,
        figure: TaggedFigure,
        facts: Facts,
    ) -> None:
        """Applies a figure of a span; a comparative of another scope is a recast, told of the filing's own span."""
        span, own = spans
        held = self._book.period(currency, span)
        before = held.items.get(name)
        if self._is_scale_slip(filing, currency, span, name, figure.amount, before):
            return
        if not held.take(name, figure, facts, filing) or before is None or own is None or span[1] >= own[1]:
            return
        is_same_figure = before.periodic and figure.rank == before.rank
        if is_same_figure and is_other_scope(before.amount, figure.amount):
            self._book.add_recast(currency, name, before.last_filed, filing.filed)

    def _is_scale_slip(
        self,
        filing: FactsFiling,
        currency: str | None,
        place: Span | str,
        name: str,
        amount: int,
        before: LatestValue | None,
    ) -> bool:
        """Whether a report states a known amount in another scale, and the known one is in the filer's scale.

        place: the period, or the day of a balance.
        """
        if not filing.is_periodic or (before is not None and not before.periodic):
            return False
        day = place if isinstance(place, str) else place[1]
        if before is None:
            self._book.note_amount(currency, name, place, amount)
            return False
        if not is_other_scale(before.amount, amount):
            return False
        self._book.doubts.add((OTHER_SCALE, name, day))
        usual = [one for one in self._book.earlier_amounts(currency, name, place) if one != before.amount]
        is_slip = nearer_amount(before.amount, amount, usual) == before.amount
        if is_slip:
            before.last_filed = filing.filed
        return is_slip

    def _apply_employees(self, filing: FactsFiling, currency: str | None) -> None:
        """Employees, where tagged: for the period, else at its end."""
        for (start, end), facts in filing.units.get(COUNTS, {}).items():
            figure = first_tagged(facts, concepts.EMPLOYEES)
            if figure is not None and start <= end <= filing.filed:
                span = self._periods.canonical_span((start, end)) if start else None
                place = self._book.period(currency, span) if span else self._book.balance(currency, end)
                place.take("employees", figure, facts, filing)

    def _add_statement(self, filing: FactsFiling, currency: str | None, span: Span, own: Span | None) -> None:
        """Adds a statement of one period if it is the filing's own or the filing changes what was known."""
        is_own = own is not None and span[1] == own[1]
        if span_length(span) not in _SERVED and span != own:
            return
        if span_length(span) is SpanLength.YEAR and filing.base in INTERIM and span not in self._years:
            return  # the last twelve months, which utilities report each quarter
        book = self.books.setdefault(span, PeriodVersions())
        if book.is_periodic and not filing.is_periodic:
            return
        amounts, derived = self._period_amounts(currency, span, periodic=filing.is_periodic)
        if all(amounts[name] is None for name in FLOWS):
            return
        if book.last == (currency, amounts) and not is_own:
            return
        if filing.is_periodic and not book.is_periodic:
            book.is_periodic, book.statements = True, 0
        book.last = (currency, amounts)
        book.statements += 1
        self.statements.append(FinancialStatement(filing, span, currency, amounts, derived, not is_own))

    def _period_amounts(
        self, currency: str | None, span: Span, *, periodic: bool
    ) -> tuple[dict[str, int | None], tuple[str, ...]]:
        """Amounts known of a period; for a report, without those that only proxies and similar documents gave."""
        held, balance = self._book.period(currency, span), self._book.balance(currency, span[1])
        amounts: dict[str, int | None] = {}
        derived: list[str] = []
        for name in FIGURES:
            item = held.items.get(name)
            if item is None or (periodic and not item.periodic):
                item = balance.items.get(name)
            computed = None if item is not None else held.derived.get(name)
            amounts[name] = item.amount if item is not None else computed and computed.amount
            if computed is not None or (item is not None and item.is_computed):
                derived.append(name)
        return amounts, tuple(derived)


def filing_period(filing: FactsFiling, flows: dict[Span, Facts], spans: dict[Span, Facts]) -> Span | None:
    """The period a report covers: the newest one of the length usual for its form.

    If there is none, as in a first or a transition report, the longest of the newest of any length; if the
    balance sheet is of a later day, as of a successor after a reorganisation, the period to that day. A transition
    period is less than twelve months.

    Args:
        filing: the report.
        flows: its periods, by their known days.
        spans: all its spans in its currency, balances included.
    """
    if not filing.is_periodic or not flows:
        return None
    usual = SpanLength.YEAR if filing.is_annual else SpanLength.QUARTER
    usable = [span for span in flows if span_length(span) is usual]
    if not usable or not filing.is_annual:
        usable = [span for span in flows if span_length(span) is not SpanLength.OTHER] or list(flows)
    if filing.base in TRANSITION:
        usable = list(flows)
    newest = max(end for _, end in usable)
    ending = [span for span in usable if span[1] == newest]
    if filing.base in TRANSITION:
        shorter = [span for span in ending if not is_twelve_months(span)]  # they stand beside it for comparison
        return min(shorter or ending, key=lambda span: day_ordinal(span[0]))
    if filing.is_annual:
        ending = _successor_periods(flows, spans, newest) or ending
    if any(span_length(span) is usual for span in ending):
        return min((span for span in ending if span_length(span) is usual), key=days_from_usual)
    return min(ending, key=lambda span: day_ordinal(span[0]))


def _successor_periods(flows: dict[Span, Facts], spans: dict[Span, Facts], newest: str) -> list[Span]:
    """Periods up to the newest balance sheet, if that is a quarter or more after all usual periods."""
    later = [span for span in flows if day_ordinal(span[1]) - day_ordinal(newest) >= SHORTEST]
    if not later:
        return []
    sheets = [end for (start, end), facts in spans.items() if not start and first_tagged(facts, concepts.ASSETS)]
    return [span for span in later if span[1] == max(sheets, default="")]
