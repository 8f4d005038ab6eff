"""Assigns facts of an annual report to scope and period and picks the valid one (docs/formats/se.md 6).

Contexts are identified by dates and segments, units by measure, never by their ids. Does not belong here: the
document's company and year (`document`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal

from connectors.kit.xbrl.facts import Context, Fact, choose_count, choose_fact, most_precise
from connectors.kit.xbrl.figures import StatedFigures, count_finer_amounts, has_finer_digits
from connectors.se.annual_reports import concepts as tags

Place = tuple[bool, date | None, date]  # is group, first day (None: a balance), last day


class AnnualReportFigures(StatedFigures):
    """Figures of one document by place; employees are full-time equivalents.

    unit: the power of ten in which the document states to print its amounts. Where most are no multiples of it, they
    were tagged as printed: in which unit they are is not known, and none counts.
    """

    def __init__(self, facts: Iterable[Fact], signals: Counter[tuple[str, str]], unit: int = 0) -> None:
        said = [fact for fact in facts if _is_figure(fact)]
        super().__init__(said, signals)
        self.count = len(said)
        self._places: dict[Place, dict[str, list[Fact]]] = {}
        for fact in said:
            self._add_fact(fact)
        amounts = [fact for fact in said if fact.name not in tags.EMPLOYEES]
        count_finer_amounts(amounts, signals)
        numbers = [fact.number for fact in amounts if fact.number]
        finer = sum(has_finer_digits(number, unit) for number in numbers) if unit else 0
        self._is_unscaled = finer * 2 > len(numbers)
        if self._is_unscaled:
            signals["other_scale", "Beloppsformat"] += finer

    def money(self, value: Decimal | None, name: str) -> int | None:
        """As `StatedFigures.money`; None of a document whose unit is not known."""
        return None if self._is_unscaled else super().money(value, name)

    def periods(self, is_group: bool) -> Iterator[tuple[date, date]]:
        """First and last days of all durations of a scope with flow figures."""
        for (group, start, end), found in self._places.items():
            if group == is_group and start is not None and not tags.FLOWS.isdisjoint(found):
                yield start, end

    def value(self, is_group: bool, start: date | None, end: date, names: tuple[str, ...]) -> Decimal | None:
        """Value of the first stated concept of several; `start` None means a balance."""
        placed = self._places.get((is_group, start, end), {})
        for name in names:
            if name in placed:
                return self._chosen_amount(name, placed[name])
        return None

    def net_result(self, is_group: bool, start: date, end: date) -> Decimal | None:
        """The result of a period, else its line in equity. None if the two have other signs: which is right is unknown.

        A stated result that is contradicted stays unknown: the line in equity does not stand in for it.
        """
        in_equity = self.value(is_group, None, end, tags.NET_RESULT_IN_EQUITY)
        if self._places.get((is_group, start, end), {}).keys().isdisjoint(tags.NET_RESULT):
            return in_equity
        result = self.value(is_group, start, end, tags.NET_RESULT)
        if result and in_equity == -result:
            self.signals["conflicting_facts", tags.NET_RESULT_IN_EQUITY[0]] += 1
            return None
        return result

    def total_assets(self, is_group: bool, end: date) -> Decimal | None:
        """The total of a balance; a second total that differs from it is counted."""
        placed = self._places.get((is_group, None, end), {})
        choices = [choose_fact(most_precise(placed[name])) for name in tags.TOTAL_ASSETS if name in placed]
        totals = [choice.fact for choice in choices if choice.agree]
        if totals and not choose_fact(totals).agree:
            self.signals["unbalanced", "total_assets"] += 1
        return self.value(is_group, None, end, tags.TOTAL_ASSETS)

    def _chosen_amount(self, name: str, facts: Sequence[Fact]) -> Decimal | None:
        """The most precise of repeated facts; a differing coarser one is ignored with a signal.

        See docs/formats/se.md 6.

        Overviews are truncated as often as rounded. None if the most precise facts contradict each other.
        """
        choose = choose_count if name in tags.EMPLOYEES else choose_fact
        choice = choose(facts)
        if choice.agree:
            return choice.fact.number
        self.signals["conflicting_facts", name] += 1
        finest = choose(most_precise(facts))
        return finest.fact.number if finest.agree else None

    def _add_fact(self, fact: Fact) -> None:
        context = fact.context
        if context is None or context.end is None:
            return
        is_group = self._context_scope(context)
        if is_group is None or not (fact.name in tags.EMPLOYEES or self.is_in_currency(fact)):
            return
        place = (is_group, context.start, context.end)
        self._places.setdefault(place, {}).setdefault(fact.name, []).append(fact)

    def _context_scope(self, context: Context) -> bool | None:
        """True for group, False for company, None for a part or an unknown segment."""
        if context.dimensions:
            self.signals["unknown_dimension", context.dimensions[0].axis] += 1
            return None
        if not context.segments:
            return False
        if tags.GROUP_SEGMENT in context.segments:
            return True
        if tags.COMPANY_SEGMENT in context.segments:
            return False
        if tags.COMMON_SEGMENT not in context.segments:
            self.signals["unknown_segment", context.segments[0]] += 1
        return None


def _is_figure(fact: Fact) -> bool:
    return fact.number is not None and fact.name in tags.NUMBERS and tags.FIGURES_FAMILY in (fact.namespace or "")
