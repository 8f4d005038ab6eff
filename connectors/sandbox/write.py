"""Writes a world as folders of files.

`DIR/YYYY-MM-DD/<cc>/<dataset folder>/…`, with `day.json` in each day and `truth.json` in DIR.

Belongs here: the layout, and the writer of each market. A further market needs one writer module and one line
in `WRITERS`. Does not belong here: any file format (`writers_*`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from connectors.sandbox import (
    filings_uk,
    press_desk,
    reports_se,
    truth,
    writers_fi,
    writers_no,
    writers_se,
    writers_uk,
    writers_us,
)
from connectors.sandbox.model import Accounts, Company
from connectors.sandbox.world import World

OBSERVED: Final = "T04:00:00Z"  # the registries publish at night


@dataclass(frozen=True, slots=True)
class Writer:
    """The files of one market.

    `day` writes a day's files below a folder; `complete` lists the datasets delivered as full snapshots;
    `document` identifies a set of accounts in an id: the register's number, else a SHA-256.
    """

    day: Callable[[World, int, Path], None]
    complete: tuple[str, ...]
    document: Callable[[Company, Accounts], str]


def _norwegian_document(_company: Company, accounts: Accounts) -> str:
    return f"{accounts.document}:{'KONSERN' if accounts.group else 'SELSKAP'}"


WRITERS: Final[Mapping[str, Writer]] = {
    "NO": Writer(writers_no.write_day, writers_no.COMPLETE, _norwegian_document),
    "UK": Writer(writers_uk.write_day, writers_uk.COMPLETE, writers_uk.document_sha256),
    "FI": Writer(writers_fi.write_day, writers_fi.COMPLETE, writers_fi.document),
    "SE": Writer(writers_se.write_day, writers_se.COMPLETE, reports_se.document_sha256),
    "US": Writer(writers_us.write_day, writers_us.COMPLETE, writers_us.document),
}


def write(
    world: World,
    directory: Path,
    *,
    with_truth: bool = True,
    progress: Callable[[str], None] | None = None,
    writers: Mapping[str, Writer] = WRITERS,
) -> list[Path]:
    """Writes every day of the world below `directory` and returns the folders of the days, in order.

    `progress` is called with each step. Without truth only the registries' files and `day.json` are written,
    for load tests of a million companies. `writers` may use other formats (`writers_no.Formats`).
    """
    directory.mkdir(parents=True, exist_ok=True)
    folders = [
        write_day(world, day, directory, progress=progress, writers=writers) for day in range(world.days)
    ]
    if with_truth:
        if progress:
            progress("truth.json")
        truth.write(world, directory / "truth.json", document_of)
    return folders


def write_day(
    world: World,
    day: int,
    directory: Path,
    *,
    progress: Callable[[str], None] | None = None,
    writers: Mapping[str, Writer] = WRITERS,
) -> Path:
    """Writes one day; `day` counts from 0."""
    date = world.date(day).isoformat()
    folder = directory / date
    for market in world.markets:
        if progress:
            progress(f"{date} {market}")
        writers[market].day(world, day, folder / market.lower())
    press_desk.write_day(world, day, folder)
    complete = [key for market in world.markets for key in writers[market].complete]
    facts = {"date": date, "observed_at": f"{date}{OBSERVED}", "complete": complete}
    (folder / "day.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    return folder


def document_of(company: Company, accounts: Accounts) -> str:
    """Identifies a document in the id of its events, if files are ingested."""
    return WRITERS[company.market].document(company, accounts)


def served_document_of(company: Company, accounts: Accounts) -> str:
    """The same if registries are queried: the British streams have a filing's own id, which no file contains."""
    return (
        filings_uk.document(company, accounts) if company.market == "UK" else document_of(company, accounts)
    )
