"""Assigns facts of a document to scope and period and picks the valid one (docs/formats/uk.md 9.4).

Undimensioned facts are the company's, `Consolidated` ones the group's; the two never mix. Does not belong here:
the meaning of dimensions (`dimensions`), periods (`periods`), names of a document.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Final

from connectors.kit.xbrl.facts import Fact, choose_fact
from connectors.kit.xbrl.transforms import UnacceptedTextError, parse_plain_number
from connectors.uk.accounts import concepts
from connectors.uk.accounts.dimensions import BY_MEMBER, ORIGINAL, FactPart, fact_part_of, has_revised_figures
from warehouse.schema.types import LARGEST_INTEGER

_WHOLE: Final = Decimal(1)
_MOST_PEOPLE: Final = Decimal(10**10)
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
    """Number of employees; also from texts such as «2017 - 2» or «Total: 3», with the number at the end."""
    if fact.number is not None:
        return fact.number
    text = fact.text.rpartition(":")[2].rpartition("- ")[2]
    if fact.is_nil or not text.strip():
        return None
    try:
        return parse_plain_number(text)
    except UnacceptedTextError:
        return None


def to_whole_units(value: Decimal) -> int:
    """Whole units, halves to even."""
    return int(value.to_integral_value(ROUND_HALF_EVEN))


Ranked = list[tuple[int, Fact]]


def _confirmed_amount(name: str, facts: list[Fact], placed: Mapping[str, Ranked]) -> Decimal | None:
    """Of contradicting facts, the one confirmed by another total of the same kind; else the first."""
    if name in concepts.EQUITY:
        others = {fact.number for other in concepts.EQUITY if other != name for _, fact in placed.get(other, ())}
        for fact in facts:
            if fact.number in others:
                return fact.number
    return facts[0].number


class AccountsFigures:
    """Figures of one document by place. `currency`: the one most amounts use."""

    def __init__(self, facts: Iterable[Fact], signals: Counter[tuple[str, str]]) -> None:
        self.signals = signals
        self.currency: str | None = None
        self.flows: defaultdict[tuple[bool, date], Counter[date]] = defaultdict(Counter)
        self.balances: dict[date, set[str]] = {}
        self._places: dict[Place, dict[str, Ranked]] = {}
        said = [fact for fact in facts if fact.name not in concepts.METADATA]
        self._is_ifrs_group = any(map(_is_group_only, said))
        self.is_revised = has_revised_figures(said)
        self._place_facts([fact for fact in said if fact.name not in concepts.OWNERS])

    def _place_facts(self, facts: list[Fact]) -> None:
        self.currency = self._main_currency(facts)
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
            elif fact.number is not None and self._is_money(fact):
                yield (name if part.maturity is None else part.maturity), part, fact

    def _fact_part(self, fact: Fact) -> FactPart | None:
        """Scope of a fact; None if it is a part, has no date, or was replaced by a revision."""
        context = fact.context
        if context is None or context.end is None:
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

    def _main_currency(self, facts: list[Fact]) -> str | None:
        found = Counter(fact.unit.currency for fact in facts if fact.unit is not None and fact.value is not None)
        del found[None]
        if len(found) > 1:
            for currency, count in found.most_common()[1:]:
                self.signals["mixed_currencies", str(currency)] += count
        return found.most_common(1)[0][0] if found else None

    def _is_money(self, fact: Fact) -> bool:
        currency = fact.unit.currency if fact.unit is not None else None
        if currency is None:
            self.signals["no_currency", fact.name] += 1
        return currency is not None and currency == self.currency

    def _add_fact(self, is_group: bool, rank: int, name: str, fact: Fact) -> None:
        context = fact.context
        if context is None or context.end is None:
            return
        start, end = context.start, context.end
        self._places.setdefault((is_group, start, end), {}).setdefault(name, []).append((rank, fact))
        if start is None:
            if name not in concepts.EMPLOYEES:
                self.balances.setdefault(end, set()).add(name)
        elif name in concepts.FLOWS:
            self.flows[is_group, end][start] += 1

    def values_by_concept(self, is_group: bool, start: date | None, end: date) -> Mapping[str, Decimal]:
        """Figures of one scope and period by concept; start None means the balances of a day."""
        placed = self._places.get((is_group, start, end))
        if placed is None:
            return {}
        found = {name: self._chosen_amount(name, facts, placed) for name, facts in placed.items()}
        return {name: value for name, value in found.items() if value is not None}

    def _chosen_amount(self, name: str, ranked: Ranked, placed: Mapping[str, Ranked]) -> Decimal | None:
        if len(ranked) == 1:
            return ranked[0][1].number
        best = min(rank for rank, _ in ranked)
        facts = [fact for rank, fact in ranked if rank == best]
        choice = choose_fact(facts)
        if choice.agree:
            return choice.fact.number
        self.signals["conflicting_facts", name] += 1
        return _confirmed_amount(name, facts, placed)

    def money(self, value: Decimal | None, name: str) -> int | None:
        """Whole units; None and a signal for implausible values (more than 63 bits)."""
        if value is None:
            return None
        if abs(value) > LARGEST_INTEGER:
            self.signals["amount_out_of_range", name] += 1
            return None
        return to_whole_units(value)

    def heads(self, value: Decimal | None) -> int | None:
        """Whole persons, halves up; some filers add a sign. None if there are more than people on earth."""
        if value is None:
            return None
        if abs(value) > _MOST_PEOPLE:
            self.signals["amount_out_of_range", "employees"] += 1
            return None
        return int(abs(value).quantize(_WHOLE, ROUND_HALF_UP))
