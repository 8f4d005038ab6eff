"""Fetching Finansinspektionen's registers: the insider register by windows of days, short positions whole.

Wrong parameters are ignored there in silence and the newest rows come back, so an answer counts only when
every day in it lies in the window asked for. Few windows a run: fast calls in a row are cut off.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.bodies import NotModified, Validators
from connectors.kit.errors import WrongBody
from connectors.kit.facts import day
from connectors.kit.formats import Format
from connectors.se import insyn_columns as columns
from connectors.se.issuers import INSIDER_HOST, SHORTS_HOST

if TYPE_CHECKING:
    from connectors.kit.http import Fetched, Http

SEARCH_URL: Final = f"https://{INSIDER_HOST}/Publiceringsklient/sv-SE/Search/Search"
SHORTS_URL: Final = f"https://{SHORTS_HOST}/sv/vara-register/blankningsregistret/GetAktuellFile/"
WINDOW: Final = timedelta(days=7)
WINDOWS: Final = 5  # of one run
_DAY: Final = timedelta(days=1)
_BEGAN: Final = date(2016, 7, 3)  # the first day of the register


def insider(http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """Exports from the day of the cursor on: that day again, as it went on. At first the last weeks."""
    del subjects
    start = _cursor_day(cursor)
    if start is None:
        today = _export(http, _BEGAN, _BEGAN).server_time.date()
        start = today - (WINDOWS - 1) * WINDOW
    for _ in range(WINDOWS):
        end = start + WINDOW - _DAY
        fetched = _export(http, start, end)
        today = fetched.server_time.date()
        known = Cursor(min(end + _DAY, today).isoformat())
        arrival = fetched.arrival(f"insyn-{start}-{end}.csv", Scope.PART, known)
        yield replace(arrival, observed_at=min(datetime.combine(end, time(), UTC), fetched.server_time))
        if end >= today:
            return
        start = end + _DAY


def shorts(http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """The current positions; nothing where the file is the one of the last time."""
    del subjects
    answer = http.download(SHORTS_URL, expect={Format.ZIP}, since=Validators.of(cursor))
    if not isinstance(answer, NotModified):
        yield answer.arrival("AktuellaPositioner.ods", Scope.PART, answer.validators.cursor())


def _cursor_day(cursor: Cursor | None) -> date | None:
    return None if cursor is None else day(cursor.value, is_end=False)


def _export(http: Http, start: date, end: date) -> Fetched:
    """The export of a window of days, believed when all its days are of the window."""
    query = {
        "SearchFunctionType": "Insyn",
        "Utgivare": "",
        "PersonILedandeStällningNamn": "",
        "Transaktionsdatum.From": "",
        "Transaktionsdatum.To": "",
        "Publiceringsdatum.From": start.isoformat(),
        "Publiceringsdatum.To": end.isoformat(),
        "button": "export",
    }
    url = f"{SEARCH_URL}?{urlencode(query)}"
    fetched = http.get(url, expect=())  # UTF-16 without a mark: no format tells it
    try:
        places, _, rows = columns.table(columns.text_of(fetched.read()))
    except columns.NotAnExport:
        raise WrongBody(url, fetched.status, "an export of the insider register was due") from None
    place = places[columns.PUBLISHED]
    for row in rows:
        published = day(row[place], is_end=False) if len(row) > place else None
        if published is not None and not start <= published <= end:
            reason = f"rows of {published} where {start} to {end} was asked: the parameters were ignored"
            raise WrongBody(url, fetched.status, reason)
    return fetched
