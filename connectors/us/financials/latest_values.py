"""Latest figures of one filer, by period and balance date, while its filings are processed in order.

Belongs here: when a later filing's figure replaces an earlier one. Does not belong here: iterating over filings
(`versions`).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from connectors.us.financials.figure_rules import TaggedFigure
from connectors.us.financials.model import COUNTS, Facts, FactsFiling, Span
from connectors.us.financials.periods import TOLERANCE, day_ordinal

FLOWS: Final = ("revenue", "operating_result", "net_result")
_UNITS: Final = (10**6, 10**5, 10**3)  # to which filers round: millions, one decimal, thousands


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

    last_filed: the day it was last filed with this value. superseded: the last day it was filed with another value;
    empty if it never had one.
    """

    amount: int
    rank: int
    tags: frozenset[str]
    is_computed: bool
    periodic: bool
    facts: Facts
    last_filed: str
    superseded: str = ""


class DerivedFigure(NamedTuple):
    """A figure computed as a difference: its amount, the number of sums subtracted, and their common tags."""

    amount: int
    parts: int
    tags: frozenset[str]


@dataclass(slots=True)
class PeriodFigures:
    """Figures of one period or of one balance date.

    version_stamp: how often they changed. restated: whether one ever had another value. tried: the sums, and their
    stamps, last used to derive figures that were not filed.
    """

    items: dict[str, LatestValue] = field(default_factory=dict)
    derived: dict[str, DerivedFigure] = field(default_factory=dict)
    last: tuple[Facts, bool] | None = None
    version_stamp: int = 0
    restated: bool = False
    tried: tuple[object, ...] = ()

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
            self.items[name] = LatestValue(*figure, periodic, facts, filing.filed)
            self.version_stamp += 1
            return True
        if item.periodic and not periodic:
            return False
        if figure.amount == item.amount:
            item.last_filed = filing.filed
            if figure.rank <= item.rank and not figure.tags <= item.tags:
                item.rank, item.tags = figure.rank, item.tags | figure.tags
                self.version_stamp += 1
            return False
        if _prefers_existing(item, name, figure):
            return False
        if _is_rounding(item.amount, figure.amount, filing):
            item.last_filed = filing.filed
            return False
        # another scope is another figure, not another value of the same figure
        superseded = item.last_filed if figure.rank == item.rank else item.superseded
        self.version_stamp, self.restated = self.version_stamp + 1, self.restated or bool(superseded)
        self.items[name] = LatestValue(*figure, periodic, facts, filing.filed, superseded)
        return True


def _prefers_existing(item: LatestValue, name: str, figure: TaggedFigure) -> bool:
    """Whether the stored figure is better although it is older."""
    if name != "revenue":
        return figure.rank > item.rank
    if figure.is_computed and not item.is_computed:
        return True  # a sum of parts where a total had been filed
    return all(item.facts.get(tag) == figure.amount for tag in figure.tags)


def _is_rounding(before: int, after: int, filing: FactsFiling) -> bool:
    """Whether the later amount is the earlier one in a coarser unit (docs/contract/contract.md 4.3).

    Rounded columns are adjusted to add up, so an amount may differ from its own rounding by a whole unit.
    """
    coarser = rounding_unit_of(filing)
    return before % coarser != 0 and abs(before - after) < coarser


def rounding_unit_of(filing: FactsFiling) -> int:
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
class PeriodVersions:
    """All figures stated for one period so far."""

    last: tuple[str | None, dict[str, int | None]] | None = None
    statements: int = 0
    is_periodic: bool = False


class FilerFigures:
    """All figures of one filer, by currency: amounts in two currencies are never mixed."""

    def __init__(self) -> None:
        self._periods: dict[tuple[str | None, Span], PeriodFigures] = {}
        self._days: dict[tuple[str | None, str], PeriodFigures] = {}
        self._ending: dict[tuple[str | None, str], list[Span]] = defaultdict(list)
        self._starting: dict[tuple[str | None, int], list[Span]] = defaultdict(list)

    def period(self, currency: str | None, span: Span) -> PeriodFigures:
        """Figures of a period."""
        found = self._periods.get((currency, span))
        if found is None:
            found = self._periods[currency, span] = PeriodFigures()
            self._ending[currency, span[1]].append(span)
            self._starting[currency, day_ordinal(span[0])].append(span)
        return found

    def balance(self, currency: str | None, day: str) -> PeriodFigures:
        """Figures of a balance date."""
        found = self._days.get((currency, day))
        if found is None:
            found = self._days[currency, day] = PeriodFigures()
        return found

    def ending(self, currency: str | None, day: str) -> list[Span]:
        """Periods that end on a day."""
        return self._ending.get((currency, day), [])

    def starting(self, currency: str | None, day: str) -> list[Span]:
        """Periods that begin on a day as filings date it: a year and its quarters may start days apart."""
        first = day_ordinal(day)
        days = range(first - TOLERANCE, first + TOLERANCE + 1)
        return [span for near in days for span in self._starting.get((currency, near), ())]
