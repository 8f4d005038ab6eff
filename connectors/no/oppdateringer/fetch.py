"""Pages through the three change feeds by cursor (docs/formats/no.md 3).

The cursor is the newest id seen, per feed. A feed's id is inclusive, ids have gaps, and an entry may become visible
after a newer one, so every fetch goes back `OVERLAP` ids; entries read again are recognised. A page without a newer
id is the end. A first fetch starts two days back: the bulk loaded with it is not older. Does not belong here: what
entries mean (`rows`).
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import msgspec

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.cursors import from_json_cursor
from connectors.kit.http.errors import FetchError, UnexpectedBodyError
from connectors.no.oppdateringer.schema import COLLECTIONS, ID, ROLES, STREAMS
from connectors.no.register import API_URL

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

OVERLAP: Final = 1_000
SIZE: Final = 10_000  # the maximum page size
FIRST: Final = timedelta(days=2)
_NAMES: Final = {stream: name for name, stream in COLLECTIONS.items()}


class FeedCursors(msgspec.Struct, omit_defaults=True):
    """Position of each feed: the newest id seen, or the start time if nothing has been seen yet."""

    ids: dict[str, int] = {}
    since: dict[str, str] = {}

    def cursor(self) -> Cursor:
        return Cursor(msgspec.json.encode(self, order="sorted").decode())


def fetch(http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches pages of all three feeds. A failing feed does not block the others; its error is raised last."""
    places = from_json_cursor(cursor, FeedCursors) or FeedCursors()
    broken: FetchError | None = None
    for stream in STREAMS:
        try:
            yield from _FeedReader(http, stream, places).pages()
        except FetchError as error:
            broken = broken or error
    if broken is not None:
        raise broken


@dataclass(frozen=True, slots=True)
class _FeedPage:
    """One page: its body, and the ids of its entries."""

    answer: FetchedResponse
    body: bytes
    ids: tuple[int, ...]


class _FeedReader:
    """Pages through one feed and updates its position in `places` with every page."""

    def __init__(self, http: HttpClient, stream: str, places: FeedCursors) -> None:
        self._http, self._stream, self._places = http, stream, places

    def pages(self) -> Iterator[FetchedFile]:
        """Yields pages from the overlap on; the last or only one may be empty."""
        last = self._places.ids.get(self._stream)
        page = self._fetch_first_page() if last is None else self._from(max(1, last - OVERLAP))
        self._advance_cursor(page)
        yield self._page_file(page)
        while page.ids:
            reached = max(page.ids)
            page = self._from(reached + 1)  # the parameter is inclusive
            if max(page.ids, default=0) <= reached:
                return
            self._advance_cursor(page)
            yield self._page_file(page)

    def _advance_cursor(self, page: _FeedPage) -> None:
        """Moves the position forward only: a page of the overlap lies before it."""
        newest = max(page.ids, default=0)
        if newest > self._places.ids.get(self._stream, 0):
            self._places.ids[self._stream] = newest
            self._places.since.pop(self._stream, None)

    def _fetch_first_page(self) -> _FeedPage:
        """The first page, by time: starting at the first id would read tens of millions of entries."""
        since = self._places.since.get(self._stream)
        if since is None:
            probe = self._fetch_page({"size": 1} if self._stream == ROLES else {"size": 1, "sort": "id,DESC"})
            since = _format_instant(probe.answer.server_time - FIRST)
            self._places.since[self._stream] = since
        name = "afterTime" if self._stream == ROLES else "dato"
        return self._fetch_page({name: since, **self._paging_parameters()})

    def _from(self, first: int) -> _FeedPage:
        """Requests entries from an id on. The role feed's parameter is exclusive, so it gets the id minus one."""
        parameter = {"afterId": first - 1} if self._stream == ROLES else {ID: first}
        return self._fetch_page({**parameter, **self._paging_parameters()})

    def _paging_parameters(self) -> dict[str, str | int]:
        if self._stream == ROLES:
            return {"size": SIZE}
        return {"size": SIZE, "sort": "id,ASC", "includeChanges": "true"}

    def _fetch_page(self, parameters: dict[str, Any]) -> _FeedPage:
        url = f"{API_URL}oppdateringer/{self._stream}?{urlencode(parameters)}"
        answer = self._http.get(url, headers={"Accept": "application/json"})
        body = answer.read()
        return _FeedPage(answer, body, _entry_ids(self._stream, url, answer.status, body))

    def _page_file(self, page: _FeedPage) -> FetchedFile:
        """Arrival of a page, named by its first id: a page fetched again has the same bytes and is not new."""
        start = min(page.ids) if page.ids else "tom"
        arrival = page.answer.to_fetched_file(f"{self._stream}-{start}.json", Scope.FEED, self._places.cursor())
        return replace(arrival, body=io.BytesIO(page.body))


def _entry_ids(stream: str, url: str, status: int, body: bytes) -> tuple[int, ...]:
    """Ids of a page's entries, in order. An invalid page stops the feed before its position moves."""
    try:
        found: Any = msgspec.json.decode(body)
        entries, name = (found, "id") if stream == ROLES else (_page_entries(found, stream), ID)
        return tuple(int(entry[name]) for entry in entries)
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnexpectedBodyError(url, status, f"expected a page of the change feed: {error!r}") from None


def _page_entries(found: Any, stream: str) -> list[Any]:
    """Entries of a HAL page; an empty page has no `_embedded`, but has `page`."""
    return found["_embedded"][_NAMES[stream]] if "_embedded" in found or not found["page"] else []


def _format_instant(instant: datetime) -> str:
    return f"{instant:%Y-%m-%dT%H:%M:%S}.000Z"
