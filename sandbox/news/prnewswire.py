"""PR Newswire's worldwide feed for a sandbox world, as plain RSS (docs/formats/news.md 2.11).

It has no company of the world, only an issuer from a register that is not simulated, with its ticker in the
text. Does not belong here: releases of a world (`releases`), routes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sandbox.news.rss import ItemElement, RssChannel
from sandbox.world import World

_SITE: Final = "https://www.prnewswire.com"
_TEXT: Final = "COPENHAGEN, Denmark -- Opdigtet Havvind A/S (OTCQX: OPDHY) today announced a wind farm."


def release_feed(world: World, day: int) -> bytes:
    """The newest release."""
    title = "All News Releases"
    channel = RssChannel(title, f"{_SITE}/rss/news-releases-list.rss", title, "en")
    return channel.feed([list(_release_members(world, day))])


def _release_members(world: World, day: int) -> Iterator[ItemElement]:
    address = f"{_SITE}/news-releases/opdigtet-havvind-expands-{302_000_000 + day}.html"
    yield ItemElement("title", "Opdigtet Havvind A/S Expands")
    yield ItemElement("link", address)
    yield ItemElement("guid", address, {"isPermaLink": "true"})
    yield ItemElement("description", f"<p>{_TEXT}</p>")
    yield ItemElement("pubDate", f"{world.date(day):%a, %d %b %Y} 01:00:00 +0000")
