"""Lengths of spans, spans that are the same period with slightly different dates, and fiscal years.

Periods are identified by their days alone: `fy` and `fp` of a fact are its filing's (docs/formats/us.md 5 and
12.4). Does not belong here: the figures of a period (`versions`), or derived quarters (`derived_quarters`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import date
from enum import IntEnum
from functools import lru_cache
from typing import Final

from connectors.us.financials.model import Span

TOLERANCE: Final = 7  # days by which filings may date the same period differently (52/53-week years)
ROUNDED: Final = 16  # the same where one source rounds to month ends
_YEAR: Final = 365.25
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)  # excludes ISO week dates
_FIRST, _END = "1900", "2200"  # years outside the range of real accounts are typing errors
_LATE: Final = 15  # a year that ends in the first half of January counts as the previous year
_EARLY: Final = 7  # a period that ends in the first week of a month belongs to the month before
SHORTEST: Final = 75  # days of a quarter
_WEEKS_13, _WEEKS_52 = 91, 364  # days
_WHOLE_YEAR: Final = (350, 380)  # days
DAYS_OF_YEAR: Final = 365
_LENGTHS: Final = ((SHORTEST, 120), (150, 229), (230, 299), (300, 400))


class SpanLength(IntEnum):
    """Kinds of spans by their length in days (docs/formats/us.md 12.4)."""

    QUARTER = 0
    HALF = 1
    NINE_MONTHS = 2
    YEAR = 3
    OTHER = 4


@lru_cache(maxsize=65_536)
def day_ordinal(day: str) -> int:
    """The ordinal of a day. Raises ValueError for a date that does not exist."""
    return date.fromisoformat(day).toordinal()


@lru_cache(maxsize=65_536)
def is_day(text: str) -> bool:
    """Whether a text is a valid ISO day in the range of real accounts."""
    try:
        return _DAY.fullmatch(text) is not None and _FIRST <= text < _END and day_ordinal(text) > 0
    except ValueError:
        return False


@lru_cache(maxsize=65_536)
def span_length(span: Span) -> SpanLength:
    """The kind of a span that has both days."""
    days = day_ordinal(span[1]) - day_ordinal(span[0]) + 1
    for kind, (least, most) in zip(SpanLength, _LENGTHS, strict=False):
        if least <= days <= most:
            return kind
    return SpanLength.OTHER


def is_twelve_months(span: Span) -> bool:
    """Whether a span is a whole year, of 12 months or of 52 or 53 weeks."""
    least, most = _WHOLE_YEAR
    return least <= day_ordinal(span[1]) - day_ordinal(span[0]) + 1 <= most


def days_from_usual(span: Span) -> int:
    """How far a span's length is from 52 weeks, or from 13 weeks for a quarter."""
    usual = _WEEKS_13 if span_length(span) is SpanLength.QUARTER else _WEEKS_52
    return abs(day_ordinal(span[1]) - day_ordinal(span[0]) + 1 - usual)


@lru_cache(maxsize=65_536)
def day_after(day: str, days: int = 1) -> str:
    """The day `days` later."""
    return date.fromordinal(day_ordinal(day) + days).isoformat()


class PeriodIndex:
    """The periods of one filer: the first dates seen of each are its canonical ones."""

    def __init__(self) -> None:
        self._known: dict[Span, Span] = {}
        self._by_end: dict[SpanLength, dict[int, list[Span]]] = {}

    def canonical_span(self, span: Span, tolerance: int = TOLERANCE) -> Span:
        """The canonical dates of a span: its own, unless one within a week of both its days came before."""
        found = self._known.get(span)
        if found is None:
            found = self._known[span] = self._matching_span(span, tolerance) or self._register_span(span)
        return found

    def _matching_span(self, span: Span, tolerance: int) -> Span | None:
        ends = self._by_end.get(span_length(span))
        if ends is None:
            return None
        start, end = day_ordinal(span[0]), day_ordinal(span[1])
        for apart in range(tolerance + 1):
            for day in (end - apart, end + apart):
                for known in ends.get(day, ()):
                    if abs(day_ordinal(known[0]) - start) <= tolerance:
                        return known
        return None

    def _register_span(self, span: Span) -> Span:
        self._by_end.setdefault(span_length(span), {}).setdefault(day_ordinal(span[1]), []).append(span)
        return span


def calendar_quarter(span: Span) -> int:
    """The calendar's quarter of a span's last weeks, as `pipelines.transforms.financials.periods` numbers it."""
    month = date.fromordinal(max(1, day_ordinal(span[1]) - _EARLY)).month
    return (month - 1) // 3 + 1


def base_year(end: int) -> int:
    """The calendar year of the last weeks of a fiscal year."""
    return date.fromordinal(max(1, end - _LATE)).year


class FiscalYears:
    """A filer's fiscal year numbers: the year of the last day, plus the usual offset of the filer's own label.

    The label of a single filing is wrong now and then; the most frequent offset is used (docs/formats/us.md
    12.4), among the years that end on about the same day: a changed year end begins a new count.
    """

    def __init__(self, years: Iterable[tuple[Span, int | None]]) -> None:
        known = list(years)
        self._ends = sorted({day_ordinal(span[1]) for span, _ in known})
        regimes = dict(zip(self._ends, _regime_numbers(self._ends), strict=True))
        off: dict[int, Counter[int]] = defaultdict(Counter)
        for span, focus in known:
            end = day_ordinal(span[1])
            if focus is not None and abs(focus - base_year(end)) <= 1:
                # a fiscal year is never labelled with a year it does not touch: such a label is an error
                off[regimes[end]][focus - base_year(end)] += 1
        self._offsets = {
            end: min(off[regime], key=lambda one, found=off[regime]: (-found[one], abs(one), one), default=0)
            for end, regime in regimes.items()
        }

    def of(self, span: Span) -> int | None:
        """The fiscal year that a span's last day falls in; null if no fiscal year of the filer is known."""
        if not self._ends:
            return None
        end, nearest = self._year_end(day_ordinal(span[1]))
        return base_year(end) + self._offsets[nearest]

    def quarter_of(self, span: Span) -> int | None:
        """The number of a quarter, by what is left of its year at its end; null if no fiscal year is known."""
        if not self._ends:
            return None
        day = day_ordinal(span[1])
        left = self._year_end(day)[0] - day
        return (3 - round(left * 4 / _YEAR)) % 4 + 1

    def _year_end(self, day: int) -> tuple[int, int]:
        """The last day of the fiscal year around a day, extrapolated from the nearest known one, and that one."""
        place = bisect_left(self._ends, day - TOLERANCE)
        nearest = self._ends[min(place, len(self._ends) - 1)]
        years = -((nearest + TOLERANCE - day) // _YEAR)
        return round(nearest + years * _YEAR), nearest


def _regime_numbers(ends: list[int]) -> list[int]:
    """Numbers the runs of year ends that lie whole years apart."""
    numbers: list[int] = []
    for before, end in zip([None, *ends], ends, strict=False):
        apart = 0.0 if before is None else (end - before) % _YEAR
        is_new = before is not None and min(apart, _YEAR - apart) > ROUNDED + TOLERANCE
        numbers.append((numbers[-1] if numbers else 0) + is_new)
    return numbers
