"""The Nordic wire MFN on one day of a world: the stream as JSON, and the list of companies (FORMAT news 2.2).

An item per language, tied by `group_id`; a correction names what it corrects by a tag. Does not belong here: which
releases there are (`press`), routes and HTTP (`answers`, `server`).
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from connectors.sandbox import press
from connectors.sandbox.gleif_desk import lei_of
from connectors.sandbox.model import Company
from connectors.sandbox.model_press import Release
from connectors.sandbox.world import World

MARKETS: Final = ("SE", "NO", "FI")
_WHOLE: Final = slice(None)
_SITE: Final = "https://mfn.se"
_MICS: Final = {"SE": "XSTO", "NO": "XOSL", "FI": "XHEL"}
Item = dict[str, Any]


def group_of(release: Release) -> str:
    """What ties the languages of a release together."""
    return _uuid("group", release.serial)


def news_id(serial: int, language: str) -> str:
    return _uuid("news", serial, language)


def _uuid(*parts: object) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "/".join(("https://mfn.example", *map(str, parts)))))


def stream(
    world: World, day: int, markets: tuple[str, ...] = MARKETS, after: str = "", page: slice = _WHOLE
) -> bytes:
    """The newest items of some markets, newest first; with `after` those published later."""
    found = [
        item
        for market in markets
        if market in world.markets
        for release in press.releases(world, market, day)
        if "mfn" in release.wires
        for item in _items(release)
        if item["content"]["publish_date"] > after
    ]
    found.append(_foreign(world, day))
    found.sort(key=_published, reverse=True)
    body = {"version": f"{_SITE}/feed/version/1", "items": found[page]}
    return json.dumps(body, ensure_ascii=False).encode()


def _published(item: Item) -> tuple[str, str]:
    return item["content"]["publish_date"], item["news_id"]


def companies(world: World, day: int) -> bytes:
    """The list of all companies that the wire knows."""
    found = {
        release.company.company_id: _author(release.company)
        for market in MARKETS
        if market in world.markets
        for release in press.releases(world, market, day)
    }
    return json.dumps(list(found.values()), ensure_ascii=False).encode()


def _items(release: Release) -> Iterator[Item]:
    for language, title in release.titles.items():
        slug = f"{release.serial}-{language}"
        yield {
            "news_id": news_id(release.serial, language),
            "group_id": group_of(release),
            "url": f"{_SITE}/a/{_slug(release.company)}/{slug}",
            "author": _author(release.company),
            "subjects": [],
            "properties": {
                "lang": language,
                "type": "ir",
                "tags": _tags(release),
                "scopes": [_scope(release)],
            },
            "content": {
                "title": title,
                "slug": slug,
                "publish_date": _stamp(release.at),
                "attachments": [],
            },
            "extensions": {},
            "source": "mfn",
        }


def _foreign(world: World, day: int) -> Item:
    """A Danish issuer, whose register is not played."""
    slug = f"opdigtet-havvind-{world.date(day)}"
    author = {"entity_id": _uuid("entity", "dk"), "slug": "opdigtet-havvind", "name": "Opdigtet Havvind A/S"}
    return {
        "news_id": _uuid("foreign", day),
        "group_id": _uuid("foreign group", day),
        "url": f"{_SITE}/a/opdigtet-havvind/{slug}",
        "author": author | {"isins": [], "leis": [], "local_refs": ["DK:00000000"], "tickers": []},
        "subjects": [],
        "properties": {"lang": "da", "type": "ir", "tags": [], "scopes": ["DK"]},
        "content": {
            "title": "Opdigtet Havvind A/S udvider",
            "slug": slug,
            "publish_date": f"{world.date(day)}T01:00:00Z",
            "attachments": [],
        },
        "extensions": {},
        "source": "mfn",
    }


def _tags(release: Release) -> list[str]:
    if release.corrects is None:
        return [":regulatory", ":regulatory:mar", "sub:ci:sales:order"]
    return [":correction", f":correction:{news_id(release.corrects, 'en')}", ":regulatory"]


def _scope(release: Release) -> str:
    return release.company.market


def _author(company: Company) -> Item:
    symbol = f"{_MICS[company.market]}:P{company.position}"
    return {
        "entity_id": _uuid("entity", company.company_id),
        "slug": _slug(company),
        "name": company.name,
        "isins": [],
        "leis": [lei_of(company)],
        "local_refs": [f"{company.market}:{_written(company)}"],
        "tickers": [symbol],
    }


def _written(company: Company) -> str:
    """As the wire writes numbers: Swedish ones with their hyphen."""
    number = company.number
    return f"{number[:6]}-{number[6:]}" if company.market == "SE" else number


def _slug(company: Company) -> str:
    return f"{company.market.lower()}-{company.position}"


def _stamp(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"
