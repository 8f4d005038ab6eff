"""Fetches Finansinspektionen's insider register in windows of days.

The site silently ignores wrong parameters and returns the newest rows, so a response is accepted only if every
day in it lies in the requested window. Only a few windows per run: rapid successive calls are blocked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.kit.xbrl.facts import parse_day
from connectors.se.finansinspektionen import insider_columns as columns
from connectors.se.finansinspektionen.issuers import INSIDER_HOST

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

SEARCH_URL: Final = f"https://{INSIDER_HOST}/Publiceringsklient/sv-SE/Search/Search"
WINDOW: Final = timedelta(days=7)
WINDOWS: Final = 5  # per run
_DAY: Final = timedelta(days=1)
_BEGAN: Final = date(2016, 7, 3)  # first day of the register


def fetch_insider_register(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches exports from the cursor's day on, including that day; the first run covers the last weeks."""
    del subjects
    start = None if cursor is None else parse_day(cursor.value, is_end=False)
    if start is None:
        today = _fetch_export(http, _BEGAN, _BEGAN).server_time.date()
        start = today - (WINDOWS - 1) * WINDOW
    for _ in range(WINDOWS):
        end = start + WINDOW - _DAY
        fetched = _fetch_export(http, start, end)
        today = fetched.server_time.date()
        known = Cursor(min(end + _DAY, today).isoformat())
        arrival = fetched.to_fetched_file(f"insyn-{start}-{end}.csv", Scope.PART, known)
        yield replace(arrival, observed_at=min(datetime.combine(end, time(), UTC), fetched.server_time))
        if end >= today:
            return
        start = end + _DAY


def _fetch_export(http: HttpClient, start: date, end: date) -> FetchedResponse:
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
        places, _, rows = columns.parse_export(columns.decode_export(fetched.read()))
    except columns.NotInsiderExportError:
        raise UnexpectedBodyError(url, fetched.status, "expected an export of the insider register") from None
    place = places[columns.PUBLISHED]
    for row in rows:
        published = parse_day(row[place], is_end=False) if len(row) > place else None
        if published is not None and not start <= published <= end:
            reason = f"rows of {published} where {start} to {end} was requested: the parameters were ignored"
            raise UnexpectedBodyError(url, fetched.status, reason)
    return fetched
