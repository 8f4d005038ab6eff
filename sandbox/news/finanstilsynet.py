"""Finanstilsynet's two feeds on one day of a world, as RSS: news and circulars, which overlap.

See docs/formats/news.md 1.5.

Does not belong here: which acts there are (`releases`), routes and HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from email.utils import format_datetime
from typing import Final

from sandbox.companies import releases
from sandbox.model.news import SupervisorAct
from sandbox.news.rss import ItemElement, RssChannel
from sandbox.world import World

FEEDS: Final = {"nyhetsfeed": 1, "rundskriv": 2}  # one in this many acts is in the feed
_SITE: Final = "https://www.finanstilsynet.no"


def acts_feed(world: World, day: int, name: str) -> bytes:
    """One of the two feeds, newest first."""
    channel = RssChannel("Finanstilsynet", f"{_SITE}/rss/{name}/", "Nyheter fra Finanstilsynet", "no")
    found = sorted(releases.regulatory_acts_until(world, "NO", day), key=lambda act: act.at, reverse=True)
    kept = [act for act in found if act.serial % FEEDS[name] == 0]
    return channel.feed([*(list(_act_members(act)) for act in kept), list(_circular_members(world))])


def act_page_url(act: SupervisorAct) -> str:
    """URL of an act's page."""
    return f"{_SITE}/nyhetsarkiv/nyheter/{act.at:%Y}/sak-{act.serial}/"


def _circular_members(world: World) -> Iterator[ItemElement]:
    """The oldest item of both feeds, about no company in particular."""
    yield ItemElement("title", "Rundskriv om rapportering")
    yield ItemElement("link", f"{_SITE}/nyhetsarkiv/rundskriv/2026/rapportering/")
    yield ItemElement("description", "Nye frister for rapportering.")
    yield ItemElement("pubDate", f"{world.date(0):%a, %d %b %Y} 01:00:00 GMT")
    yield ItemElement("guid", f"{_SITE}/nyhetsarkiv/rundskriv/2026/rapportering/", {"isPermaLink": "true"})


def _act_members(act: SupervisorAct) -> Iterator[ItemElement]:
    [first, *_] = act.parties
    title = f"Overtredelsesgebyr til {first}"
    text = f"{first} er ilagt et overtredelsesgebyr på {act.amount or 0:,} kroner.".replace(",", " ")
    if act.amount is None:
        text = f"{first} har fått kritikk."
    if act.kind == "clone":
        title = f"Finanstilsynet advarer mot falsk bruk av navnet {first}"
        text = f"Noen utgir seg for å være {first}. Det virkelige foretaket har ikke noe med dette å gjøre."
    yield ItemElement("title", title)
    yield ItemElement("link", act_page_url(act))
    yield ItemElement("description", text)
    yield ItemElement("pubDate", format_datetime(act.at, usegmt=True))
    yield ItemElement("guid", act_page_url(act), {"isPermaLink": "true"})
