"""Usage chart: requests per day, computed from the month's count before each day (`api.db.usage_days`).

A request counts on the day it is stored, half a second after its response. Does not belong here: SQL, or the
chart's markup (`templates/usage.html`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from math import ceil
from typing import Final

WIDTH: Final = 640
HEIGHT: Final = 170
_LEFT: Final = 4
_BASE: Final = 146
_TOP: Final = 18
_DAYS: Final = 31
_GAP: Final = 4.0


@dataclass(frozen=True, slots=True)
class Day:
    """Requests of one day; `count` is None if they were not recorded per day yet."""

    date: date
    count: int | None


@dataclass(frozen=True, slots=True)
class Bar:
    """One day's bar, in chart units; `height` is None if the count is."""

    day: Day
    x: float
    y: float
    width: float
    height: float | None


@dataclass(frozen=True, slots=True)
class Chart:
    """Days from the first of the month to today. `top` is the count at the highest line."""

    bars: tuple[Bar, ...]
    top: int
    top_y: int = _TOP
    base_y: int = _BASE
    width: int = WIDTH
    height: int = HEIGHT


def by_day(marks: Sequence[tuple[int, int]], used: int, today: date) -> tuple[Day, ...]:
    """Every day of this month until today.

    `marks`: day numbers with the month's count before each, in order; `used`: the count now. Requests counted
    before the first mark cannot be assigned to a day: the days before it are then unknown.
    """
    counted: dict[int, int] = {}
    for (number, before), (_, following) in pairwise([*marks, (0, used)]):
        counted[number] = max(0, following - before)
    first, earlier = marks[0] if marks else (today.day + 1, used)
    start = today.replace(day=1)
    return tuple(
        Day(
            start + timedelta(days=number - 1),
            None if earlier and number < first else counted.get(number, 0),
        )
        for number in range(1, today.day + 1)
    )


def chart_of(days: Sequence[Day]) -> Chart:
    """Adjacent bars, with room for 31 of them in every month."""
    top = _rounded(max((day.count or 0 for day in days), default=0))
    step = (WIDTH - 2 * _LEFT) / _DAYS
    return Chart(tuple(_bar(day, step, top) for day in days), top)


def _bar(day: Day, step: float, top: int) -> Bar:
    x = round(_LEFT + (day.date.day - 1) * step, 1)
    width = round(step - _GAP, 1)
    if day.count is None:
        return Bar(day, x, _BASE, width, None)
    height = round((_BASE - _TOP) * day.count / top, 1)
    if day.count:
        height = max(1.0, height)  # a day with requests stays visible
    return Bar(day, x, round(_BASE - height, 1), width, height)


def _rounded(count: int) -> int:
    """The count, or the next one with at most two digits before its zeros."""
    if count < 10:  # noqa: PLR2004 -- the base
        return max(1, count)
    unit = 10 ** (len(str(count)) - 2)
    return ceil(count / unit) * unit
