"""Finansinspektionen's feed of sanctions on one day of a world, as RSS (docs/formats/news.md 1.4).

The type of an act is a word of its title. Does not belong here: which acts there are (`press`), routes and
HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from email.utils import format_datetime
from typing import Final

from connectors.sandbox import press
from connectors.sandbox.model_press import Act
from connectors.sandbox.press_rss import Channel, Member
from connectors.sandbox.world import World

_SITE: Final = "https://www.fi.se"
_LISTING: Final = f"{_SITE}/sv/publicerat/sanktioner/finansiella-foretag"
_CHANNEL: Final = Channel("Sanktioner mot finansiella företag", _LISTING, "Finansinspektionen", "sv")


def sanctions(world: World, day: int) -> bytes:
    """The acts, newest first."""
    found = sorted(press.acts(world, "SE", day), key=lambda act: act.at, reverse=True)
    return _CHANNEL.feed([*(list(_members(act)) for act in found), list(_person(world))])


def address_of(act: Act) -> str:
    """URL of an act's page."""
    return f"{_LISTING}/{act.at:%Y}/akt-{act.serial}/"


def _members(act: Act) -> Iterator[Member]:
    [first, *_] = act.parties
    title = f"Sanktionsavgift för {first}"
    text = f"{first} ska betala en sanktionsavgift på {_millions(act.amount)} miljoner kronor."
    if act.amount is None:
        text = f"{first} får en anmärkning."
    if act.kind == "clone":
        title = f"Varning för bedragare som utger sig för att vara {first}"
        text = f"Någon utger sig för att vara {first}. Det riktiga bolaget har inget med det att göra."
    yield Member("title", title)
    yield Member("link", address_of(act))
    yield Member("description", text)
    yield Member("pubDate", format_datetime(act.at, usegmt=True))
    yield Member("guid", address_of(act), {"isPermaLink": "true"})


def _person(world: World) -> Iterator[Member]:
    """The oldest act: of a person, with no name in the title."""
    yield Member("title", "Sanktionsavgift för sen anmälan av insynshandel")
    yield Member("link", f"{_LISTING}/2026/akt-1/")
    yield Member("description", "En person ska betala en sanktionsavgift på 20 000 kronor.")
    yield Member("pubDate", f"{world.date(0):%a, %d %b %Y} 01:00:00 GMT")
    yield Member("guid", f"{_LISTING}/2026/akt-1/", {"isPermaLink": "true"})


def _millions(amount: int | None) -> str:
    """Formats millions with a comma: 1,5."""
    return f"{(amount or 0) / 1_000_000:.1f}".replace(".", ",")
