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


def fetch_resource(http: HttpClient, path: str, name: str) -> Iterator[FetchedFile]:
    """Fetches one resource as the file `name`; yields nothing if the register has none."""
    fetched = get_or_none(http, path)
    if fetched is not None:
        yield single_file(fetched, name)


def fetch_pages(http: HttpClient, path: str, name: str, most_pages: int, fault: str) -> Iterator[FetchedFile]:
    """Fetches all pages of a list, each as the file `name` and its offset; `fault`: reason for an invalid page."""
    for start in range(0, most_pages * _PAGE, _PAGE):
        fetched = get_or_none(http, f"{path}?items_per_page={_PAGE}&start_index={start}")
        if fetched is None:
            return
        try:
            items = len(msgspec.json.decode(fetched.read(), type=_ItemList).items)
        except msgspec.MsgspecError as error:
            raise UnexpectedBodyError(fetched.url, fetched.status, f"{fault}: {error}") from None
        if items:
            yield single_file(fetched, f"{name}-{start}.json")
        if items < _PAGE:
            return


def get_or_none(http: HttpClient, path: str) -> FetchedResponse | None:
    """Response for a path below `company/`; None if the register has no such resource."""
    fetched = http.get(f"{API_URL}/company/{path}", expect={BodyFormat.JSON}, allow=(_NOT_FOUND,))
    return None if fetched.status == _NOT_FOUND else fetched


def single_file(fetched: FetchedResponse, name: str) -> FetchedFile:
    """One response about one company, without a cursor."""
    return replace(fetched.to_fetched_file(name, Scope.PART), cursor=None)
