"""Notices of holdings in Swedish companies at the exchange: items of its list and pages (docs/formats/news.md 2.8).

Belongs here: one notice -> one item, in the leading language, and a page for each language. Does not belong here:
the wording of a notice (`se_major_holdings`), the service and its Finnish releases (`nasdaq.fi_exchange_releases`,
`fi.http`).
"""

from __future__ import annotations

import json
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

from sandbox.companies.fi import vocabulary
from sandbox.model.company import Company
from sandbox.model.se import HoldingNotice
from sandbox.nasdaq import fi_exchange_releases, se_major_holdings
from sandbox.world import World

_MAIN: Final = "Main Market, Stockholm"
_FIRST_NORTH: Final = "First North Sweden"


class _NoticeRecord(NamedTuple):
    company: Company
    notice: HoldingNotice

    @property
    def number(self) -> int:
        """Number in the exchange's list, in a range apart from the Finnish ones."""
        return 3_000_000 + self.notice.serial

    @property
    def language(self) -> str:
        return "en" if "en" in self.notice.languages else self.notice.languages[0]


@lru_cache(maxsize=4)
def _notice_records(world: World, day: int) -> tuple[_NoticeRecord, ...]:
    until = world.date(day)
    return tuple(
        _NoticeRecord(company, notice)
        for company in world.all("SE", day)
        for notice in company.swedish.notices
        if "nasdaq" in notice.release_channels and notice.at.date() <= until
    )


def notice_items(world: World, day: int) -> list[fi_exchange_releases.Item]:
    """Every notice by the end of a day."""
    return [_notice_item(record) for record in _notice_records(world, day)]


def _notice_item(record: _NoticeRecord) -> fi_exchange_releases.Item:
    company, notice = record.company, record.notice
    market = _FIRST_NORTH if company.position % 4 == 0 else _MAIN
    headline = (record.language, se_major_holdings.notice_title(company, notice, record.language))
    times = fi_exchange_releases.release_time_text(notice.at)
    listed = fi_exchange_releases.base_item(
        record.number, vocabulary.FLAGGING, headline, notice.languages, market, company.name.removesuffix(" (publ)")
    )
    page = fi_exchange_releases.record_page_key(record.number)
    address = f"{fi_exchange_releases.VIEW}?id={page}&lang={record.language}&src=listed"
    return listed | {"messageUrl": address, "releaseTime": times, "published": times, "attachment": []}


def notice_page(world: World, day: int, key: str, language: str) -> str | None:
    """The page of one notice; a missing language is replaced by one it has."""
    for record in _notice_records(world, day):
        if fi_exchange_releases.record_page_key(record.number) == key:
            return _page_html(record, language if language in record.notice.languages else record.language)
    return None


def _page_html(record: _NoticeRecord, language: str) -> str:
    title = escape(se_major_holdings.notice_title(record.company, record.notice, language))
    body = se_major_holdings.notice_html(record.company, record.notice, language)
    return (
        f'<!DOCTYPE html>\n<html lang="{language}"><head><meta charset="utf-8"/><title>{title}</title></head>\n'
        f'<body><div id="main"><h1>{title}</h1>\n{body}\n</div></body></html>\n'
    )


def write_day(world: World, day: int, folder: Path) -> None:
    """Writes the list of new items, and a page for each of its languages."""
    today = world.date(day)
    found = [one for one in _notice_records(world, day) if day == 0 or one.notice.at.date() == today]
    folder.mkdir(parents=True, exist_ok=True)
    body = {"results": {"item": [_notice_item(record) for record in found]}, "count": len(found)}
    (folder / f"nasdaq_cns_query_{today}.json").write_text(json.dumps(body, ensure_ascii=False), encoding="utf-8")
    for record in found:
        for language in record.notice.languages:
            path = folder / f"{fi_exchange_releases.record_page_key(record.number)}_{language}.html"
            path.write_text(_page_html(record, language), encoding="utf-8")
