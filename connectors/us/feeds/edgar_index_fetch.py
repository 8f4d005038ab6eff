"""Fetches the index of each day after the last available one (docs/formats/us.md 8).

Indexes are published after 22:00 Eastern of business days; weekends, holidays and future days have none, which
the Archives answer with 403 and a small XML body. Missing days are requested again until a later one exists,
together with the last two days: filings accepted late appear in a rewritten index. Bulk submissions reconcile
what both leave out. Does not belong here: the content of an index (`edgar_index`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.us.register import ARCHIVES_URL
from connectors.us.sec_http import fetch_if_exists

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

FIRST: Final = timedelta(days=10)  # how far back the first run goes: the bulk file loaded with it is a day old
AGAIN: Final = timedelta(days=2)
LONGEST: Final = timedelta(days=92)  # per run, after a long pause; the next run continues
_EASTERN: Final = ZoneInfo("America/New_York")
_DAY: Final = timedelta(days=1)
_WEEKEND: Final = 5
_MISSING: Final = (403, 404)


def fetch(http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches the master index of each business day; the cursor is the newest day with an index."""
    today = _washington_today(http)
    newest = _cursor_day(cursor)
    first = today - FIRST if newest is None else min(newest, today) - AGAIN
    last = min(today, first + LONGEST)
    for day in _weekdays_between(first, last):
        answer = fetch_if_exists(http, index_url(day), {BodyFormat.TEXT})
        if answer is not None:
            newest = day if newest is None else max(newest, day)
            yield answer.to_fetched_file(f"daily.master.{day:%Y%m%d}.idx", Scope.FEED, Cursor(newest.isoformat()))


def _washington_today(http: HttpClient) -> date:
    """Today's date in Washington by the server's clock."""
    probe = http.get(index_url(http.now().date()), expect={BodyFormat.TEXT}, allow=_MISSING)
    return probe.server_time.astimezone(_EASTERN).date()


def _cursor_day(cursor: Cursor | None) -> date | None:
    """The day to continue from. An invalid cursor restarts from the beginning: repeated requests do no harm."""
    try:
        return None if cursor is None else date.fromisoformat(cursor.value)
    except ValueError:
        return None


def _weekdays_between(first: date, last: date) -> Iterator[date]:
    """Mondays to Fridays."""
    while first <= last:
        if first.weekday() < _WEEKEND:
            yield first
        first += _DAY


def index_url(day: date) -> str:
    """URL of the master index of a day."""
    quarter = (day.month - 1) // 3 + 1
    return f"{ARCHIVES_URL}/daily-index/{day.year}/QTR{quarter}/master.{day:%Y%m%d}.idx"
