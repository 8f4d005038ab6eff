"""Determines the periods of one accounts document: its own, then its comparatives (docs/formats/uk.md 9.3).

Belongs here: first and last days. Does not belong here: the figures of a period (`figures`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from connectors.kit.xbrl.facts import XbrlReport
from connectors.uk.accounts.figures import AccountsFigures

LONGEST: Final = timedelta(days=18 * 31)  # a first period may last 18 months (Companies Act 2006, s. 392)
WEEK: Final = timedelta(days=7)  # a year may end this far from its reference date (CA 2006, s. 391)
_DAY: Final = timedelta(days=1)
_MOST: Final = 20  # earlier periods; a five-year summary has five


@dataclass(frozen=True, slots=True)
class AccountsPeriod:
    """A period of a document. `is_assumed`: the document states only its last day."""

    start: date
    end: date
    is_comparative: bool
    is_assumed: bool


class DocumentPeriods:
    """Periods of one document: its own, then its comparatives."""

    def __init__(self, report: XbrlReport, figures: AccountsFigures, end: date, stated_start: date | None) -> None:
        self._report = report
        self._figures = figures
        self._used: defaultdict[date, Counter[date]] = defaultdict(Counter)
        for fact in report.facts:
            context = fact.context
            if context is not None and context.start is not None and context.end is not None:
                self._used[context.end][context.start] += 1
        self.own = self._own_period(end, stated_start)

    @staticmethod
    def _likely_start(starts: Counter[date], end: date) -> date | None:
        """Most frequent start for an end within the legal length; the longest period on ties."""
        fitting = [
            (count, -start.toordinal(), start) for start, count in starts.items() if start <= end <= start + LONGEST
        ]
        return max(fitting)[2] if fitting else None

    def _find_start(self, end: date) -> date | None:
        flows: Counter[date] = Counter()
        for is_group in (False, True):
            flows.update(self._figures.flows.get((is_group, end), ()))
        for starts in (flows, self._used.get(end, Counter())):
            found = self._likely_start(starts, end)
            if found is not None:
                return found
        return self._likely_start(self._report.starts(end), end)

    def _own_period(self, end: date, stated: date | None) -> AccountsPeriod:
        """Own period. A stated start used by facts wins over the most frequent one, which may start a part year."""
        has_facts = stated is not None and stated in self._used.get(end, ()) and end <= stated + LONGEST
        start = stated if has_facts else self._find_start(end)
        if start is None and stated is not None and stated <= end <= stated + LONGEST:
            start = stated
        if start is not None:
            return AccountsPeriod(start, end, False, False)
        earlier = [day for day in self._figures.balances if day < end <= day + LONGEST]
        return AccountsPeriod(max(earlier) + _DAY if earlier else _year_before(end), end, False, True)

    def comparatives(self) -> Iterator[AccountsPeriod]:
        """Yields earlier, non-overlapping periods with figures; months within a year are no comparatives."""
        after, count = self.own.start, 0
        for end in sorted(self._earlier_ends(), reverse=True):
            if end >= after:
                self._report.signals["overlapping_period", "of earlier periods"] += 1
                continue
            if count == _MOST:
                self._report.signals["too_many_periods", f"more than {_MOST} earlier ones"] += 1
                return
            start = self._find_start(end)
            period = AccountsPeriod(start or _year_before(end), end, True, start is None)
            yield period
            after, count = period.start, count + 1

    def _earlier_ends(self) -> set[date]:
        """Last days of earlier periods: of results, or of a balance sheet within a week before the start date."""
        ends = {end for _, end in self._figures.flows if end < self.own.start}
        prior = self.own.start - _DAY
        if any(prior - end <= WEEK for end in ends):
            return ends
        near = (day for day in self._figures.balances if day <= prior <= day + WEEK)
        sheets = [day for day in near if self._is_balance_sheet(day)]
        return ends | {max(sheets)} if sheets else ends

    def _is_balance_sheet(self, prior: date) -> bool:
        """False if only equity is present (an opening balance), unless the own balance date has no more either."""
        balances = self._figures.balances
        there = balances.get(prior, set())
        if not there - {"Equity"}:
            return bool(there) and not balances.get(self.own.end, set()) - {"Equity"}
        return True


def _year_before(end: date) -> date:
    """First day of the twelve months that end on a day."""
    following = end + _DAY
    try:
        return following.replace(year=following.year - 1)
    except ValueError:  # 29 February: the year before ended on the 28th
        return date(following.year - 1, 3, 1)
