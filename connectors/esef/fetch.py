"""Fetches a country's filings and their reports from filings.xbrl.org (docs/formats/fi.md 5.1).

Whole index pages are read, oldest processing first, so that reprocessed filings move to the end and paging
stays stable; of each page with new entries, first the reports, then the page: if a run breaks off, no entry
is stored without its report. A failed report goes to a backlog that later runs retry, and does not stop the
others. Filters other than the country are not used: several answer 500.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode, urljoin

import msgspec

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.esef.schema import HOST, SITE
from connectors.kit.cursors import from_json_cursor, to_json_cursor
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import FetchError, MissingResourceError, RequestRejectedError, UnexpectedBodyError
from connectors.kit.http.response import NotModified
from warehouse.schema.identifiers import iso_country

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

PAGE: Final = 200
PAGES: Final = 5  # pages with new entries per run: about a thousand reports
_MOST_PAGES: Final = 1_000
_PATIENCE: Final = 5  # consecutive failures that mean a problem of the site, not of the reports
_TRIES: Final = 7  # runs in which a report is requested before it is given up


class _FetchProgress(msgspec.Struct):
    """Processing time up to which entries were read, and the tries per report in the backlog.

    at: ids of the entries of that time that were read, as others of the same time may follow on the next page; None in
    cursors of earlier versions: all were read.
    """

    since: str = ""
    owed: dict[str, int] = {}
    at: list[str] | None = None

    def is_new(self, entry: dict[str, Any]) -> bool:
        """True for an entry that was not read."""
        processed = _processing_time(entry)
        is_same = self.at is not None and processed == self.since
        return processed > self.since or (is_same and str(entry.get("fxo_id")) not in (self.at or ()))

    def advance(self, entries: list[dict[str, Any]]) -> None:
        """Records that new entries of one page were read."""
        newest = max(map(_processing_time, entries))
        if newest > self.since:
            self.since, self.at = newest, []
        named = [str(entry.get("fxo_id")) for entry in entries if _processing_time(entry) == self.since]
        self.at = [*(self.at or ()), *named]


def index_url(market: str) -> str:
    """URL of the first page of a country's filings."""
    query = {
        "filter[country]": iso_country(market),
        "sort": "processed",
        "include": "entity",
        "page[size]": PAGE,
        "page[number]": 1,
    }
    return f"{SITE}/api/filings?{urlencode(query)}"


def fetch(market: str, http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """The backlog, then reports and pages processed after the cursor.

    The error of a failed report is raised at the end, after everything else was yielded.
    """
    del subjects
    reports = _ReportFetcher(http, from_json_cursor(cursor, _FetchProgress) or _FetchProgress())
    yield from reports.owed()
    yield from _fetch_new(market, http, reports)
    if reports.broken is not None:
        raise reports.broken


def _fetch_new(market: str, http: HttpClient, reports: _ReportFetcher) -> Iterator[FetchedFile]:
    before, taken = msgspec.structs.replace(reports.place), 0
    for url, page in _fetch_pages(http, index_url(market)):
        answer = _decode_page(url, page)
        fresh = [entry for entry in _entry_attributes(answer) if before.is_new(entry)]
        if not fresh:
            continue
        for entry in fresh:
            yield from reports.of(entry.get("json_url"))
        reports.place.advance(fresh)
        # pages shift as filings are added, so the file is named after its first new entry
        name = f"index-{fresh[0].get('fxo_id')}.json"
        taken += 1
        file = page.to_fetched_file(name, Scope.PART)
        yield replace(file, cursor=to_json_cursor(reports.place), has_more=taken == PAGES)
        if taken == PAGES:
            return


class _ReportFetcher:
    """Report downloads of one run. `broken`: the last error."""

    def __init__(self, http: HttpClient, place: _FetchProgress) -> None:
        self._http = http
        self._in_a_row = 0
        self.place = place
        self.broken: FetchError | None = None

    def owed(self) -> Iterator[FetchedFile]:
        """Retries the backlog of earlier runs."""
        for path, tries in list(self.place.owed.items()):
            for arrival in self.of(path):
                yield replace(arrival, cursor=to_json_cursor(self.place))
            if tries + 1 >= _TRIES:
                self.place.owed.pop(path, None)
            elif path in self.place.owed:
                self.place.owed[path] = tries + 1

    def of(self, path: object) -> Iterator[FetchedFile]:
        """The xBRL-JSON of an entry; nothing if processing failed, or the file is gone."""
        if not isinstance(path, str) or not path.startswith("/"):
            return
        try:
            report = self._http.download(SITE + quote(path, safe="/%"), expect={BodyFormat.JSON})
        except MissingResourceError:
            self.place.owed.pop(path, None)
            return
        except (RequestRejectedError, UnexpectedBodyError) as error:
            self._failed(path, error)
            return
        self._in_a_row = 0
        self.place.owed.pop(path, None)
        if not isinstance(report, NotModified):
            with report.body:
                yield replace(report.to_fetched_file(path.removeprefix("/"), Scope.PART), cursor=None)

    def _failed(self, path: str, error: FetchError) -> None:
        self._in_a_row += 1
        if self._in_a_row == _PATIENCE:
            raise error
        self.broken = error
        self.place.owed.setdefault(path, 0)


def _fetch_pages(http: HttpClient, first: str) -> Iterator[tuple[str, FetchedResponse]]:
    """Pages by their `next` links; a link to an earlier page ends the loop."""
    url: str | None = first
    seen: set[str] = set()
    while url is not None and url not in seen and len(seen) < _MOST_PAGES:
        seen.add(url)
        page = http.get(url, headers={"Accept": "application/vnd.api+json, application/json"})
        following = (_decode_page(url, page).get("links") or {}).get("next")
        yield url, page
        url = urljoin(url, following) if isinstance(following, str) and following else None
        if url is not None and not url.startswith(f"{SITE}/"):
            raise UnexpectedBodyError(first, page.status, f"the next page is not on {HOST}")


def _decode_page(url: str, page: FetchedResponse) -> dict[str, Any]:
    try:
        return msgspec.json.decode(page.read(), type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UnexpectedBodyError(url, page.status, f"expected a page of filings: {error}") from None


def _entry_attributes(answer: dict[str, Any]) -> list[dict[str, Any]]:
    data = answer.get("data")
    entries: list[Any] = data if isinstance(data, list) else []
    found = [entry.get("attributes") for entry in entries if isinstance(entry, dict)]
    return [attributes for attributes in found if isinstance(attributes, dict)]


def _processing_time(entry: dict[str, Any]) -> str:
    """When the site processed an entry, as it writes it: in UTC, its texts sort as their instants do."""
    return str(entry.get("processed") or "")
