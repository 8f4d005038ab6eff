"""Asking the National Storage Mechanism: lists of notifications by days, then their texts one by one (FORMAT 10.3).

The interface is the search page's own and undocumented. Cloudflare stands before it: its soft block answers 200 at
once and without hits, which is a failure here and no empty day. The code by which types are asked for is not
confirmed by anybody, so a fortnight without a single notification counts as a filter that holds no longer.
Does not belong here: what an answer holds (`nsm`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
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
SIZE: Final = 10_000  # the most that one answer holds
_DAY: Final = timedelta(days=1)
_SILENT: Final = timedelta(days=14)
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
        end = min(begin + STEP, last)
        answer = _search(http, begin, end)
        found = _items(answer)
        heard = end if found else heard
        if end - heard >= _SILENT:
            raise WrongBody(
                SEARCH, 200, f"no «{HOLDINGS_TYPE}» from {heard} to {end}: does type_code hol still hold?"
            )
        held = replace(
            answer.arrival(f"nsm-{begin.isoformat()}-{end.isoformat()}.json", Scope.PART), cursor=None
        )
        for identity in found:
            yield held
            held = _details(http, identity)
        yield replace(held, cursor=Cursor(end.isoformat()))
        begin = end + _DAY


def _resumed(after: Cursor | None, last: date) -> date:
    """The day to go on from. A cursor that is no day begins anew: asking again does no harm."""
    try:
        return last - FIRST if after is None else min(date.fromisoformat(after.value), last) - OVERLAP
    except ValueError:
        return last - FIRST


def question(begin: date, end: date) -> bytes:
    """What is asked: notifications submitted on some days, the latest of each; no milliseconds in dates."""
    days = {"from": f"{begin.isoformat()}T00:00:00Z", "to": f"{(end + _DAY).isoformat()}T00:00:00Z"}
    return msgspec.json.encode(
        {
            "from": 0,
            "size": SIZE,
            "sort": "submitted_date",
            "sortorder": "asc",
            "criteriaObj": {
                "criteria": [
                    {"name": "latest_flag", "value": "Y"},
                    {"name": "type_code", "value": ["hol"]},
                ],
                "dateCriteria": [{"name": "submitted_date", "value": days}],
            },
        }
    )


def _search(http: Http, begin: date, end: date) -> Fetched:
    return http.post(SEARCH, question(begin, end), "application/json", expect={Format.JSON}, headers=_HEADERS)


def _items(answer: Fetched) -> list[str]:
    """Ids of the notifications in a list. Raises Unavailable for the soft block."""
    try:
        body: Any = msgspec.json.decode(answer.read())
    except MALFORMED as error:
        raise WrongBody(SEARCH, answer.status, f"JSON that does not parse: {error}") from None
    found = hits(body)
    if isinstance(found, str):
        raise Unavailable(SEARCH, answer.status, found)
    if len(found) >= SIZE:
        raise WrongBody(
            SEARCH, answer.status, f"{len(found)} hits, the most one answer holds: days are missing"
        )
    named = (hit for hit in found if isinstance(hit, dict) and isinstance(hit.get("_source"), dict))
    return [
        str(hit["_id"]) for hit in named if hit.get("_id") and hit["_source"].get("type") == HOLDINGS_TYPE
    ]


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


def _details(http: Http, identity: str) -> Arrival:
    url = f"https://{HOST}/details/{quote(identity, safe='')}?index={INDEX}"
    answer = http.get(url, expect={Format.JSON}, headers=_HEADERS)
    return replace(answer.arrival(f"nsm-{quote(identity, safe='')}.json", Scope.PART), cursor=None)
