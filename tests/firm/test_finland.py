"""Finland of the generated world as files through the real command: day by day, damaged, repeated, late."""

import json
import shutil
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from sandbox import World, damage_file, write_days
from sandbox import expected as sandbox_expected
from tests.firm.inside import Inside, Told, fact_key, planned, profiles_on
from warehouse.reader.reader import FinancialsQuery, ReleaseReader

pytestmark = pytest.mark.slow
WORLD = World(seed=11, companies=78, days=4, markets=("FI",))
BULK = "fi/ytj_v3/all_companies.zip"
AGAIN = ("--at", "2026-11-03T09:00:00")  # the sound file comes on the day of the damaged one
NOT_SERVED = {"is_comparative"}  # known inside


@dataclass(frozen=True)
class Lived:
    """A world taken in day by day: what each day said and made, and the state after the last."""

    firm: Inside
    told: Told
    said: list[dict[str, Any]]
    events: list[set[str]]
    profiles: list[dict[str, Any]]


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_days(WORLD, tmp_path_factory.mktemp("finland"))


@pytest.fixture(scope="module")
def told(days: list[Path]) -> Told:
    return json.loads((days[0].parent / "truth.json").read_text())


@dataclass(frozen=True)
class Loaded:
    """The first day, taken in, and what was said of it."""

    firm: Inside
    said: dict[str, Any]


@pytest.fixture(scope="module")
def loaded(days: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    firm = Inside(tmp_path_factory.mktemp("loaded") / "data")
    return Loaded(firm, firm.ingest(days[0], "fi").report)


@pytest.fixture
def firm(loaded: Loaded, tmp_path: Path) -> Inside:
    return loaded.firm.copy(tmp_path / "data")


@pytest.fixture(scope="module")
def lived(days: list[Path], told: Told, loaded: Loaded, tmp_path_factory: pytest.TempPathFactory) -> Lived:
    firm = loaded.firm.copy(tmp_path_factory.mktemp("lived") / "data")
    found = Lived(firm, told, [loaded.said], [firm.events()], [firm.profiles(told)])
    for day in days[1:]:
        found.said.append(firm.ingest(day, "fi").report)
        found.events.append(firm.events())
        found.profiles.append(firm.profiles(told))
    return found


def test_each_day_every_company_is_served_as_it_is(lived: Lived) -> None:
    for day, profiles in enumerate(lived.profiles):
        assert profiles == profiles_on(lived.told, day)


def test_each_day_makes_exactly_the_planned_events(lived: Lived) -> None:
    assert lived.said[0]["events"] == {}
    for day, events in enumerate(lived.events):
        assert events == planned(lived.told, *range(1, day + 1)).keys()
    kinds = {event["event_type"] for event in planned(lived.told, 1).values()}
    assert kinds == {
        *("filing.added", "filing.updated", "status.changed", "ownership.changed", "news.published"),
        "company.changed",
    }
    assert all(said["held"] == [] for said in lived.said)
    assert {row["rejected"] for said in lived.said for row in said["datasets"]} == {0}
    assert all(file["reason"] is None for said in lived.said for file in said["files"])


def served_events(firm: Inside) -> dict[str, Any]:
    from warehouse.ledger.ledger import Ledger

    return {
        fact_key(event.event_id, event.event_type, data): data
        for event in Ledger(firm.layout).after(0, 100_000)
        for data in [json.loads(event.data)]
    }


def test_events_say_what_was_planned(lived: Lived) -> None:
    found = served_events(lived.firm)
    for event_id, event in planned(lived.told, 1, 2, 3).items():
        same_core(event["data"], found[event_id], event_id)


def same_core(expected: Any, found: Any, where: str) -> None:
    """Every member that the plan states, at any depth."""
    if isinstance(expected, dict):
        for name, value in expected.items():
            assert name in found, f"{where}: no {name}"
            same_core(value, found[name], f"{where}.{name}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for place, (value, other) in enumerate(zip(expected, found, strict=True)):
            same_core(value, other, f"{where}[{place}]")
    else:
        assert found == expected, where


def test_every_figure_equals_the_statement(lived: Lived) -> None:
    reader = ReleaseReader(lived.firm.layout)
    with reader.pin_release() as snapshot:
        for company_id, state in sandbox_expected.expected_on_day(lived.told, lived.told["days"][-1]).items():
            page = snapshot.company_financials(company_id, FinancialsQuery(), None, 100)
            served = {row["period_end"]: row for row in map(json.loads, page.rows)}
            expected = {row["period_end"]: row for row in state["financials"]}
            assert served.keys() == expected.keys(), company_id
            for end, row in expected.items():
                named = {name: value for name, value in row.items() if name not in NOT_SERVED}
                assert {name: served[end][name] for name in named} == named, (company_id, end)
    reader.close()


def test_every_owner_equals_the_newest_notification(lived: Lived) -> None:
    reader = ReleaseReader(lived.firm.layout)
    seen = 0
    with reader.pin_release() as snapshot:
        for company_id, state in sandbox_expected.expected_on_day(lived.told, lived.told["days"][-1]).items():
            page, _ = snapshot.company_owners(company_id, date.fromisoformat(lived.told["days"][-1]), None, None, 100)
            served = {row["holder_id"]: row for row in map(json.loads, page.rows)}
            expected = {row["holder_id"]: row for row in state["owners"]}
            assert served.keys() == expected.keys(), company_id
            for holder_id, row in expected.items():
                named = {name: value for name, value in row.items() if name != "native_id"}
                assert {name: served[holder_id][name] for name in named} == named, company_id
            seen += len(expected)
    reader.close()
    assert seen > 10


def copied(day: Path, folder: Path, as_of: Path | None = None) -> Path:
    """A day's files elsewhere, on demand as if they came on another day."""
    shutil.copytree(day, folder)
    if as_of is not None:
        shutil.copy(as_of / "day.json", folder / "day.json")
    return folder


def is_day(firm: Inside, told: Told, day: int, events: set[str] | None = None) -> bool:
    """Whether the state is that of a day, and the events are the given ones, or all planned until then."""
    assert firm.profiles(told) == profiles_on(told, day)
    assert firm.events() == (planned(told, *range(1, day + 1)).keys() if events is None else events)
    return True


def test_a_mass_recode_of_industries_makes_no_event(tmp_path: Path) -> None:
    world = World(seed=4, companies=60, days=2, markets=("FI",), recode_on=1)
    before, after = write_days(world, tmp_path / "days")
    told = json.loads((tmp_path / "days" / "truth.json").read_text())
    firm = Inside(tmp_path / "data")
    firm.ingest(before, "fi")
    assert is_day(firm, told, 0)
    assert firm.ingest(after, "fi").report["held"] == []
    assert is_day(firm, told, 1)
    moved = [
        company
        for company, profile in profiles_on(told, 0).items()
        if profile["sni_code"] != profiles_on(told, 1)[company]["sni_code"]
    ]
    assert len(moved) > 15


def test_flickering_stamps_make_no_event(firm: Inside, days: list[Path], told: Told, tmp_path: Path) -> None:
    same = copied(days[0], tmp_path / "same", as_of=days[1])
    damage_file(same / BULK, "clock_flicker")
    assert firm.ingest(same, "fi").report["events"] == {}
    assert is_day(firm, told, 0)


def test_a_day_delivered_twice_is_told_once(firm: Inside, days: list[Path], told: Told, tmp_path: Path) -> None:
    firm.ingest(days[1], "fi")
    assert firm.ingest(copied(days[1], tmp_path / "again", as_of=days[2]), "fi").report["events"] == {}
    assert is_day(firm, told, 1)
    firm.ingest(days[3], "fi")
    told_so_far = firm.events()
    firm.ingest(days[2], "fi")  # late: it fills what was missing; of that only changes of what is served are told
    kinds = ("ownership.changed", "status.changed", "company.changed")
    transitions = {one for one in planned(told, 2) if one.startswith(kinds)}
    assert told_so_far < firm.events() <= told_so_far | transitions
    assert is_day(firm, told, 3, firm.events())


def test_search_answers_of_a_few_companies_dissolve_nobody(
    firm: Inside, days: list[Path], told: Told, tmp_path: Path
) -> None:
    from sandbox.http.routes import RegistryResponder

    folder = tmp_path / "part" / "fi" / "ytj_v3"
    folder.mkdir(parents=True)
    desk = RegistryResponder(WORLD, tmp_path, day=0)
    for name, query in {"few": "name=Kuutamo", "none": "businessId=50000009"}.items():
        body = desk.respond("/opendata-ytj-api/v3/companies", query).body
        assert isinstance(body, bytes)
        (folder / f"{name}.json").write_bytes(body)
    (tmp_path / "part" / "day.json").write_text(json.dumps({"date": "2026-11-03"}))
    report = firm.ingest(tmp_path / "part", "fi").report
    assert (report["events"], report["held"]) == ({}, [])
    reasons = {Path(file["path"]).stem: file["reason"] for file in report["files"]}
    assert reasons == {"few": None, "none": "search page without companies"}
    assert is_day(firm, told, 0)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("half_rows", "max_shrink: found 0.5"),
        ("truncated", "unreadable: found 1"),
        ("html", "unreadable: found 1"),
        ("missing_column", "max_rejected: found 1.0|unreadable: found 1"),
    ],
)
def test_a_damaged_register_is_held_and_heals(
    fault: str, why: str, firm: Inside, days: list[Path], told: Told, tmp_path: Path
) -> None:
    import re

    damaged = copied(days[1], tmp_path / "damaged")
    damage_file(damaged / BULK, fault)
    said = firm.ingest(damaged, "fi", exit_code=4)
    assert re.search(rf"^QUARANTINED fi\.ytj: (?:{why})", said.err, re.MULTILINE), said.err
    assert is_day(firm, told, 0)
    firm.ingest(days[1], "fi", *AGAIN)
    assert firm.profiles(told) == profiles_on(told, 1)
    missing = planned(told, 1).keys() - firm.events()
    assert not missing


@pytest.mark.parametrize("fault", ["new_column", "unknown_status", "duplicated"])
def test_oddities_of_the_register_are_told_and_harmless(
    fault: str, firm: Inside, days: list[Path], lived: Lived, tmp_path: Path
) -> None:
    damaged = copied(days[1], tmp_path / "damaged")
    damage_file(damaged / BULK, fault)
    said = firm.ingest(damaged, "fi")
    assert said.report["held"] == []
    assert said.report["signals"] == lived.said[1]["signals"] + (fault != "duplicated")
    assert is_day(firm, lived.told, 1)


def test_a_statement_that_is_a_page_costs_itself_alone(
    firm: Inside, days: list[Path], told: Told, tmp_path: Path
) -> None:
    damaged = copied(days[1], tmp_path / "damaged")
    event = next(
        event
        for event in planned(told, 1).values()
        if event["story"] == "files_full" and event["event_type"] == "filing.added"
    )
    number, end = event["data"]["org_nr"], event["data"]["filing"]["period_end"]
    name = f"prh_xbrl_{number}_{end}.xml"
    damage_file(damaged / "fi/xbrl_v3" / name, "html")
    said = firm.ingest(damaged, "fi")
    assert {Path(file["path"]).name for file in said.report["files"] if file["reason"]} == {name}
    silent = {key for key, other in planned(told, 1).items() if other["company_id"] == event["company_id"]}
    assert planned(told, 1).keys() - firm.events() == silent
    firm.ingest(days[1], "fi", *AGAIN)
    assert firm.profiles(told) == profiles_on(told, 1)
