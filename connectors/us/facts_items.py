"""What is held of one filer while its filings are read: figures by period and by day, as last filed.

Belongs here: when a later filing's figure takes the place of an earlier one. Does not belong here: the walk over
filings (`facts_versions`).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from connectors.us.chains import Figure
from connectors.us.facts_model import COUNTS, Facts, Filing, Span
from connectors.us.periods import TOLERANCE, ordinal

FLOWS: Final = ("revenue", "operating_result", "net_result")
_UNITS: Final = (10**6, 10**5, 10**3)  # in which filers round: millions, millions with one decimal, thousands


@dataclass(slots=True)
class Statement:
    """One version of one period: what was known of it once a filing was in."""

    filing: Filing
    span: Span
    currency: str | None
    amounts: dict[str, int | None]
    derived: tuple[str, ...]
    is_comparative: bool
    fiscal_year: int | None = None


@dataclass(slots=True)
class Item:
    """A figure as last filed; `facts` are those it was chosen from.

    seen: the day it was last filed so. superseded: the day until which it stood otherwise; empty where it never
    did.
    """

    amount: int
    rank: int
    tags: frozenset[str]
    computed: bool
    periodic: bool
    facts: Facts
    seen: str
    superseded: str = ""


class Derived(NamedTuple):
    """A figure that is a difference: the amount, how many sums were taken off, and under which tags all stood."""

    amount: int
    parts: int
    tags: frozenset[str]


@dataclass(slots=True)
class Held:
    """Figures of one period or of one day.

    stamp: how often they changed. restated: whether one ever stood otherwise. tried: which sums, at which of
    their stamps, were last taken for what nobody filed.
    """

    items: dict[str, Item] = field(default_factory=dict)
    derived: dict[str, Derived] = field(default_factory=dict)
    last: tuple[Facts, bool] | None = None
    stamp: int = 0
    restated: bool = False
    tried: tuple[object, ...] = ()

    def is_news(self, facts: Facts, filing: Filing) -> bool:
        """Whether a filing says of a period anything but what the one before it said."""
        said = (facts, filing.is_periodic)
        if said == self.last:
            for item in self.items.values():
                item.seen = filing.filed if item.periodic else item.seen
            return False
        self.last = said
        return True

    def take(self, name: str, figure: Figure, facts: Facts, filing: Filing) -> bool:
        """A later filing's figure; whether it changes what is held.

        A wider scope never replaces a narrower one, another kind of document never a periodic report, a part that
        is merely repeated never the total it was part of, and a coarser rounding nothing.
        """
        item = self.items.get(name)
        periodic = filing.is_periodic
        if item is None or (periodic and not item.periodic):
            self.items[name] = Item(*figure, periodic, facts, filing.filed)
            self.stamp += 1
            return True
        if item.periodic and not periodic:
            return False
        if figure.amount == item.amount:
            item.seen = filing.filed
            if figure.rank <= item.rank and not figure.tags <= item.tags:
                item.rank, item.tags = figure.rank, item.tags | figure.tags
                self.stamp += 1
            return False
        if _keeps(item, name, figure):
            return False
        if _rounds(item.amount, figure.amount, filing):
            item.seen = filing.filed
            return False
        # another scope is another figure, not another value of it
        superseded = item.seen if figure.rank == item.rank else item.superseded
        self.stamp, self.restated = self.stamp + 1, self.restated or bool(superseded)
        self.items[name] = Item(*figure, periodic, facts, filing.filed, superseded)
        return True


def _keeps(item: Item, name: str, figure: Figure) -> bool:
    """Whether the figure held is the better one though it is older."""
    if name != "revenue":
        return figure.rank > item.rank
    if figure.computed and not item.computed:
        return True  # a sum of parts where a total was filed
    return all(item.facts.get(tag) == figure.amount for tag in figure.tags)


def _rounds(before: int, after: int, filing: Filing) -> bool:
    """Whether the later amount is the earlier one in a coarser unit (docs/contract/contract.md 4.3).

    Rounded columns are made to add up, so an amount may lie a whole unit beside its own rounding.
    """
    coarser = unit_of(filing)
    return before % coarser != 0 and abs(before - after) < coarser


def unit_of(filing: Filing) -> int:
    """The coarsest unit that all of a filing's amounts are whole multiples of."""
    amounts = [
        amount
        for unit, spans in filing.units.items()
        if unit != COUNTS
        for facts in spans.values()
        for amount in facts.values()
    ]
    for unit in _UNITS:
        if all(amount % unit == 0 for amount in amounts):
            return unit
    return 1


@dataclass(slots=True)
class PeriodBook:
    """What was stated of one period so far."""

    last: tuple[str | None, dict[str, int | None]] | None = None
    statements: int = 0
    is_periodic: bool = False


class Book:
    """All that is held of one filer, by currency: amounts of two currencies never meet."""

    def __init__(self) -> None:
        self._periods: dict[tuple[str | None, Span], Held] = {}
        self._days: dict[tuple[str | None, str], Held] = {}
        self._ending: dict[tuple[str | None, str], list[Span]] = defaultdict(list)
        self._starting: dict[tuple[str | None, int], list[Span]] = defaultdict(list)

    def period(self, currency: str | None, span: Span) -> Held:
        """What is held of a period."""
        found = self._periods.get((currency, span))
        if found is None:
            found = self._periods[currency, span] = Held()
            self._ending[currency, span[1]].append(span)
            self._starting[currency, ordinal(span[0])].append(span)
        return found

    def balance(self, currency: str | None, day: str) -> Held:
        """What is held of a day."""
        found = self._days.get((currency, day))
        if found is None:
            found = self._days[currency, day] = Held()
        return found

    def ending(self, currency: str | None, day: str) -> list[Span]:
        """Periods that end on a day."""
        return self._ending.get((currency, day), [])

    def starting(self, currency: str | None, day: str) -> list[Span]:
        """Periods that begin on a day, as filings date it: a year and its quarters may do so days apart."""
        first = ordinal(day)
        days = range(first - TOLERANCE, first + TOLERANCE + 1)
        return [span for near in days for span in self._starting.get((currency, near), ())]
