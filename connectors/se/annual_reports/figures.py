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
from connectors.kit.xbrl.figures import StatedFigures
from connectors.se.annual_reports import concepts as tags

Place = tuple[bool, date | None, date]  # is group, first day (None: a balance), last day


class AnnualReportFigures(StatedFigures):
    """Figures of one document by place; employees are full-time equivalents."""

    def __init__(self, facts: Iterable[Fact], signals: Counter[tuple[str, str]]) -> None:
        said = [fact for fact in facts if _is_figure(fact)]
        super().__init__(said, signals)
        self.count = len(said)
        self._places: dict[Place, dict[str, list[Fact]]] = {}
        for fact in said:
            self._add_fact(fact)

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

    def is_stated(self, is_group: bool, start: date, end: date, names: tuple[str, ...]) -> bool:
        """True if one of several concepts is stated for a period, though its facts may contradict each other."""
        return not self._places.get((is_group, start, end), {}).keys().isdisjoint(names)

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
