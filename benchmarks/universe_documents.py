"""Accounts of one company in a hundred as the registries publish them: a folder that `firm ingest --from` takes.

Great Britain: daily zips of iXBRL documents, some in a zip of their own. Sweden: parts of a weekly archive, a zip
to a report, and in it what is filed beside. Norway: the open API's answers, a file each. All tell of one year that
is newer than the staged ones: it was cut short to end in October. The sandbox writes each document, with number,
name and figures of the rehearsal's company; one that the British register calls dormant trades by its document.
Does not belong here: how documents look (`sandbox`), the accounts of all companies
(`universe_accounts`), or taking anything in (`bench_universe`).
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Final

import polars as pl

from benchmarks import se_bulk_files, uk_bulk_files, universe_accounts, universe_files
from sandbox.model.company import Accounts, Company, Figures
from sandbox.no import files as no_files
from sandbox.se import annual_reports
from sandbox.uk import files as uk_files
from sandbox.world import FIRST_DAY

AT: Final = datetime.combine(FIRST_DAY + timedelta(days=1), time(2), UTC)  # before that night's registers
START: Final = date(2026, 1, 1)
END: Final = date(2026, 10, 31)
MOST: Final = 20_000  # documents of one zip
_HUNDRED: Final = 100
_WHICH: Final = 3  # of each hundred; in Sweden limited companies that are not deregistered
_RUN: Final = 1  # number of the British production run
_STAMP: Final = (*AT.timetuple()[:3], 0, 0, 0)  # of members of zips: the same companies give the same bytes

Filed = tuple[Company, Accounts]
Member = tuple[str, bytes]


def write(folder: Path, companies: int) -> dict[str, int]:
    """All documents, and the word of their day; how many of each market."""
    counts: dict[str, int] = {}
    for market, publish in _PUBLISHED.items():
        all_filed, counts[market] = filed(market, universe_files.sizes(companies)[market]), 0
        for part in _parts(all_filed):
            publish(folder / market.lower(), counts[market] // MOST + 1, part)
            counts[market] += len(part)
    told = {"date": AT.date().isoformat(), "observed_at": AT.isoformat(), "complete": []}
    (folder / "day.json").write_text(json.dumps(told))
    return counts


def filed(market: str, count: int) -> Iterator[Filed]:
    """The companies that file, of as many as the market has, and what they file."""
    for rows in universe_accounts.companies(market, count):
        some = rows.filter(pl.col("i") % _HUNDRED == _WHICH).with_columns(name=_NAMES.get(market))
        now, before = (_figures(some, year) for year in (END.year, END.year - 1))
        for row, figures, prior in zip(some.iter_rows(named=True), now, before, strict=True):
            yield _filed(market, row, figures, prior)


def _figures(rows: pl.DataFrame, year: int) -> Iterator[Figures]:
    """Figures of a year that balance: what is not equity is owed, most of it soon."""
    for said in universe_accounts.figures(rows, year).iter_rows(named=True):
        owed = said["total_assets"] - said["equity"]
        soon = owed * 2 // 3
        yield Figures(**said, fixed_assets=said["total_assets"] // 4, short_creditors=soon, long_creditors=owed - soon)


def _filed(market: str, row: Mapping[str, Any], figures: Figures, prior: Figures) -> Filed:
    """The company's place among those that file decides what is odd about its document."""
    position = row["i"] // _HUNDRED
    company = Company(
        market=market,
        position=position,
        number=row["number"],
        name=row["name"] or "",
        form="AS",
        industry=None,
        place=None,
        street="",
        registered=START,
    )
    flavours = _FLAVOURS[market]
    accounts = Accounts(
        start=START,
        end=END,
        published=AT.date(),
        figures=figures,
        group=None,
        prior=prior,
        currency=_CURRENCIES[market],
        document=int(f"{END.year}{row['number']}"),
        document_style=flavours[position % len(flavours)],
    )
    company.publish(accounts)
    return company, accounts


def _parts(all_filed: Iterable[Filed]) -> Iterator[list[Filed]]:
    """As many as one zip holds at a time."""
    left = iter(all_filed)
    while part := list(islice(left, MOST)):
        yield part


def _british(place: Path, number: int, part: list[Filed]) -> None:
    """A daily zip; a number tells those of one day apart."""
    name = f"{uk_files.accounts_name(AT.date())}_{number}.zip"
    members = (uk_files.zip_member(company, accounts, _RUN) for company, accounts in part)
    _zipped(place / "accounts_bulk_zip" / name, members)


def _swedish(place: Path, number: int, part: list[Filed]) -> None:
    """A part of a week's archive, named by the last part of its key.

    The whole key tells that it came out before the first night: what is staged would count as newer.
    """
    week = (AT - timedelta(weeks=1)).isocalendar().week
    members = (
        (annual_reports.package_name(company, accounts), annual_reports.report_package(company, accounts))
        for company, accounts in part
    )
    _zipped(place / "arsredovisningar_bulk" / f"{week:02d}_{number}.zip", members)


def _norwegian(place: Path, _number: int, part: list[Filed]) -> None:
    """Answers of the open API about this year alone."""
    folder = place / "regnskap"
    folder.mkdir(parents=True, exist_ok=True)
    for company, _ in part:
        (folder / f"regnskap-{company.number}.json").write_bytes(no_files.accounts_body(company))


def _zipped(path: Path, members: Iterable[Member]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, body in members:
            archive.writestr(zipfile.ZipInfo(name, _STAMP), body, zipfile.ZIP_DEFLATED)


_PUBLISHED: Final[Mapping[str, Callable[[Path, int, list[Filed]], None]]] = {
    "UK": _british,
    "SE": _swedish,
    "NO": _norwegian,
}
_NAMES: Final = {"UK": uk_bulk_files.names(), "SE": se_bulk_files.names()}
_CURRENCIES: Final = {"UK": "GBP", "SE": "SEK", "NO": "NOK"}
_FLAVOURS: Final = {"UK": ("micro", "full", "small", "cic"), "SE": ("k2", "k2_2017"), "NO": ("",)}
MARKETS: Final = tuple(_PUBLISHED)
