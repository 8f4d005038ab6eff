"""GlobeNewswire's feed of a country on one day of a world, as RSS (docs/formats/news.md 2.9).

With its traps: Dublin Core under a non-standard namespace, times without seconds, symbols as categories, law
firms' alerts about companies. Does not belong here: which releases there are (`press`), routes.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from connectors.sandbox import press
from connectors.sandbox.model_press import Release
from connectors.sandbox.press_rss import Channel, Member
from connectors.sandbox.world import World

COUNTRIES: Final = {
    "SE": "Sweden",
    "NO": "Norway",
    "FI": "Finland",
    "UK": "United Kingdom",
    "US": "United States",
}
_SITE: Final = "https://www.globenewswire.com"
_SPACES: Final = {"xmlns:dc": "http://dublincore.org/documents/dcmi-namespace/"}
_MICS: Final = {"SE": "Stockholm", "NO": "Oslo", "FI": "Helsinki", "UK": "London"}
_MOST: Final = 20
_LATER: Final = timedelta(minutes=3)  # later than the wire that has it first


def feed(world: World, day: int, market: str) -> bytes:
    """The newest releases of a country, newest first."""
    country = COUNTRIES[market]
    title = f"GlobeNewswire - News from {country}"
    address = f"{_SITE}/RssFeed/country/{country}/feedTitle/{title}".replace(" ", "%20")
    channel = Channel(title, address, title, "en", _SPACES)
    found = [one for one in press.releases(world, market, day) if "globenewswire" in one.wires]
    newest = sorted(found, key=lambda release: release.at, reverse=True)[:_MOST]
    return channel.feed([*(list(_members(release)) for release in newest), list(_foreign(world, day))])


def _foreign(world: World, day: int) -> Iterator[Member]:
    """A Danish issuer; its register is not simulated."""
    at = f"{world.date(day):%a, %d %b %Y} 01:00 GMT"
    address = f"{_SITE}/news-release/{world.date(day):%Y/%m/%d}/{3_000_000 + day}/0/en/opdigtet-havvind.html"
    yield Member("guid", address, {"isPermaLink": "true"})
    yield Member("link", address)
    yield Member("category", "Copenhagen:OPDI", {"domain": f"{_SITE}/rss/stock"})
    yield Member("title", "Opdigtet Havvind A/S expands")
    yield Member("pubDate", at)
    yield Member("dc:identifier", str(3_000_000 + day))
    yield Member("dc:language", "en")
    yield Member("dc:contributor", "Opdigtet Havvind A/S")


def _members(release: Release) -> Iterator[Member]:
    company = release.company
    number = str(4_000_000 + release.serial)
    speaker = release.speaker or company.name
    subject = "Class Action" if release.speaker else "Product / Services Announcement"
    at = release.at if release.wires[0] == "globenewswire" else release.at + _LATER
    title = release.titles["en"]
    address = f"{_SITE}/news-release/{at:%Y/%m/%d}/{number}/0/en/release-{number}.html"
    yield Member("guid", address, {"isPermaLink": "true"})
    yield Member("link", address)
    yield Member("category", f"{_MICS[company.market]}:P{company.position}", {"domain": f"{_SITE}/rss/stock"})
    yield Member("category", subject)
    yield Member("title", title)
    yield Member("description", f'<p align="left">{title}.</p>')
    yield Member("pubDate", f"{at:%a, %d %b %Y %H:%M} GMT")
    yield Member("dc:identifier", number)
    yield Member("dc:language", "en")
    yield Member("dc:publisher", "GlobeNewswire Inc.")
    yield Member("dc:contributor", speaker)
    yield Member("dc:subject", subject)
    yield Member("dc:keyword", "agreement")
    yield Member("dc:modified", f"{at:%a, %d %b %Y %H:%M} GMT")
