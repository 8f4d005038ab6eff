"""Swedish files of one day: bulk files, annual reports, API responses, registers of issuers, notices.

Belongs here: zips, names and folders. The registry names a weekly archive of reports after its week, with that
week's Monday as publication day; on other days there are single packages, as returned by the API. Does not
belong here: records (`bulk_files`), documents (`ixbrl`, `annual_reports`), HTTP (`http`).
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import IO, Final

from sandbox.nasdaq import se_exchange_releases
from sandbox.news import mfn
from sandbox.se import annual_reports, api_answers, bulk_files, finansinspektionen
from sandbox.world import World

COMPLETE: Final = ("se.bolagsverket", "se.scb")
_FIRST_RUN: Final = 76  # sequence number of SCB's extraction
_MONDAY: Final = 0


def write_day(world: World, day: int, folder: Path) -> None:
    """All Swedish files of one day below `folder`."""
    today = world.date(day)
    with _open_file(folder, "bolagsverket_bulk", "bolagsverket_bulkfil.zip") as file:
        write_organisations(world, day, file)
    with _open_file(folder, "scb_bulk", "scb_bulkfil.zip") as file:
        write_statistics(world, day, file)
    _write_reports(world, day, folder)
    for number, answer in api_answers.known_organisations(world, day):
        with _open_file(folder, "organisationer", f"{number}.json") as file:
            file.write(json.dumps({"organisationer": [answer]}, ensure_ascii=False).encode())
    se_exchange_releases.write_day(world, day, folder / "nasdaq_cns")
    with _open_file(folder, "mfn_flagging", f"notices-{today}.json") as file:
        file.write(mfn.day_notices(world, day))
    with _open_file(folder, "insyn", f"insyn-{today}.csv") as file:
        file.write(finansinspektionen.insider_export(world, day, today, today))
    with _open_file(folder, "blankning", "AktuellaPositioner.ods") as file:
        file.write(finansinspektionen.short_positions(world, day))


def _open_file(folder: Path, dataset: str, name: str) -> IO[bytes]:
    path = folder / dataset / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("wb")


def _write_reports(world: World, day: int, folder: Path) -> None:
    """The week's archive on a Monday, single packages on other days."""
    if world.date(day).weekday() == _MONDAY:
        with _open_file(folder, ".", annual_reports.archive_key(world, day)) as file:
            file.write(annual_reports.weekly_archive(world, day))
        return
    for company, accounts in annual_reports.registered_reports(world, day):
        with _open_file(folder, "arsredovisningar", annual_reports.package_name(company, accounts)) as file:
            file.write(annual_reports.report_package(company, accounts))


def write_organisations(world: World, day: int, file: IO[bytes]) -> None:
    """Writes Bolagsverket's zip."""
    _write_zip(file, "bolagsverket_bulkfil.txt", world.date(day), bulk_files.organisation_lines(world, day))


def write_statistics(world: World, day: int, file: IO[bytes]) -> None:
    """Writes SCB's zip; its member's name has a time stamp."""
    today = world.date(day)
    name = f"scb_bulkfil_JE_{today:%Y%m%d}T055245_{_FIRST_RUN + day}.txt"
    _write_zip(file, name, today, bulk_files.statistical_lines(world, day))


def _write_zip(file: IO[bytes], member: str, day: date, lines: Iterable[bytes]) -> None:
    info = zipfile.ZipInfo(member, (day.year, day.month, day.day, 3, 30, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(info, "w", force_zip64=True) as opened,
    ):
        opened.writelines(lines)
