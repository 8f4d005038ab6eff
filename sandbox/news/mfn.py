"""The Nordic wire MFN on one day of a world: the stream as JSON, single items, all companies.

See docs/formats/news.md 2.2.

One item per language, grouped by `group_id`; a correction names the corrected item in a tag. The stream is
compact: texts come with single items. Does not belong here: which releases there are (`releases`), the wording of
notices (`nasdaq.se_major_holdings`), routes and HTTP (`http.routes`, `http.server`).
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from sandbox.companies import releases
from sandbox.model.company import Company
from sandbox.model.news import PressRelease
from sandbox.model.se import HoldingNotice
from sandbox.nasdaq import se_major_holdings
from sandbox.shared.gleif_http import company_lei
from sandbox.world import World

MARKETS: Final = ("SE", "NO", "FI", "DK")
_WHOLE: Final = slice(None)
_SITE: Final = "https://mfn.se"
_MICS: Final = {"SE": "XSTO", "NO": "XOSL", "FI": "XHEL", "DK": "XCSE"}
Item = dict[str, Any]


def release_group_id(release: PressRelease | HoldingNotice) -> str:
    """The `group_id` shared by the languages of a release."""
    return _stable_uuid("group", release.serial)


def news_id(serial: int, language: str) -> str:
    return _stable_uuid("news", serial, language)


def _stable_uuid(*parts: object) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "/".join(("https://mfn.example", *map(str, parts)))))


def stream_page(
    world: World, day: int, markets: tuple[str, ...] = MARKETS, after: str = "", page: slice = _WHOLE
) -> bytes:
    """The newest items of some markets, newest first; with `after` those published later."""
    found = [
        item
        for market in markets
        if market in world.markets
        for release in releases.releases_until(world, market, day)
        if "mfn" in release.wires
        for item in _release_items(release)
        if item["content"]["publish_date"] > after
    ]
    found.append(_danish_item(world, day))
    if "SE" in markets:
        compact = (_without_text(item) for item in notices_until(world, day))
        found += [item for item in compact if item["content"]["publish_date"] > after]
    found.sort(key=_publication_order, reverse=True)
    return _feed_body(found[page])


def single_item(world: World, day: int, item: str) -> bytes:
    """One notice with its text, by its id; an empty list for an unknown id."""
    return _feed_body([found for found in notices_until(world, day) if found["news_id"] == item])


def day_notices(world: World, day: int) -> bytes:
    """The notices of a day with their texts; on the first day also those of all days before."""
    since = f"{world.date(day)}" if day else ""
    return _feed_body([item for item in notices_until(world, day) if item["content"]["publish_date"] >= since])


def notices_until(world: World, day: int) -> list[Item]:
    """Releases about holdings by the end of a day, with their texts."""
    until = world.date(day)
    return [
        item
        for company in world.all("SE", day)
        for notice in company.swedish.notices
        if "mfn" in notice.release_channels and notice.at.date() <= until
        for item in _notice_items(company, notice)
    ]


def _notice_items(company: Company, notice: HoldingNotice) -> Iterator[Item]:
    for language in notice.languages:
        text = se_major_holdings.notice_html(company, notice, language)
        said = se_major_holdings.notice_title(company, notice, language)
        made = _wire_item(company, notice, language, said, [":regulatory", "sub:ci:shareholder-announcement"])
        made["content"] |= {"html": text, "preamble": ""}
        yield made


def _without_text(item: Item) -> Item:
    content = {name: value for name, value in item["content"].items() if name not in ("html", "preamble")}
    return {**item, "content": content}


def _feed_body(items: list[Item]) -> bytes:
    body = {"version": f"{_SITE}/feed/version/1", "items": items}
    return json.dumps(body, ensure_ascii=False).encode()


def _publication_order(item: Item) -> tuple[str, str]:
    return item["content"]["publish_date"], item["news_id"]


def company_list(world: World, day: int) -> bytes:
    """The list of all companies known to the wire."""
    found = {
        release.company.company_id: _author_object(release.company)
        for market in MARKETS
        if market in world.markets
        for release in releases.releases_until(world, market, day)
    }
    return json.dumps(list(found.values()), ensure_ascii=False).encode()


def _release_items(release: PressRelease) -> Iterator[Item]:
    for language, title in release.titles.items():
        yield _wire_item(
            release.company, release, language, title, [":regulatory", ":regulatory:mar", "sub:ci:sales:order"]
        )


def _wire_item(
    company: Company, release: PressRelease | HoldingNotice, language: str, title: str, tags: list[str]
) -> Item:
    slug = f"{release.serial}-{language}"
    return {
        "news_id": news_id(release.serial, language),
        "group_id": release_group_id(release),
        "url": f"{_SITE}/a/{_company_slug(company)}/{slug}",
        "author": _author_object(company),
        "subjects": [],
        "properties": {
            "lang": language,
            "type": "ir",
            "tags": tags if release.corrects is None else _correction_tags(release, release.corrects),
            "scopes": [company.market],
        },
        "content": {"title": title, "slug": slug, "publish_date": _utc_stamp(release.at), "attachments": []},
        "extensions": {},
        "source": "mfn",
    }


def _danish_item(world: World, day: int) -> Item:
    """A Danish issuer of no register."""
    slug = f"opdigtet-havvind-{world.date(day)}"
    author = {"entity_id": _stable_uuid("entity", "dk"), "slug": "opdigtet-havvind", "name": "Opdigtet Havvind A/S"}
    return {
        "news_id": _stable_uuid("foreign", day),
        "group_id": _stable_uuid("foreign group", day),
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


def _correction_tags(release: PressRelease | HoldingNotice, corrected: int) -> list[str]:
    """The tags of a correction, naming one language version of the corrected release."""
    language = release.languages[0] if isinstance(release, HoldingNotice) else "en"
    return [":correction", f":correction:{news_id(corrected, language)}", ":regulatory"]


def _author_object(company: Company) -> Item:
    symbol = f"{_MICS[company.market]}:P{company.position}"
    return {
        "entity_id": _stable_uuid("entity", company.company_id),
        "slug": _company_slug(company),
        "name": company.name,
        "isins": [],
        "leis": [company_lei(company)],
        "local_refs": [f"{company.market}:{_wire_number(company)}"],
        "tickers": [symbol],
    }


def _wire_number(company: Company) -> str:
    """A company number as the wire writes it: Swedish ones with their hyphen."""
    number = company.number
    return f"{number[:6]}-{number[6:]}" if company.market == "SE" else number


def _company_slug(company: Company) -> str:
    return f"{company.market.lower()}-{company.position}"


def _utc_stamp(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"
