"""Fetches registered notices day by day, fifty companies a page, and the last week again.

A query that is too broad returns 504 from about the sixth page on: it is split by type of notice, then by legal
form (docs/formats/fi.md 4). Does not belong here: rate limits and retries (`connectors.kit.http`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import msgspec

from connectors.declare import Arrival, Cursor, Scope
from connectors.fi.notices_fields import TYPES
from connectors.fi.register import NOTICES_URL
from connectors.fi.xbrl_fetch import FIRST, lists
from connectors.kit.errors import Unavailable, WrongBody
from connectors.kit.facts import day
from connectors.kit.formats import Format

if TYPE_CHECKING:
    from connectors.kit.http import Fetched, Http

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


class _TooBroad(Exception):  # noqa: N818 - what the service cannot answer
    """A query too broad for the service to return all its pages."""


def fetch(http: Http, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[Arrival]:
    """Fetches pages of each day since a week before the cursor; the first run covers the last week."""
    known = None if cursor is None else day(cursor.value, is_end=False)
    today = _ask(http, _window(_BEGAN), 1).server_time.date()  # a request only to get the server's date
    start = max(_BEGAN, min(known or today, today) - AGAIN + _DAY)
    end = min(today, start + LONGEST)
    # digital filings first: if that list fails, no notice may be taken for a paper filing
    for arrival, _ in lists(http, max(start, FIRST), end):
        yield arrival
    while start <= end:
        pages = [
            answer.arrival(f"notices_{name}.json", Scope.PART)
            for answer, name in _split(http, _window(start), _SPLITS)
        ]
        yield from pages[:-1]
        yield from (replace(last, cursor=Cursor(start.isoformat())) for last in pages[-1:])
        start += _DAY


def _window(first: date) -> dict[str, str]:
    return {
        "noticeRegistrationDateStart": first.isoformat(),
        "noticeRegistrationDateEnd": first.isoformat(),
    }


def _split(
    http: Http, query: Mapping[str, str], splits: tuple[tuple[str, tuple[str, ...]], ...]
) -> Iterator[tuple[Fetched, str]]:
    """Yields all pages of a query, split if the service cannot return it as a whole."""
    try:
        yield from _pages(http, query)
    except _TooBroad:
        if not splits:
            reason = "too many notices of one kind and form in a day"
            raise Unavailable(f"{SEARCH_URL}?{urlencode(query)}", _TOO_BROAD, reason) from None
        (name, values), *rest = splits
        for value in values:
            yield from _split(http, {**query, name: value}, tuple(rest))


def _pages(http: Http, query: Mapping[str, str]) -> Iterator[tuple[Fetched, str]]:
    seen, page = 0, 1
    while True:
        answer = _ask(http, query, page)
        if answer.status == _TOO_BROAD:
            raise _TooBroad
        found, total = _counted(answer)
        seen += found
        if found:
            yield answer, "_".join(dict.fromkeys((*query.values(), str(page))))
        if not found or (total is not None and seen >= total):
            return
        page += 1


def _ask(http: Http, query: Mapping[str, str], page: int) -> Fetched:
    url = f"{SEARCH_URL}?{urlencode({**query, 'page': str(page)})}"
    return http.get(url, expect={Format.JSON}, allow=(_TOO_BROAD,))


def _counted(answer: Fetched) -> tuple[int, int | None]:
    try:
        body: Any = msgspec.json.decode(answer.read())
        found, total = len(body["companies"]), body.get("totalResults")
    except (msgspec.MsgspecError, KeyError, TypeError, AttributeError):
        raise WrongBody(
            answer.url, answer.status, "expected a list of companies with their notices"
        ) from None
    return found, total if isinstance(total, int) else None
