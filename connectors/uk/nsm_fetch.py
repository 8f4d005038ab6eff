"""Fetches from the National Storage Mechanism: announcements by days, then the notifications' texts.

See docs/formats/uk.md 10.3.

The interface is the search page's own and undocumented. Cloudflare is in front of it: its soft block returns 200
instantly and without hits, which counts as a failure, not an empty day. Announcements of every type are listed,
since they are news and the filter codes are unconfirmed. A fortnight without any notification is treated as a
wrong response.
Does not belong here: parsing responses (`nsm`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import msgspec

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.chunks import MALFORMED
from connectors.kit.errors import Unavailable, WrongBody
from connectors.kit.formats import Format
from connectors.uk.nsm_fields import HOLDINGS_TYPE, HOST

if TYPE_CHECKING:
    from connectors.kit.bodies import Fetched
    from connectors.kit.http import Http

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


def announcements(http: Http, after: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """Fetches lists from the cursor on, each followed by the texts it names; cursor: last day requested."""
    del subjects
    last = http.now().date()
    begin = _resumed(after, last)
    heard = begin
    while begin <= last:
        end, pages = _window(http, begin, min(begin + STEP, last))
        found = list(dict.fromkeys(identity for page in pages for identity in page.notified))
        heard = end if found else heard
        if end - heard >= _SILENT:
            raise WrongBody(
                SEARCH, 200, f"no «{HOLDINGS_TYPE}» from {heard} to {end}: the lists are not whole"
            )
        held = None
        for arrival in _arrivals(http, begin, end, pages, found):
            if held is not None:
                yield held
            held = arrival
        if held is not None:  # only the last one moves the cursor, after all others arrived
            yield replace(held, cursor=Cursor(end.isoformat()))
        begin = end + _DAY


@dataclass(frozen=True, slots=True)
class _Page:
    """One search response: its number of hits, the total, and the notifications among them."""

    answer: Fetched
    count: int
    total: int
    notified: list[str]


def _window(http: Http, begin: date, end: date) -> tuple[date, list[_Page]]:
    """All pages of a window of days, and its last day; shortened if one query cannot reach all hits."""
    while True:
        pages = [_search(http, begin, end, 0)]
        if pages[0].total <= SIZE:
            break
        if begin == end:
            raise WrongBody(
                SEARCH, 200, f"{pages[0].total} hits on {begin}, of which {SIZE} can be had: some are missing"
            )
        end = begin + (end - begin) // 2
    seen = pages[0].count
    while seen < pages[0].total:
        pages.append(_search(http, begin, end, seen))
        seen += pages[-1].count
    return end, pages


def _arrivals(http: Http, begin: date, end: date, pages: list[_Page], found: list[str]) -> Iterator[Arrival]:
    """Yields the lists of a window, then the texts they name."""
    days = f"{begin.isoformat()}-{end.isoformat()}"
    for number, page in enumerate(pages):
        name = f"nsm-{days}.json" if number == 0 else f"nsm-{days}-{number}.json"
        yield replace(page.answer.arrival(name, Scope.PART), cursor=None)
    for identity in found:
        yield from _details(http, identity)


def _resumed(after: Cursor | None, last: date) -> date:
    """Day to resume from; an invalid cursor starts over, since repeated requests are harmless."""
    try:
        return last - FIRST if after is None else min(date.fromisoformat(after.value), last) - OVERLAP
    except ValueError:
        return last - FIRST


def question(begin: date, end: date, start: int = 0) -> bytes:
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


def _search(http: Http, begin: date, end: date, start: int) -> _Page:
    """Fetches one page of a list. Raises Unavailable for the soft block, or a page shorter than announced."""
    asked = question(begin, end, start)
    answer = http.post(SEARCH, asked, "application/json", expect={Format.JSON}, headers=_HEADERS)
    body = _decoded(answer, SEARCH)
    found = hits(body)
    if isinstance(found, str):
        raise Unavailable(SEARCH, answer.status, found)
    told = _total(body)
    total = start + len(found) if told is None else told
    if not found and start < total:
        raise Unavailable(
            SEARCH, answer.status, f"no hits from {start} on, of {total}: the list is not whole"
        )
    if told is None and len(found) >= SIZE - start:
        total = SIZE + 1  # a full response: the real total is unknown
    named = (hit for hit in found if isinstance(hit, dict) and isinstance(hit.get("_source"), dict))
    ids = [str(hit["_id"]) for hit in named if hit.get("_id") and hit["_source"].get("type") == HOLDINGS_TYPE]
    return _Page(answer, len(found), total, ids)


def _decoded(answer: Fetched, url: str) -> Any:
    try:
        return msgspec.json.decode(answer.read())
    except MALFORMED as error:
        raise WrongBody(url, answer.status, f"JSON that does not parse: {error}") from None


def _total(body: Any) -> int | None:
    """Total number of hits; a lower bound («at least») is returned plus one."""
    total = body["hits"].get("total")
    if isinstance(total, dict):
        value = total.get("value")
        more = total.get("relation") == "gte"
        return value + more if isinstance(value, int) else None
    return total if isinstance(total, int) else None


def hits(body: Any) -> list[Any] | str:
    """Hits of a search response, or the reason to reject it."""
    outer = body.get("hits") if isinstance(body, dict) else None
    found = outer.get("hits") if isinstance(outer, dict) else None
    if not isinstance(found, list):
        return "no list of hits in the answer"
    if body.get("timed_out") is True:
        return "the search timed out: the list is not whole"
    took = body.get("took")
    if not found and (not isinstance(took, int) or took < _BLOCKED_MS):
        return f"no hits in {took} ms: the soft block, not an empty day"
    return found


def _details(http: Http, identity: str) -> Iterator[Arrival]:
    """Fetches the text of one announcement; yields nothing if it was taken down. A block page is rejected."""
    url = f"https://{HOST}/details/{quote(identity, safe='')}?index={INDEX}"
    answer = http.get(url, expect={Format.JSON}, headers=_HEADERS, allow=(_NOT_FOUND,))
    if answer.status == _NOT_FOUND:
        return
    body = _decoded(answer, url)
    if not isinstance(body, dict) or not isinstance(body.get("_source"), dict):
        raise Unavailable(url, answer.status, "no announcement in the response: retried later")
    yield replace(answer.arrival(f"nsm-{quote(identity, safe='')}.json", Scope.PART), cursor=None)
