"""Fetches SCB's register of enterprises page by page (docs/formats/se.md 7.4).

A walk through the register goes from cursor to cursor until the API says that no more follows. A run that breaks off is
continued at the page that it did not get; a register that was not updated since the last complete walk is not fetched
again. Pages are PARTs: that a unit is on no page says nothing. The key is the operator's (`FIRM_CREDENTIALS`, for
apiafr.scb.se); without it no request is made. Does not belong here: rates and retries (`connectors.kit.http.client`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import msgspec

from connectors.contract.dataset import HostLimit
from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.cursors import from_json_cursor, to_json_cursor
from connectors.kit.http.errors import FetchError, RequestRejectedError, UnexpectedBodyError
from connectors.se.business_register.schema import HOST, PAGINATION, UNITS

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

BASE: Final = f"https://{HOST}/v1"
INFO_URL: Final = f"{BASE}/api-info"
COUNT_URL: Final = f"{BASE}/juridiskaenheter/count"
UNITS_URL: Final = f"{BASE}/juridiskaenheter/full"
KEY_HEADER: Final = "X-API-Key"
LIMIT: Final = HostLimit(HOST, 1.0)  # no limit is documented; users report five requests a second
PAGE: Final = 5_000  # the most that the API gives; the same for all pages of a walk
MOST_PAGES: Final = 1_000  # of a run; about 400 make the register
_COMPLETE: Final = 0.98  # share of the counted units below which a walk ended too early
_REFUSED: Final = (401, 403)
_NO_SUCH_PLACE: Final = (400, 404)


class _Walk(msgspec.Struct):
    """Where a walk is. next: the cursor of the next page, None before the first one. rows: units seen so far.

    updated: the register's date when the walk began; done: of the last complete walk.
    """

    next: int | None = None
    rows: int = 0
    updated: str = ""
    done: str = ""


def fetch(http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Yields the pages that follow the cursor, or those of a new walk where the register was updated."""
    if not http.has_credentials(INFO_URL):
        return
    walk = from_json_cursor(cursor, _Walk) or _Walk()
    if walk.next is None:
        updated = _text_member(_get(http, INFO_URL), "senasteUppdateringsDatum")
        if updated == walk.done:
            return
        walk = _Walk(updated=updated, done=walk.done)
    yield from _walk_pages(http, walk, _count_units(http))


def _walk_pages(http: HttpClient, walk: _Walk, count: int) -> Iterator[FetchedFile]:
    seen = set[int]()
    for place in range(1, MOST_PAGES + 1):
        page = _get_page(http, walk)
        asked = walk.next
        units, following = _page_content(page)
        walk.rows += units
        if following is None:
            if walk.rows < count * _COMPLETE:
                reason = f"the register ends after {walk.rows} of {count} units; retried in the next run"
                raise UnexpectedBodyError(page.url, page.status, reason)
            done = _Walk(done=walk.updated)
        else:
            if following in seen or following == asked:
                raise UnexpectedBodyError(
                    page.url, page.status, f"the cursor {following} repeats; no later page exists"
                )
            seen.add(following)
            walk.next = following
            done = walk
        page.body.seek(0)
        name = f"juridiskaenheter-{'first' if asked is None else asked}.json"
        has_more = following is not None and place == MOST_PAGES
        yield FetchedFile(
            name,
            page.body,
            Scope.PART,
            page.server_time,  # a page is current when requested
            to_json_cursor(done),
            page.url,
            page.status,
            has_more=has_more,
            remaining=(max(count - walk.rows, 0), "units") if has_more else None,
        )
        if following is None:
            return


def _get_page(http: HttpClient, walk: _Walk) -> FetchedResponse:
    """The next page; from the beginning where the register no longer knows the cursor of an earlier run."""
    query = {"limit": PAGE} | ({} if walk.next is None else {"cursorId": walk.next})
    try:
        return _get(http, f"{UNITS_URL}?{urlencode(query)}")
    except FetchError as error:
        if walk.next is None or error.status not in _NO_SUCH_PLACE:
            raise
        walk.next, walk.rows = None, 0
        return _get(http, f"{UNITS_URL}?{urlencode({'limit': PAGE})}")


def _page_content(page: FetchedResponse) -> tuple[int, int | None]:
    """Number of units of a page, and the cursor of the next one; None on the last.

    The end is only what the API calls so. A page without units or without a statement is no end of a register.
    """
    body = _decode(page)
    units, place = body.get(UNITS), body.get(PAGINATION)
    has_more = place.get("hasMore") if isinstance(place, dict) else None
    if not isinstance(units, list) or not isinstance(has_more, bool):
        raise UnexpectedBodyError(page.url, page.status, f"expected a page with {UNITS} and {PAGINATION}.hasMore")
    if not units:
        raise UnexpectedBodyError(page.url, page.status, "a page without units; retried in the next run")
    following = place.get("nextCursorId") if has_more and isinstance(place, dict) else None
    if has_more and (not isinstance(following, int) or isinstance(following, bool)):
        raise UnexpectedBodyError(page.url, page.status, "more pages follow, but no nextCursorId says where")
    return len(units), following


def _count_units(http: HttpClient) -> int:
    answer = _get(http, COUNT_URL)
    count = _decode(answer).get("count")
    if not isinstance(count, int) or isinstance(count, bool):
        raise UnexpectedBodyError(answer.url, answer.status, "expected a count of units")
    return count


def _text_member(answer: FetchedResponse, name: str) -> str:
    value = _decode(answer).get(name)
    if not isinstance(value, str) or not value.strip():
        raise UnexpectedBodyError(answer.url, answer.status, f"expected {name}")
    return value


def _decode(answer: FetchedResponse) -> dict[str, Any]:
    answer.body.seek(0)
    try:
        return msgspec.json.decode(answer.read(), type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):  # the message would quote the answer
        raise UnexpectedBodyError(answer.url, answer.status, "expected a JSON object, whole") from None


def _get(http: HttpClient, url: str) -> FetchedResponse:
    try:
        return http.get(url, headers={"Accept": "application/json"}, key_header=KEY_HEADER)
    except FetchError as error:
        if error.status in _REFUSED:
            reason = f"the key is rejected: FIRM_CREDENTIALS needs {HOST}=KEY:"
            raise RequestRejectedError(error.url, error.status, reason) from None
        raise
