"""Damaged registry files through `firm ingest --from`: said clearly, held or rejected, harmless, and healed."""

import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sandbox import damage_file
from tests.firm.inside import Inside, Told, fact_keys, of_market, planned, profiles_on, reasons
from tests.firm.two_markets import two_markets

pytestmark = pytest.mark.slow
ENTITIES = "no/enheter_bulk_csv/enheter_alle.csv"
COMPANIES = "uk/basic_company_data/BasicCompanyDataAsOneFile-{day}.zip"
HOLDERS = "uk/psc_snapshot/persons-with-significant-control-snapshot-{day}.zip"
ACCOUNTS = "uk/accounts_bulk_zip/Accounts_Bulk_Data-{day}.zip"
AGAIN = ("--at", "2026-11-03T09:00:00")  # the sound file comes on the day of the damaged one
KINDS = ("company.changed", "filing.added", "filing.updated", "ownership.changed", "status.changed")
NORWAY = frozenset(("NO", kind) for kind in KINDS)
BRITAIN = frozenset(("UK", kind) for kind in KINDS)
BRITISH_ACCOUNTS = frozenset({("UK", "filing.added"), ("UK", "filing.updated")})
BRITISH_HOLDERS = frozenset({("UK", "ownership.changed")})


@dataclass(frozen=True)
class Case:
    """What is damaged, and what the command must make of it.

    `held`: per dataset what is said on standard error; `reasons`: per file, by the beginning of its name;
    `silent`: events that cannot come yet; `stopped`: markets that do not move.
    """

    damage: dict[str, str]
    exit_code: int
    held: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    silent: frozenset[tuple[str, str]] = frozenset()
    stopped: tuple[str, ...] = ()


CASES = {
    "half of the rows gone": Case(
        {ENTITIES: "half_rows"},
        3,
        {"no.enheter": r"max_shrink: found 0\.\d+, allowed 0\.02"},
        silent=NORWAY,
        stopped=("NO",),
    ),
    "both registers unreadable": Case(
        {ENTITIES: "html", COMPANIES: "truncated"},
        4,
        {"no.enheter": "unreadable: found 1, allowed 0", "uk.companies": "unreadable: found 1, allowed 0"},
        {
            "enheter_alle": "expected CSV or JSON of entities, found html",
            "BasicCompanyDataAsOneFile": "truncated or damaged zip",
        },
        NORWAY | BRITAIN,
        ("NO", "UK"),
    ),
    "holders cut off, accounts a page": Case(
        {HOLDERS: "truncated", ACCOUNTS: "html"},
        3,
        {"uk.psc": "unreadable: found 1, allowed 0"},
        {"persons": "zip", "Accounts_Bulk_Data": "expected a zip, found html"},
        BRITISH_HOLDERS | BRITISH_ACCOUNTS,
    ),
    "empty register, half of the holders, empty accounts": Case(
        {ENTITIES: "empty", HOLDERS: "half_rows", ACCOUNTS: "empty"},
        3,
        {"no.enheter": "unreadable: found 1, allowed 0", "uk.psc": "unreadable: found 1, allowed 0"},
        {
            "enheter_alle": "expected CSV or JSON of entities, found empty",
            "persons": r"\d+ of the \d+ uk_psc records that its trailer counts",
            "Accounts_Bulk_Data": "expected a zip, found empty",
        },
        NORWAY | BRITISH_HOLDERS | BRITISH_ACCOUNTS,
        ("NO",),
    ),
    "every value one column too far to the left": Case(
        {ENTITIES: "shifted_column", COMPANIES: "shifted_column"},
        4,
        {"no.enheter": "max_rejected: found 1.0", "uk.companies": "max_rejected: found 1.0"},
        {"enheter_alle": "the legal form is not a code", "BasicCompanyDataAsOneFile": "CompanyNumber is empty"},
        NORWAY | BRITAIN,
        ("NO", "UK"),
    ),
    "a mandatory column gone": Case(
        {ENTITIES: "missing_column", COMPANIES: "missing_column"},
        4,
        {"no.enheter": "unreadable|max_rejected", "uk.companies": "unreadable|max_rejected"},
        {
            "enheter_alle": "mandatory column navn is missing",
            "BasicCompanyDataAsOneFile": "mandatory column CompanyStatus is missing",
        },
        NORWAY | BRITAIN,
        ("NO", "UK"),
    ),
    "holders a page": Case(
        {HOLDERS: "html", ACCOUNTS: "truncated"},
        3,
        {"uk.psc": "unreadable: found 1, allowed 0"},
        {
            "persons": "expected JSON lines or a zip of them, found html",
            "Accounts_Bulk_Data": "truncated or damaged zip",
        },
        BRITISH_HOLDERS | BRITISH_ACCOUNTS,
    ),
}


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return two_markets(tmp_path_factory).days


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return two_markets(tmp_path_factory).told


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Inside:
    """The first day, taken in."""
    return two_markets(tmp_path_factory).loaded


@pytest.fixture(scope="module")
def sound_signals(loaded: Inside, days: list[Path], tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many signals the second day raises where nothing is damaged."""
    return loaded.copy(tmp_path_factory.mktemp("sound") / "data").ingest(days[1]).report["signals"]


@pytest.fixture
def firm(loaded: Inside, tmp_path: Path) -> Inside:
    return loaded.copy(tmp_path / "data")


def damaged(day: Path, folder: Path, damage: dict[str, str]) -> Path:
    shutil.copytree(day, folder)
    for name, fault in damage.items():
        damage_file(folder / name.format(day=day.name), fault)
    return folder


def strange(found: set[str], expected: dict[str, Any]) -> list[Any]:
    """Events that nobody planned, and planned ones that are missing."""
    return [*(found - expected.keys()), *(expected[key] for key in expected.keys() - found)]


@pytest.mark.parametrize("name", CASES)
def test_damage_is_held_or_rejected_and_heals(
    name: str, firm: Inside, days: list[Path], told: Told, tmp_path: Path
) -> None:
    case = CASES[name]
    said = firm.ingest(damaged(days[1], tmp_path / "damaged", case.damage), exit_code=case.exit_code)
    _says(said.report, said.err, case)
    assert (said.report["release"], firm.release()) == ((None, 1) if case.exit_code == 4 else (2, 2))
    due = {
        key: event
        for key, event in planned(told, 1).items()
        if (event["data"]["country"], event["event_type"]) not in case.silent
    }
    assert strange(firm.events(), due) == []
    _harms_nobody(firm, told, case)
    firm.ingest(days[1], *AGAIN)
    assert strange(firm.events() - _first_of_the_founded(firm, told, case), planned(told, 1)) == []
    assert firm.profiles(told) == profiles_on(told, 1)


def _says(report: dict[str, Any], err: str, case: Case) -> None:
    assert {held["dataset"] for held in report["held"]} == case.held.keys()
    for dataset, pattern in case.held.items():
        assert re.search(rf"^QUARANTINED {dataset}: (?:{pattern})", err, re.MULTILINE), err
    found = dict(reasons(report))
    for file, pattern in case.reasons.items():
        assert re.search(pattern, found[file]), found
    assert "Traceback" not in err


def _harms_nobody(firm: Inside, told: Told, case: Case) -> None:
    """A market that stands still is served as it was; one that nothing happened to is up to date."""
    served = firm.profiles(told)
    for market in ("NO", "UK"):
        if market in case.stopped:
            assert of_market(market, served) == of_market(market, profiles_on(told, 0))
        elif not any(name.startswith(market.lower()) for name in case.damage):
            assert of_market(market, served) == of_market(market, profiles_on(told, 1))


def _first_of_the_founded(firm: Inside, told: Told, case: Case) -> set[str]:
    """What came later than the company itself is an event, though the truth has both on one day."""
    if "UK" in case.stopped or not any(name.startswith("uk/") for name in case.damage):
        return set()
    new = profiles_on(told, 1).keys() - profiles_on(told, 0).keys()
    from warehouse.ledger.ledger import Ledger

    return fact_keys(event for event in Ledger(firm.layout).after(0, 1000) if event.company_id in new)


def test_the_next_sound_day_heals(firm: Inside, days: list[Path], told: Told, tmp_path: Path) -> None:
    """The damaged file never comes again: what only it could have told is not made up, all else comes."""
    firm.ingest(damaged(days[1], tmp_path / "damaged", {ENTITIES: "half_rows"}), exit_code=3)
    said = firm.ingest(days[2])
    assert said.report["held"] == []
    assert firm.profiles(told) == profiles_on(told, 2)
    unseen = {"winds_up_then_bankrupt", "dissolved_then_restored", "founded"}  # their first step was lost
    due = {
        key: event
        for key, event in planned(told, 1, 2).items()
        if not (event["data"]["country"] == "NO" and event["story"] in unseen and event["day"] == told["days"][1])
    }
    missing = {due[key]["story"] for key in due.keys() - firm.events()}
    together = {"renamed_then_moves", "reclassified"}  # what changed on either day is one change now
    assert missing <= unseen | together
    others = firm.events() - due.keys()
    assert len([one for one in others if one.startswith("company.changed")]) == len(missing & together)
    assert len(others) <= 1 + len(together)  # the bankruptcy of whoever was wound up unseen


@pytest.mark.parametrize("fault", ["new_column", "duplicated"])
def test_harmless_oddities_change_nothing(
    fault: str, firm: Inside, days: list[Path], told: Told, sound_signals: int, tmp_path: Path
) -> None:
    files = (ENTITIES, COMPANIES) if fault == "new_column" else (ENTITIES, COMPANIES, HOLDERS)
    said = firm.ingest(damaged(days[1], tmp_path / "damaged", dict.fromkeys(files, fault)))
    assert said.report["held"] == []
    if fault == "new_column":
        assert said.report["signals"] == sound_signals + 2
    assert strange(firm.events(), planned(told, 1)) == []
    assert firm.profiles(told) == profiles_on(told, 1)
    firm.ingest(days[2])  # and the odd file is no measure for what follows
    assert strange(firm.events(), planned(told, 1, 2)) == []
    assert firm.profiles(told) == profiles_on(told, 2)


def test_an_unknown_code_is_kept_as_nothing_and_told(
    firm: Inside, days: list[Path], told: Told, sound_signals: int, tmp_path: Path
) -> None:
    said = firm.ingest(
        damaged(days[1], tmp_path / "damaged", {ENTITIES: "unknown_status", COMPANIES: "unknown_status"})
    )
    assert said.report["signals"] == sound_signals + 2
    assert {row["dataset"]: row["rejected"] for row in said.report["datasets"]}["uk.companies"] == 0
    assert firm.events() <= planned(told, 1).keys()
    assert firm.profiles(told).keys() == profiles_on(told, 1).keys()
    firm.ingest(days[1], *AGAIN)
    assert strange(firm.events(), planned(told, 1)) == []
    assert firm.profiles(told) == profiles_on(told, 1)


def test_a_flickering_clock_is_no_event(firm: Inside, days: list[Path], told: Told, tmp_path: Path) -> None:
    same = damaged(days[0], tmp_path / "same", {ENTITIES: "clock_flicker", HOLDERS: "clock_flicker"})
    shutil.copy(days[1] / "day.json", same / "day.json")
    said = firm.ingest(same)
    assert (said.report["events"], said.report["held"]) == ({}, [])
    assert firm.profiles(told) == profiles_on(told, 0)


def test_a_real_mass_change_goes_through_once_and_is_recorded(
    firm: Inside, days: list[Path], told: Told, tmp_path: Path
) -> None:
    from warehouse.release.manifest import read_manifest

    small = damaged(days[1], tmp_path / "small", {ENTITIES: "half_rows"})
    said = firm.ingest(small, "--accept-shrink", "no.enheter")
    assert said.report["held"] == []
    assert said.report["events"]["status.changed"] > len(of_market("NO", profiles_on(told, 0))) // 3
    state = read_manifest(firm.layout, firm.release()).markets["NO"].datasets["no.enheter"]
    assert state.held is None
    assert state.accepted is not None
    assert (state.accepted.guard, state.accepted.allowed) == ("max_shrink", 0.02)
    smaller = damaged(days[2], tmp_path / "smaller", {ENTITIES: "half_rows"})
    damage_file(smaller / ENTITIES, "half_rows")
    firm.ingest(smaller, exit_code=3)  # once means once
