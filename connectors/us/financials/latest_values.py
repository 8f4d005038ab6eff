"""Latest figures of one filer, by period and balance date, while its filings are processed in order.

Belongs here: when a later filing's figure replaces an earlier one. Does not belong here: iterating over filings
(`versions`).
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

from connectors.us.financials.amount_scales import is_out_of_scale, may_be_scales_apart, neighbours
from connectors.us.financials.model import Facts, FactsFiling, Span
from connectors.us.financials.periods import TOLERANCE, SpanLength, day_ordinal, span_length
from connectors.us.financials.tagged_figures import TaggedFigure

OTHER_SCALE: Final = "amount_in_another_scale"  # signal: thousands or millions that a report tagged as units, or twice
REPEATED_SUM: Final = "quarter_repeats_sum"  # signal: a quarter with the amount of the sum to its end
FLOWS: Final = ("revenue", "operating_result", "net_result")
_COMPARATIVES: Final = 800  # days: a report compares its year with the two before it
_EARLIER: Final = 8  # amounts of a figure that show its scale
_AROUND: Final = 2  # amounts on each side that do
_Kind = tuple[str | None, str, SpanLength | None]  # currency, figure, length of the period; null: a balance
_RECAST: Final = 200  # part of an amount by which a comparative must change to be of another scope


@dataclass(slots=True)
class FinancialStatement:
    """One version of one period: what was known of it once a filing was in."""

    filing: FactsFiling
    span: Span
    currency: str | None
    amounts: dict[str, int | None]
    derived: tuple[str, ...]
    is_comparative: bool
    fiscal_year: int | None = None


@dataclass(slots=True)
class LatestValue:
    """A figure as last filed; `facts` are those it was chosen from.

    since: the day it was first filed with this value. last_filed: the day it was last filed with it. superseded: the
    last day it was filed with another value; empty if it never had one. equal, unequal: tags of other filings that
    state this amount for the period, or another one.
    """

    amount: int
    rank: int
    tags: frozenset[str]
    is_computed: bool
    periodic: bool
    facts: Facts
    since: str
    last_filed: str
    superseded: str = ""
    equal: frozenset[str] = frozenset()
    unequal: frozenset[str] = frozenset()


class DerivedFigure(NamedTuple):
    """A figure computed as a difference: its amount, the number of sums subtracted, and their common tags."""

    amount: int
    parts: int
    tags: frozenset[str]


@dataclass(slots=True)
class PeriodFigures:
    """Figures of one period or of one balance date."""

    items: dict[str, LatestValue] = field(default_factory=dict)
    derived: dict[str, DerivedFigure] = field(default_factory=dict)
    last: tuple[Facts, bool] | None = None

    def is_news(self, facts: Facts, filing: FactsFiling) -> bool:
        """Whether a filing says anything about a period that differs from the previous filing."""
        said = (facts, filing.is_periodic)
        if said == self.last:
            for item in self.items.values():
                item.last_filed = filing.filed if item.periodic else item.last_filed
            return False
        self.last = said
        return True

    def take(self, name: str, figure: TaggedFigure, facts: Facts, filing: FactsFiling) -> bool:
        """Applies a later filing's figure; returns whether the stored value changes.

        A wider scope never replaces a narrower one, a non-periodic document never a periodic report, a merely
        repeated part never the total it belonged to, and a coarser rounding never anything.
        """
        item = self.items.get(name)
        periodic = filing.is_periodic
        if item is None or (periodic and not item.periodic):
            self.items[name] = LatestValue(*figure, periodic, facts, filing.filed, filing.filed)
            return True
        if item.periodic and not periodic:
            return False
        if figure.amount == item.amount:
            item.last_filed = filing.filed
            item.equal |= figure.tags
            if figure.rank <= item.rank and not figure.tags <= item.tags:
                item.rank, item.tags = figure.rank, item.tags | figure.tags
            return False
        if _prefers_existing(item, name, figure):
            item.unequal |= figure.tags if abs(figure.amount - item.amount) >= filing.rounding_unit else frozenset()
            return False
        if _is_rounding(item.amount, figure.amount, filing):
            item.last_filed = filing.filed
            return False
        # another scope is another figure, not another value of the same figure
        superseded = item.last_filed if figure.rank == item.rank else item.superseded
        self.items[name] = LatestValue(*figure, periodic, facts, filing.filed, filing.filed, superseded)
        return True


def _prefers_existing(item: LatestValue, name: str, figure: TaggedFigure) -> bool:
    """Whether the stored figure is better although it is older."""
    if name != "revenue":
        return figure.rank > item.rank
    if figure.is_computed and not item.is_computed:
        return True  # a sum of parts where a total had been filed
    return all(item.facts.get(tag) == figure.amount for tag in figure.tags)


def is_other_scope(before: int, after: int) -> bool:
    """Whether a comparative changed by more than a reclassification: half a percent."""
    return abs(after - before) * _RECAST > abs(before)


def is_other_company(before: int, after: int) -> bool:
    """Whether a balance stated again is that of another reporting entity: it differs by more than a tenth."""
    return 10 * max(before, after) > 11 * min(before, after)


def _is_rounding(before: int, after: int, filing: FactsFiling) -> bool:
    """Whether the later amount is the earlier one in a coarser unit (docs/contract/contract.md 4.3).

    Rounded columns are adjusted to add up, so an amount may differ from its own rounding by a whole unit.
    """
    coarser = filing.rounding_unit
    return before % coarser != 0 and abs(before - after) < coarser


@dataclass(slots=True)
class PeriodVersions:
    """All figures stated for one period so far."""

    last: tuple[str | None, dict[str, int | None]] | None = None
    statements: int = 0
    is_periodic: bool = False


def _kind_of(place: Span | str) -> SpanLength | None:
    """The length of a period; null for a balance date."""
    return None if isinstance(place, str) else span_length(place)


class FilerFigures:
    """All figures of one filer, by currency: amounts in two currencies are never mixed.

    unlike_parts: figures of quarters that are not derived, as the sums are of two scopes. doubts: why an amount is
    doubtful (the code of a signal), of which figure, and its last day.
    """

    def __init__(self) -> None:
        self.unlike_parts: set[tuple[str, Span]] = set()
        self.doubts: set[tuple[str, str, str]] = set()
        self._earlier: dict[_Kind, deque[int]] = defaultdict(partial(deque, maxlen=_EARLIER))
        self._noted: list[tuple[_Kind, int]] = []
        self._periods: dict[tuple[str | None, Span], PeriodFigures] = {}
        self._days: dict[tuple[str | None, str], PeriodFigures] = {}
        self._ending: dict[tuple[str | None, str], list[Span]] = defaultdict(list)
        self._starting: dict[str | None, dict[int, list[Span]]] = {}
        self._recasts: dict[tuple[str | None, str], list[tuple[str, str]]] = defaultdict(list)

    def period(self, currency: str | None, span: Span) -> PeriodFigures:
        """Figures of a period."""
        found = self._periods.get((currency, span))
        if found is None:
            found = self._periods[currency, span] = PeriodFigures()
            self._ending[currency, span[1]].append(span)
            self._starting.setdefault(currency, {}).setdefault(day_ordinal(span[0]), []).append(span)
        return found

    def balance(self, currency: str | None, day: str) -> PeriodFigures:
        """Figures of a balance date."""
        found = self._days.get((currency, day))
        if found is None:
            found = self._days[currency, day] = PeriodFigures()
        return found

    def earlier_amounts(self, currency: str | None, name: str, place: Span | str) -> list[int]:
        """The newest amounts that earlier reports gave of a figure, at balance dates or of periods as long."""
        return list(self._earlier[currency, name, _kind_of(place)])

    def note_amount(self, currency: str | None, name: str, place: Span | str, amount: int) -> None:
        """Notes an amount that a report gave first; it is an earlier one once the report is applied."""
        self._noted.append(((currency, name, _kind_of(place)), amount))

    def amounts_out_of_scale(self) -> set[tuple[str, str, str]]:
        """Doubts of amounts that lie a thousand or a million times off those of the periods, or days, around them."""
        series: dict[_Kind, list[tuple[str, int]]] = defaultdict(list)
        places = ((unit, place, held) for (unit, place), held in (*self._periods.items(), *self._days.items()))
        for unit, place, held in places:
            day = place if isinstance(place, str) else place[1]
            for name, item in held.items.items():
                series[unit, name, _kind_of(place)].append((day, item.amount))
        return {
            (OTHER_SCALE, name, day)
            for (_, name, _), stated in series.items()
            if may_be_scales_apart([amount for _, amount in stated])
            for (day, amount), around in neighbours(sorted(stated), _AROUND)
            if is_out_of_scale(amount, [other for _, other in around])
        }

    def end_report(self) -> None:
        """Makes what was noted of a report known to those that follow."""
        for key, amount in self._noted:
            self._earlier[key].append(amount)
        self._noted.clear()

    def add_recast(self, currency: str | None, name: str, before: str, filed: str) -> None:
        """Records a report that states a period before its own with another amount, last filed on the day `before`."""
        self._recasts[currency, name].append((before, filed))

    def is_recast_between(self, currency: str | None, name: str, last: str, since: str) -> bool:
        """Whether a report recast a figure after one value was last filed and until another was first filed.

        Not if a report before `last` recast it already: then both values are of the scope since then.
        """
        recasts = self._recasts.get((currency, name), ()) if last < since else ()
        return any(
            last < filed <= since and not any(before < earlier <= last for _, earlier in recasts)
            for before, filed in recasts
        )

    def carry_one_quantity(
        self, currency: str | None, name: str, tags: frozenset[str], others: frozenset[str], day: str
    ) -> bool:
        """Whether periods around a day show one amount under both of two sets of tags, and none shows two."""
        ends = [
            spans
            for (unit, end), spans in self._ending.items()
            if unit == currency and abs(day_ordinal(end) - day_ordinal(day)) <= _COMPARATIVES
        ]
        around = (self._periods[currency, span].items for spans in ends for span in spans)
        near = [items[name] for items in around if name in items]
        differs = any(
            item.facts[one] != item.facts[other]
            for item in near
            for one in tags & item.facts.keys()
            for other in others & item.facts.keys()
        ) or any(
            item.tags & one and item.unequal & other for item in near for one, other in ((tags, others), (others, tags))
        )
        stated = [item.tags | item.equal for item in near]
        return not differs and any(one & tags and one & others for one in stated)

    def ending(self, currency: str | None, day: str) -> list[Span]:
        """Periods that end on a day."""
        return self._ending.get((currency, day), [])

    def starting(self, currency: str | None, day: str) -> list[Span]:
        """Periods that begin on a day as filings date it: a year and its quarters may start days apart."""
        first, spans = day_ordinal(day), self._starting.get(currency, {})
        days = range(first - TOLERANCE, first + TOLERANCE + 1)
        return [span for near in days if near in spans for span in spans[near]]
