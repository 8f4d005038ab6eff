"""Asking the National Storage Mechanism: announcements by days, then the notifications' texts.

See docs/formats/uk.md 10.3.

The interface is the search page's own and undocumented. Cloudflare stands before it: its soft block answers 200 at
once and without hits, which is a failure here and no empty day. Announcements of every type are listed, for they
are news, and the codes to filter by are confirmed by nobody. A fortnight without a single notification is no answer
to believe.
Does not belong here: what an answer holds (`nsm`).
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
FIRST: Final = timedelta(days=365)  # so far back for a first time
STEP: Final = timedelta(days=7)
OVERLAP: Final = timedelta(days=2)  # announcements are submitted late and corrected
SIZE: Final = 10_000  # the most that one answer holds, and how far back `from` reaches
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
    """Lists from where the last run ended, and behind each the texts that it names; cursor: the last day asked."""
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
        if held is not None:  # the cursor moves with the last of them, when all the others are there
            yield replace(held, cursor=Cursor(end.isoformat()))
        begin = end + _DAY


@dataclass(frozen=True, slots=True)
class _Page:
    """One answer of a search: how many hits it holds, of how many, and the notifications among them."""

    answer: Fetched
    count: int
    total: int
    notified: list[str]


def _window(http: Http, begin: date, end: date) -> tuple[date, list[_Page]]:
    """All pages of some days, and the last of these days: fewer where one question cannot reach all hits."""
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
    """The lists of some days, then the texts that they name."""
    days = f"{begin.isoformat()}-{end.isoformat()}"
    for number, page in enumerate(pages):
        name = f"nsm-{days}.json" if number == 0 else f"nsm-{days}-{number}.json"
        yield replace(page.answer.arrival(name, Scope.PART), cursor=None)
    for identity in found:
        yield from _details(http, identity)


def _resumed(after: Cursor | None, last: date) -> date:
    """The day to go on from. A cursor that is no day begins anew: asking again does no harm."""
    try:
        return last - FIRST if after is None else min(date.fromisoformat(after.value), last) - OVERLAP
    except ValueError:
        return last - FIRST


def question(begin: date, end: date, start: int = 0) -> bytes:
    """What is asked: the latest of each announcement submitted on some days, from the hit `start` on.

    Dates with milliseconds are refused.
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
    """One page of a list. Raises Unavailable for the soft block, and for a page that holds less than was told."""
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
        total = SIZE + 1  # as full as it can be: nobody knows what is behind it
    named = (hit for hit in found if isinstance(hit, dict) and isinstance(hit.get("_source"), dict))
    ids = [str(hit["_id"]) for hit in named if hit.get("_id") and hit["_source"].get("type") == HOLDINGS_TYPE]
    return _Page(answer, len(found), total, ids)


def _decoded(answer: Fetched, url: str) -> Any:
    try:
        return msgspec.json.decode(answer.read())
    except MALFORMED as error:
        raise WrongBody(url, answer.status, f"JSON that does not parse: {error}") from None


def _total(body: Any) -> int | None:
    """How many hits there are: a number, or how many at least. A search that stops counting says one more."""
    total = body["hits"].get("total")
    if isinstance(total, dict):
        value = total.get("value")
        more = total.get("relation") == "gte"
        return value + more if isinstance(value, int) else None
    return total if isinstance(total, int) else None


def hits(body: Any) -> list[Any] | str:
    """The hits of a search answer, or why it is none to believe."""
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
    """The text of one announcement; none where it was taken down since. A block is not taken for an answer."""
    url = f"https://{HOST}/details/{quote(identity, safe='')}?index={INDEX}"
    answer = http.get(url, expect={Format.JSON}, headers=_HEADERS, allow=(_NOT_FOUND,))
    if answer.status == _NOT_FOUND:
        return
    body = _decoded(answer, url)
    if not isinstance(body, dict) or not isinstance(body.get("_source"), dict):
        raise Unavailable(url, answer.status, "no announcement in the answer: asked again later")
    yield replace(answer.arrival(f"nsm-{quote(identity, safe='')}.json", Scope.PART), cursor=None)
