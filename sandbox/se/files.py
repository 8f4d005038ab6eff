"""Swedish files of one day: bulk files, annual reports, API responses, registers of issuers, notices.

Belongs here: zips, names and folders. The registry names a weekly archive of reports after its week, with that
week's Monday as publication day; on other days there are single packages, as returned by the API. Does not
belong here: records (`bulk_files`), documents (`ixbrl`, `annual_reports`), HTTP (`http`).
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, Final

from sandbox.model.se import STATISTICS_AT
from sandbox.nasdaq import exchange_releases
from sandbox.news import mfn
from sandbox.se import annual_reports, api_answers, bulk_files, business_register, finansinspektionen
from sandbox.shared.files import open_file, stream_archive, write_file, write_json
from sandbox.world import World

COMPLETE: Final = ("se.bolagsverket", "se.scb")
_FIRST_RUN: Final = 76  # sequence number of SCB's extraction
_MONDAY: Final = 0


def write_day(world: World, day: int, folder: Path) -> None:
    """All Swedish files of one day below `folder`."""
    today = world.date(day)
    with open_file(folder / "bolagsverket_bulk" / "bolagsverket_bulkfil.zip") as file:
        write_organisations(world, day, file)
    with open_file(folder / "scb_bulk" / "scb_bulkfil.zip") as file:
        write_statistics(world, day, file)
    _write_reports(world, day, folder)
    for number, answer in api_answers.known_organisations(world, day):
        write_json(folder / "organisationer" / f"{number}.json", {"organisationer": [answer]})
    write_file(
        folder / "foretagsregister" / f"juridiskaenheter-{today}.json", business_register.whole_register(world, day)
    )
    exchange_releases.write_swedish_day(world, day, folder / "nasdaq_cns")
    write_file(folder / "mfn_flagging" / f"notices-{today}.json", mfn.day_notices(world, day))
    insiders = finansinspektionen.insider_export(world, day, today, today)
    write_file(folder / "insyn" / f"insyn-{today}.csv", insiders)
    write_file(folder / "blankning" / "AktuellaPositioner.ods", finansinspektionen.short_positions(world, day))


def _write_reports(world: World, day: int, folder: Path) -> None:
    """The week's archive on a Monday, single packages on other days."""
    if world.date(day).weekday() == _MONDAY:
        write_file(folder / annual_reports.archive_key(world, day), annual_reports.weekly_archive(world, day))
        return
    for company, accounts in world.published_accounts("SE", day):
        path = folder / "arsredovisningar" / annual_reports.package_name(company, accounts)
        write_file(path, annual_reports.report_package(company, accounts))


def write_organisations(world: World, day: int, file: IO[bytes]) -> None:
    """Writes Bolagsverket's zip."""
    lines = bulk_files.organisation_lines(world, day)
    stream_archive(file, "bolagsverket_bulkfil.txt", world.date(day), lines)


def write_statistics(world: World, day: int, file: IO[bytes]) -> None:
    """Writes SCB's zip; its member's name has a time stamp."""
    today = world.date(day)
    name = f"scb_bulkfil_JE_{today:%Y%m%d}T{STATISTICS_AT:%H%M%S}_{_FIRST_RUN + day}.txt"
    stream_archive(file, name, today, bulk_files.statistical_lines(world, day))
