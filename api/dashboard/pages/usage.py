"""The home page: the tier, its limits, and the usage of this month, day by day and as a chart.

Usage per day is computed from the month's count before each day (`api.usage.repository`). A request counts on the
day it is stored, half a second after its response. Does not belong here: SQL, or the chart's markup
(`templates/usage.html`).
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from math import ceil
from typing import Final

from litestar import get

from api.accounts.service import AccountService
from api.dashboard.html_forms import unavailable_without_database
from api.dashboard.routing import HOME, CurrentPage
from api.http.responses import HttpResponse

WIDTH: Final = 640
HEIGHT: Final = 170
_LEFT: Final = 4
_BASE: Final = 146
_TOP: Final = 18
_DAYS: Final = 31
_GAP: Final = 4.0


@dataclass(frozen=True, slots=True)
class DailyUsage:
    """Requests of one day; `count` is None if they were not recorded per day yet."""

    date: date
    count: int | None


@dataclass(frozen=True, slots=True)
class ChartBar:
    """One day's bar, in chart units; `height` is None if the count is."""

    day: DailyUsage
    x: float
    y: float
    width: float
    height: float | None


@dataclass(frozen=True, slots=True)
class UsageChart:
    """Days from the first of the month to today. `top` is the count at the highest line."""

    bars: tuple[ChartBar, ...]
    top: int
    top_y: int = _TOP
    base_y: int = _BASE
    width: int = WIDTH
    height: int = HEIGHT


def daily_usage(day_starts: Sequence[tuple[int, int]], used: int, today: date) -> tuple[DailyUsage, ...]:
    """Every day of this month until today.

    `day_starts`: day numbers with the month's count before each, in order; `used`: the count now. Requests counted
    before the first mark cannot be assigned to a day: the days before it are then unknown.
    """
    counted: dict[int, int] = {}
    for (number, before), (_, following) in pairwise([*day_starts, (0, used)]):
        counted[number] = max(0, following - before)
    first, earlier = day_starts[0] if day_starts else (today.day + 1, used)
    start = today.replace(day=1)
    return tuple(
        DailyUsage(start + timedelta(days=number - 1), None if earlier and number < first else counted.get(number, 0))
        for number in range(1, today.day + 1)
    )


def build_usage_chart(days: Sequence[DailyUsage]) -> UsageChart:
    """Adjacent bars, with room for 31 of them in every month."""
    top = _round_axis_top(max((day.count or 0 for day in days), default=0))
    step = (WIDTH - 2 * _LEFT) / _DAYS
    return UsageChart(tuple(_day_bar(day, step, top) for day in days), top)


def _day_bar(day: DailyUsage, step: float, top: int) -> ChartBar:
    x = round(_LEFT + (day.date.day - 1) * step, 1)
    width = round(step - _GAP, 1)
    if day.count is None:
        return ChartBar(day, x, _BASE, width, None)
    height = round((_BASE - _TOP) * day.count / top, 1)
    if day.count:
        height = max(1.0, height)  # a day with requests stays visible
    return ChartBar(day, x, round(_BASE - height, 1), width, height)


def _round_axis_top(count: int) -> int:
    """The count, or the next one with at most two digits before its zeros."""
    if count < 10:  # noqa: PLR2004 -- the base
        return max(1, count)
    unit = 10 ** (len(str(count)) - 2)
    return ceil(count / unit) * unit


@get(HOME)
async def show_usage(page: CurrentPage) -> HttpResponse:
    service, account = page.services, page.required_session.account
    month, tier = service.rate_limiter.current_month(), page.tier
    with unavailable_without_database("Usage is temporarily unavailable."):
        used, marks, subscriptions = await asyncio.to_thread(
            _read_usage, service.account_service, account.account_id, month.number
        )
    days = daily_usage(marks, used, service.clock.today())
    return page.render(
        "usage.html",
        tier=tier,
        month=month,
        used=used,
        left=max(0, tier.monthly_requests - used),
        subscriptions=subscriptions,
        days=days,
        chart=build_usage_chart(days),
    )


def _read_usage(accounts: AccountService, account_id: str, month: int) -> tuple[int, list[tuple[int, int]], int]:
    """Reads the days first: a count newer than its marks is then assigned to the last day."""
    days = accounts.days(account_id, month)
    return accounts.used(account_id, month), days, accounts.subscriptions(account_id)
