"""Genuine Schedules 13D and 13G beside the project: holder, class, percent and day as each document has them."""

from decimal import Decimal
from pathlib import Path

import pytest

from connectors.us import UNITED_STATES
from pipelines.sources.folder import list_day_folders, plan_files
from tests.connectors.us.genuine_holders import SCHEDULES
from tests.connectors.us.genuine_reading import NOW, read
from tests.connectors.us.holder_files import STAKES, day, holdings, rows, signals
from tests.tables import check_cases

pytestmark = pytest.mark.sources
# six times the shares outstanding that it names: rights, of which a limit to 49.99% counts
DIFFERING = {"SCHEDULE_13DA.rythm.0001213900-26-023065.xml": {"percent_differs"}}
FOLDERS = ("schedule13", "forms345", "form13f")


@pytest.fixture
def files(sources: Path) -> Path:
    return sources / "us" / "schedule13"


def test_every_file_is_read_or_told_why_not(sources: Path) -> None:
    entries = plan_files(list_day_folders(sources)[0], UNITED_STATES, NOW).entries
    found = {entry.name: entry for entry in entries if entry.name.split("/")[1] in FOLDERS}
    assert len(found) == sum(path.is_file() for folder in FOLDERS for path in (sources / "us" / folder).rglob("*"))
    refused = {name.rpartition("/")[2]: entry.reason for name, entry in found.items() if entry.dataset is None}
    assert set(refused) == {"form4.1998.header.txt", "13F-HR.infotable.xsl_rendered.html"}
    assert all(refused.values())


@check_cases("name", SCHEDULES)
def test_schedules_give_holder_class_percent_and_day(files: Path, name: str) -> None:
    title, event, issuer, persons = SCHEDULES[name]
    batches = read(STAKES, files / name)
    found = rows(batches, "us_schedule13" if issuer else "us_schedule13_bare")
    assert [(row["holder"], row["percent"], row["shares"]) for row in found] == [
        (holder, Decimal(percent), shares) for holder, percent, shares in persons
    ]
    assert {(row["classTitle"], row["eventDate"], row["issuerCik"]) for row in found} == {(title, day(event), issuer)}
    due = DIFFERING.get(name, set() if issuer else {"no_issuer"})
    assert {code for code, _ in signals(batches)} == due
    told = holdings(batches, company="firm:US:US0000000099")
    assert {row["holder_name"]: row["pct_min"] for row in told} == {name: Decimal(part) for name, part, _ in persons}
    assert sum(row["pct"] or 0 for row in told) == max(Decimal(part) for _, part, _ in persons)
    assert {row["ended_on"] for row in told} == ({day(event)} if persons[0][1] == "0" else {None})


def test_the_schedules_here_are_all_there_are(files: Path) -> None:
    assert {path.name for path in files.iterdir()} == set(SCHEDULES)
