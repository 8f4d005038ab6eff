"""Wires and supervisors on one day of a world: their URLs, and their files in a folder.

If no company has press, feeds hold unrelated items. Does not belong here: any format (the other modules), HTTP
(`http.routes`, `http.server`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Final

from sandbox.companies import releases
from sandbox.news import esma, mfn, supervisors, wire_feeds
from sandbox.shared import gleif_http
from sandbox.shared.files import write_file
from sandbox.shared.response import HTML, JSON, Handler, Query, SandboxResponse, compile_routes
from sandbox.uk import nsm_http
from sandbox.world import World

RSS: Final = "application/rss+xml; charset=utf-8"
_DAY: Final = timedelta(days=1)
_COUNTRIES: Final = {country: market for market, country in wire_feeds.COUNTRIES.items()}


def write_day(world: World, day: int, folder: Path) -> None:
    """Writes the day's feeds of the markets that have press into the day's folder."""
    for place, body in day_files(world, day):
        write_file(folder / place, body)


def day_files(world: World, day: int) -> Iterator[tuple[str, bytes]]:
    """Yields paths below a day's folder, and bodies."""
    yield from _wire_files(world, day)
    yield from _register_files(world, day)
    today = world.date(day)
    for market, place, feed in _SUPERVISORS:
        if market in world.press:
            yield place.format(today), feed(world, day)


def _wire_files(world: World, day: int) -> Iterator[tuple[str, bytes]]:
    today = world.date(day)
    wired = tuple(market for market in mfn.MARKETS if market in world.press)
    if wired:
        yield f"news/mfn/nordic-{today}.json", mfn.stream_page(world, day, wired)
        yield f"news/mfn/companies-{today}.json", mfn.company_list(world, day)
    for market in wire_feeds.COUNTRIES:
        if market in world.press:
            name = f"globenewswire-{market.lower()}-{today}.xml"
            yield f"news/globenewswire/{name}", wire_feeds.country_feed(world, day, market)


def _register_files(world: World, day: int) -> Iterator[tuple[str, bytes]]:
    """LEI records, all on the first day, and announcements in the official storage."""
    today = world.date(day)
    for market in world.press if day == 0 else ():
        if market in gleif_http.AUTHORITIES:
            yield f"{market.lower()}/gleif/lei-records-{today}.json", _lei_records(world, market)
    if "UK" in world.press:
        yield f"uk/fca_nsm/nsm_search_{today}.json", nsm_http.submission_hits(world, day, today - _DAY, today)


def _lei_records(world: World, market: str) -> bytes:
    """LEI records of the companies that have press on any day."""
    told = (
        *releases.releases_until(world, market, world.days - 1),
        *releases.regulatory_acts_until(world, market, world.days - 1),
    )
    leis = sorted({gleif_http.company_lei(one.company) for one in told})
    asked = {"filter[lei]": ",".join(leis), "page[size]": str(len(leis))}
    return json.dumps(gleif_http.records_body(world, 0, asked), ensure_ascii=False).encode()


_SUPERVISORS: Final[tuple[tuple[str, str, Callable[[World, int], bytes]], ...]] = (
    ("US", "news/sec_rss/litigation_releases_{}.xml", supervisors.litigation_feed),
    ("UK", "news/fca_rss/news_{}.xml", supervisors.fca_feed),
    ("SE", "news/fi_rss/sanktioner_{}.xml", supervisors.sanctions_feed),
    (
        "NO",
        "news/finanstilsynet_rss/nyhetsfeed_{}.xml",
        lambda w, d: supervisors.finanstilsynet_feed(w, d, "nyhetsfeed"),
    ),
    ("NO", "news/finanstilsynet_rss/rundskriv_{}.xml", lambda w, d: supervisors.finanstilsynet_feed(w, d, "rundskriv")),
    *(
        (market, "news/esma_sanctions/sanctions_{}.json", lambda w, d: esma.sanctions_page(w, d, {"rows": "1000"}))
        for market in esma.AUTHORITIES
    ),
)


def _mfn_stream(world: World, day: int, query: Query) -> SandboxResponse:
    start, most = int(query.get("offset") or 0), int(query.get("limit") or 100)
    return SandboxResponse(
        200, JSON, mfn.stream_page(world, day, after=query.get("after", ""), page=slice(start, start + most))
    )


def _mfn_item(world: World, day: int, query: Query) -> SandboxResponse:
    return SandboxResponse(200, JSON, mfn.single_item(world, day, query.get("news-id", "")))


def _mfn_companies(world: World, day: int, _query: Query) -> SandboxResponse:
    return SandboxResponse(200, JSON, mfn.company_list(world, day))


def _globenewswire_feed(world: World, day: int, _query: Query, country: str) -> SandboxResponse:
    market = _COUNTRIES.get(country)
    if market is None:
        return SandboxResponse(404, HTML, b"<html><body>Not found</body></html>")
    return SandboxResponse(200, RSS, wire_feeds.country_feed(world, day, market))


def _finanstilsynet_feed(world: World, day: int, _query: Query, name: str) -> SandboxResponse:
    return SandboxResponse(200, RSS, supervisors.finanstilsynet_feed(world, day, name))


def _esma_sanctions(world: World, day: int, query: Query) -> SandboxResponse:
    return SandboxResponse(200, JSON, esma.sanctions_page(world, day, query))


def _rss_route(feed: Callable[[World, int], bytes]) -> Handler:
    return lambda world, day, _query: SandboxResponse(200, RSS, feed(world, day))


ROUTES: Final = compile_routes(
    {
        r"/all/s/nordic\.json": _mfn_stream,
        r"/v1/feed/[0-9a-f-]{36}\.json": _mfn_item,
        r"/search/companies": _mfn_companies,
        r"/RssFeed/country/([^/]+)/feedTitle/.+": _globenewswire_feed,
        r"/rss/news-releases-list\.rss": _rss_route(wire_feeds.worldwide_feed),
        r"/enforcement-litigation/litigation-releases/rss": _rss_route(supervisors.litigation_feed),
        r"/news/rss\.xml": _rss_route(supervisors.fca_feed),
        r"/sv/publicerat/sanktioner/finansiella-foretag/rss/?": _rss_route(supervisors.sanctions_feed),
        r"/rss/(nyhetsfeed|rundskriv)/": _finanstilsynet_feed,
        r"/solr/esma_registers_sanctions/select": _esma_sanctions,
    }
)
