"""Finansinspektionen's feed of sanctions on one day of a world, as RSS (docs/formats/news.md 1.4).

The type of an act is a word of its title. Does not belong here: which acts there are (`releases`), routes and
HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from email.utils import format_datetime
from typing import Final

from sandbox.companies import releases
from sandbox.model.news import SupervisorAct
from sandbox.news.rss import ItemElement, RssChannel
from sandbox.world import World

_SITE: Final = "https://www.fi.se"
_LISTING: Final = f"{_SITE}/sv/publicerat/sanktioner/finansiella-foretag"
_CHANNEL: Final = RssChannel("Sanktioner mot finansiella företag", _LISTING, "Finansinspektionen", "sv")


def sanctions_feed(world: World, day: int) -> bytes:
    """The acts, newest first."""
    found = sorted(releases.regulatory_acts_until(world, "SE", day), key=lambda act: act.at, reverse=True)
    return _CHANNEL.feed([*(list(_act_members(act)) for act in found), list(_person_members(world))])


def act_page_url(act: SupervisorAct) -> str:
    """URL of an act's page."""
    return f"{_LISTING}/{act.at:%Y}/akt-{act.serial}/"


def _act_members(act: SupervisorAct) -> Iterator[ItemElement]:
    [first, *_] = act.parties
    title = f"Sanktionsavgift för {first}"
    text = f"{first} ska betala en sanktionsavgift på {_millions_text(act.amount)} miljoner kronor."
    if act.amount is None:
        text = f"{first} får en anmärkning."
    if act.kind == "clone":
        title = f"Varning för bedragare som utger sig för att vara {first}"
        text = f"Någon utger sig för att vara {first}. Det riktiga bolaget har inget med det att göra."
    yield ItemElement("title", title)
    yield ItemElement("link", act_page_url(act))
    yield ItemElement("description", text)
    yield ItemElement("pubDate", format_datetime(act.at, usegmt=True))
    yield ItemElement("guid", act_page_url(act), {"isPermaLink": "true"})


def _person_members(world: World) -> Iterator[ItemElement]:
    """The oldest act: of a person, with no name in the title."""
    yield ItemElement("title", "Sanktionsavgift för sen anmälan av insynshandel")
    yield ItemElement("link", f"{_LISTING}/2026/akt-1/")
    yield ItemElement("description", "En person ska betala en sanktionsavgift på 20 000 kronor.")
    yield ItemElement("pubDate", f"{world.date(0):%a, %d %b %Y} 01:00:00 GMT")
    yield ItemElement("guid", f"{_LISTING}/2026/akt-1/", {"isPermaLink": "true"})


def _millions_text(amount: int | None) -> str:
    """Formats millions with a comma: 1,5."""
    return f"{(amount or 0) / 1_000_000:.1f}".replace(".", ",")
