"""The FCA's news feed on one day of a world, as RSS (docs/formats/news.md 1.3).

`pubDate` is not an RSS date: a weekday, a month's name and London local time. A clone warning bears the name of
the firm imitated. Does not belong here: which acts there are (`releases`), routes and HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from zoneinfo import ZoneInfo

from sandbox.companies import releases
from sandbox.model.news import SupervisorAct
from sandbox.news.rss import ItemElement, RssChannel
from sandbox.world import World

_SITE: Final = "https://www.fca.org.uk"
_LONDON: Final = ZoneInfo("Europe/London")
_CHANNEL: Final = RssChannel("FCA news", _SITE, "News from the Financial Conduct Authority", "en")
_MOST: Final = 20


def news_feed(world: World, day: int) -> bytes:
    """The newest items, newest first; a speech among them."""
    found = sorted(releases.regulatory_acts_until(world, "UK", day), key=lambda act: act.at, reverse=True)[:_MOST]
    return _CHANNEL.feed([*(list(_act_members(act)) for act in found), list(_speech_members(world, day))])


def act_page_url(act: SupervisorAct) -> str:
    """URL of an item's page."""
    kind = "warnings" if act.kind == "clone" else "news/press-releases"
    return f"{_SITE}/{kind}/item-{act.serial}"


def _act_members(act: SupervisorAct) -> Iterator[ItemElement]:
    [first, *_] = act.parties
    title = f"FCA fines {first} £{act.amount:,}" if act.amount else f"FCA bans {first}"
    text = f"The Financial Conduct Authority has fined {' and '.join(act.parties)} for failings."
    if act.kind == "clone":
        title = f"{first} (clone of FCA authorised firm)"
        text = f"Fraudsters are using the details of {first} to convince people that they are genuine."
    yield ItemElement("title", title)
    yield ItemElement("link", act_page_url(act))
    yield ItemElement("description", text)
    yield ItemElement("pubDate", f"{act.at.astimezone(_LONDON):%A, %B %d, %Y - %H:%M}")
    yield ItemElement("category", "Press Releases" if act.kind == "sanction" else "Statements")
    yield ItemElement("guid", act_page_url(act), {"isPermaLink": "true"})


def _speech_members(world: World, day: int) -> Iterator[ItemElement]:
    yield ItemElement("title", "A speech on outcomes")
    yield ItemElement("link", f"{_SITE}/news/speeches/outcomes-{day}")
    yield ItemElement("description", "Speech delivered at a conference.")
    yield ItemElement("pubDate", f"{world.date(day):%A, %B %d, %Y} - 03:30")
    yield ItemElement("category", "Speeches")
    yield ItemElement("guid", f"{_SITE}/news/speeches/outcomes-{day}", {"isPermaLink": "true"})
