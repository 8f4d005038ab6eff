"""The FCA's news feed on one day of a world, as RSS (docs/formats/news.md 1.3).

`pubDate` is not an RSS date: a weekday, a month's name and London local time. A clone warning bears the name of
the firm imitated. Does not belong here: which acts there are (`press`), routes and HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from zoneinfo import ZoneInfo

from connectors.sandbox import press
from connectors.sandbox.model_press import Act
from connectors.sandbox.press_rss import Channel, Member
from connectors.sandbox.world import World

_SITE: Final = "https://www.fca.org.uk"
_LONDON: Final = ZoneInfo("Europe/London")
_CHANNEL: Final = Channel("FCA news", _SITE, "News from the Financial Conduct Authority", "en")
_MOST: Final = 20


def news(world: World, day: int) -> bytes:
    """The newest items, newest first; a speech among them."""
    found = sorted(press.acts(world, "UK", day), key=lambda act: act.at, reverse=True)[:_MOST]
    return _CHANNEL.feed([*(list(_members(act)) for act in found), list(_speech(world, day))])


def address_of(act: Act) -> str:
    """URL of an item's page."""
    kind = "warnings" if act.kind == "clone" else "news/press-releases"
    return f"{_SITE}/{kind}/item-{act.serial}"


def _members(act: Act) -> Iterator[Member]:
    [first, *_] = act.parties
    title = f"FCA fines {first} £{act.amount:,}" if act.amount else f"FCA bans {first}"
    text = f"The Financial Conduct Authority has fined {' and '.join(act.parties)} for failings."
    if act.kind == "clone":
        title = f"{first} (clone of FCA authorised firm)"
        text = f"Fraudsters are using the details of {first} to convince people that they are genuine."
    yield Member("title", title)
    yield Member("link", address_of(act))
    yield Member("description", text)
    yield Member("pubDate", f"{act.at.astimezone(_LONDON):%A, %B %d, %Y - %H:%M}")
    yield Member("category", "Press Releases" if act.kind == "sanction" else "Statements")
    yield Member("guid", address_of(act), {"isPermaLink": "true"})


def _speech(world: World, day: int) -> Iterator[Member]:
    yield Member("title", "A speech on outcomes")
    yield Member("link", f"{_SITE}/news/speeches/outcomes-{day}")
    yield Member("description", "Speech delivered at a conference.")
    yield Member("pubDate", f"{world.date(day):%A, %B %d, %Y} - 03:30")
    yield Member("category", "Speeches")
    yield Member("guid", f"{_SITE}/news/speeches/outcomes-{day}", {"isPermaLink": "true"})
