"""Fetches registered notices day by day, fifty companies a page, and the last week again.

A query that is too broad returns 504 from about the sixth page on: it is split by type of notice, then by legal
form (docs/formats/fi.md 4). Does not belong here: rate limits and retries (`connectors.kit.http.client`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import msgspec

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.fi.notices.schema import TYPES
from connectors.fi.register import NOTICES_URL
from connectors.fi.xbrl.fetch import FIRST, fetch_lists
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import SourceUnavailableError, UnexpectedBodyError
from connectors.kit.xbrl.facts import parse_day

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

SEARCH_URL: Final = f"{NOTICES_URL}/"
AGAIN: Final = timedelta(days=7)
LONGEST: Final = timedelta(days=31)  # longest range of one run, after a long pause; the next run continues
# fmt: off
FORMS: Final = (
    "AOY", "ASH", "ASY", "AY", "AYH", "ETS", "ETY", "SCE", "SCP", "HY", "KOY", "KVJ", "KVY",
    "KY", "OK", "OP", "OY", "OYJ", "SE", "SL", "SP", "SÄÄ", "TYH", "VOJ", "VOY", "VY", "VALTLL",

)
# fmt: on
_SPLITS: Final = (("noticeRegistrationType", TYPES), ("companyForm", FORMS))
_BEGAN: Final = date(2014, 11, 7)  # the first day with notices
_TOO_BROAD: Final = 504
_DAY: Final = timedelta(days=1)


class _TooBroadQueryError(Exception):
    """A query too broad for the service to return all its pages."""


def fetch(http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches pages of each day since a week before the cursor; the first run covers the last week."""
    known = None if cursor is None else parse_day(cursor.value, is_end=False)
    today = _fetch_page(http, _day_query(_BEGAN), 1).server_time.date()  # a request only to get the server's date
    start = max(_BEGAN, min(known or today, today) - AGAIN + _DAY)
    end = min(today, start + LONGEST)
    # digital filings first: if that list fails, no notice may be taken for a paper filing
    for arrival, _ in fetch_lists(http, max(start, FIRST), end):
        yield arrival
    while start <= end:
        pages = [
            answer.to_fetched_file(f"notices_{name}.json", Scope.PART)
            for answer, name in _fetch_split(http, _day_query(start), _SPLITS)
        ]
        yield from pages[:-1]
        yield from (replace(last, cursor=Cursor(start.isoformat())) for last in pages[-1:])
        start += _DAY


def _day_query(first: date) -> dict[str, str]:
    return {"noticeRegistrationDateStart": first.isoformat(), "noticeRegistrationDateEnd": first.isoformat()}


def _fetch_split(
    http: HttpClient, query: Mapping[str, str], splits: tuple[tuple[str, tuple[str, ...]], ...]
) -> Iterator[tuple[FetchedResponse, str]]:
    """Yields all pages of a query, split if the service cannot return it as a whole."""
    try:
        yield from _fetch_pages(http, query)
    except _TooBroadQueryError:
        if not splits:
            reason = "too many notices of one kind and form in a day"
            raise SourceUnavailableError(f"{SEARCH_URL}?{urlencode(query)}", _TOO_BROAD, reason) from None
        (name, values), *rest = splits
        for value in values:
            yield from _fetch_split(http, {**query, name: value}, tuple(rest))


def _fetch_pages(http: HttpClient, query: Mapping[str, str]) -> Iterator[tuple[FetchedResponse, str]]:
    seen, page = 0, 1
    while True:
        answer = _fetch_page(http, query, page)
        if answer.status == _TOO_BROAD:
            raise _TooBroadQueryError
        found, total = _count_items(answer)
        seen += found
        if found:
            yield answer, "_".join(dict.fromkeys((*query.values(), str(page))))
        if not found or (total is not None and seen >= total):
            return
        page += 1


def _fetch_page(http: HttpClient, query: Mapping[str, str], page: int) -> FetchedResponse:
    url = f"{SEARCH_URL}?{urlencode({**query, 'page': str(page)})}"
    return http.get(url, expect={BodyFormat.JSON}, allow=(_TOO_BROAD,))


def _count_items(answer: FetchedResponse) -> tuple[int, int | None]:
    try:
        body: Any = msgspec.json.decode(answer.read())
        found, total = len(body["companies"]), body.get("totalResults")
    except (msgspec.MsgspecError, KeyError, TypeError, AttributeError):
        raise UnexpectedBodyError(
            answer.url, answer.status, "expected a list of companies with their notices"
        ) from None
    return found, total if isinstance(total, int) else None
