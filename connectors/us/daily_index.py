"""Fetching the index of each day since the last one that was there (docs/formats/us.md 8).

Published after 22:00 Eastern of business days; a weekend, a holiday and a day to come have none, which the Archives
say with 403 and a small body of XML. The same days are asked for again until a later one is there, and the last two
days with it: filings that were accepted late stand in an index that is written again. Bulk submissions reconcile
what both leave out. Does not belong here: what an index says (`indexes`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.formats import Format
from connectors.us.access import ask
from connectors.us.register import ARCHIVES_URL

if TYPE_CHECKING:
    from connectors.kit.http import Fetched, Http

FIRST: Final = timedelta(
    days=10
)  # so far back for a first time: the bulk that is loaded with it is a day old
AGAIN: Final = timedelta(days=2)
LONGEST: Final = timedelta(days=92)  # of one run, after a long pause; the next run goes on
_EASTERN: Final = ZoneInfo("America/New_York")
_DAY: Final = timedelta(days=1)
_WEEKEND: Final = 5
_MISSING: Final = (403, 404)


def fetch(http: Http, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[Arrival]:
    """The master index of each business day; cursor: the newest day whose index was there."""
    today = _today(http)
    newest = _known(cursor)
    first = today - FIRST if newest is None else min(newest, today) - AGAIN
    last = min(today, first + LONGEST)
    for day in _days(first, last):
        answer = _index(http, day)
        if answer is not None:
            newest = day if newest is None else max(newest, day)
            yield answer.arrival(f"daily.master.{day:%Y%m%d}.idx", Scope.FEED, Cursor(newest.isoformat()))


def _today(http: Http) -> date:
    """The day in Washington by the clock of whoever answers."""
    probe = http.get(index_url(http.now().date()), expect={Format.TEXT}, allow=_MISSING)
    return probe.server_time.astimezone(_EASTERN).date()


def _known(cursor: Cursor | None) -> date | None:
    """The day to go on from. A cursor that is no day begins anew: asking again does no harm."""
    try:
        return None if cursor is None else date.fromisoformat(cursor.value)
    except ValueError:
        return None


def _days(first: date, last: date) -> Iterator[date]:
    """Mondays to Fridays."""
    while first <= last:
        if first.weekday() < _WEEKEND:
            yield first
        first += _DAY


def index_url(day: date) -> str:
    """Where the master index of a day stands."""
    quarter = (day.month - 1) // 3 + 1
    return f"{ARCHIVES_URL}/daily-index/{day.year}/QTR{quarter}/master.{day:%Y%m%d}.idx"


def _index(http: Http, day: date) -> Fetched | None:
    """The index of a day; None where there is none."""
    return ask(http, index_url(day), {Format.TEXT})
