"""Fetches from authorities: feeds with conditional requests, ESMA's registers by page or with a session.

Belongs here: URLs to arrivals. Does not belong here: the cursor of feeds (`connectors.kit.http.conditional`),
rate limits and retries (`connectors.kit.http.client`), the content of a body.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode, urlsplit

import msgspec

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http import conditional
from connectors.kit.http.errors import FetchError, UnexpectedBodyError
from connectors.regulators import feeds

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

_ESMA: Final = "https://registers.esma.europa.eu"
SANCTIONS_URL: Final = f"{_ESMA}/solr/esma_registers_sanctions/select"
SEARCH_URL: Final = f"{_ESMA}/publication/searchRegister/doMainSearch"
EXPORT_URL: Final = f"{_ESMA}/publication/searchRegister/doExportSarisCsv?core=esma_registers_saris_new"
_SEARCH: Final = (
    b'{"core":"esma_registers_saris_new","pagingSize":"10","start":0,"keyword":"","sortField":"effectiveFrom asc",'
    b'"criteria":[],"wt":"json"}'
)
_ROWS: Final = 1_000
MOST_PAGES: Final = 100
_HEAD: Final = 4_096


def fetch_feeds(
    urls: tuple[str, ...], http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]
) -> Iterator[FetchedFile]:
    """Fetches those of several feeds that changed.

    A feed has an authority's newest acts alone: one that has none of those of the run before is an error, told once.
    """
    by_name = {feed_file_name(url): url for url in urls}
    yield from conditional.fetch_changed_feeds(by_name, http, cursor, Scope.FEED, _item_ids)


def _item_ids(body: bytes) -> set[str]:
    """Ids and paths of the items of a feed; none of a body that is none, which reading reports."""
    try:
        items = feeds.parse_act_feed(body).items
    except feeds.NotFeedError:
        return set()
    paths = (re.sub(r"^https?://[^/]+", "", item.link).rstrip("/").lower() for item in items)
    return {one for one in (*paths, *(item.guid for item in items)) if one}


def feed_file_name(url: str) -> str:
    """A file name from a URL: the distinctive words of its path."""
    words = [word for word in urlsplit(url).path.split("/") if word and word not in ("rss", "rss.xml", "sv", "en")]
    return "_".join(words[-2:]).removesuffix(".xml") or "feed"


def fetch_sanctions(http: HttpClient) -> Iterator[FetchedFile]:
    """Fetches all pages of ESMA's register of sanctions, every time."""
    start = 0
    for page in range(MOST_PAGES):
        query = {"q": "*", "wt": "json", "start": start, "rows": _ROWS}
        answer = http.get(f"{SANCTIONS_URL}?{urlencode(query)}")
        yield answer.to_fetched_file(f"sanctions_{answer.server_time:%Y%m%d}_{page + 1:02}.json", Scope.PART)
        total, given = _hit_counts(answer)
        start += given  # a page may be shorter than requested
        if start >= total:
            return
        if not given:
            raise UnexpectedBodyError(answer.url, answer.status, f"{start} of {total} documents: some are missing")
    raise UnexpectedBodyError(SANCTIONS_URL, 200, f"more than {MOST_PAGES} pages of documents: some are missing")


def _hit_counts(answer: FetchedResponse) -> tuple[int, int]:
    """The total number of documents, and the number in this response."""
    try:
        response: Any = msgspec.json.decode(answer.read())["response"]
        return int(response["numFound"]), len(response["docs"])
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError):
        raise UnexpectedBodyError(
            answer.url, answer.status, "expected an answer of the register of sanctions"
        ) from None


def fetch_suspensions(http: HttpClient) -> Iterator[FetchedFile]:
    """Fetches ESMA's suspensions and removals: the export works only within the session of a search.

    See docs/formats/news.md 1.8.
    """
    search = http.post(SEARCH_URL, _SEARCH, "application/json", expect=())
    headers = {"Cookie": search.session} if search.session else {}
    answer = http.get(EXPORT_URL, expect={BodyFormat.TEXT}, headers=headers)
    if b"instrumentIdentifier" not in answer.read()[:_HEAD]:
        raise UnexpectedBodyError(
            answer.url, answer.status, "the export without its session: no instrumentIdentifier in it"
        )
    yield answer.to_fetched_file(f"saris_{answer.server_time:%Y%m%d}.csv", Scope.PART)


def fetch_registers(http: HttpClient, _cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches both registers of ESMA in full: they have no feed of changes.

    One that is unavailable does not keep the other back: its error is raised at the end.
    """
    broken: FetchError | None = None
    for fetch_register in (fetch_sanctions, fetch_suspensions):
        try:
            yield from fetch_register(http)
        except FetchError as error:
            broken = broken or error
    if broken is not None:
        raise broken
