"""Wires and supervisors on one day of a world: their URLs, and their files in a folder.

If no company has press, feeds hold unrelated items. Does not belong here: any format (`press_*`), HTTP
(`answers`, `server`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Final

from connectors.sandbox import (
    gleif_desk,
    nsm_desk,
    press,
    press_esma,
    press_fca,
    press_finansinspektionen,
    press_finanstilsynet,
    press_globenewswire,
    press_mfn,
    press_prnewswire,
    press_sec,
)
from connectors.sandbox.reply import Reply
from connectors.sandbox.world import World

Query = Mapping[str, str]
RSS: Final = "application/rss+xml; charset=utf-8"
JSON: Final = "application/json"
_DAY: Final = timedelta(days=1)
_COUNTRIES: Final = {country: market for market, country in press_globenewswire.COUNTRIES.items()}


def write_day(world: World, day: int, folder: Path) -> None:
    """Writes the day's feeds of the markets that have press into the day's folder."""
    for place, body in files(world, day):
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)


def files(world: World, day: int) -> Iterator[tuple[str, bytes]]:
    """Yields paths below a day's folder, and bodies."""
    yield from _wires(world, day)
    yield from _registers(world, day)
    today = world.date(day)
    for market, place, feed in _SUPERVISORS:
        if market in world.press:
            yield place.format(today), feed(world, day)


def _wires(world: World, day: int) -> Iterator[tuple[str, bytes]]:
    today = world.date(day)
    wired = tuple(market for market in press_mfn.MARKETS if market in world.press)
    if wired:
        yield f"news/mfn/nordic-{today}.json", press_mfn.stream(world, day, wired)
        yield f"news/mfn/companies-{today}.json", press_mfn.companies(world, day)
    for market in press_globenewswire.COUNTRIES:
        if market in world.press:
            name = f"globenewswire-{market.lower()}-{today}.xml"
            yield f"news/globenewswire/{name}", press_globenewswire.feed(world, day, market)


def _registers(world: World, day: int) -> Iterator[tuple[str, bytes]]:
    """LEI records, all on the first day, and announcements in the official storage."""
    today = world.date(day)
    for market in world.press if day == 0 else ():
        if market in gleif_desk.AUTHORITIES:
            yield f"{market.lower()}/gleif/lei-records-{today}.json", _identities(world, market)
    if "UK" in world.press:
        yield f"uk/fca_nsm/nsm_search_{today}.json", nsm_desk.submitted(world, day, today - _DAY, today)


def _identities(world: World, market: str) -> bytes:
    """LEI records of the companies that have press on any day."""
    told = (*press.releases(world, market, world.days - 1), *press.acts(world, market, world.days - 1))
    leis = sorted({gleif_desk.lei_of(one.company) for one in told})
    asked = {"filter[lei]": ",".join(leis), "page[size]": str(len(leis))}
    return gleif_desk.records(world, 0, asked).body


_SUPERVISORS: Final[tuple[tuple[str, str, Callable[[World, int], bytes]], ...]] = (
    ("US", "news/sec_rss/litigation_releases_{}.xml", press_sec.litigation),
    ("UK", "news/fca_rss/news_{}.xml", press_fca.news),
    ("SE", "news/fi_rss/sanktioner_{}.xml", press_finansinspektionen.sanctions),
    (
        "NO",
        "news/finanstilsynet_rss/nyhetsfeed_{}.xml",
        lambda w, d: press_finanstilsynet.feed(w, d, "nyhetsfeed"),
    ),
    (
        "NO",
        "news/finanstilsynet_rss/rundskriv_{}.xml",
        lambda w, d: press_finanstilsynet.feed(w, d, "rundskriv"),
    ),
    (
        "FI",
        "news/esma_sanctions/sanctions_{}.json",
        lambda w, d: press_esma.sanctions(w, d, {"rows": "1000"}),
    ),
)


def _stream(world: World, day: int, query: Query) -> Reply:
    start, most = int(query.get("offset") or 0), int(query.get("limit") or 100)
    return Reply(
        200, JSON, press_mfn.stream(world, day, after=query.get("after", ""), page=slice(start, start + most))
    )


def _single(world: World, day: int, query: Query) -> Reply:
    return Reply(200, JSON, press_mfn.single(world, day, query.get("news-id", "")))


def _companies(world: World, day: int, _query: Query) -> Reply:
    return Reply(200, JSON, press_mfn.companies(world, day))


def _country(world: World, day: int, _query: Query, country: str) -> Reply:
    market = _COUNTRIES.get(country)
    if market is None:
        return Reply(404, "text/html", b"<html><body>Not found</body></html>")
    return Reply(200, RSS, press_globenewswire.feed(world, day, market))


def _finanstilsynet(world: World, day: int, _query: Query, name: str) -> Reply:
    return Reply(200, RSS, press_finanstilsynet.feed(world, day, name))


def _esma(world: World, day: int, query: Query) -> Reply:
    return Reply(200, JSON, press_esma.sanctions(world, day, query))


def _rss(feed: Callable[[World, int], bytes]) -> Callable[[World, int, Query], Reply]:
    return lambda world, day, _query: Reply(200, RSS, feed(world, day))


ROUTES: Final[tuple[tuple[re.Pattern[str], Callable[..., Reply]], ...]] = (
    (re.compile(r"/all/s/nordic\.json"), _stream),
    (re.compile(r"/v1/feed/[0-9a-f-]{36}\.json"), _single),
    (re.compile(r"/search/companies"), _companies),
    (re.compile(r"/RssFeed/country/([^/]+)/feedTitle/.+"), _country),
    (re.compile(r"/rss/news-releases-list\.rss"), _rss(press_prnewswire.feed)),
    (re.compile(r"/enforcement-litigation/litigation-releases/rss"), _rss(press_sec.litigation)),
    (re.compile(r"/news/rss\.xml"), _rss(press_fca.news)),
    (
        re.compile(r"/sv/publicerat/sanktioner/finansiella-foretag/rss/?"),
        _rss(press_finansinspektionen.sanctions),
    ),
    (re.compile(r"/rss/(nyhetsfeed|rundskriv)/"), _finanstilsynet),
    (re.compile(r"/solr/esma_registers_sanctions/select"), _esma),
)
