"""Feeds and registers of authorities without any acts: valid responses that name no company.

Does not belong here: authorities that act (the press of a world), or more than the minimal format.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sandbox.shared.response import JSON, Handler, Query, SandboxResponse, compile_routes, json_response
from sandbox.world import World

_RSS: Final = "application/rss+xml; charset=utf-8"
_SEARCH: Final = "/publication/searchRegister/doMainSearch"
_HEADER: Final = (
    "id,instrumentIdentifier,instrumentFullName,issuer,issuerName,actionType,reasonsForTheAction,effectiveFrom,"
    "effectiveTo,onGoing,memberStateOfNotifyingCA,notifyingCA,markets,comments,historicalStatus,timestamp\n"
)
_FEED: Final = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0">
  <channel>
    <title>{title}</title>
    <link>https://{host}/</link>
    <description>{title}</description>
    <item>
      <title>Annual report on the work of the year</title>
      <link>https://{host}{path}</link>
      <pubDate>Mon, 05 Jan 2026 09:00:00 GMT</pubDate>
      <guid isPermaLink="true">https://{host}{path}</guid>
    </item>
  </channel>
</rss>
"""


def sanction_search_response(path: str) -> SandboxResponse | None:
    """The response to POST `path`: an empty search result, which starts the session of the export."""
    return SandboxResponse(200, JSON, b'{"numFound":0,"docs":[]}') if path == _SEARCH else None


def _static_feed_route(title: str, host: str, path: str) -> Handler:
    body = _FEED.format(title=title, host=host, path=path).encode()
    return lambda _world, _day, _query: SandboxResponse(200, _RSS, body, is_cacheable=True)


def _no_suspensions(_world: World, _day: int, _query: Query) -> SandboxResponse:
    return SandboxResponse(200, "text/csv; charset=utf-8", _HEADER.encode(), is_cacheable=True)


def _no_sanctions(_world: World, _day: int, _query: Query) -> SandboxResponse:
    response = {"numFound": 0, "start": 0, "docs": []}
    answer = {"responseHeader": {"params": {"core": "esma_registers_sanctions"}}, "response": response}
    return replace(json_response(answer), is_cacheable=True)


_SEC: Final = r"/enforcement-litigation/(?:litigation-releases|administrative-proceedings|trading-suspensions)/rss"
ROUTES: Final = compile_routes(
    {
        _SEC: _static_feed_route("Litigation Releases", "www.sec.gov", "/node/1"),
        r"/RSS/RSSENF/rssenf\.xml": _static_feed_route("Enforcement", "www.cftc.gov", "/PressRoom/PressReleases/1-26"),
        r"/news/rss\.xml": _static_feed_route("FCA news", "www.fca.org.uk", "/news/statements/annual-report"),
        r"/rss/(?:news|prudential-regulation-publications)": _static_feed_route(
            "Bank of England", "www.bankofengland.co.uk", "/news/2026/january/annual-report"
        ),
        r"/sv/publicerat/sanktioner/finansiella-foretag/rss": _static_feed_route(
            "Sanktioner", "www.fi.se", "/sv/publicerat/nyheter/2026/arsredovisning"
        ),
        r"/rss/(?:nyhetsfeed|rundskriv)/": _static_feed_route(
            "Finanstilsynet", "www.finanstilsynet.no", "/nyhetsarkiv/nyheter/2026/arsmelding"
        ),
        r"/solr/esma_registers_sanctions/select": _no_sanctions,
        r"/publication/searchRegister/doExportSarisCsv": _no_suspensions,
    }
)
