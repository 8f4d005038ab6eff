"""Assigns facts of a report to scope and period, and picks the valid one (docs/formats/dk.md 5.1).

A fact without dimensions is the company's, one of `ConsolidatedMember` the group's, any other a part of a whole; in
ESEF reports the group is the default. Does not belong here: the report's company and year (`document`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal

from connectors.dk.regnskaber import concepts as tags
from connectors.kit.xbrl.facts import Context, Fact, choose_fact, most_precise
from connectors.kit.xbrl.figures import StatedFigures, count_finer_amounts

Place = tuple[bool, date | None, date]  # is group, first day (None: a balance), last day


class ReportFigures(StatedFigures):
    """Figures of one report by place. count: facts that are figures of a whole."""

    def __init__(self, facts: Iterable[Fact], signals: Counter[tuple[str, str]]) -> None:
        said = [fact for fact in facts if _is_figure(fact)]
        amounts = [fact for fact in said if fact.name not in tags.EMPLOYEES]
        super().__init__(amounts, signals)
        count_finer_amounts(amounts, signals)
        self.is_ifrs = any(tags.IFRS_FAMILY in (fact.namespace or "") for fact in said)
        self.count = 0
        self._places: dict[Place, dict[str, list[Fact]]] = {}
        for fact in said:
            self._add_fact(fact)

    def periods(self, is_group: bool) -> Iterator[tuple[date, date]]:
        """First and last days of all durations of a scope with results."""
        for (group, start, end), found in self._places.items():
            if group == is_group and start is not None and not tags.FLOWS.isdisjoint(found):
                yield start, end

    def flow(self, is_group: bool, start: date, end: date, name: str) -> int | None:
        """A result of a period, by its staged column."""
        return self.money(self._value(is_group, start, end, tags.CHAINS[name]), name)

    def stock(self, is_group: bool, end: date, name: str) -> int | None:
        """A balance of a day. Two totals of it that differ are counted; for a contradicted one no other stands in."""
        placed = self._places.get((is_group, None, end), {})
        stated = [self._chosen(one, placed[one]) for one in tags.BALANCES[name] if one in placed]
        if len(set(stated) - {None}) > 1:
            self.signals["unbalanced", name] += 1
        return self.money(next(iter(stated), None), name)

    def employees(self, is_group: bool, start: date, end: date) -> int | None:
        """Employees of a period, halves up; some reports state them for its last day."""
        is_stated = not self._places.get((is_group, start, end), {}).keys().isdisjoint(tags.EMPLOYEES)
        return self.heads(self._value(is_group, start if is_stated else None, end, tags.EMPLOYEES))

    def _value(self, is_group: bool, start: date | None, end: date, names: tuple[str, ...]) -> Decimal | None:
        placed = self._places.get((is_group, start, end), {})
        for name in names:
            if name in placed:
                return self._chosen(name, placed[name])
        return None

    def _chosen(self, name: str, facts: Sequence[Fact]) -> Decimal | None:
        """The most precise of repeated facts; with a signal where others differ from it, and none of several.

        A zero gives way to the one value stated beside it. Counts of people are not rounded: those that differ
        contradict each other, as 0 and 1 do.
        """
        choice = choose_fact(facts)
        is_count = name in tags.EMPLOYEES
        if choice.agree and not (is_count and any(fact.number != choice.fact.number for fact in facts)):
            return choice.fact.number
        self.signals["conflicting_facts", name] += 1
        told = {fact.number for fact in (facts if is_count else most_precise(facts)) if fact.number}
        return told.pop() if len(told) == 1 else None

    def _add_fact(self, fact: Fact) -> None:
        context = fact.context
        if context is None or context.end is None:
            return
        is_group = self._scope(context)
        if is_group is None or not (fact.name in tags.EMPLOYEES or self.is_in_currency(fact)):
            return
        self.count += 1
        self._places.setdefault((is_group, context.start, context.end), {}).setdefault(fact.name, []).append(fact)

    def _scope(self, context: Context) -> bool | None:
        """True for the group, False for the company, None for a part."""
        default = context.scheme.strip() == tags.LEI_SCHEME
        if context.segments:
            self.signals["unknown_segment", context.segments[0]] += 1
            return None
        if not context.dimensions:
            return default
        (axis, member, is_typed), *others = context.dimensions
        if others or is_typed or member is None:
            return None
        meanings = {
            (tags.SCOPE_AXIS, tags.GROUP_MEMBER): True,
            (tags.SCOPE_AXIS, tags.COMPANY_MEMBER): False,
            (tags.IFRS_AXIS, tags.SEPARATE_MEMBER): False,
            (tags.IFRS_AXIS, tags.GROUP_MEMBER): True,
        }
        return meanings.get((axis, member.strip()))


def _is_figure(fact: Fact) -> bool:
    family = fact.namespace or ""
    is_known = family.endswith(tags.FIGURES_FAMILY) or tags.IFRS_FAMILY in family
    return fact.number is not None and fact.name in tags.NUMBERS and is_known
