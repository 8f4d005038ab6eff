"""Fetches MFN's Nordic stream: pages since the last run, with an overlap of ten minutes.

Does not belong here: the content of an item (`mfn`), rate limits and retries (`connectors.kit.http`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import msgspec

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.chunks import MALFORMED
from connectors.kit.errors import WrongBody
from connectors.kit.formats import Format

if TYPE_CHECKING:
    from connectors.kit.bodies import Fetched
    from connectors.kit.http import Http

HOST: Final = "mfn.se"
STREAM_URL: Final = f"https://{HOST}/all/s/nordic.json"
RATE: Final = 0.5  # requests per second
PAGE: Final = 100
PAGES: Final = 500  # per run at most: months of all Nordic markets
FIRST: Final = timedelta(days=2)  # how far back the first run goes
OVERLAP: Final = timedelta(minutes=10)


def stream(http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """Pages without the texts (`compact`); the cursor, the server's time of the first page, comes with the last."""
    del subjects
    since = _since(cursor, http.now())
    asked: datetime | None = None
    held: Arrival | None = None
    seen: set[str] = set()
    start = 0
    for page in range(PAGES):
        answer = http.get(url(since, start), expect={Format.JSON})
        asked = asked or answer.server_time
        listed = [str(item.get("news_id")) if isinstance(item, dict) else "" for item in items(answer)]
        if held is not None and seen.issuperset(listed):
            break  # the end, or a page that is repeated whatever is requested
        if held is not None:
            yield held
        name = f"mfn_{answer.server_time:%Y%m%dT%H%M%S}_{page + 1}.json"
        held = replace(answer.arrival(name, Scope.PART), cursor=None)  # rewinds the body to its first byte
        if not listed:
            break
        seen.update(listed)
        start += len(listed)  # a page may be shorter than requested
    if held is not None and asked is not None:
        yield replace(held, cursor=Cursor(asked.isoformat()))


def url(since: datetime, start: int) -> str:
    """URL of one page of items published after an instant."""
    after = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"{STREAM_URL}?{urlencode({'limit': PAGE, 'offset': start, 'compact': 'true', 'after': after})}"


def _since(cursor: Cursor | None, now: datetime) -> datetime:
    """The instant to continue from. An invalid cursor restarts from the beginning: repeated requests do no harm."""
    try:
        found = None if cursor is None else datetime.fromisoformat(cursor.value)
    except ValueError:
        found = None
    return now - FIRST if found is None or found.tzinfo is None else min(found, now) - OVERLAP


def items(answer: Fetched) -> list[Any]:
    """The items of a page. Raises WrongBody."""
    try:
        body: Any = msgspec.json.decode(answer.read())
    except MALFORMED as error:
        raise WrongBody(answer.url, answer.status, f"JSON that does not parse: {error}") from None
    found = body.get("items") if isinstance(body, dict) else None
    if not isinstance(found, list):
        raise WrongBody(answer.url, answer.status, "no list of items")
    return found
