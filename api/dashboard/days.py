"""Usage by day, out of where the month's count stood before each day (`api.db.usage_days`), as a chart.

A request counts on the day it is stored, half a second after its answer. Does not belong here: SQL, or how the
chart is written down (`templates/usage.html`).
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
    """Requests of one day; null where days were not told apart yet."""

    date: date
    count: int | None


@dataclass(frozen=True, slots=True)
class Bar:
    """One day in the chart, in its units; `height` is null where the count is."""

    day: Day
    x: float
    y: float
    width: float
    height: float | None


@dataclass(frozen=True, slots=True)
class Chart:
    """Days from the first of the month to today. `top` is the count that the highest line stands for."""

    bars: tuple[Bar, ...]
    top: int
    top_y: int = _TOP
    base_y: int = _BASE
    width: int = WIDTH
    height: int = HEIGHT


def by_day(marks: Sequence[tuple[int, int]], used: int, today: date) -> tuple[Day, ...]:
    """Every day of this month until today.

    `marks`: days as numbers with the month's count before each, in order; `used`: the count now. What was counted
    before the first mark has no day: the days before it are then unknown.
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
    """Bars beside each other, room for 31 of them whatever the month."""
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
        height = max(1.0, height)  # a day with requests is seen
    return Bar(day, x, round(_BASE - height, 1), width, height)


def _rounded(count: int) -> int:
    """The count, or the next that has one or two digits before its noughts."""
    if count < 10:  # noqa: PLR2004 -- the base
        return max(1, count)
    unit = 10 ** (len(str(count)) - 2)
    return ceil(count / unit) * unit
