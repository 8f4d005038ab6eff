"""Fetches the wires: GlobeNewswire's feed of a country, for the United States also PR Newswire's.

Both hold some twenty newest releases (docs/formats/news.md 2.9, 2.11). Feeds of Business Wire need keys of
their own and are read as files. Does not belong here: the content of a feed (`wires`), the cursor
(`connectors.kit.polled`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit import polled
from warehouse.schema.codes import MARKET_NAMES

if TYPE_CHECKING:
    from connectors.kit.http import Http

HOST: Final = "www.globenewswire.com"
SITE: Final = f"https://{HOST}"
RATE: Final = 0.5  # requests per second
OTHER_HOST: Final = "www.prnewswire.com"
WORLD_URL: Final = f"https://{OTHER_HOST}/rss/news-releases-list.rss"
WORLD_HOME: Final = (
    "US"  # home market of its releases: for other markets the worldwide feed would be read for nothing
)


def url(market: str) -> str:
    """URL of the feed of one country."""
    country = MARKET_NAMES[market]
    return (
        f"{SITE}/RssFeed/country/{quote(country)}/feedTitle/{quote(f'GlobeNewswire - News from {country}')}"
    )


def fetch(market: str, http: Http, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[Arrival]:
    """Fetches the feeds that changed; releases seen before are the same items again."""
    asked = {"globenewswire": url(market)}
    if market == WORLD_HOME:
        asked["prnewswire"] = WORLD_URL
    yield from polled.feeds(asked, http, cursor, Scope.PART)
