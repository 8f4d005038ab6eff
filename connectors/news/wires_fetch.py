"""Asking the wires: the feed of a country at GlobeNewswire, some twenty newest releases (FORMAT news 2.9).

Feeds of PR Newswire are the world's and those of Business Wire have keys of their own: both are read as
files. Does not belong here: what a feed says (`wires`), rates and retries (`connectors.kit.http`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.formats import Format
from warehouse.schema.codes import MARKET_NAMES

if TYPE_CHECKING:
    from connectors.kit.http import Http

HOST: Final = "www.globenewswire.com"
SITE: Final = f"https://{HOST}"
RATE: Final = 0.5  # requests a second


def url(market: str) -> str:
    """The feed of one country."""
    country = MARKET_NAMES[market]
    return (
        f"{SITE}/RssFeed/country/{quote(country)}/feedTitle/{quote(f'GlobeNewswire - News from {country}')}"
    )


def fetch(market: str, http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """The newest releases; what was there before is the same item again."""
    del cursor, subjects
    answer = http.get(url(market), expect={Format.XML})
    yield answer.arrival(f"globenewswire_{answer.server_time:%Y%m%dT%H%M%S}.xml", Scope.PART)
