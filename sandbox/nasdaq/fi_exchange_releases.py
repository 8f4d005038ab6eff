"""Releases of the exchange's news service: lists of items, and the page of each (docs/formats/fi.md 6.1).

Belongs here: one release -> one item, or one per language; other items of a list: issuers of other exchanges,
bonds. Does not belong here: the wording of a notification (`fi_major_holdings`), HTTP (`fi.http`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any, Final

from sandbox.companies.fi import vocabulary
from sandbox.model.company import Company
from sandbox.model.fi import ExchangeRelease
from sandbox.nasdaq import fi_major_holdings
from sandbox.world import World

VIEW: Final = "https://view.news.eu.nasdaq.com/view"
_ATTACHMENT: Final = "https://attachment.news.eu.nasdaq.com"
_MAIN: Final = "Main Market, Helsinki"
_FIRST_NORTH: Final = "First North Finland"
_GROUPS: Final = {"NordicMainMarkets": "Main Market", "NordicFirstNorth": "First North", "NordicAllMarkets": ""}
_NOISE: Final = (
    (
        "Main Market, Copenhagen",
        "Opdigtet Havvind A/S",
        "da",
        "Meddelelse om ledelsens transaktioner",
        vocabulary.MANAGERS,
    ),
    ("First North Iceland", "Uppspuni hf.", "is", "Tilkynning um viðskipti", 497),
)
_OLDEST: Final = date.min
Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _ReleaseRecord:
    """One record of the list: of all languages of a release, or of one."""

    company: Company
    release: ExchangeRelease
    number: int
    languages: tuple[str, ...]

    @property
    def key(self) -> str:
        """The key in its page's URL."""
        return record_page_key(self.number)


def record_page_key(number: int) -> str:
    """The key in the URL of a record's page."""
    return "b" + hashlib.md5(str(number).encode(), usedforsecurity=False).hexdigest()


def write_day(world: World, day: int, folder: Path) -> None:
    """Writes the list of new items, and the texts of its notifications."""
    today = world.date(day)
    since = today if day else _OLDEST
    _dataset_folder(folder, "nasdaq_cns")
    found = [record for record in _release_records(world, day) if record.release.at.date() >= since]
    listed = [*(_release_item(record) for record in found), *_foreign_items(today)]
    body = {"results": {"item": sorted(listed, key=_release_order, reverse=True)}, "count": len(listed)}
    (folder / "nasdaq_cns" / f"nasdaq_cns_query_{today}.json").write_text(
        json.dumps(body, ensure_ascii=False, indent=1), encoding="utf-8"
    )
    for record in found:
        if record.release.flagging is not None:
            for language in record.languages:
                path = _dataset_folder(folder, "nasdaq_cns") / f"{record.key}_{language}.html"
                path.write_text(_page_html(record, language), encoding="utf-8")


def _dataset_folder(folder: Path, dataset: str) -> Path:
    (folder / dataset).mkdir(parents=True, exist_ok=True)
    return folder / dataset


@lru_cache(maxsize=4)
def _release_records(world: World, day: int) -> tuple[_ReleaseRecord, ...]:
    """Every release published by the end of `day`."""
    until = world.date(day)
    return tuple(
        record
        for company in world.all("FI", day)
        for release in company.finnish.releases
        if release.at.date() <= until
        for record in _records_of_release(company, release)
    )


def _records_of_release(company: Company, release: ExchangeRelease) -> Iterator[_ReleaseRecord]:
    number = release.number(company.position)
    languages = tuple(language for language, _ in release.headlines)
    if not release.apart:
        yield _ReleaseRecord(company, release, number, languages)
        return
    for place, language in enumerate(languages):
        yield _ReleaseRecord(company, release, number + place, (language,))


def market_items(world: World, day: int, name: str, more: Iterable[Item] = ()) -> list[Item]:
    """All items of a group of markets, newest first. `more`: items of issuers of another country."""
    found = [_release_item(record) for record in _release_records(world, day)]
    found += more
    found += [item for number in range(day + 1) for item in _foreign_items(world.date(number))]
    mine = [item for item in found if item["market"].startswith(_GROUPS.get(name, name))]
    return sorted(mine, key=_release_order, reverse=True)


def _release_order(item: Item) -> tuple[str, int]:
    return item["releaseTime"], item["disclosureId"]


def _release_item(record: _ReleaseRecord) -> Item:
    release, company = record.release, record.company
    language = "en" if "en" in record.languages else record.languages[0]
    market = _FIRST_NORTH if company.finnish.is_first_north else _MAIN
    attachments = []
    if release.attachment:
        address = f"{_ATTACHMENT}/a{record.key[1:]}"
        attachments = [{"mimetype": "application/pdf", "fileName": release.attachment, "attachmentUrl": address}]
    headline = (language, dict(release.headlines)[language])
    times = release_time_text(release.at)
    return base_item(record.number, release.category, headline, record.languages, market, company.name) | {
        "messageUrl": f"{VIEW}?id={record.key}&lang={language}&src=listed",
        "releaseTime": times,
        "published": times,
        "attachment": attachments,
    }


def base_item(
    number: int, category: int, headline: tuple[str, str], languages: tuple[str, ...], market: str, company: str
) -> Item:
    """The fields of an item common to all releases, before its URL and time."""
    label = {"cnsCategory": vocabulary.CATEGORIES[category]} if category in vocabulary.CATEGORIES else {}
    return {
        "disclosureId": number,
        "categoryId": category,
        "headline": headline[1],
        "language": headline[0],
        "languages": list(languages),
        **label,
        "market": market,
        "company": company,
        "cnsTypeId": "6",
    }


def release_time_text(at: datetime) -> str:
    """Formats an instant as the service does, in the requested zone."""
    return at.strftime("%Y-%m-%d %H:%M:%S")


def _foreign_items(day: date) -> list[Item]:
    """Items of foreign issuers in the same list."""
    found: list[Item] = []
    for place, (market, company, language, headline, category) in enumerate(_NOISE):
        number = 1_500_000 + day.toordinal() % 100_000 * 10 + place
        times = release_time_text(datetime.combine(day, time(1, 15)))
        item = base_item(number, category, (language, headline), (language,), market, company)
        address = f"{VIEW}?id=b{number:032x}&lang={language}&src=listed"
        found.append({**item, "messageUrl": address, "releaseTime": times, "published": times, "attachment": []})
    return found


def release_page(world: World, day: int, key: str, language: str) -> str | None:
    """The page of one release; a missing language is replaced by one it has."""
    for record in _release_records(world, day):
        if record.key == key:
            return _page_html(record, language if language in record.languages else record.languages[0])
    return None


def _page_html(record: _ReleaseRecord, language: str) -> str:
    release, company = record.release, record.company
    headline = escape(dict(release.headlines)[language])
    body = "<p>Keksitty.</p>"
    if release.flagging is not None:
        body = fi_major_holdings.blocks_as_html(
            fi_major_holdings.notification_blocks(company, release.flagging, language)
        )
    return (
        f'<!DOCTYPE html>\n<html lang="{language}"><head><meta charset="utf-8"/><title>{headline}</title></head>\n'
        f'<body><div id="main"><h1>{headline}</h1>\n<p>{escape(company.name)}</p>\n{body}\n</div></body></html>\n'
    )
