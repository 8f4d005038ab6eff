"""Releases of the exchange's news service: lists of items, and the page of each.

See docs/formats/fi.md 6.1, docs/formats/news.md 2.8.

Belongs here: one Finnish release -> one record, or one per language; one notice of a holding in a Swedish company
-> one record; other items of a list: issuers of other exchanges, bonds. Does not belong here: the wording of a
notification (`fi_major_holdings`, `se_major_holdings`), HTTP (`fi.http`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import lru_cache, partial
from html import escape
from pathlib import Path
from typing import Any, Final

from sandbox.companies.fi import vocabulary
from sandbox.model.company import Company
from sandbox.model.fi import ExchangeRelease
from sandbox.model.se import HoldingNotice
from sandbox.nasdaq import fi_major_holdings, se_major_holdings
from sandbox.shared.files import write_file, write_json
from sandbox.world import World

_VIEW: Final = "https://view.news.eu.nasdaq.com/view"
_ATTACHMENT: Final = "https://attachment.news.eu.nasdaq.com"
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
Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _ListedRelease:
    """One record of the list: of all languages of a release, or of one.

    `key`: the key in its page's URL; `body`: what the page says in a language; `usual_language`: of the
    page, if it is asked for in another one.
    """

    number: int
    key: str
    category: int
    at: datetime
    headlines: Mapping[str, str]
    market: str
    issuer: str
    body: Callable[[str], str]
    usual_language: str
    attachment: str | None = None

    def item(self) -> Item:
        """The item of the list, in the leading language."""
        language = "en" if "en" in self.headlines else next(iter(self.headlines))
        label = vocabulary.CATEGORIES.get(self.category)
        attachments = []
        if self.attachment:
            address = f"{_ATTACHMENT}/a{self.key[1:]}"
            attachments = [{"mimetype": "application/pdf", "fileName": self.attachment, "attachmentUrl": address}]
        times = f"{self.at:%Y-%m-%d %H:%M:%S}"  # in the requested zone
        return {
            "disclosureId": self.number,
            "categoryId": self.category,
            "headline": self.headlines[language],
            "language": language,
            "languages": list(self.headlines),
            **({} if label is None else {"cnsCategory": label}),
            "market": self.market,
            "company": self.issuer,
            "cnsTypeId": "6",
            "messageUrl": f"{_VIEW}?id={self.key}&lang={language}&src=listed",
            "releaseTime": times,
            "published": times,
            "attachment": attachments,
        }

    def page(self, language: str) -> str:
        """The page; a missing language is replaced by one it has."""
        shown = language if language in self.headlines else self.usual_language
        headline = escape(self.headlines[shown])
        return (
            f'<!DOCTYPE html>\n<html lang="{shown}"><head><meta charset="utf-8"/><title>{headline}</title></head>\n'
            f'<body><div id="main"><h1>{headline}</h1>\n{self.body(shown)}\n</div></body></html>\n'
        )


def _page_key(number: int) -> str:
    return "b" + hashlib.md5(str(number).encode(), usedforsecurity=False).hexdigest()


@lru_cache(maxsize=4)
def _finnish_records(world: World, day: int) -> tuple[_ListedRelease, ...]:
    """Every Finnish release published by the end of `day`."""
    until = world.date(day)
    return tuple(
        record
        for company in world.all("FI", day)
        for release in company.finnish.releases
        if release.at.date() <= until
        for record in _records_of_release(company, release)
    )


def _records_of_release(company: Company, release: ExchangeRelease) -> Iterator[_ListedRelease]:
    number = release.number(company.position)
    languages = [[one] for one in release.headlines] if release.apart else [release.headlines]
    for place, headlines in enumerate(languages, number):
        yield _ListedRelease(
            place,
            _page_key(place),
            release.category,
            release.at,
            dict(headlines),
            "First North Finland" if company.finnish.is_first_north else "Main Market, Helsinki",
            company.name,
            partial(_finnish_body, company, release),
            headlines[0][0],
            release.attachment,
        )


def _finnish_body(company: Company, release: ExchangeRelease, language: str) -> str:
    body = "<p>Keksitty.</p>"
    if release.flagging is not None:
        body = fi_major_holdings.blocks_as_html(
            fi_major_holdings.notification_blocks(company, release.flagging, language)
        )
    return f"<p>{escape(company.name)}</p>\n{body}"


@lru_cache(maxsize=4)
def _swedish_records(world: World, day: int) -> tuple[_ListedRelease, ...]:
    """Every notice of a holding in a Swedish company published by the end of `day`."""
    until = world.date(day)
    return tuple(
        _notice_record(company, notice)
        for company in world.all("SE", day)
        for notice in company.swedish.notices
        if "nasdaq" in notice.release_channels and notice.at.date() <= until
    )


def _notice_record(company: Company, notice: HoldingNotice) -> _ListedRelease:
    number = 3_000_000 + notice.serial  # apart from the Finnish ones
    return _ListedRelease(
        number,
        _page_key(number),
        vocabulary.FLAGGING,
        notice.at,
        {language: se_major_holdings.notice_title(company, notice, language) for language in notice.languages},
        "First North Sweden" if company.position % 4 == 0 else "Main Market, Stockholm",
        company.name.removesuffix(" (publ)"),
        partial(se_major_holdings.notice_html, company, notice),
        "en" if "en" in notice.languages else notice.languages[0],
    )


def _foreign_items(day: date) -> list[Item]:
    """Items of foreign issuers in the same list; their pages are not simulated."""
    first = 1_500_000 + day.toordinal() % 100_000 * 10
    at = datetime.combine(day, time(1, 15))
    return [
        _ListedRelease(
            number, f"b{number:032x}", category, at, {language: headline}, market, issuer, str, language
        ).item()
        for number, (market, issuer, language, headline, category) in enumerate(_NOISE, first)
    ]


def market_items(world: World, day: int, name: str) -> list[Item]:
    """All items of a group of markets, newest first."""
    found = [record.item() for record in (*_finnish_records(world, day), *_swedish_records(world, day))]
    found += [item for number in range(day + 1) for item in _foreign_items(world.date(number))]
    return _newest_first(item for item in found if item["market"].startswith(_GROUPS.get(name, name)))


def _newest_first(items: Iterable[Item]) -> list[Item]:
    return sorted(items, key=lambda item: (item["releaseTime"], item["disclosureId"]), reverse=True)


def release_page(world: World, day: int, key: str, language: str) -> str | None:
    """The page of one release or notice."""
    records = (*_finnish_records(world, day), *_swedish_records(world, day))
    return next((record.page(language) for record in records if record.key == key), None)


def write_finnish_day(world: World, day: int, folder: Path) -> None:
    """Writes the list of new items, and the texts of its notifications."""
    today = world.date(day)
    found = [one for one in _finnish_records(world, day) if day == 0 or one.at.date() >= today]
    items = _newest_first([*(record.item() for record in found), *_foreign_items(today)])
    _write_list(folder, today, items, indent=1)
    _write_pages(folder, (record for record in found if record.category == vocabulary.FLAGGING))


def write_swedish_day(world: World, day: int, folder: Path) -> None:
    """Writes the list of new notices, and a page for each of their languages."""
    today = world.date(day)
    found = [one for one in _swedish_records(world, day) if day == 0 or one.at.date() == today]
    _write_list(folder, today, [record.item() for record in found])
    _write_pages(folder, found)


def _write_list(folder: Path, day: date, items: list[Item], indent: int | None = None) -> None:
    body = {"results": {"item": items}, "count": len(items)}
    write_json(folder / f"nasdaq_cns_query_{day}.json", body, indent)


def _write_pages(folder: Path, records: Iterable[_ListedRelease]) -> None:
    for record in records:
        for language in record.headlines:
            write_file(folder / f"{record.key}_{language}.html", record.page(language).encode())
