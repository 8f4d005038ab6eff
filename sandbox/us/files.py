"""American files: the nightly archives, tickers, latest filings, the daily index, and single filings.

Folders are those of the stored samples. Filings of a day were accepted on the evening before. Does not belong
here: the format of a record (`submissions`, `companyfacts`, `feeds`, `headers`), or HTTP (`http`).
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, Final

from sandbox.companies.us.filings import company_cik, filer_position, report_accession
from sandbox.companies.us.holders import POOL
from sandbox.model.company import Accounts, Company
from sandbox.model.us import FiledDocument, InsiderReport, ManagerReport, Schedule13Filing
from sandbox.us import companyfacts, feeds, headers, submissions
from sandbox.world import FIRST_DAY, World

COMPLETE: Final = ("us.tickers",)
SHOWN: Final = submissions.YESTERDAY * 4  # how far back the latest filings reach on the first day
_REPORTS: Final = ("8-K",)
_WHOLE: Final = {Schedule13Filing: "schedule13", InsiderReport: "forms345", ManagerReport: "form13f"}
REMOVALS: Final = ("25-NSE", "15-12G")
_NIGHT: Final = time(4, tzinfo=UTC)


@lru_cache(maxsize=4)
def american_companies(world: World, day: int) -> tuple[Company, ...]:
    """All filers that are companies."""
    return tuple(world.all("US", day))


def day_filings(world: World, day: int) -> list[tuple[Company, FiledDocument]]:
    """Filings of a day, newest first; on the first day those of the preceding days."""
    last = world.date(day) - submissions.YESTERDAY
    first = last if day else FIRST_DAY - SHOWN
    found = [
        (company, paper)
        for company in american_companies(world, day)
        for paper in company.american.filings
        if first <= paper.filed <= last
    ]
    return sorted(found, key=lambda pair: (pair[1].filed, pair[1].accession), reverse=True)


def filings_until(world: World, day: int) -> list[tuple[Company, FiledDocument]]:
    """Filings listed by the feeds up to a day, newest first."""
    return [pair for known in range(day, -1, -1) for pair in day_filings(world, known)]


def find_filing(world: World, day: int, accession: str) -> tuple[Company, FiledDocument] | None:
    """The filing of an accession number, once it is filed."""
    position = filer_position(accession)
    if not 0 <= position < world.count("US", day):
        return None
    company = world.company("US", position, day)
    papers = company.american.filings
    return next(((company, paper) for paper in papers if paper.accession == accession), None)


def has_documents(filing: FiledDocument) -> bool:
    """True if a filing is served with its documents; of others only the header is simulated."""
    return filing.ownership is not None or filing.form in REMOVALS


def write_day(world: World, day: int, folder: Path) -> None:
    """All American files of one day below `folder`."""
    for name, write in (("submissions", write_submissions), ("companyfacts", write_facts)):
        with (_dataset_folder(folder, name) / f"{name}.zip").open("wb") as file:
            write(world, day, file)
    _write_text(
        _dataset_folder(folder, "company_list") / "company_tickers_exchange.json", json.dumps(symbol_list(world, day))
    )
    last = world.date(day) - submissions.YESTERDAY
    found = day_filings(world, day)
    _write_text(_dataset_folder(folder, "index") / f"daily.master.{last:%Y%m%d}.idx", feeds.master_index(found, last))
    at = datetime.combine(world.date(day), _NIGHT)
    _write_text(_dataset_folder(folder, "getcurrent") / "page0.atom", feeds.atom_feed(feed_entries(world, day), at))
    for company, paper in found:
        _write_filing(company, paper, folder)


def _write_filing(company: Company, paper: FiledDocument, folder: Path) -> None:
    if paper.form in _REPORTS:
        name = f"{paper.accession}-index-headers.html"
        _write_text(_dataset_folder(folder, "form8k") / name, headers.header_page(company, paper))
    elif has_documents(paper):
        kind = "form25_15" if paper.ownership is None else _WHOLE[type(paper.ownership)]
        _write_text(
            _dataset_folder(folder, kind) / f"{paper.accession}.txt", headers.complete_submission(company, paper)
        )


def feed_entries(world: World, day: int) -> list[tuple[Company, FiledDocument, tuple[str, str, str]]]:
    """Entries of the Atom feed: every filing of the day once for each party."""
    return _party_entries(day_filings(world, day))


def newest_entries(world: World, day: int) -> list[tuple[Company, FiledDocument, tuple[str, str, str]]]:
    """Entries of the Atom feed over all pages."""
    return _party_entries(filings_until(world, day))


def _party_entries(
    pairs: list[tuple[Company, FiledDocument]],
) -> list[tuple[Company, FiledDocument, tuple[str, str, str]]]:
    return [(company, paper, party) for company, paper in pairs for party in feeds.filing_parties(company, paper)]


def symbol_list(world: World, day: int) -> dict[str, Any]:
    """The list of tickers."""
    data = [
        [int(company_cik(company)), company.name, symbol, exchange]
        for company in american_companies(world, day)
        for symbol, exchange in company.american.tickers
    ]
    return {"fields": ["cik", "name", "ticker", "exchange"], "data": data}


def write_submissions(world: World, day: int, file: BinaryIO) -> None:
    """Writes the nightly archive of filers with their continuation files, including holders."""
    _write_archive(world, day, file, _filer_members(world, day))


def _filer_members(world: World, day: int) -> Iterator[tuple[str, Any]]:
    for company in american_companies(world, day):
        yield f"CIK{company_cik(company)}.json", submissions.submissions_record(company)
        older = submissions.continuation_page(company)
        if older is not None:
            yield submissions.continuation_page_name(company), older
    for party in POOL:
        if party.cik:
            yield f"CIK{party.cik}.json", submissions.holder_record(party)


def write_facts(world: World, day: int, file: BinaryIO) -> None:
    """Writes the nightly archive of facts; filers without facts are omitted."""
    answers = (
        (f"CIK{company_cik(company)}.json", companyfacts.companyfacts_record(company))
        for company in american_companies(world, day)
    )
    _write_archive(world, day, file, ((name, answer) for name, answer in answers if answer is not None))


def _write_archive(world: World, day: int, file: BinaryIO, members: Iterator[tuple[str, Any]]) -> None:
    today = world.date(day)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members:
            info = zipfile.ZipInfo(name, (today.year, today.month, today.day, 3, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, json.dumps(value, separators=(",", ":")))


def document_key(company: Company, accounts: Accounts) -> str:
    """Identifies accounts in an id: their accession number."""
    return report_accession(company, accounts)


def _dataset_folder(folder: Path, dataset: str) -> Path:
    (folder / dataset).mkdir(parents=True, exist_ok=True)
    return folder / dataset


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="latin-1")
