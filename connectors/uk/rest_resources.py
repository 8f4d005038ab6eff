"""Requests single resources of the REST API, and all pages of a list, each as one file without a cursor.

Does not belong here: which resources of which companies are fetched (`rest_api.fetch`, `psc.fetch`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from connectors.contract.pieces import FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.uk.register import API_URL

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

_PAGE: Final = 100
_NOT_FOUND: Final = 404


class _ItemList(msgspec.Struct):
    """Fields of a list needed for paging."""

    items: list[msgspec.Raw] = []
    start_index: int | None = None
    total_count: int | None = None  # of filing histories
    total_results: int | None = None  # of other lists


def fetch_resource(http: HttpClient, path: str, name: str) -> Iterator[FetchedFile]:
    """Fetches one resource as the file `name`; yields nothing if the register has none."""
    fetched = get_or_none(http, path)
    if fetched is not None:
        yield single_file(fetched, name)


def fetch_pages(http: HttpClient, path: str, name: str, most_pages: int, fault: str) -> Iterator[FetchedFile]:
    """Fetches all pages of a list, each as the file `name` and its offset; `fault`: reason for an invalid page.

    The API may give fewer items than requested (docs/formats/uk.md 5): the list's own total ends it, where it has one.
    Raises UnexpectedBodyError for a list that ends before.
    """
    start = 0
    for _ in range(most_pages):
        fetched = get_or_none(http, f"{path}?items_per_page={_PAGE}&start_index={start}")
        if fetched is None and start:
            raise UnexpectedBodyError(f"{API_URL}/company/{path}", _NOT_FOUND, f"{fault}: it ends after {start} items")
        if fetched is None:
            return
        page = _decode_page(fetched, start, fault)
        if page.items:
            yield single_file(fetched, f"{name}-{start}.json")
        start += len(page.items)
        total = page.total_count if page.total_results is None else page.total_results
        if start >= total if total is not None else len(page.items) < _PAGE:
            return
        if not page.items:
            raise UnexpectedBodyError(fetched.url, fetched.status, f"{fault}: it ends after {start} of {total} items")


def _decode_page(fetched: FetchedResponse, start: int, fault: str) -> _ItemList:
    try:
        page = msgspec.json.decode(fetched.read(), type=_ItemList)
    except msgspec.MsgspecError as error:
        raise UnexpectedBodyError(fetched.url, fetched.status, f"{fault}: {error}") from None
    if page.start_index not in (None, start):
        reason = f"{fault}: the items from {page.start_index} on, requested from {start}"
        raise UnexpectedBodyError(fetched.url, fetched.status, reason)
    return page


def get_or_none(http: HttpClient, path: str) -> FetchedResponse | None:
    """Response for a path below `company/`; None if the register has no such resource."""
    fetched = http.get(f"{API_URL}/company/{path}", expect={BodyFormat.JSON}, allow=(_NOT_FOUND,))
    return None if fetched.status == _NOT_FOUND else fetched


def single_file(fetched: FetchedResponse, name: str) -> FetchedFile:
    """One response about one company, without a cursor."""
    return replace(fetched.to_fetched_file(name, Scope.PART), cursor=None)
