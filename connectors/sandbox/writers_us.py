"""American files: the nightly archives, tickers, latest filings, the daily index, and single filings.

Folders are those of the stored samples. Filings of a day were accepted on the evening before. Does not belong
here: the format of a record (`papers_us`, `facts_us`, `feeds_us`, `headers_us`), or HTTP (`desk_us`).
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, Final

from connectors.sandbox import facts_us, feeds_us, headers_us, papers_us
from connectors.sandbox.filings_us import accession_of, cik, position_of
from connectors.sandbox.holders_us import POOL
from connectors.sandbox.model import Accounts, Company
from connectors.sandbox.model_us import Insider, Managed, Paper, Stake
from connectors.sandbox.world import FIRST_DAY, World

COMPLETE: Final = ("us.tickers",)
SHOWN: Final = papers_us.YESTERDAY * 4  # how far back the latest filings reach on the first day
_REPORTS: Final = ("8-K",)
_WHOLE: Final = {Stake: "schedule13", Insider: "forms345", Managed: "form13f"}
REMOVALS: Final = ("25-NSE", "15-12G")
_NIGHT: Final = time(4, tzinfo=UTC)


@lru_cache(maxsize=4)
def companies(world: World, day: int) -> tuple[Company, ...]:
    """All filers that are companies."""
    return tuple(world.all("US", day))


def filed(world: World, day: int) -> list[tuple[Company, Paper]]:
    """Filings of a day, newest first; on the first day those of the preceding days."""
    last = world.date(day) - papers_us.YESTERDAY
    first = last if day else FIRST_DAY - SHOWN
    found = [
        (company, paper)
        for company in companies(world, day)
        for paper in company.american.papers
        if first <= paper.filed <= last
    ]
    return sorted(found, key=lambda pair: (pair[1].filed, pair[1].accession), reverse=True)


def filed_until(world: World, day: int) -> list[tuple[Company, Paper]]:
    """Filings listed by the feeds up to a day, newest first."""
    return [pair for known in range(day, -1, -1) for pair in filed(world, known)]


def find(world: World, day: int, accession: str) -> tuple[Company, Paper] | None:
    """The filing of an accession number, once it is filed."""
    position = position_of(accession)
    if not 0 <= position < world.count("US", day):
        return None
    company = world.company("US", position, day)
    papers = company.american.papers
    return next(((company, paper) for paper in papers if paper.accession == accession), None)


def is_whole(paper: Paper) -> bool:
    """True if a filing is served with its documents; of others only the header is simulated."""
    return paper.ownership is not None or paper.form in REMOVALS


def write_day(world: World, day: int, folder: Path) -> None:
    """All American files of one day below `folder`."""
    for name, write in (("submissions", write_submissions), ("companyfacts", write_facts)):
        with (_folder(folder, name) / f"{name}.zip").open("wb") as file:
            write(world, day, file)
    _put(_folder(folder, "company_list") / "company_tickers_exchange.json", json.dumps(symbols(world, day)))
    last = world.date(day) - papers_us.YESTERDAY
    found = filed(world, day)
    _put(_folder(folder, "index") / f"daily.master.{last:%Y%m%d}.idx", feeds_us.index(found, last))
    at = datetime.combine(world.date(day), _NIGHT)
    _put(_folder(folder, "getcurrent") / "page0.atom", feeds_us.atom(entries(world, day), at))
    for company, paper in found:
        _write_filing(company, paper, folder)


def _write_filing(company: Company, paper: Paper, folder: Path) -> None:
    if paper.form in _REPORTS:
        name = f"{paper.accession}-index-headers.html"
        _put(_folder(folder, "form8k") / name, headers_us.header_page(company, paper))
    elif is_whole(paper):
        kind = "form25_15" if paper.ownership is None else _WHOLE[type(paper.ownership)]
        _put(_folder(folder, kind) / f"{paper.accession}.txt", headers_us.whole(company, paper))


def entries(world: World, day: int) -> list[tuple[Company, Paper, tuple[str, str, str]]]:
    """Entries of the Atom feed: every filing of the day once for each party."""
    return _by_party(filed(world, day))


def newest(world: World, day: int) -> list[tuple[Company, Paper, tuple[str, str, str]]]:
    """Entries of the Atom feed over all pages."""
    return _by_party(filed_until(world, day))


def _by_party(
    pairs: list[tuple[Company, Paper]],
) -> list[tuple[Company, Paper, tuple[str, str, str]]]:
    return [(company, paper, party) for company, paper in pairs for party in feeds_us.parties(company, paper)]


def symbols(world: World, day: int) -> dict[str, Any]:
    """The list of tickers."""
    data = [
        [int(cik(company)), company.name, symbol, exchange]
        for company in companies(world, day)
        for symbol, exchange in company.american.tickers
    ]
    return {"fields": ["cik", "name", "ticker", "exchange"], "data": data}


def write_submissions(world: World, day: int, file: BinaryIO) -> None:
    """Writes the nightly archive of filers with their continuation files, including holders."""
    _archive(world, day, file, _filers(world, day))


def _filers(world: World, day: int) -> Iterator[tuple[str, Any]]:
    for company in companies(world, day):
        yield f"CIK{cik(company)}.json", papers_us.submissions(company)
        older = papers_us.page(company)
        if older is not None:
            yield papers_us.page_name(company), older
    for party in POOL:
        if party.cik:
            yield f"CIK{party.cik}.json", papers_us.holder(party)


def write_facts(world: World, day: int, file: BinaryIO) -> None:
    """Writes the nightly archive of facts; filers without facts are omitted."""
    answers = ((f"CIK{cik(company)}.json", facts_us.facts(company)) for company in companies(world, day))
    _archive(world, day, file, ((name, answer) for name, answer in answers if answer is not None))


def _archive(world: World, day: int, file: BinaryIO, members: Iterator[tuple[str, Any]]) -> None:
    today = world.date(day)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members:
            info = zipfile.ZipInfo(name, (today.year, today.month, today.day, 3, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, json.dumps(value, separators=(",", ":")))


def document(company: Company, accounts: Accounts) -> str:
    """Identifies accounts in an id: their accession number."""
    return accession_of(company, accounts)


def _folder(folder: Path, dataset: str) -> Path:
    (folder / dataset).mkdir(parents=True, exist_ok=True)
    return folder / dataset


def _put(path: Path, text: str) -> None:
    path.write_text(text, encoding="latin-1")
