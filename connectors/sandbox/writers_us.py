"""American files: the nightly archives, symbols, newest filings, the index of the day, headers, Forms 25 and 15.

Folders are those of the stored samples. What was filed on a day was accepted in the evening before. Does not belong
here: what one record looks like (`papers_us`), or HTTP (`desk_us`).
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, Final

from connectors.sandbox import births_us, papers_us
from connectors.sandbox.births_us import OWNER, cik
from connectors.sandbox.model import Accounts, Company
from connectors.sandbox.model_us import Paper
from connectors.sandbox.world import FIRST_DAY, World

COMPLETE: Final = ("us.tickers",)
_SHOWN: Final = papers_us.YESTERDAY * 4  # how far back the newest filings go on the first day
_WHOLE: Final = ("25-NSE", "15-12G")
_TOLD: Final = ("8-K",)
_NIGHT: Final = time(4, tzinfo=UTC)


@lru_cache(maxsize=4)
def companies(world: World, day: int) -> tuple[Company, ...]:
    """All filers that are companies."""
    return tuple(world.all("US", day))


def filed(world: World, day: int) -> list[tuple[Company, Paper]]:
    """Filings of a day, newest first; on the first day those of the days before it."""
    last = world.date(day) - papers_us.YESTERDAY
    first = last if day else FIRST_DAY - _SHOWN
    found = [
        (company, paper)
        for company in companies(world, day)
        for paper in company.american.papers
        if first <= paper.filed <= last
    ]
    return sorted(found, key=lambda pair: (pair[1].filed, pair[1].accession), reverse=True)


def find(world: World, day: int, accession: str) -> tuple[Company, Paper] | None:
    """The filing of an accession number, once it is filed."""
    for company in companies(world, day):
        for paper in company.american.papers:
            if paper.accession == accession:
                return company, paper
    return None


def write_day(world: World, day: int, folder: Path) -> None:
    """All American files of one day below `folder`."""
    for name, write in (("submissions", write_submissions), ("companyfacts", write_facts)):
        with (_folder(folder, name) / f"{name}.zip").open("wb") as file:
            write(world, day, file)
    _put(_folder(folder, "company_list") / "company_tickers_exchange.json", json.dumps(symbols(world, day)))
    last = world.date(day) - papers_us.YESTERDAY
    found = filed(world, day)
    _put(_folder(folder, "index") / f"daily.master.{last:%Y%m%d}.idx", papers_us.index(found, last))
    at = datetime.combine(world.date(day), _NIGHT)
    _put(_folder(folder, "getcurrent") / "page0.atom", papers_us.atom(entries(world, day), at))
    for company, paper in found:
        if paper.form in _TOLD:
            name = f"{paper.accession}-index-headers.html"
            _put(_folder(folder, "form8k") / name, papers_us.header_page(company, paper))
        elif paper.form in _WHOLE:
            _put(_folder(folder, "form25_15") / f"{paper.accession}.txt", papers_us.whole(company, paper))


def entries(world: World, day: int) -> list[tuple[Company, Paper, tuple[str, str, str]]]:
    """What the Atom lists: every filing of the day once for each party."""
    return [
        (company, paper, party)
        for company, paper in filed(world, day)
        for party in papers_us.parties(company, paper)
    ]


def symbols(world: World, day: int) -> dict[str, Any]:
    """The list of symbols."""
    data = [
        [int(cik(company)), company.name, symbol, exchange]
        for company in companies(world, day)
        for symbol, exchange in company.american.tickers
    ]
    return {"fields": ["cik", "name", "ticker", "exchange"], "data": data}


def write_submissions(world: World, day: int, file: BinaryIO) -> None:
    """The nightly archive of filers, a person among them."""
    members = ((cik(company), papers_us.submissions(company)) for company in companies(world, day))
    _archive(world, day, file, iter([*members, (OWNER, papers_us.person())]))


def write_facts(world: World, day: int, file: BinaryIO) -> None:
    """The nightly archive of facts: filers without any are not in it."""
    answers = ((cik(company), papers_us.facts(company)) for company in companies(world, day))
    _archive(world, day, file, ((number, answer) for number, answer in answers if answer is not None))


def _archive(world: World, day: int, file: BinaryIO, members: Iterator[tuple[str, Any]]) -> None:
    today = world.date(day)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, value in members:
            stamp = (today.year, today.month, today.day, 3, 0, 0)
            info = zipfile.ZipInfo(f"CIK{number}.json", stamp)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, json.dumps(value, separators=(",", ":")))


def document(company: Company, accounts: Accounts) -> str:
    """What stands for accounts in an id: their accession number."""
    return births_us.accession_of(company, accounts)


def _folder(folder: Path, dataset: str) -> Path:
    (folder / dataset).mkdir(parents=True, exist_ok=True)
    return folder / dataset


def _put(path: Path, text: str) -> None:
    path.write_text(text, encoding="latin-1")
