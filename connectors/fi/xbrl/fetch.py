"""Fetches statements: the lists by day of registration, then each statement that is new in them.

The first run goes month by month from the first month of the service; later runs repeat the last week, to catch
delayed registrations. Does not belong here: rate limits and retries (`connectors.kit.http.client`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import msgspec

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.fi.register import STATEMENTS_URL
from connectors.fi.xbrl.schema import DATE, NUMBER
from connectors.kit.cursors import from_json_cursor, to_json_cursor
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.kit.http.last_cursor import with_progress_cursor

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

LIST_URL: Final = f"{STATEMENTS_URL}/all_financial_statements"
STATEMENT_URL: Final = f"{STATEMENTS_URL}/financial"
FIRST: Final = date(2023, 7, 1)  # first day the service covers (docs/formats/fi.md 3.1)
AGAIN: Final = timedelta(days=7)
_MONTH: Final = timedelta(days=30)
_DAY: Final = timedelta(days=1)
_NONE: Final = (400, 404)  # the statement is missing after all; requested again with the week
_OK: Final = 200


class FetchedStatements(msgspec.Struct):
    """Last day of the lists read, and statements of the last week: `id|last day` -> day registered."""

    until: date
    asked: dict[str, str] = {}

    def reached(self, until: date) -> None:
        """Records that lists were read up to a day; drops statements older than the repeated week."""
        self.until = until
        kept = (until - AGAIN).isoformat()
        self.asked = {key: day for key, day in self.asked.items() if day >= kept}


def fetch(http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches lists and new statements, oldest first; the cursor is attached to the last piece of a window.

    If the service stops responding, what has arrived is yielded with its cursor before the error is raised.
    """
    walked = from_json_cursor(cursor, FetchedStatements) or FetchedStatements(FIRST - _DAY)
    start = max(FIRST, walked.until - AGAIN + _DAY)
    today: date | None = None
    while today is None or start <= today:
        end = start + _MONTH - _DAY
        window = _fetch_window(http, walked, start, end, today)
        for arrival in with_progress_cursor(window, partial(to_json_cursor, walked)):
            today = today or arrival.observed_at.date()
            yield arrival
        start = end + _DAY


def fetch_lists(http: HttpClient, start: date, end: date) -> Iterator[tuple[FetchedFile, list[dict[str, Any]]]]:
    """Yields the pages of one window of days, with the lines of each."""
    seen, page = 0, 1
    while True:
        query = {"registeredDateStart": start, "registeredDateEnd": end, "page": page}
        answer = http.get(f"{LIST_URL}?{urlencode(query)}", expect={BodyFormat.JSON})
        items, total = _parse_page(answer)
        seen += len(items)
        yield answer.to_fetched_file(f"all_financial_statements_{start}_{end}_{page}.json", Scope.PART), items
        if not items or (total is not None and seen >= total):
            return
        page += 1


def _fetch_window(
    http: HttpClient, walked: FetchedStatements, start: date, end: date, today: date | None
) -> Iterator[FetchedFile]:
    """Yields the pages of one window, then the statements they name that were not requested yet.

    today: the day of the first page of this run; None for that page.
    """
    wanted: list[tuple[str, str, str]] = []
    for arrival, items in fetch_lists(http, start, end):
        wanted += [_item_subject(item) for item in items]
        today = today or arrival.observed_at.date()
        yield arrival
    for number, last, registered in wanted:
        key = f"{number}|{last}"
        if walked.asked.get(key) == registered:
            continue
        query = {NUMBER: number, DATE: last}
        answer = http.get(f"{STATEMENT_URL}?{urlencode(query)}", expect={BodyFormat.XML, BodyFormat.HTML}, allow=_NONE)
        if answer.status == _OK:
            walked.asked[key] = registered
            yield answer.to_fetched_file(f"{number}_{last}.xml", Scope.PART)
    walked.reached(min(end, today or end))


def _parse_page(answer: FetchedResponse) -> tuple[list[dict[str, Any]], int | None]:
    """Items and total; a page out of range is an empty list."""
    try:
        body: Any = msgspec.json.decode(answer.read())
        items, total = body["financials"], body.get("totalResults")
    except (msgspec.MsgspecError, KeyError, TypeError, AttributeError):
        raise UnexpectedBodyError(answer.url, answer.status, "expected a list of statements") from None
    return [item for item in items if isinstance(item, dict)], total if isinstance(total, int) else None


def _item_subject(item: dict[str, Any]) -> tuple[str, str, str]:
    return str(item.get(NUMBER)), str(item.get(DATE)), str(item.get("registrationDate") or "")
