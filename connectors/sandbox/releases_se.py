"""Notices of holdings in Swedish companies at the exchange: items of its list and pages (docs/formats/news.md 2.8).

Belongs here: one notice -> one item, in the leading language, and a page for each language. Does not belong
here: the wording of a notice (`flagging_se`), the service and its Finnish releases (`releases_fi`, `desk_fi`).
"""

from __future__ import annotations

import json
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

from connectors.sandbox import flagging_se, names_fi, releases_fi
from connectors.sandbox.model import Company
from connectors.sandbox.model_se import Notice
from connectors.sandbox.world import World

_MAIN: Final = "Main Market, Stockholm"
_FIRST_NORTH: Final = "First North Sweden"


class _Record(NamedTuple):
    company: Company
    notice: Notice

    @property
    def number(self) -> int:
        """Number in the exchange's list, in a range apart from the Finnish ones."""
        return 3_000_000 + self.notice.serial

    @property
    def language(self) -> str:
        return "en" if "en" in self.notice.languages else self.notice.languages[0]


@lru_cache(maxsize=4)
def _records(world: World, day: int) -> tuple[_Record, ...]:
    until = world.date(day)
    return tuple(
        _Record(company, notice)
        for company in world.all("SE", day)
        for notice in company.swedish.notices
        if "nasdaq" in notice.doors and notice.at.date() <= until
    )


def items(world: World, day: int) -> list[releases_fi.Item]:
    """Every notice by the end of a day."""
    return [_item(record) for record in _records(world, day)]


def _item(record: _Record) -> releases_fi.Item:
    company, notice = record.company, record.notice
    market = _FIRST_NORTH if company.position % 4 == 0 else _MAIN
    headline = (record.language, flagging_se.title(company, notice, record.language))
    times = releases_fi.stamp(notice.at)
    listed = releases_fi.listed(
        record.number,
        names_fi.FLAGGING,
        headline,
        notice.languages,
        market,
        company.name.removesuffix(" (publ)"),
    )
    address = f"{releases_fi.VIEW}?id={releases_fi.key_of(record.number)}&lang={record.language}&src=listed"
    return listed | {"messageUrl": address, "releaseTime": times, "published": times, "attachment": []}


def page(world: World, day: int, key: str, language: str) -> str | None:
    """The page of one notice; a missing language is replaced by one it has."""
    for record in _records(world, day):
        if releases_fi.key_of(record.number) == key:
            return _page(record, language if language in record.notice.languages else record.language)
    return None


def _page(record: _Record, language: str) -> str:
    title = escape(flagging_se.title(record.company, record.notice, language))
    body = flagging_se.html(record.company, record.notice, language)
    return (
        f'<!DOCTYPE html>\n<html lang="{language}"><head><meta charset="utf-8"/><title>{title}</title></head>\n'
        f'<body><div id="main"><h1>{title}</h1>\n{body}\n</div></body></html>\n'
    )


def write_day(world: World, day: int, folder: Path) -> None:
    """Writes the list of new items, and a page for each of its languages."""
    today = world.date(day)
    found = [one for one in _records(world, day) if day == 0 or one.notice.at.date() == today]
    folder.mkdir(parents=True, exist_ok=True)
    body = {"results": {"item": [_item(record) for record in found]}, "count": len(found)}
    (folder / f"nasdaq_cns_query_{today}.json").write_text(
        json.dumps(body, ensure_ascii=False), encoding="utf-8"
    )
    for record in found:
        for language in record.notice.languages:
            path = folder / f"{releases_fi.key_of(record.number)}_{language}.html"
            path.write_text(_page(record, language), encoding="utf-8")
