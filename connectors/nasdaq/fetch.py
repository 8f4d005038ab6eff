"""Fetches from the exchange's news service: newest pages until one has nothing new, and pages of notifications.

The service ignores date and name filters (docs/formats/fi.md 6.1), and its items are sorted by time, not by
number: the cursor is a list of item numbers already seen. Does not belong here: rate limits and retries
(`connectors.kit.http.client`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

import msgspec
import polars as pl

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.cursors import from_json_cursor, to_json_cursor
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.kit.http.last_cursor import with_last_cursor
from connectors.nasdaq import categories
from connectors.nasdaq.schema import HOST, VIEW_HOST

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

QUERY_URL: Final = f"https://{HOST}/news/query.action"
PAGE: Final = 200
PAGES: Final = 10  # per run at most: a month of weekdays; the service does not page beyond 10,000 items
_REMEMBERED: Final = 5_000
_GONE: Final = (404, 410)


class SeenIds(msgspec.Struct):
    """Item numbers or pages already seen, newest last."""

    seen: list[str] = []

    @staticmethod
    def of(cursor: Cursor | None) -> SeenIds:
        return from_json_cursor(cursor, SeenIds) or SeenIds()

    def cursor(self) -> Cursor:
        return to_json_cursor(SeenIds(self.seen[-_REMEMBERED:]))


def fetch_releases(http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches pages of releases, newest first, until one has nothing new; the cursor comes with the last.

    Raises UnexpectedBodyError after the last page that a run fetches if that does not reach what earlier runs fetched.
    """
    known = SeenIds.of(cursor)
    run = _ReleasePages(http, set(known.seen))
    yield from with_last_cursor(run.pages(), lambda: SeenIds([*known.seen, *reversed(run.fresh)]).cursor())
    if known.seen and run.is_cut:
        reason = f"{len(run.fresh)} new releases: some between these and those of the run before are missing"
        raise UnexpectedBodyError(_query_url(0), HTTPStatus.OK, reason)


class _ReleasePages:
    """The pages of one run. before, fresh: numbers known before, and those that came. is_cut: more pages may be new."""

    def __init__(self, http: HttpClient, before: set[str]) -> None:
        self._http = http
        self._before = before
        self.fresh: list[str] = []
        self.is_cut = False

    def pages(self) -> Iterator[FetchedFile]:
        """Yields pages with numbers not known before; one may be shorter than requested."""
        start = 0
        for page in range(PAGES):
            answer = self._http.get(_query_url(start), expect={BodyFormat.JSON})
            numbers = _release_numbers(answer)
            new = [number for number in numbers if number not in self._before]
            if not new:
                return
            self.fresh += new
            start += len(numbers)
            yield answer.to_fetched_file(f"releases_{answer.server_time:%Y%m%dT%H%M%S}_{page + 1}.json", Scope.PART)
            if len(new) < len(numbers):
                return
        self.is_cut = True


def _query_url(start: int) -> str:
    query = {
        "type": "json",
        "showAttachments": "true",
        "showCnsSpecific": "true",
        "showCompany": "true",
        "countResults": "true",
        "globalGroup": "companyNews",
        "globalName": "NordicAllMarkets",
        "displayLanguage": "en",
        "timeZone": "UTC",
        "dateMask": "yyyy-MM-dd HH:mm:ss",
        "limit": str(PAGE),
        "start": str(start),
        "dir": "DESC",
    }
    return f"{QUERY_URL}?{urlencode(query)}"


def _release_numbers(answer: FetchedResponse) -> list[str]:
    try:
        body: Any = msgspec.json.decode(answer.read())
        return [str(item["disclosureId"]) for item in body["results"]["item"]]
    except (msgspec.MsgspecError, KeyError, TypeError):
        raise UnexpectedBodyError(answer.url, answer.status, "expected a list of releases") from None


def subjects_selector(table: str) -> Callable[[Mapping[str, pl.DataFrame]], Iterator[str]]:
    """The `wants` of a market's notifications: pages of the flaggings among the releases just staged."""

    def pages(staged: Mapping[str, pl.DataFrame]) -> Iterator[str]:
        rows = staged.get(table)
        if rows is None:
            return
        columns = rows.select("categoryId", "cnsCategory", "messageUrl").unique(maintain_order=True)
        for category, label, url in columns.iter_rows():
            if url and categories.is_flagging(category, label):
                yield url

    return pages


def fetch_notifications(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches pages of notifications not fetched yet, each with the cursor."""
    asked = SeenIds.of(cursor)
    before = set(asked.seen)
    for url in subjects:
        parts = urlsplit(url)
        query = parse_qs(parts.query)
        message = query.get("id", [""])[0]
        if parts.hostname != VIEW_HOST or not message or message in before:
            continue
        answer = http.get(url, expect={BodyFormat.HTML, BodyFormat.XML}, allow=_GONE)
        before.add(message)
        asked.seen.append(message)
        if answer.status == HTTPStatus.OK:
            language = query.get("lang", ["en"])[0]
            yield answer.to_fetched_file(f"{message}_{language}.html", Scope.PART, asked.cursor())
