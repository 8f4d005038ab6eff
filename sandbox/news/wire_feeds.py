"""Wires' feeds on one day of a world, as RSS: GlobeNewswire's of a country, PR Newswire's worldwide one.

See docs/formats/news.md 2.9, 2.11.

GlobeNewswire with its traps: Dublin Core under a non-standard namespace, times without seconds, symbols as
categories, law firms' alerts about companies. PR Newswire has no company of the world, only an issuer from a
register that is not simulated, with its ticker in the text. Does not belong here: which releases there are
(`releases`), routes.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from sandbox.companies import releases
from sandbox.model.news import PressRelease
from sandbox.news.rss import ItemElement, RssChannel
from sandbox.world import World

COUNTRIES: Final = {"SE": "Sweden", "NO": "Norway", "FI": "Finland", "UK": "United Kingdom", "US": "United States",
             "DK": "Denmark"}  # fmt: skip
_SITE: Final = "https://www.globenewswire.com"
_SPACES: Final = {"xmlns:dc": "http://dublincore.org/documents/dcmi-namespace/"}
_MICS: Final = {"SE": "Stockholm", "NO": "Oslo", "FI": "Helsinki", "UK": "London", "DK": "Copenhagen"}
_MOST: Final = 20
_PR_SITE: Final = "https://www.prnewswire.com"
_PR_TEXT: Final = "COPENHAGEN, Denmark -- Opdigtet Havvind A/S (OTCQX: OPDHY) today announced a wind farm."
_LATER: Final = timedelta(minutes=3)  # later than the wire that has it first


def country_feed(world: World, day: int, market: str) -> bytes:
    """The newest releases of a country, newest first."""
    country = COUNTRIES[market]
    title = f"GlobeNewswire - News from {country}"
    address = f"{_SITE}/RssFeed/country/{country}/feedTitle/{title}".replace(" ", "%20")
    channel = RssChannel(title, address, title, "en", _SPACES)
    found = [one for one in releases.releases_until(world, market, day) if "globenewswire" in one.wires]
    newest = sorted(found, key=lambda release: release.at, reverse=True)[:_MOST]
    return channel.feed([*(list(_release_members(release)) for release in newest), list(_danish_members(world, day))])


def _danish_members(world: World, day: int) -> Iterator[ItemElement]:
    """A Danish issuer of no register."""
    at = f"{world.date(day):%a, %d %b %Y} 01:00 GMT"
    address = f"{_SITE}/news-release/{world.date(day):%Y/%m/%d}/{3_000_000 + day}/0/en/opdigtet-havvind.html"
    yield ItemElement("guid", address, {"isPermaLink": "true"})
    yield ItemElement("link", address)
    yield ItemElement("category", "Copenhagen:OPDI", {"domain": f"{_SITE}/rss/stock"})
    yield ItemElement("title", "Opdigtet Havvind A/S expands")
    yield ItemElement("pubDate", at)
    yield ItemElement("dc:identifier", str(3_000_000 + day))
    yield ItemElement("dc:language", "en")
    yield ItemElement("dc:contributor", "Opdigtet Havvind A/S")


def _release_members(release: PressRelease) -> Iterator[ItemElement]:
    company = release.company
    number = str(4_000_000 + release.serial)
    speaker = release.publisher_name or company.name
    subject = "Class Action" if release.publisher_name else "Product / Services Announcement"
    at = release.at if release.wires[0] == "globenewswire" else release.at + _LATER
    title = release.titles["en"]
    address = f"{_SITE}/news-release/{at:%Y/%m/%d}/{number}/0/en/release-{number}.html"
    yield ItemElement("guid", address, {"isPermaLink": "true"})
    yield ItemElement("link", address)
    yield ItemElement("category", f"{_MICS[company.market]}:P{company.position}", {"domain": f"{_SITE}/rss/stock"})
    yield ItemElement("category", subject)
    yield ItemElement("title", title)
    yield ItemElement("description", f'<p align="left">{title}.</p>')
    yield ItemElement("pubDate", f"{at:%a, %d %b %Y %H:%M} GMT")
    yield ItemElement("dc:identifier", number)
    yield ItemElement("dc:language", "en")
    yield ItemElement("dc:publisher", "GlobeNewswire Inc.")
    yield ItemElement("dc:contributor", speaker)
    yield ItemElement("dc:subject", subject)
    yield ItemElement("dc:keyword", "agreement")
    yield ItemElement("dc:modified", f"{at:%a, %d %b %Y %H:%M} GMT")


def worldwide_feed(world: World, day: int) -> bytes:
    """PR Newswire's newest release."""
    title = "All News Releases"
    channel = RssChannel(title, f"{_PR_SITE}/rss/news-releases-list.rss", title, "en")
    return channel.feed([list(_worldwide_members(world, day))])


def _worldwide_members(world: World, day: int) -> Iterator[ItemElement]:
    address = f"{_PR_SITE}/news-releases/opdigtet-havvind-expands-{302_000_000 + day}.html"
    yield ItemElement("title", "Opdigtet Havvind A/S Expands")
    yield ItemElement("link", address)
    yield ItemElement("guid", address, {"isPermaLink": "true"})
    yield ItemElement("description", f"<p>{_PR_TEXT}</p>")
    yield ItemElement("pubDate", f"{world.date(day):%a, %d %b %Y} 01:00:00 +0000")
