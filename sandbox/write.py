"""Writes a world as folders of files.

`DIR/YYYY-MM-DD/<cc>/<dataset folder>/…`, with `day.json` in each day and `truth.json` in DIR.

Belongs here: the layout, and the writer of each market. A further market needs one writer module and one line
in `WRITERS`. Does not belong here: any file format (`sandbox.<cc>`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sandbox import expected, groups
from sandbox.companies.us.filings import report_accession
from sandbox.dk import files as dk_files
from sandbox.fi import files as fi_files
from sandbox.model.company import Accounts, Company
from sandbox.news import http
from sandbox.no import files as no_files
from sandbox.se import annual_reports
from sandbox.se import files as se_files
from sandbox.shared.expected_rows import PUBLISHED_AT
from sandbox.uk import files as uk_files
from sandbox.uk import filings
from sandbox.us import files as us_files
from sandbox.world import World


@dataclass(frozen=True, slots=True)
class MarketWriter:
    """The files of one market.

    `day` writes a day's files below a folder; `complete` lists the datasets delivered as full snapshots;
    `document` identifies a set of accounts in an id: the register's number, else a SHA-256.
    """

    day: Callable[[World, int, Path], None]
    complete: tuple[str, ...]
    document: Callable[[Company, Accounts], str]


def _norwegian_document_key(_company: Company, accounts: Accounts) -> str:
    return f"{accounts.document}:{'KONSERN' if accounts.group else 'SELSKAP'}"


WRITERS: Final[Mapping[str, MarketWriter]] = {
    "NO": MarketWriter(no_files.write_day, no_files.COMPLETE, _norwegian_document_key),
    "UK": MarketWriter(uk_files.write_day, uk_files.COMPLETE, uk_files.document_sha256),
    "FI": MarketWriter(fi_files.write_day, fi_files.COMPLETE, fi_files.document_key),
    "SE": MarketWriter(se_files.write_day, se_files.COMPLETE, annual_reports.document_sha256),
    "US": MarketWriter(us_files.write_day, us_files.COMPLETE, report_accession),
    "DK": MarketWriter(dk_files.write_day, dk_files.COMPLETE, dk_files.document_key),
}


def write_days(
    world: World,
    directory: Path,
    *,
    with_truth: bool = True,
    progress: Callable[[str], None] | None = None,
    writers: Mapping[str, MarketWriter] = WRITERS,
) -> list[Path]:
    """Writes every day of the world below `directory` and returns the folders of the days, in order.

    `progress` is called with each step. Without truth only the registries' files and `day.json` are written,
    for load tests of a million companies. `writers` may use other formats (`no.files.FileFormats`).
    """
    directory.mkdir(parents=True, exist_ok=True)
    folders = [write_day(world, day, directory, progress=progress, writers=writers) for day in range(world.days)]
    if with_truth:
        if progress:
            progress("truth.json")
        expected.write_truth(world, directory / "truth.json", file_document_key)
    return folders


def write_day(
    world: World,
    day: int,
    directory: Path,
    *,
    progress: Callable[[str], None] | None = None,
    writers: Mapping[str, MarketWriter] = WRITERS,
) -> Path:
    """Writes one day; `day` counts from 0."""
    date = world.date(day).isoformat()
    folder = directory / date
    for market in world.markets:
        if progress:
            progress(f"{date} {market}")
        writers[market].day(world, day, folder / market.lower())
    http.write_day(world, day, folder)
    groups.write_day(world, day, folder)
    complete = [key for market in world.markets for key in writers[market].complete]
    facts = {"date": date, "observed_at": f"{date}T{PUBLISHED_AT}Z", "complete": complete}
    (folder / "day.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    return folder


def file_document_key(company: Company, accounts: Accounts) -> str:
    """Identifies a document in the id of its events, if files are ingested."""
    return WRITERS[company.market].document(company, accounts)


def api_document_key(company: Company, accounts: Accounts) -> str:
    """The same if registries are queried: the British streams have a filing's own id, which no file contains."""
    return filings.document_key(company, accounts) if company.market == "UK" else file_document_key(company, accounts)
