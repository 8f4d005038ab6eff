"""Assigns facts of a document to scope (by dimensions) and period, and picks the valid one (docs/formats/uk.md 9.4).

Undimensioned facts are the company's, `Consolidated` ones the group's; the two never mix. Does not belong here:
periods (`periods`), names of a document.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

from connectors.kit.xbrl.facts import Context, Dimension, Fact, choose_count, choose_fact
from connectors.kit.xbrl.figures import StatedFigures, count_finer_amounts
from connectors.kit.xbrl.transforms import UnacceptedTextError, parse_plain_number
from connectors.uk.accounts import concepts

WITHIN: Final = concepts.MATURITIES["WithinOneYear"]  # creditors by maturity
AFTER: Final = concepts.MATURITIES["AfterOneYear"]
PLAIN, RESTATED, BY_MEMBER, ORIGINAL = 0, 1, 2, 3  # ranks
_PART, _COMPANY, _GROUP, _SEGMENTS, _ALL = "part", "company", "group", "segments", "all"
_LAST, _FIRST = "restated", "first"  # of several values of a figure
_WHOLE_MEMBERS: Final = {**dict.fromkeys(concepts.WHOLE_MEMBERS, _ALL), concepts.RESTATED: _LAST}


class FactPart(NamedTuple):
    """Scope of a fact. rank: undimensioned, restated, total by members, or value as originally filed."""

    is_group: bool
    rank: int
    maturity: str | None
    is_segment_total: bool


_WHOLE_COMPANY: Final = FactPart(False, PLAIN, None, False)


def fact_part_of(context: Context) -> FactPart | None:
    """Scope of a context; None if it is only a part of the total."""
    if not context.dimensions and not context.segments:
        return _WHOLE_COMPANY
    return _combined_part(context.dimensions, context.segments)


@lru_cache(maxsize=4096)
def _combined_part(dimensions: tuple[Dimension, ...], segments: tuple[str, ...]) -> FactPart | None:
    found = {_dimension_meaning(dimension) for dimension in dimensions}
    found |= {_member_scope(name) for name in segments}  # segment elements used instead of dimensions
    maturities = [word for word in found if word in (WITHIN, AFTER)]
    if _PART in found or len(maturities) > 1:
        return None
    is_total = _SEGMENTS in found
    whole = BY_MEMBER if is_total or _ALL in found else RESTATED if _LAST in found else PLAIN
    rank = ORIGINAL if _FIRST in found else whole
    return FactPart(_GROUP in found, rank, next(iter(maturities), None), is_total)


def _member_scope(name: str) -> str:
    return _GROUP if name in concepts.GROUP_MEMBERS else _COMPANY if name in concepts.COMPANY_MEMBERS else _PART


def _dimension_meaning(dimension: Dimension) -> str:
    """Meaning of one dimension: group, company, a total, creditors of a maturity, or a part."""
    axis, member, is_typed = dimension
    if is_typed or member is None:
        return _PART
    if axis in concepts.GROUP_AXES:
        return _member_scope(member)
    if axis == concepts.REVISION_AXIS:
        return {concepts.ORIGINAL: _FIRST, concepts.REVISED: _LAST}.get(member, _PART)
    if axis in concepts.MATURITY_AXES and member in concepts.MATURITIES:
        return concepts.MATURITIES[member]
    if member.startswith("Total") and member.endswith("IncludingAnyUnallocatedAmount"):
        return _SEGMENTS
    return _ALL if member.endswith(concepts.DEFAULT) else _WHOLE_MEMBERS.get(member, _PART)


def has_revised_figures(facts: Iterable[Fact]) -> bool:
    """True if a document marks figures as revised; its original ones are then superseded."""
    return any(
        cut.axis == concepts.REVISION_AXIS and cut.member in (concepts.REVISED, concepts.SUPERSEDED)
        for fact in facts
        if fact.context is not None
        for cut in fact.context.dimensions
    )


_YEAR: Final = re.compile(r"(?:19|20)\d\d")  # «2017 - 2» is a year and its number, «10 - 20» a range
_SEVERAL: Final = re.compile(r"(?:(?::|\s[-–]\s)\s*\d.*){2}", re.DOTALL)  # «2023: 5 2022: 4», «Directors: 2, staff: 3»
_SUBJECT: Final = 80  # maximum characters of a signal's subject

Place = tuple[bool, date | None, date]  # is group, first day (None: a balance), last day


def _is_ifrs(fact: Fact) -> bool:
    return concepts.IFRS in (fact.namespace or "")


def _is_group_only(fact: Fact) -> bool:
    """True if the fact occurs only in a group's IFRS statements (docs/formats/uk.md 9.5)."""
    if not _is_ifrs(fact) or fact.context is None:
        return False
    return fact.name in concepts.OWNERS or any(cut.axis == concepts.IFRS_AXIS for cut in fact.context.dimensions)


def employee_count(fact: Fact) -> Decimal | None:
    """Number of employees; also from texts such as «2017 - 2» or «Total: 3», with one number, at the end."""
    if fact.number is not None:
        return fact.number
    before, _, text = fact.text.rpartition(":")[2].rpartition("- ")
    is_range = before.strip().isdecimal() and _YEAR.fullmatch(before.strip()) is None
    if fact.is_nil or is_range or not text.strip() or _SEVERAL.search(fact.text) is not None:
        return None
    try:
        return parse_plain_number(text)
    except UnacceptedTextError:
        return None


Ranked = list[tuple[int, Fact]]


def _confirmed_amount(name: str, facts: list[Fact], placed: Mapping[str, Ranked]) -> Decimal | None:
    """Of contradicting facts, the one that another total of the same kind repeats; none if none or several are."""
    if name not in concepts.EQUITY:
        return None
    others = {fact.number for other in concepts.EQUITY if other != name for _, fact in placed.get(other, ())}
    confirmed = {fact.number for fact in facts if fact.number is not None} & others
    return next(iter(confirmed)) if len(confirmed) == 1 else None


def _is_replaced_by_contradiction(name: str, contradicted: AbstractSet[str]) -> bool:
    """True if a better concept of the same figure is contradicted: this one would mean something else."""
    return any(not contradicted.isdisjoint(chain[: chain.index(name)]) for chain in concepts.CHAINS if name in chain)


class AccountsFigures(StatedFigures):
    """Figures of one document by place."""

    def __init__(self, facts: Iterable[Fact], signals: Counter[tuple[str, str]]) -> None:
        said = [fact for fact in facts if fact.name not in concepts.METADATA]
        figures = [fact for fact in said if fact.name not in concepts.OWNERS]
        super().__init__(figures, signals)
        count_finer_amounts((fact for fact in figures if fact.name not in concepts.EMPLOYEES), signals)
        self.flows: defaultdict[tuple[bool, date], Counter[date]] = defaultdict(Counter)
        self.balances: dict[date, set[str]] = {}
        self._places: dict[Place, dict[str, Ranked]] = {}
        self._is_ifrs_group = any(map(_is_group_only, said))
        self.is_revised = has_revised_figures(said)
        self._place_facts(figures)

    def _place_facts(self, facts: list[Fact]) -> None:
        segments: list[tuple[str, Fact]] = []
        for name, part, fact in self._usable_facts(facts):
            if part.is_segment_total and not part.is_group and name in concepts.FLOWS:
                segments.append((name, fact))
            else:
                self._add_fact(part.is_group, part.rank, name, fact)
        if not segments:
            return
        groups = {end for is_group, end in self.flows if is_group}
        for name, fact in segments:  # a group's segments: the parent publishes no result of its own
            is_group = fact.context is not None and fact.context.end in groups
            if is_group:
                self.signals["group_total_by_segment", name] += 1
            self._add_fact(is_group, BY_MEMBER, name, fact)

    def _usable_facts(self, facts: list[Fact]) -> Iterator[tuple[str, FactPart, Fact]]:
        for fact in facts:
            part = self._fact_part(fact)
            if part is None:
                continue
            name = fact.name
            if name in concepts.EMPLOYEES:
                value = employee_count(fact)
                if value is not None:
                    yield name, part, fact._replace(value=value)
            elif fact.number is not None and self.is_in_currency(fact):
                yield (name if part.maturity is None else part.maturity), part, fact

    def _fact_part(self, fact: Fact) -> FactPart | None:
        """Scope of a fact; None if it is a part, has no date, or was replaced by a revision."""
        context = fact.context
        if context is None or context.end is None:
            return None
        if context.start is not None and context.start > context.end:
            self.signals["impossible_period", "ends before it starts"] += 1
            return None
        part = fact_part_of(context)
        if context.segments:
            self.signals["cut_without_dimension", ", ".join(context.segments)[:_SUBJECT]] += 1
        if part is None or (part.maturity is not None and fact.name != concepts.CREDITORS):
            return None
        if self.is_revised and part.rank == ORIGINAL:
            return None
        if self._is_ifrs_group and not context.dimensions and _is_ifrs(fact):
            return part._replace(is_group=True)
        return part

    def _add_fact(self, is_group: bool, rank: int, name: str, fact: Fact) -> None:
        context = fact.context
        if context is None or context.end is None:
            return
        start, end = context.start, context.end
        if name in (concepts.STOCKS if start is not None else concepts.FLOWS):
            self.signals["wrong_period_type", name] += 1
        self._places.setdefault((is_group, start, end), {}).setdefault(name, []).append((rank, fact))
        if start is None:
            if name not in concepts.EMPLOYEES:
                self.balances.setdefault(end, set()).add(name)
        elif name in concepts.FLOWS:
            self.flows[is_group, end][start] += 1

    def last_days(self) -> set[date]:
        """Last days of all periods with results, and days of all balances."""
        return {end for _, end in self.flows} | set(self.balances)

    def values_by_concept(self, is_group: bool, start: date | None, end: date) -> Mapping[str, Decimal]:
        """Figures of one scope and period by concept; start None means the balances of a day.

        A contradicted concept has no value, nor has one that would stand in for it (docs/formats/uk.md 9.4).
        """
        placed = self._places.get((is_group, start, end))
        if placed is None:
            return {}
        found = {name: self._chosen_amount(name, facts, placed) for name, facts in placed.items()}
        contradicted = {name for name, value in found.items() if value is None}
        return {
            name: value
            for name, value in found.items()
            if value is not None and not _is_replaced_by_contradiction(name, contradicted)
        }

    def _chosen_amount(self, name: str, ranked: Ranked, placed: Mapping[str, Ranked]) -> Decimal | None:
        if len(ranked) == 1:
            return ranked[0][1].number
        best = min(rank for rank, _ in ranked)
        facts = [fact for rank, fact in ranked if rank == best]
        choice = choose_count(facts) if name in concepts.EMPLOYEES else choose_fact(facts)
        restated = [fact for rank, fact in ranked if best < rank == RESTATED]
        is_replaced = bool(restated) and not choose_fact([choice.fact, *restated]).agree
        if choice.agree and not is_replaced:
            return choice.fact.number
        self.signals["conflicting_facts", name] += 1
        last = choose_fact(restated) if is_replaced else None
        return last.fact.number if last is not None and last.agree else _confirmed_amount(name, facts, placed)

    def equity(self, balances: Mapping[str, Decimal]) -> Decimal | None:
        """Equity of a day; None if net assets are the same amount with the other sign: one of them lost its minus.

        Some software gives the assets the sign of a ledger, which is minus: equity has its own sign there.
        """
        stated = [(name, balances[name]) for name in concepts.EQUITY if name in balances]
        if not stated:
            return None
        first, value = stated[0]
        opposite = [name for name, other in stated if other == -value != 0]
        if not opposite:
            return value
        self.signals["conflicting_facts", f"{first}, {opposite[0]}"] += 1
        assets = [balances[name] for name in (concepts.FIXED_ASSETS, concepts.CURRENT_ASSETS) if name in balances]
        return value if assets and max(assets) < 0 else None

    def heads(self, value: Decimal | None) -> int | None:
        """Whole persons; some filers add a sign."""
        return super().heads(None if value is None else abs(value))
