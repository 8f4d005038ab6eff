"""Transitions that repeat, through the real command line: each is an event, and their `sequence` leads to what is served.

Registers here say the same day again when a state returns, so that only the instant at which it became known tells two
transitions apart.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from sandbox import World, sufficient_companies, write_day, write_days
from tests.connectors.uk.conftest import CsvBodies, PscBodies
from tests.firm.inside import Inside, Told, profiles_on
from tests.without_dagster import without_dagster
from warehouse.ledger.ledger import Ledger

pytestmark = pytest.mark.slow
NUMBER = "923609016"
COMPANY = f"firm:NO:{NUMBER}"
BRITISH = "00000101"
SHARES = "ownership-of-shares-{}-percent"
NORWAY = World(seed=3, companies=60, days=2, markets=("NO",))
BULK = "no/enheter_bulk_csv/enheter_alle.csv"


def day_folder(folder: Path, observed_at: str, files: Mapping[str, bytes], complete: Sequence[str] = ()) -> Path:
    """Writes a folder of one observation."""
    for name, body in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    (folder / "day.json").write_text(json.dumps({"observed_at": observed_at, "complete": [*complete]}))
    return folder


def entity(*, is_bankrupt: bool) -> bytes:
    since = {"konkursdato": "2026-10-30"} if is_bankrupt else {}
    return json.dumps(
        {
            "organisasjonsnummer": NUMBER,
            "navn": "EQUINOR ASA",
            "organisasjonsform": {"kode": "ASA", "beskrivelse": "Allmennaksjeselskap"},
            "registreringsdatoEnhetsregisteret": "1995-03-12",
            "konkurs": is_bankrupt,
            "underAvvikling": False,
            "underTvangsavviklingEllerTvangsopplosning": False,
            **since,
        }
    ).encode()


def bankruptcies(root: Path) -> list[Path]:
    """Not bankrupt, bankrupt, not, bankrupt since the same day again."""
    states = {"2026-11-02": False, "2026-11-03": True, "2026-11-04": False, "2026-11-05": True}
    return [
        day_folder(root / day, f"{day}T04:00:00Z", {"no/enheter/entity.json": entity(is_bankrupt=is_bankrupt)})
        for day, is_bankrupt in states.items()
    ]


def changes(firm: Inside, company_id: str) -> list[dict[str, Any]]:
    """The transitions of a company, by sequence."""
    events = Ledger(firm.layout).after(0, 100_000)
    return [json.loads(one.data)["change"] for one in events if one.company_id == company_id]


def statuses(firm: Inside, company_id: str) -> list[tuple[str, str]]:
    return [(one["previous_status"], one["current_status"]) for one in changes(firm, company_id)]


ON, OFF = ("active", "dormant"), ("dormant", "active")


@pytest.fixture(scope="module")
def twice_bankrupt(tmp_path_factory: pytest.TempPathFactory) -> Inside:
    """All days of `bankruptcies`, each in a release of its own."""
    folder = tmp_path_factory.mktemp("bankruptcies")
    firm = Inside(folder / "data")
    for day in bankruptcies(folder / "days"):
        firm.ingest(day, "no")
    return firm


def test_bankruptcy_that_returns_with_its_day_is_three_events(twice_bankrupt: Inside) -> None:
    assert statuses(twice_bankrupt, COMPANY) == [ON, OFF, ON]
    assert [one["effective_date"] for one in changes(twice_bankrupt, COMPANY)] == [
        "2026-10-30",
        "2026-11-04",
        "2026-10-30",
    ]


def ingest_unpublished(firm: Inside, folder: Path, *markets: str) -> None:
    """An ingest that fails at its release: histories have learned of the day, the next run publishes its events."""

    def fail(step: str) -> None:
        if step == "events numbered":
            raise OSError(errno.ENOSPC, "no space left on device")

    overrides = IngestOverrides(on_step=fail)
    settings = IngestSettings(data=firm.data, workers=1)
    with without_dagster():
        assert ingest(settings, markets, FolderSource(folder), overrides=overrides).errors


def test_transitions_of_one_release_are_numbered_as_they_became_known(tmp_path: Path) -> None:
    """The register dates the bankruptcies before the end of the first."""
    firm = Inside(tmp_path / "data")
    first, second, third, last = bankruptcies(tmp_path / "days")
    firm.ingest(first, "no")
    ingest_unpublished(firm, second, "no")
    ingest_unpublished(firm, third, "no")
    firm.ingest(last, "no")
    assert firm.release() == 2
    assert statuses(firm, COMPANY) == [ON, OFF, ON]
    assert firm.profiles({"companies": [COMPANY]})[COMPANY]["status"] == "dormant"


def test_holding_that_rose_before_the_end_a_register_dates_back_ends_at_nothing(tmp_path: Path) -> None:
    """Snapshots of several days in one folder: their names state their days, and one run reads them all."""
    firm = Inside(tmp_path / "data")
    register = CsvBodies.table({"CompanyNumber": BRITISH, "CompanyName": "EXAMPLE LIMITED"})
    high = {"natures_of_control": [SHARES.format("50-to-75")]}
    ended = high | {"ceased_on": "2026-10-20"}
    snapshots = {
        f"uk/psc_snapshot/psc-snapshot-{day}_1of1.txt": PscBodies.lines(PscBodies.record(BRITISH, "id-1", **stated))
        for day, stated in {"2026-11-02": {"etag": "1"}, "2026-11-03": high, "2026-11-04": ended}.items()
    }
    first, *later = snapshots.items()
    files = {"uk/basic_company_data/BasicCompanyDataAsOneFile-2026-11-01.csv": register, **dict([first])}
    firm.ingest(day_folder(tmp_path / "first", "2026-11-02T04:00:00Z", files), "uk")
    firm.ingest(day_folder(tmp_path / "later", "2026-11-04T04:00:00Z", dict(later)), "uk")
    assert firm.release() == 2
    found = [(one["previous_pct"], one["current_pct"], one["as_of"]) for one in changes(firm, f"firm:UK:{BRITISH}")]
    assert found == [(25, 50, "2026-11-03"), (50, 0, "2026-10-20")]


def test_rebuild_of_repeated_transitions_gives_their_ids_in_their_order(twice_bankrupt: Inside, tmp_path: Path) -> None:
    firm = twice_bankrupt.copy(tmp_path / "data")
    before = [(one.sequence, one.event_id) for one in Ledger(firm.layout).after(0, 100)]
    [done] = firm.run("rebuild", "no", "--emit", "--json").report["rebuilt"]
    assert (done["told"], done["untold"], done["missing"]) == (3, {}, {})
    assert [(one.sequence, one.event_id) for one in Ledger(firm.layout).after(0, 100)] == before


def test_company_that_vanishes_returns_and_vanishes_in_one_day_is_three_events(tmp_path: Path) -> None:
    firm = Inside(tmp_path / "data")
    whole = (write_day(NORWAY, 0, tmp_path / "world") / BULK).read_bytes()
    rows = whole.splitlines(keepends=True)
    active = next(company for company in NORWAY.all("NO", 0) if company.status == "active")
    without = b"".join(row for row in rows if active.number.encode() not in row)
    assert len(without) < len(whole)
    for hour, body in {"04": whole, "05": without, "06": whole, "07": without}.items():
        folder = day_folder(tmp_path / hour, f"2026-11-02T{hour}:00:00Z", {BULK: body}, ["no.enheter"])
        firm.ingest(folder, "no")
    gone, back = ("active", "dissolved"), ("dissolved", "active")
    assert statuses(firm, active.company_id) == [gone, back, gone]
    assert {one["effective_date"] for one in changes(firm, active.company_id)} == {"2026-11-02"}


def test_share_that_rises_falls_and_rises_in_one_day_is_three_events(tmp_path: Path) -> None:
    firm = Inside(tmp_path / "data")
    register = CsvBodies.table({"CompanyNumber": BRITISH, "CompanyName": "EXAMPLE LIMITED"})
    files = {"uk/basic_company_data/BasicCompanyDataAsOneFile-2026-11-01.csv": register}
    for hour, band in {"04": "25-to-50", "05": "50-to-75", "06": "25-to-50", "07": "50-to-75"}.items():
        record = PscBodies.record(BRITISH, "id-1", etag=hour, natures_of_control=[SHARES.format(band)])
        files["uk/psc_snapshot/psc-snapshot.txt"] = PscBodies.lines(record)
        firm.ingest(day_folder(tmp_path / hour, f"2026-11-02T{hour}:00:00Z", files), "uk")
        files = {}
    found = changes(firm, f"firm:UK:{BRITISH}")
    assert [(one["previous_pct"], one["current_pct"], one["as_of"]) for one in found] == [
        (25, 50, "2026-11-02"),
        (50, 25, "2026-11-02"),
        (25, 50, "2026-11-02"),
    ]


DAYS = 4
MARKETS = ("NO", "FI")
WORLD = World(seed=23, companies=sufficient_companies(DAYS, MARKETS), days=DAYS, markets=MARKETS)


@pytest.fixture(scope="module")
def at_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Inside, Told]:
    """A world of which all days after the first are seen within hours and come out in one release.

    So the day on which a state was noticed, which stands for a date that no register gives, orders nothing.
    """
    folder = tmp_path_factory.mktemp("at-once")
    first, *later = write_days(WORLD, folder / "days")
    for hour, day in enumerate(later, 4):
        stated = json.loads((day / "day.json").read_text())
        (day / "day.json").write_text(json.dumps(stated | {"observed_at": f"{later[-1].name}T{hour:02}:00:00Z"}))
    firm = Inside(folder / "data")
    firm.ingest(first)
    for day in later[:-1]:
        ingest_unpublished(firm, day, *(market.lower() for market in MARKETS))
    firm.ingest(later[-1])
    assert firm.release() == 2
    return firm, json.loads((folder / "days" / "truth.json").read_text())


def test_events_of_a_world_applied_by_sequence_give_the_status_served_of_every_company(
    at_once: tuple[Inside, Told],
) -> None:
    firm, told = at_once
    state = {company: versions[0]["profile"]["status"] for company, versions in told["companies"].items()}
    moved: set[str] = set()
    for event in Ledger(firm.layout).after(0, 100_000):
        if event.event_type == "status.changed":
            change = json.loads(event.data)["change"]
            assert state[event.company_id] == change["previous_status"], event.company_id
            state[event.company_id] = change["current_status"]
            moved.add(event.company_id)
    served = firm.profiles(told)
    assert len(moved) > len(MARKETS)
    assert state == {company: profile["status"] for company, profile in served.items()}
    assert served == profiles_on(told, DAYS - 1)


def test_rebuild_of_a_world_in_one_release_gives_the_same_ids(at_once: tuple[Inside, Told], tmp_path: Path) -> None:
    firm = at_once[0].copy(tmp_path / "data")
    before = [(one.sequence, one.event_id) for one in Ledger(firm.layout).after(0, 100_000)]
    for done in firm.run("rebuild", "--emit", "--json").report["rebuilt"]:
        assert (done["untold"], done["missing"]) == ({}, {})
    assert [(one.sequence, one.event_id) for one in Ledger(firm.layout).after(0, 100_000)] == before
