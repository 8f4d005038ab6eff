"""What MFN and a country feed of GlobeNewswire answer beside a sandbox world, without HTTP (FORMAT news 2.2, 2.9).

Belongs here: shapes of answers. The releases are of issuers that no register knows, so that asking, reading
and linking are played and nothing comes of it. Does not belong here: routes and HTTP (`answers`, `server`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Final
from xml.sax.saxutils import escape

from connectors.sandbox.world import World

Query = Mapping[str, str]
_ISSUER: Final = "Sandbox Metals Inc."
_DCMI: Final = "http://dublincore.org/documents/dcmi-namespace/"


@dataclass(frozen=True, slots=True)
class Reply:
    """Status, kind and body of one answer."""

    status: int
    kind: str
    body: bytes


def _stream(world: World, day: int, query: Query) -> Reply:
    """One release a day, in two languages, of an issuer of no market that is served."""
    at = _published(world, day)
    items = [] if query.get("offset", "0") != "0" else [_item(at, language) for language in ("en", "da")]
    body = {"version": "https://www.mfn.se/feed/version/1", "items": items}
    return Reply(200, "application/json", json.dumps(body, ensure_ascii=False).encode())


def _item(at: datetime, language: str) -> dict[str, object]:
    native = f"00000000-0000-4000-8000-{at:%Y%m%d}{language.encode().hex()}"
    return {
        "news_id": native,
        "group_id": f"00000000-0000-4000-9000-{at:%Y%m%d}0000",
        "url": f"https://mfn.se/all/a/sandbox-metals/{native}",
        "author": {
            "entity_id": "00000000-0000-4000-a000-000000000001",
            "slug": "sandbox-metals",
            "name": _ISSUER,
            "isins": [],
            "leis": [],
            "local_refs": ["DK:00000000"],
            "tickers": [],
        },
        "subjects": [],
        "properties": {"lang": language, "type": "ir", "tags": [":regulatory"], "scopes": ["DK"]},
        "content": {
            "title": "Sandbox Metals: announcement",
            "slug": "announcement",
            "publish_date": f"{at:%Y-%m-%dT%H:%M:%SZ}",
            "preamble": "",
            "attachments": [],
        },
        "extensions": {},
        "source": "mfn",
    }


def _country(world: World, day: int, _query: Query, country: str) -> Reply:
    """A feed of one release, its time without seconds and its names under a namespace of the wire's own."""
    at = _published(world, day)
    number = 3_000_000 + at.toordinal()
    page = f"https://www.globenewswire.com/news-release/{at:%Y/%m/%d}/{number}/0/en/announcement.html"
    body = f"""<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:dc="{_DCMI}"><channel><title>GlobeNewswire - News from {escape(country)}</title>
<link>https://www.globenewswire.com/RssFeed/country/{escape(country)}</link><description>News</description>
<item><guid isPermaLink="true">{page}</guid><link>{page}</link>
<category domain="https://www.globenewswire.com/rss/stock">Copenhagen:SANDM</category>
<category>Company Announcement</category><title>{_ISSUER}: announcement</title>
<description>&lt;p&gt;An announcement.&lt;/p&gt;</description><pubDate>{at:%a, %d %b %Y %H:%M} GMT</pubDate>
<dc:identifier>{number}</dc:identifier><dc:language>en</dc:language><dc:publisher>GlobeNewswire Inc.</dc:publisher>
<dc:contributor>{_ISSUER}</dc:contributor></item></channel></rss>"""
    return Reply(200, "application/rss+xml; charset=utf-8", body.encode())


def _published(world: World, day: int) -> datetime:
    return datetime.combine(world.date(day) - timedelta(days=1), time(7), UTC)


Route = tuple[re.Pattern[str], Callable[..., Reply]]
ROUTES: Final[tuple[Route, ...]] = (
    (re.compile(r"/all/s/nordic\.json"), _stream),
    (re.compile(r"/RssFeed/country/([\w ]+|[\w]+(?:%20[\w]+)*)/feedTitle/.+"), _country),
)
