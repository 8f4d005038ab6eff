"""Fetches Finansinspektionen's registers: the insider register in windows of days, short positions as a whole.

The site silently ignores wrong parameters and returns the newest rows, so a response is accepted only if every
day in it lies in the requested window. Only a few windows per run: rapid successive calls are blocked.
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
WINDOWS: Final = 5  # per run
_DAY: Final = timedelta(days=1)
_BEGAN: Final = date(2016, 7, 3)  # first day of the register


def insider(http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """Fetches exports from the cursor's day on, including that day; the first run covers the last weeks."""
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
    """Fetches the current positions; yields nothing if the file is unchanged."""
    del subjects
    answer = http.download(SHORTS_URL, expect={Format.ZIP}, since=Validators.of(cursor))
    if not isinstance(answer, NotModified):
        yield answer.arrival("AktuellaPositioner.ods", Scope.PART, answer.validators.cursor())


def _cursor_day(cursor: Cursor | None) -> date | None:
    return None if cursor is None else day(cursor.value, is_end=False)


def _export(http: Http, start: date, end: date) -> Fetched:
    """Export of a window of days, accepted only if all its days lie in the window."""
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
    fetched = http.get(url, expect=())  # UTF-16 without a byte order mark: no format detects it
    try:
        places, _, rows = columns.table(columns.text_of(fetched.read()))
    except columns.NotAnExport:
        raise WrongBody(url, fetched.status, "expected an export of the insider register") from None
    place = places[columns.PUBLISHED]
    for row in rows:
        published = day(row[place], is_end=False) if len(row) > place else None
        if published is not None and not start <= published <= end:
            reason = f"rows of {published} where {start} to {end} was requested: the parameters were ignored"
            raise WrongBody(url, fetched.status, reason)
    return fetched
