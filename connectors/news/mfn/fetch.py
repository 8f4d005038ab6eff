"""Fetches MFN's Nordic stream: pages since the last run, with an overlap of ten minutes.

Does not belong here: the content of an item (`dataset`), rate limits and retries (`connectors.kit.http.client`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import msgspec

from connectors.contract.dataset import HostLimit
from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.kit.json.chunks import MALFORMED

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient
    from connectors.kit.http.response import FetchedResponse

HOST: Final = "mfn.se"
STREAM_URL: Final = f"https://{HOST}/all/s/nordic.json"
LIMIT: Final = HostLimit(HOST, 0.5)
PAGE: Final = 100
PAGES: Final = 500  # per run at most: months of all Nordic markets
FIRST: Final = timedelta(days=2)  # how far back the first run goes
OVERLAP: Final = timedelta(minutes=10)


def fetch_stream(http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Pages without the texts (`compact`); the cursor, the server's time of the first page, comes with the last.

    Raises UnexpectedBodyError after the last page if the stream goes on behind it: a run fetches no more pages, or the
    site repeats a page whatever is requested (then without a cursor, so that the next run requests the rest).
    """
    since = _resume_instant(cursor, http.now())
    asked: datetime | None = None
    held: FetchedFile | None = None
    seen: set[str] = set()
    start = 0
    is_repeated = is_longer = False
    for page in range(PAGES):
        answer = http.get(stream_page_url(since, start), expect={BodyFormat.JSON})
        asked = asked or answer.server_time
        listed = [str(item.get("news_id")) if isinstance(item, dict) else "" for item in page_items(answer)]
        if held is not None and seen.issuperset(listed):
            is_repeated = len(listed) >= PAGE  # a shorter one is the end
            break
        if held is not None:
            yield held
        name = f"mfn_{answer.server_time:%Y%m%dT%H%M%S}_{page + 1}.json"
        held = replace(answer.to_fetched_file(name, Scope.PART), cursor=None)  # rewinds the body to its first byte
        if not listed:
            break
        seen.update(listed)
        start += len(listed)  # a page may be shorter than requested
    else:
        is_longer = True
    if held is not None and asked is not None:
        yield held if is_repeated else replace(held, cursor=Cursor(asked.isoformat()))
    if is_repeated or is_longer:
        reason = f"{len(seen)} items, and no page with the older ones since {since:%Y-%m-%d %H:%M} UTC: incomplete"
        raise UnexpectedBodyError(stream_page_url(since, start), HTTPStatus.OK, reason)


def stream_page_url(since: datetime, start: int) -> str:
    """URL of one page of items published after an instant."""
    after = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"{STREAM_URL}?{urlencode({'limit': PAGE, 'offset': start, 'compact': 'true', 'after': after})}"


def _resume_instant(cursor: Cursor | None, now: datetime) -> datetime:
    """The instant to continue from. An invalid cursor restarts from the beginning: repeated requests do no harm."""
    try:
        found = None if cursor is None else datetime.fromisoformat(cursor.value)
    except ValueError:
        found = None
    return now - FIRST if found is None or found.tzinfo is None else min(found, now) - OVERLAP


def page_items(response: FetchedResponse) -> list[Any]:
    """The items of a page. Raises UnexpectedBodyError."""
    try:
        body: Any = msgspec.json.decode(response.read())
    except MALFORMED as error:
        raise UnexpectedBodyError(response.url, response.status, f"JSON that does not parse: {error}") from None
    found = body.get("items") if isinstance(body, dict) else None
    if not isinstance(found, list):
        raise UnexpectedBodyError(response.url, response.status, "no list of items")
    return found
