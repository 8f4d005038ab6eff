"""Fetches NewsWeb: lists by day, then complete reports and major holding notices (docs/formats/no.md 8).

A list has the six hundred newest messages and no paging; `overflow` is the only sign of more, so a range of days
that overflows is split in halves, and a single day by category. Days are in Oslo time; the last day is requested
again, and messages already read return the same bytes. Does not belong here: reading a response (`dataset`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import msgspec

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.kit.http.last_cursor import with_last_cursor
from connectors.kit.http.response import FetchedResponse
from connectors.no import code_lists
from connectors.no.newsweb.schema import HOST, READ_WHOLE

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

URLS: Final = f"https://{HOST}/urls.json"
FIRST: Final = timedelta(days=400)  # how far back the first fetch goes: a year of reports
STEP: Final = timedelta(days=14)
OVERLAP: Final = timedelta(days=1)
_DAY: Final = timedelta(days=1)
_HEADERS: Final = {"Accept": "application/json", "Origin": f"https://{HOST}", "Referer": f"https://{HOST}/"}


def fetch_announcements(http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches lists since the last run and the complete messages they name; cursor: the last day listed."""
    last = http.now().date() + _DAY  # Oslo may be a day ahead of UTC
    begin = _resume_day(cursor, last)
    site = _NewsWebApi(http, _fetch_base_url(http))
    while begin <= last:
        end = min(begin + STEP, last)
        arrivals = (replace(arrival, cursor=None) for arrival in site.arrivals(begin, end))
        yield from with_last_cursor(arrivals, partial(Cursor, end.isoformat()))
        begin = end + _DAY


def _resume_day(cursor: Cursor | None, last: date) -> date:
    """The day to resume from, none to come. A cursor that is not a date starts over: repeated requests do no harm."""
    try:
        return last - FIRST if cursor is None else min(date.fromisoformat(cursor.value), last) - OVERLAP - _DAY
    except ValueError:
        return last - FIRST


def _fetch_base_url(http: HttpClient) -> str:
    """Base URL of the API, as published by the site."""
    found = http.json(URLS)
    base = found.get("api_large") if isinstance(found, dict) else None
    if not isinstance(base, str) or not base.startswith("https://"):
        raise UnexpectedBodyError(URLS, 200, "no address `api_large`")
    return base.rstrip("/")


class _NewsWebApi:
    """The API at its current base URL."""

    def __init__(self, http: HttpClient, base: str) -> None:
        self._http = http
        self._base = f"{base}/v1/newsreader"
        self._asked: set[int] = set()

    def arrivals(self, begin: date, end: date, category: str = "") -> Iterator[FetchedFile]:
        """Yields the lists of a range of days, each followed by its complete messages."""
        question = {"category": category, "fromDate": begin.isoformat(), "toDate": end.isoformat()}
        answer = self._fetch_checked("list", question)
        listed = _envelope_data(answer)
        if listed.get("overflow") is True and begin < end:
            middle = begin + (end - begin) // 2
            yield from self.arrivals(begin, middle, category)
            yield from self.arrivals(middle + _DAY, end, category)
            return
        if listed.get("overflow") is True and not category:
            for number in sorted(code_lists.NEWSWEB.codes):
                yield from self.arrivals(begin, end, number)
            return
        # an overflowing category of one day stays truncated: `read` signals it
        name = "-".join(part for part in ("list", begin.isoformat(), end.isoformat(), category) if part)
        yield answer.to_fetched_file(f"{name}.json", Scope.PART)
        yield from self._fetch_messages(listed.get("messages"))

    def _fetch_messages(self, listed: object) -> Iterator[FetchedFile]:
        for message in listed if isinstance(listed, list) else ():
            number = message.get("messageId") if isinstance(message, dict) else None
            if isinstance(number, int) and number not in self._asked and _is_read_whole(message):
                self._asked.add(number)
                answer = self._fetch_checked("message", {"messageId": str(number)})
                yield answer.to_fetched_file(f"message-{number}.json", Scope.PART)

    def _fetch_checked(self, call: str, question: Mapping[str, str]) -> FetchedResponse:
        url = f"{self._base}/{call}?{urlencode(question)}"
        answer = self._http.get(url, expect={BodyFormat.JSON}, headers=_HEADERS)
        header = _decode_body(answer).get("header")
        if not isinstance(header, dict) or header.get("result.val") != 0:
            raise UnexpectedBodyError(url, answer.status, f"an error in the envelope: {header}")
        return answer


def _is_read_whole(message: Mapping[str, Any]) -> bool:
    categories = message.get("category")
    numbers = {str(item.get("id")) for item in categories} if isinstance(categories, list) else set[str]()
    return message.get("test") is not True and not numbers.isdisjoint(READ_WHOLE)


def _decode_body(answer: FetchedResponse) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(answer.read())
    except (ValueError, RecursionError) as error:
        raise UnexpectedBodyError(answer.url, answer.status, f"JSON that does not parse: {error}") from error
    return found if isinstance(found, dict) else {}


def _envelope_data(answer: FetchedResponse) -> dict[str, Any]:
    found = _decode_body(answer).get("data")
    return found if isinstance(found, dict) else {}
