"""American files: the nightly archives, tickers, latest filings, the daily index, and single filings.

Folders are those of the stored samples. Filings of a day were accepted on the evening before. Does not belong
here: the format of a record (`submissions`, `companyfacts`, `feeds`, `headers`), or HTTP (`http`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, Final

from sandbox.companies.us.filings import company_cik, filer_position
from sandbox.companies.us.holders import POOL, company_manager
from sandbox.model.company import Company
from sandbox.model.us import FiledDocument, InsiderReport, ManagerReport, Schedule13Filing
from sandbox.shared.files import open_file, write_archive, write_file
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
        (company, filing)
        for company in american_companies(world, day)
        for filing in company.american.filings
        if first <= filing.filed <= last
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
    return next(((company, filing) for filing in papers if filing.accession == accession), None)


def has_documents(filing: FiledDocument) -> bool:
    """True if a filing is served with its documents; of others only the header is simulated."""
    return filing.ownership is not None or filing.form in REMOVALS


def write_day(world: World, day: int, folder: Path) -> None:
    """All American files of one day below `folder`."""
    for name, write in (("submissions", write_submissions), ("companyfacts", write_facts)):
        with open_file(folder / name / f"{name}.zip") as file:
            write(world, day, file)
    write_file(folder / "company_list" / "company_tickers_exchange.json", json.dumps(symbol_list(world, day)).encode())
    last = world.date(day) - submissions.YESTERDAY
    found = day_filings(world, day)
    _write_text(folder / "index" / f"daily.master.{last:%Y%m%d}.idx", feeds.master_index(found, last))
    at = datetime.combine(world.date(day), _NIGHT)
    _write_text(folder / "getcurrent" / "page0.atom", feeds.atom_feed(party_entries(found), at))
    for company, filing in found:
        _write_filing(company, filing, folder)


def _write_filing(company: Company, filing: FiledDocument, folder: Path) -> None:
    if filing.form in _REPORTS:
        name = f"{filing.accession}-index-headers.html"
        _write_text(folder / "form8k" / name, headers.header_page(company, filing))
    elif has_documents(filing):
        kind = "form25_15" if filing.ownership is None else _WHOLE[type(filing.ownership)]
        text = headers.complete_submission(company, filing)
        _write_text(folder / kind / f"{filing.accession}.txt", text)


def _write_text(path: Path, text: str) -> None:
    write_file(path, text.encode("latin-1"))


def party_entries(
    pairs: list[tuple[Company, FiledDocument]],
) -> list[tuple[Company, FiledDocument, tuple[str, str, str]]]:
    """Entries of the Atom feed: every filing once for each party."""
    return [(company, filing, party) for company, filing in pairs for party in feeds.filing_parties(company, filing)]


def symbol_list(world: World, day: int) -> dict[str, Any]:
    """The list of tickers."""
    data = [
        [int(company_cik(company)), company.name, symbol, exchange]
        for company in american_companies(world, day)
        for symbol, exchange in company.american.tickers
    ]
    return {"fields": ["cik", "name", "ticker", "exchange"], "data": data}


def write_submissions(world: World, day: int, file: IO[bytes]) -> None:
    """Writes the nightly archive of filers with their continuation files, including holders."""
    _write_records(world, day, file, _filer_members(world, day))


def _filer_members(world: World, day: int) -> Iterator[tuple[str, Any]]:
    for company in american_companies(world, day):
        yield f"CIK{company_cik(company)}.json", submissions.submissions_record(company)
        older = submissions.continuation_page(company)
        if older is not None:
            yield submissions.continuation_page_name(company), older
    managers = (
        company_manager(company)
        for company in american_companies(world, day)
        if any(isinstance(paper.ownership, ManagerReport) for paper in company.american.filings)
    )
    for party in (*POOL, *managers):
        if party.cik:
            yield f"CIK{party.cik}.json", submissions.holder_record(party)


def write_facts(world: World, day: int, file: IO[bytes]) -> None:
    """Writes the nightly archive of facts; filers without facts are omitted."""
    answers = (
        (f"CIK{company_cik(company)}.json", companyfacts.companyfacts_record(company))
        for company in american_companies(world, day)
    )
    _write_records(world, day, file, ((name, answer) for name, answer in answers if answer is not None))


def _write_records(world: World, day: int, file: IO[bytes], records: Iterator[tuple[str, Any]]) -> None:
    members = ((name, json.dumps(record, separators=(",", ":")).encode()) for name, record in records)
    write_archive(file, members, world.date(day), (3, 0, 0))
