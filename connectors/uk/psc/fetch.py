"""Fetches PSC: the daily snapshot, and the lists of single companies from the REST API (docs/formats/uk.md 4).

`HttpClient` holds the REST API key per host. Does not belong here: the stream (`streaming_api`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from connectors.contract.dataset import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.uk.bulk_download import BulkProduct, fetch_bulk
from connectors.uk.licence import DOWNLOADS
from connectors.uk.register import API_URL

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

_PAGE_SIZE: Final = 100
_MOST_PAGES: Final = 1_000
_NOT_FOUND: Final = 404
PSC: Final = BulkProduct(
    f"https://{DOWNLOADS}/en_pscdata.html",
    re.compile(r"persons-with-significant-control-snapshot-[\d-]+\.zip", re.IGNORECASE),
    re.compile(r"psc-snapshot-[\d-]+_\d+of\d+\.zip", re.IGNORECASE),
)


class _ItemList(msgspec.Struct):
    """Fields of a list response needed for paging."""

    items: list[msgspec.Raw] = []


def fetch_psc(http: HttpClient, after: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches PSC lists of the given companies if there are any, else today's snapshot."""
    asked = list(subjects)
    if not asked:
        yield from fetch_bulk(http, PSC, after)
    for number in asked:
        yield from _fetch_pages(http, number, "persons-with-significant-control")
        yield from _fetch_pages(http, number, "persons-with-significant-control-statements")
        yield from _fetch_response(http, f"{API_URL}/company/{number}/exemptions", f"rest/{number}/exemptions.json")


def _fetch_pages(http: HttpClient, number: str, resource: str) -> Iterator[FetchedFile]:
    """Fetches all pages of one list."""
    for start in range(0, _MOST_PAGES * _PAGE_SIZE, _PAGE_SIZE):
        url = f"{API_URL}/company/{number}/{resource}?items_per_page={_PAGE_SIZE}&start_index={start}"
        fetched = http.get(url, expect={BodyFormat.JSON}, allow=(_NOT_FOUND,))
        items = _item_count(fetched)
        if items:
            yield _single_file(fetched, f"rest/{number}/{resource}-{start}.json")
        if items < _PAGE_SIZE:
            return


def _item_count(fetched: FetchedResponse) -> int:
    """Number of records in a response; 404 means an unknown company or one without any."""
    if fetched.status == _NOT_FOUND:
        return 0
    try:
        answer = msgspec.json.decode(fetched.read(), type=_ItemList)
    except msgspec.MsgspecError as error:
        raise UnexpectedBodyError(fetched.url, fetched.status, f"an unexpected list: {error}") from None
    return len(answer.items)


def _fetch_response(http: HttpClient, url: str, name: str) -> Iterator[FetchedFile]:
    fetched = http.get(url, expect={BodyFormat.JSON}, allow=(_NOT_FOUND,))
    if fetched.status != _NOT_FOUND:
        yield _single_file(fetched, name)


def _single_file(fetched: FetchedResponse, name: str) -> FetchedFile:
    """One response about one company, without a cursor."""
    return replace(fetched.to_fetched_file(name, Scope.PART), cursor=None)
