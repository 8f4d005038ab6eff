"""Finanstilsynet's two feeds on one day of a world, as RSS: news and circulars, which overlap.

See docs/formats/news.md 1.5.

Does not belong here: which acts there are (`press`), routes and HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from email.utils import format_datetime
from typing import Final

from connectors.sandbox import press
from connectors.sandbox.model_press import Act
from connectors.sandbox.press_rss import Channel, Member
from connectors.sandbox.world import World

FEEDS: Final = {"nyhetsfeed": 1, "rundskriv": 2}  # one in this many acts is in the feed
_SITE: Final = "https://www.finanstilsynet.no"


def feed(world: World, day: int, name: str) -> bytes:
    """One of the two feeds, newest first."""
    channel = Channel("Finanstilsynet", f"{_SITE}/rss/{name}/", "Nyheter fra Finanstilsynet", "no")
    found = sorted(press.acts(world, "NO", day), key=lambda act: act.at, reverse=True)
    kept = [act for act in found if act.serial % FEEDS[name] == 0]
    return channel.feed([*(list(_members(act)) for act in kept), list(_circular(world))])


def address_of(act: Act) -> str:
    """URL of an act's page."""
    return f"{_SITE}/nyhetsarkiv/nyheter/{act.at:%Y}/sak-{act.serial}/"


def _circular(world: World) -> Iterator[Member]:
    """The oldest item of both feeds, about no company in particular."""
    yield Member("title", "Rundskriv om rapportering")
    yield Member("link", f"{_SITE}/nyhetsarkiv/rundskriv/2026/rapportering/")
    yield Member("description", "Nye frister for rapportering.")
    yield Member("pubDate", f"{world.date(0):%a, %d %b %Y} 01:00:00 GMT")
    yield Member("guid", f"{_SITE}/nyhetsarkiv/rundskriv/2026/rapportering/", {"isPermaLink": "true"})


def _members(act: Act) -> Iterator[Member]:
    [first, *_] = act.parties
    title = f"Overtredelsesgebyr til {first}"
    text = f"{first} er ilagt et overtredelsesgebyr på {act.amount or 0:,} kroner.".replace(",", " ")
    if act.amount is None:
        text = f"{first} har fått kritikk."
    if act.kind == "clone":
        title = f"Finanstilsynet advarer mot falsk bruk av navnet {first}"
        text = f"Noen utgir seg for å være {first}. Det virkelige foretaket har ikke noe med dette å gjøre."
    yield Member("title", title)
    yield Member("link", address_of(act))
    yield Member("description", text)
    yield Member("pubDate", format_datetime(act.at, usegmt=True))
    yield Member("guid", address_of(act), {"isPermaLink": "true"})
