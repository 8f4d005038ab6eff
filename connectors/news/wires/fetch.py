"""Fetches the wires: GlobeNewswire's feed of a country, for the United States also PR Newswire's.

Both hold some twenty newest releases (docs/formats/news.md 2.9, 2.11). Feeds of Business Wire need keys of
their own and are read as files. Does not belong here: the content of a feed (`dataset`), the cursor
(`connectors.kit.http.conditional`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from connectors.contract.dataset import HostLimit
from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.http import conditional
from warehouse.schema.codes import MARKET_NAMES

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

HOST: Final = "www.globenewswire.com"
SITE: Final = f"https://{HOST}"
LIMIT: Final = HostLimit(HOST, 0.5)
OTHER_HOST: Final = "www.prnewswire.com"
WORLD_URL: Final = f"https://{OTHER_HOST}/rss/news-releases-list.rss"
WORLD_HOME: Final = "US"  # home market of its releases: for other markets the worldwide feed would be read for nothing


def country_feed_url(market: str) -> str:
    """URL of the feed of one country."""
    country = MARKET_NAMES[market]
    return f"{SITE}/RssFeed/country/{quote(country)}/feedTitle/{quote(f'GlobeNewswire - News from {country}')}"


def fetch(market: str, http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches the feeds that changed; releases seen before are the same items again."""
    asked = {"globenewswire": country_feed_url(market)}
    if market == WORLD_HOME:
        asked["prnewswire"] = WORLD_URL
    yield from conditional.fetch_changed_feeds(asked, http, cursor, Scope.PART)
