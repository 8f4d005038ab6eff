"""The registers of five markets at any size, day by day, as folders that `firm ingest --from` takes.

Great Britain, Sweden and Norway are written by the column, Finland and the United States by the sandbox, company
by company. From one day to the next one company in a hundred says something else. Does not belong here: accounts
(`universe_accounts`), or taking anything in (`bench_universe`).
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from datetime import date, time, timedelta
from functools import cache
from pathlib import Path
from typing import Final

from benchmarks import bench_no_json, se_bulk_files, uk_bulk_files
from sandbox.fi import files as fi_files
from sandbox.us import files as us_files
from sandbox.world import FIRST_DAY, World, minimum_companies

SHARES: Final = {"UK": 0.55, "SE": 0.18, "NO": 0.11, "FI": 0.07, "US": 0.01}
NIGHT: Final = time(4)  # when the registers are published
HOLDERS: Final = 2.7  # British lines of control to a company: 15 M at full size
_BY_COMPANY: Final = ("FI", "US")  # written by the sandbox
COMPLETE: Final = {
    "UK": ("uk.companies", "uk.psc"),
    "SE": ("se.bolagsverket", "se.scb"),
    "NO": ("no.enheter",),
    "FI": fi_files.COMPLETE,
    "US": us_files.COMPLETE,
}


def sizes(companies: int, days: int = 1) -> dict[str, int]:
    """Companies by market: its share, and as many as the sandbox needs for what happens on so many days."""
    found = {market: max(100, round(companies * share)) for market, share in SHARES.items()}
    return found | {market: max(found[market], minimum_companies(market, days)) for market in _BY_COMPANY}


def write_day(folder: Path, day: int, companies: int, days: int) -> Path:
    """All files of one day (from 0); gives its folder."""
    at = FIRST_DAY + timedelta(days=day)
    place = folder / at.isoformat()
    for market, count in sizes(companies, days).items():
        _WRITERS[market](place / market.lower(), at, day, count, days)
    complete = [dataset for datasets in COMPLETE.values() for dataset in datasets]
    told = {"date": at.isoformat(), "observed_at": f"{at}T{NIGHT}Z", "complete": complete}
    (place / "day.json").write_text(json.dumps(told))
    return place


def _british(place: Path, at: date, day: int, count: int, _days: int) -> None:
    def companies(path: Path) -> None:
        uk_bulk_files.write_companies(path, count, day)

    def holders(path: Path) -> None:
        uk_bulk_files.write_psc(path, round(count * HOLDERS), day, count)

    name = f"BasicCompanyDataAsOneFile-{at.isoformat()}"
    _zipped(place / "basic_company_data", name, f"{name}.csv", companies)
    name = f"persons-with-significant-control-snapshot-{at.isoformat()}"
    _zipped(place / "psc_snapshot", name, f"{name}.txt", holders)


def _swedish(place: Path, _at: date, day: int, count: int, _days: int) -> None:
    def organisations(path: Path) -> None:
        se_bulk_files.write_organisations(path, count, day)

    def units(path: Path) -> None:
        se_bulk_files.write_units(path, count)

    _zipped(place / "bolagsverket_bulk", "bolagsverket_bulkfil", "bolagsverket_bulkfil.txt", organisations)
    _zipped(place / "scb_bulk", "scb_bulkfil", "scb_bulkfil_JE.txt", units)


def _norwegian(place: Path, _at: date, day: int, count: int, _days: int) -> None:
    folder = place / "enheter_bulk_json"
    folder.mkdir(parents=True, exist_ok=True)
    bench_no_json.write(folder / "enheter_alle.json", count, day)


def _finnish(place: Path, _at: date, day: int, count: int, days: int) -> None:
    folder = place / "ytj_v3"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "all_companies.zip").open("wb") as file:
        fi_files.write_bulk(_world("FI", count, days), day, file)


def _american(place: Path, _at: date, day: int, count: int, days: int) -> None:
    world = _world("US", count, days)
    for name, write in (("submissions", us_files.write_submissions), ("companyfacts", us_files.write_facts)):
        (place / name).mkdir(parents=True, exist_ok=True)
        with (place / name / f"{name}.zip").open("wb") as file:
            write(world, day, file)


@cache
def _world(market: str, count: int, days: int) -> World:
    return World(seed=10, companies=count, days=days, markets=(market,))


def _zipped(folder: Path, name: str, member: str, write: Callable[[Path], None]) -> None:
    """One file as the only member of a zip beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    plain = folder / member
    write(plain)
    with zipfile.ZipFile(folder / f"{name}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.write(plain, member)
    plain.unlink()


_WRITERS: Final[Mapping[str, Callable[[Path, date, int, int, int], None]]] = {
    "UK": _british,
    "SE": _swedish,
    "NO": _norwegian,
    "FI": _finnish,
    "US": _american,
}
