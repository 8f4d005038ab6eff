"""Pages through an index of distribution.virk.dk in the order of change, from where the last run ended.

Pages follow each other by `search_after`, which keeps no state on the server: a broken-off read goes on at its cursor.
Windows overlap by a day, since records arrive late; a page of which every hit was seen is not kept. Hits with the
sort key of a page's last hit may be cut off by its end, so the next page begins before that key. Belongs here:
requests, pages and the cursor. Does not belong here: reading hits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import msgspec

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.dk.answers import IncompleteAnswerError, SearchAnswer, decode_answer
from connectors.kit.cursors import from_json_cursor, to_json_cursor
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import SourceUnavailableError, UnexpectedBodyError
from connectors.kit.json.chunks import MALFORMED

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

SIZE: Final = 500  # hits of a page; the index allows 3,000, of up to 300 kB each
PAGES: Final = 500  # of one run: a quarter of a million hits, after which the market's other datasets have their turn
OVERLAP: Final = timedelta(days=1)
_MILLISECONDS: Final = 1_000


class SearchHit(msgspec.Struct):
    """What paging reads of a hit. sort: instant in milliseconds, and a number that tells hits of one instant apart."""

    id: str = msgspec.field(name="_id")
    sort: tuple[int, int]


class SearchPosition(msgspec.Struct):
    """How far an index is read. since: lower bound of the window; after: sort key, None between two windows.

    newest: instant of the newest hit. seen: versions of hits within the overlap, by id.
    """

    since: int
    newest: int = 0
    after: tuple[int, int] | None = None
    seen: dict[str, int] = {}


@dataclass(frozen=True, slots=True)
class SearchIndex:
    """How one index is searched.

    url: of its `_search`. instant, number: fields of the sort key. conditions: of every query. fields: `_source`.
    first: where the first run begins. name: of archived files.
    """

    url: str
    name: str
    instant: str
    number: str
    fields: tuple[str, ...]
    first: Callable[[datetime], datetime]
    conditions: tuple[Mapping[str, Any], ...] = ()

    def query(self, since: int, after: tuple[int, int] | None) -> bytes:
        """The body of a request: hits changed at `since` or later, after a sort key."""
        at = datetime.fromtimestamp(since / _MILLISECONDS, UTC)
        window = {"range": {self.instant: {"gte": f"{at:%Y-%m-%dT%H:%M:%S}.{since % _MILLISECONDS:03}Z"}}}
        return msgspec.json.encode(
            {
                "query": {"bool": {"must": [window, *self.conditions]}} if self.conditions else window,
                "sort": [{self.instant: "asc"}, {self.number: "asc"}],
                "size": SIZE,
                "_source": self.fields,
                **({} if after is None else {"search_after": after}),
            }
        )


def fetch_changes(index: SearchIndex, http: HttpClient, cursor: Cursor | None) -> Iterator[FetchedFile]:
    """Pages of hits that changed since the cursor, oldest change first; at most PAGES of them in a run."""
    now = http.now()
    at = from_json_cursor(cursor, SearchPosition) or SearchPosition(_milliseconds(index.first(now)))
    for page in range(PAGES):
        answer = _request_page(index, http, at)
        hits = _page_hits(index, answer)
        fresh = [hit for hit in hits if at.seen.get(hit.id) != hit.sort[0]]
        is_last = len(hits) < SIZE
        at = _next_position(index, at, hits, is_last=is_last)
        has_more = not is_last and page + 1 == PAGES
        if fresh or has_more:
            name = f"{index.name}-{now:%Y%m%dT%H%M%S}-{page + 1:04}.json"
            file = answer.to_fetched_file(name, Scope.PART, to_json_cursor(at))
            yield replace(file, has_more=has_more)
        if is_last:
            return


def _request_page(index: SearchIndex, http: HttpClient, at: SearchPosition) -> FetchedResponse:
    return http.post(index.url, index.query(at.since, at.after), "application/json", expect={BodyFormat.JSON})


def _page_hits(index: SearchIndex, answer: FetchedResponse) -> list[SearchHit]:
    """The hits of a page. Raises SourceUnavailableError if it is not whole, else UnexpectedBodyError."""
    try:
        found: SearchAnswer = decode_answer(answer.read())
        return [msgspec.json.decode(hit, type=SearchHit) for hit in found.hits.hits]
    except IncompleteAnswerError as error:
        raise SourceUnavailableError(index.url, answer.status, str(error)) from None
    except MALFORMED as error:
        raise UnexpectedBodyError(index.url, answer.status, f"expected a page of sorted hits: {error}") from None


def _next_position(index: SearchIndex, at: SearchPosition, hits: list[SearchHit], *, is_last: bool) -> SearchPosition:
    newest = max((at.newest, *(hit.sort[0] for hit in hits)))
    overlap = newest - int(OVERLAP.total_seconds()) * _MILLISECONDS
    recent = at.seen | {hit.id: hit.sort[0] for hit in hits}
    seen = {name: version for name, version in recent.items() if version >= overlap}
    if is_last:
        return SearchPosition(overlap if newest else at.since, newest, None, seen)
    whole = [hit.sort for hit in hits if hit.sort != hits[-1].sort]
    if not whole:
        raise UnexpectedBodyError(index.url, 200, f"a page of {SIZE} hits with one sort key: some would be lost")
    return SearchPosition(at.since, newest, whole[-1], seen)


def _milliseconds(at: datetime) -> int:
    return int(at.timestamp() * _MILLISECONDS)
