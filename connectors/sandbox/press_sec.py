"""The SEC's feed of litigation releases on one day of a world, as RSS (docs/formats/news.md 1.1).

All respondents are in one title, persons and companies mixed; the release number is in `dc:creator`, with or
without its dash. Clone warnings are on a page without a feed. Does not belong here: which acts there are
(`press`), routes and HTTP.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Final
from zoneinfo import ZoneInfo

from connectors.sandbox import press
from connectors.sandbox.model_press import Act
from connectors.sandbox.press_rss import Channel, Member
from connectors.sandbox.world import World

AUTHORITY: Final = "U.S. Securities and Exchange Commission"
_SITE: Final = "https://www.sec.gov"
_EASTERN: Final = ZoneInfo("America/New_York")
_SPACES: Final = {"xmlns:dc": "http://purl.org/dc/elements/1.1/", "xml:base": f"{_SITE}/"}
_CHANNEL: Final = Channel(
    "Litigation Releases",
    f"{_SITE}/",
    "The latest Litigation Releases from the Securities and Exchange Commission",
    "en",
    _SPACES,
)
_MOST: Final = 25


def litigation(world: World, day: int) -> bytes:
    """The newest releases, newest first."""
    found = [act for act in press.acts(world, "US", day) if act.kind == "sanction"]
    newest = sorted(found, key=lambda act: act.at, reverse=True)[:_MOST]
    return _CHANNEL.feed([*(list(_members(act)) for act in newest), list(_person(world))])


def number_of(act: Act) -> str:
    """The release's number, as it is cited."""
    return f"LR-{act.serial}"


def _members(act: Act) -> Iterator[Member]:
    title = _title(act.parties)
    yield Member("title", title)
    yield Member("link", f"{_SITE}/node/9{act.serial}\n")
    yield Member("description", title)
    yield Member("pubDate", f"{act.at.astimezone(_EASTERN):%a, %d %b %Y %H:%M:%S %z}")
    yield Member("dc:creator", number_of(act) if act.serial % 2 else number_of(act).replace("-", ""))
    yield Member("guid", f"{_SITE}/{uuid.uuid5(uuid.NAMESPACE_URL, number_of(act))}", {"isPermaLink": "true"})


def _person(world: World) -> Iterator[Member]:
    """The oldest release of the feed, about a person."""
    yield Member("title", press.PERSON)
    yield Member("link", f"{_SITE}/node/900001\n")
    yield Member("description", press.PERSON)
    yield Member("pubDate", f"{world.date(0):%a, %d %b %Y} 01:00:00 -0500")
    yield Member("dc:creator", "LR-10001")
    yield Member("guid", f"{_SITE}/{uuid.uuid5(uuid.NAMESPACE_URL, 'LR-10001')}", {"isPermaLink": "true"})


def _title(parties: tuple[str, ...]) -> str:
    """Respondents as the releases list them: occasionally with a doubled or trailing blank."""
    *others, last = parties
    return f"{', '.join(others)} and  {last} " if others else last
