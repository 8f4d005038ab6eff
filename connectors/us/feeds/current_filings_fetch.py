"""Pages through the newest filings until a page has nothing new (docs/formats/us.md 8).

Pages overlap, because the window shifts during paging and shared caches answer polls seconds apart with
different first pages; duplicates are recognised by accession number. The interface ends somewhere past 5,000
entries, with HTML and 503; older filings come with the daily index. Does not belong here: the content of an
entry (`current_filings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import SourceUnavailableError, UnexpectedBodyError
from connectors.us.feeds.pending_filings import FetchedFilings
from connectors.us.register import FILES_URL
from connectors.us.sec_http import BlockedError, block_reason

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

COUNT: Final = 100  # the maximum per page
STEP: Final = 80  # offset to the next page: a fifth of each page is read twice
END: Final = 5_000
_NUMBER: Final = re.compile(rb"accession-number=([0-9]{10}-[0-9]{2}-[0-9]{6})")
_OUT_OF_SERVICE: Final = 503
_FORBIDDEN: Final = 403


def fetch(http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches pages, newest first; the cursor comes with the last, so an interrupted run is repeated in full."""
    known = FetchedFilings.of(cursor)
    fresh: list[str] = []
    held: FetchedFile | None = None
    for start in range(0, END + 1, STEP):
        answer = _fetch_page(http, start)
        if answer is None:
            break
        numbers = [number.decode() for number in _NUMBER.findall(answer.read())]
        new = [number for number in dict.fromkeys(numbers) if not known.has_filing(number)]
        if not new:
            break
        if held is not None:
            yield held
        fresh += new
        held = answer.to_fetched_file(f"getcurrent-{answer.server_time:%Y%m%dT%H%M%S}-{start}.atom", Scope.FEED)
        if len(numbers) < COUNT:
            break
    if held is not None:
        for number in reversed(fresh):
            known.add(number)
        yield replace(held, cursor=known.cursor())


def _fetch_page(http: HttpClient, start: int) -> FetchedResponse | None:
    """Fetches one page; None past the end."""
    query = {
        "action": "getcurrent",
        "type": "",
        "company": "",
        "dateb": "",
        "owner": "include",
        "start": str(start),
        "count": str(COUNT),
        "output": "atom",
    }
    url = f"{FILES_URL}/cgi-bin/browse-edgar?{urlencode(query)}"
    answer = http.get(url, expect={BodyFormat.XML}, allow=(_FORBIDDEN, _OUT_OF_SERVICE))
    if answer.status == HTTPStatus.OK:
        return answer
    if answer.status == _FORBIDDEN:
        raise BlockedError(
            url, _FORBIDDEN, block_reason(answer.read()) or "the SEC rejects this client: check FIRM_USER_AGENT"
        )
    if start > 0 and answer.format is BodyFormat.HTML:
        return None
    if answer.format is BodyFormat.HTML:
        raise SourceUnavailableError(url, answer.status, "the newest filings are out of service: try again later")
    raise UnexpectedBodyError(url, answer.status, f"expected an Atom page, found {answer.format.value}")
