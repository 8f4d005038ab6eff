"""Fetches the texts of notices: single MFN items, pages of the exchange (docs/formats/news.md 2.2, 2.8).

MFN's Nordic stream has no texts, so each notice is requested individually: an issuer's list of newest releases
would deliver notices of earlier months as news. Does not belong here: parsing an item (`dataset`), rates and
retries (`connectors.kit.http.client`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

import polars as pl

from connectors.contract.dataset import HostLimit
from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.nasdaq import fetch as nasdaq_fetch
from connectors.nasdaq.fetch import SeenIds
from connectors.news.categories import OWNERSHIP
from connectors.news.mfn import fetch as mfn_fetch
from connectors.news.schema import ENTITY, ID

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient
    from connectors.kit.http.response import FetchedResponse

HOST: Final = "feed.mfn.se"
LIMIT: Final = HostLimit(HOST, 0.5)
_PAGE: Final = ("https://", "http://")  # prefixes of the exchange's subjects
_GONE: Final = (404, 410)


def subjects_to_fetch(wire: str, releases: str, tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Subjects to fetch for newly staged notices: `entity id` of MFN items, page URLs of the exchange.

    wire, releases: names of the two tables.
    """
    if wire in tables:
        rows = tables[wire].filter(pl.col("categories").list.contains(OWNERSHIP), pl.col(ENTITY).is_not_null())
        for entity, item in rows.select(ENTITY, ID).unique(maintain_order=True).iter_rows():
            yield f"{entity} {item}"
    yield from nasdaq_fetch.subjects_selector(releases)(tables)


def fetch_texts(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches subjects not yet requested, one body each with the cursor: pages, then MFN items."""
    due = list(subjects)
    asked = SeenIds.of(cursor)
    for page in nasdaq_fetch.fetch_notifications(http, cursor, [one for one in due if one.startswith(_PAGE)]):
        asked = SeenIds.of(page.cursor)
        yield page
    known = set(asked.seen)
    for entity, item in (one.split(" ") for one in due if not one.startswith(_PAGE)):
        if item in known:
            continue
        answer = http.get(item_url(entity, item), expect={BodyFormat.JSON}, allow=_GONE)
        asked.seen.append(item)
        if answer.status == HTTPStatus.OK:
            _check_narrowed(answer, item)
            yield answer.to_fetched_file(f"{item}.json", Scope.PART, asked.cursor())


def item_url(entity: str, item: str) -> str:
    """URL of one item with its text."""
    return f"https://{HOST}/v1/feed/{entity}.json?{urlencode({'news-id': item})}"


def _check_narrowed(answer: FetchedResponse, item: str) -> None:
    """Rejects a feed that was not filtered to the item: its other notices would count as new."""
    found = mfn_fetch.page_items(answer)
    if any(not isinstance(one, dict) or one.get("news_id") != item for one in found):
        raise UnexpectedBodyError(answer.url, answer.status, "other items than the requested one")
