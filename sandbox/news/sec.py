"""The SEC's feed of litigation releases on one day of a world, as RSS (docs/formats/news.md 1.1).

All respondents are in one title, persons and companies mixed; the release number is in `dc:creator`, with or
without its dash. Clone warnings are on a page without a feed. Does not belong here: which acts there are
(`releases`), routes and HTTP.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Final
from zoneinfo import ZoneInfo

from sandbox.companies import releases
from sandbox.model.news import SupervisorAct
from sandbox.news.rss import ItemElement, RssChannel
from sandbox.world import World

AUTHORITY: Final = "U.S. Securities and Exchange Commission"
_SITE: Final = "https://www.sec.gov"
_EASTERN: Final = ZoneInfo("America/New_York")
_SPACES: Final = {"xmlns:dc": "http://purl.org/dc/elements/1.1/", "xml:base": f"{_SITE}/"}
_CHANNEL: Final = RssChannel(
    "Litigation Releases",
    f"{_SITE}/",
    "The latest Litigation Releases from the Securities and Exchange Commission",
    "en",
    _SPACES,
)
_MOST: Final = 25


def litigation_feed(world: World, day: int) -> bytes:
    """The newest releases, newest first."""
    found = [act for act in releases.regulatory_acts_until(world, "US", day) if act.kind == "sanction"]
    newest = sorted(found, key=lambda act: act.at, reverse=True)[:_MOST]
    return _CHANNEL.feed([*(list(_act_members(act)) for act in newest), list(_person_members(world))])


def release_number(act: SupervisorAct) -> str:
    """The release's number, as it is cited."""
    return f"LR-{act.serial}"


def _act_members(act: SupervisorAct) -> Iterator[ItemElement]:
    title = _respondents_title(act.parties)
    yield ItemElement("title", title)
    yield ItemElement("link", f"{_SITE}/node/9{act.serial}\n")
    yield ItemElement("description", title)
    yield ItemElement("pubDate", f"{act.at.astimezone(_EASTERN):%a, %d %b %Y %H:%M:%S %z}")
    yield ItemElement("dc:creator", release_number(act) if act.serial % 2 else release_number(act).replace("-", ""))
    yield ItemElement("guid", f"{_SITE}/{uuid.uuid5(uuid.NAMESPACE_URL, release_number(act))}", {"isPermaLink": "true"})


def _person_members(world: World) -> Iterator[ItemElement]:
    """The oldest release of the feed, about a person."""
    yield ItemElement("title", releases.PERSON)
    yield ItemElement("link", f"{_SITE}/node/900001\n")
    yield ItemElement("description", releases.PERSON)
    yield ItemElement("pubDate", f"{world.date(0):%a, %d %b %Y} 01:00:00 -0500")
    yield ItemElement("dc:creator", "LR-10001")
    yield ItemElement("guid", f"{_SITE}/{uuid.uuid5(uuid.NAMESPACE_URL, 'LR-10001')}", {"isPermaLink": "true"})


def _respondents_title(parties: tuple[str, ...]) -> str:
    """Respondents as the releases list them: occasionally with a doubled or trailing blank."""
    *others, last = parties
    return f"{', '.join(others)} and  {last} " if others else last
