"""Fetches from the National Storage Mechanism: announcements by days, then the notifications' texts.

See docs/formats/uk.md 10.3.

The interface is the search page's own and undocumented. Cloudflare is in front of it: its soft block returns 200
instantly and without hits, which counts as a failure, not an empty day. Announcements of every type are listed,
since they are news and the filter codes are unconfirmed. A fortnight without any notification is treated as a
wrong response.
Does not belong here: parsing responses (`dataset`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import msgspec

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import SourceUnavailableError, UnexpectedBodyError
from connectors.kit.http.last_cursor import with_last_cursor
from connectors.kit.json.body import member_at
from connectors.kit.json.chunks import MALFORMED
from connectors.uk.nsm.schema import HOLDINGS_TYPE, HOST

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient
    from connectors.kit.http.response import FetchedResponse

INDEX: Final = "fca-nsm-searchdata"
SEARCH: Final = f"https://{HOST}/search?index={INDEX}"
FIRST: Final = timedelta(days=365)  # how far the first run goes back
STEP: Final = timedelta(days=7)
OVERLAP: Final = timedelta(days=2)  # announcements are submitted late and corrected
SIZE: Final = 10_000  # maximum hits per response, and maximum offset `from`
_DAY: Final = timedelta(days=1)
_SILENT: Final = timedelta(days=14)
_NOT_FOUND: Final = 404
_BLOCKED_MS: Final = 10
_HEADERS: Final = {
    "Origin": "https://data.fca.org.uk",
    "Referer": "https://data.fca.org.uk/",
    "Accept": "application/json",
}


def fetch_announcements(http: HttpClient, after: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches lists from the cursor on, each followed by the texts it names; cursor: last day requested."""
    del subjects
    last = http.now().date()
    begin = _resume_day(after, last)
    heard = begin
    while begin <= last:
        end, pages = _fetch_window(http, begin, min(begin + STEP, last))
        found = list(dict.fromkeys(identity for page in pages for identity in page.notified))
        heard = end if found else heard
        if end - heard >= _SILENT:
            raise UnexpectedBodyError(
                SEARCH, 200, f"no «{HOLDINGS_TYPE}» from {heard} to {end}: the lists are not whole"
            )
        files = _list_and_text_files(http, begin, end, pages, found)
        yield from with_last_cursor(files, partial(Cursor, end.isoformat()))
        begin = end + _DAY


@dataclass(frozen=True, slots=True)
class _SearchPage:
    """One search response: its number of hits, the total, and the notifications among them."""

    answer: FetchedResponse
    count: int
    total: int
    notified: list[str]


def _fetch_window(http: HttpClient, begin: date, end: date) -> tuple[date, list[_SearchPage]]:
    """All pages of a window of days, and its last day; shortened if one query cannot reach all hits."""
    while True:
        pages = [_fetch_search_page(http, begin, end, 0)]
        if pages[0].total <= SIZE:
            break
        if begin == end:
            raise UnexpectedBodyError(
                SEARCH, 200, f"{pages[0].total} hits on {begin}, of which {SIZE} can be had: some are missing"
            )
        end = begin + (end - begin) // 2
    seen = pages[0].count
    while seen < pages[0].total:
        pages.append(_fetch_search_page(http, begin, end, seen))
        seen += pages[-1].count
    return end, pages


def _list_and_text_files(
    http: HttpClient, begin: date, end: date, pages: list[_SearchPage], found: list[str]
) -> Iterator[FetchedFile]:
    """Yields the lists of a window, then the texts they name."""
    days = f"{begin.isoformat()}-{end.isoformat()}"
    for number, page in enumerate(pages):
        name = f"nsm-{days}.json" if number == 0 else f"nsm-{days}-{number}.json"
        yield replace(page.answer.to_fetched_file(name, Scope.PART), cursor=None)
    for identity in found:
        yield from _fetch_details(http, identity)


def _resume_day(after: Cursor | None, last: date) -> date:
    """Day to resume from; an invalid cursor starts over, since repeated requests are harmless."""
    try:
        return last - FIRST if after is None else min(date.fromisoformat(after.value), last) - OVERLAP
    except ValueError:
        return last - FIRST


def search_request(begin: date, end: date, start: int = 0) -> bytes:
    """Request body: the latest version of each announcement submitted in a window, from hit `start` on.

    The host rejects dates with milliseconds.
    """
    days = {"from": f"{begin.isoformat()}T00:00:00Z", "to": f"{(end + _DAY).isoformat()}T00:00:00Z"}
    return msgspec.json.encode(
        {
            "from": start,
            "size": SIZE - start,
            "sort": "submitted_date",
            "sortorder": "asc",
            "criteriaObj": {
                "criteria": [{"name": "latest_flag", "value": "Y"}],
                "dateCriteria": [{"name": "submitted_date", "value": days}],
            },
        }
    )


def _fetch_search_page(http: HttpClient, begin: date, end: date, start: int) -> _SearchPage:
    """Fetches one page of a list.

    Raises SourceUnavailableError for the soft block, or a page shorter than announced.
    """
    asked = search_request(begin, end, start)
    answer = http.post(SEARCH, asked, "application/json", expect={BodyFormat.JSON}, headers=_HEADERS)
    body = _decode_json(answer, SEARCH)
    found = search_hits(body)
    if isinstance(found, str):
        raise SourceUnavailableError(SEARCH, answer.status, found)
    told = _total_hits(body)
    total = start + len(found) if told is None else told
    if not found and start < total:
        raise SourceUnavailableError(
            SEARCH, answer.status, f"no hits from {start} on, of {total}: the list is not whole"
        )
    if told is None and len(found) >= SIZE - start:
        total = SIZE + 1  # a full response: the real total is unknown
    named = (hit for hit in found if isinstance(hit, dict) and isinstance(hit.get("_source"), dict))
    ids = [str(hit["_id"]) for hit in named if hit.get("_id") and hit["_source"].get("type") == HOLDINGS_TYPE]
    return _SearchPage(answer, len(found), total, ids)


def _decode_json(answer: FetchedResponse, url: str) -> Any:
    try:
        return msgspec.json.decode(answer.read())
    except MALFORMED as error:
        raise UnexpectedBodyError(url, answer.status, f"JSON that does not parse: {error}") from None


def _total_hits(body: Any) -> int | None:
    """Total number of hits; a lower bound («at least») is returned plus one."""
    total = body["hits"].get("total")
    if isinstance(total, dict):
        value = total.get("value")
        more = total.get("relation") == "gte"
        return value + more if isinstance(value, int) else None
    return total if isinstance(total, int) else None


def search_hits(body: Any) -> list[Any] | str:
    """Hits of a search response, or the reason to reject it."""
    found = member_at(body, "hits", "hits")
    if not isinstance(found, list):
        return "no list of hits in the answer"
    if body.get("timed_out") is True:
        return "the search timed out: the list is not whole"
    took = body.get("took")
    if not found and (not isinstance(took, int) or took < _BLOCKED_MS):
        return f"no hits in {took} ms: the soft block, not an empty day"
    return found


def _fetch_details(http: HttpClient, identity: str) -> Iterator[FetchedFile]:
    """Fetches the text of one announcement; yields nothing if it was taken down. A block page is rejected."""
    url = f"https://{HOST}/details/{quote(identity, safe='')}?index={INDEX}"
    answer = http.get(url, expect={BodyFormat.JSON}, headers=_HEADERS, allow=(_NOT_FOUND,))
    if answer.status == _NOT_FOUND:
        return
    body = _decode_json(answer, url)
    if not isinstance(member_at(body, "_source"), dict):
        raise SourceUnavailableError(url, answer.status, "no announcement in the response: retried later")
    yield replace(answer.to_fetched_file(f"nsm-{quote(identity, safe='')}.json", Scope.PART), cursor=None)
