"""Asking authorities: feeds by their validators, the pages of ESMA's registers, and the session of one of them.

Belongs here: addresses to arrivals. Does not belong here: what is remembered of feeds (`connectors.kit.polled`),
rates and retries (`connectors.kit.http`), what a body says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode, urlsplit

import msgspec

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit import polled
from connectors.kit.errors import WrongBody
from connectors.kit.formats import Format

if TYPE_CHECKING:
    from connectors.kit.http import Fetched, Http

_ESMA: Final = "https://registers.esma.europa.eu"
SANCTIONS_URL: Final = f"{_ESMA}/solr/esma_registers_sanctions/select"
SEARCH_URL: Final = f"{_ESMA}/publication/searchRegister/doMainSearch"
EXPORT_URL: Final = f"{_ESMA}/publication/searchRegister/doExportSarisCsv?core=esma_registers_saris_new"
_SEARCH: Final = (
    b'{"core":"esma_registers_saris_new","pagingSize":"10","start":0,"keyword":"","sortField":"effectiveFrom asc",'
    b'"criteria":[],"wt":"json"}'
)
_ROWS: Final = 1_000
_PAGES: Final = 100
_HEAD: Final = 4_096


def feeds(
    urls: tuple[str, ...], http: Http, cursor: Cursor | None, _subjects: Iterable[str]
) -> Iterator[Arrival]:
    """Those of several feeds that changed."""
    yield from polled.feeds({name(url): url for url in urls}, http, cursor, Scope.FEED)


def name(url: str) -> str:
    """A file's name after an address: the words of its path that tell it from others."""
    words = [
        word for word in urlsplit(url).path.split("/") if word and word not in ("rss", "rss.xml", "sv", "en")
    ]
    return "_".join(words[-2:]).removesuffix(".xml") or "feed"


def sanctions(http: Http) -> Iterator[Arrival]:
    """The pages of ESMA's register of sanctions, all of them each time."""
    start = 0
    for page in range(_PAGES):
        query = {"q": "*", "wt": "json", "start": start, "rows": _ROWS}
        answer = http.get(f"{SANCTIONS_URL}?{urlencode(query)}")
        yield answer.arrival(f"sanctions_{answer.server_time:%Y%m%d}_{page + 1:02}.json", Scope.PART)
        total, given = _found(answer)
        start += given  # a page may be shorter than what was asked for
        if start >= total or not given:
            return


def _found(answer: Fetched) -> tuple[int, int]:
    """How many there are, and how many of them an answer holds."""
    try:
        response: Any = msgspec.json.decode(answer.read())["response"]
        return int(response["numFound"]), len(response["docs"])
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError):
        raise WrongBody(answer.url, answer.status, "an answer of the register of sanctions was due") from None


def suspensions(http: Http) -> Iterator[Arrival]:
    """ESMA's suspensions and removals: the export answers the session of a search alone.

    See docs/formats/news.md 1.8.
    """
    search = http.post(SEARCH_URL, _SEARCH, "application/json", expect=())
    headers = {"Cookie": search.session} if search.session else {}
    answer = http.get(EXPORT_URL, expect={Format.TEXT}, headers=headers)
    if b"instrumentIdentifier" not in answer.read()[:_HEAD]:
        raise WrongBody(
            answer.url, answer.status, "the export without its session: no instrumentIdentifier in it"
        )
    yield answer.arrival(f"saris_{answer.server_time:%Y%m%d}.csv", Scope.PART)


def registers(http: Http, _cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[Arrival]:
    """Both registers of ESMA, in full: they have no feed of what is new."""
    yield from sanctions(http)
    yield from suspensions(http)
