"""A generated Sweden over several days, from files and over HTTP: events, profiles, damage, and no person anywhere."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sandbox import SandboxServer, World, numbers, serve, write_days
from sandbox.se import finansinspektionen, sole_traders
from tests.firm.inside import Inside, Said, Told, fact_keys, planned, profiles_on
from tests.firm.test_faults import damaged, strange
from tests.firm.test_sweden import texts
from warehouse.ledger.ledger import Ledger
from warehouse.publish.release_tables import open_release_tables

pytestmark = pytest.mark.slow
WORLD = World(seed=12, companies=75, days=3, markets=("SE",))
BULK = "se/bolagsverket_bulk/bolagsverket_bulkfil.zip"
STATISTICS = "se/scb_bulk/scb_bulkfil.zip"
AGAIN = ("--at", "2026-11-03T09:00:00")  # the sound file comes on the day of the damaged one
UNITS = "/v1/juridiskaenheter/full"
ARCHIVE = "/arsredovisningar-bulkfiler/arsredovisningar/2026"


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_days(WORLD, tmp_path_factory.mktemp("days"))


@pytest.fixture(scope="module")
def told(days: list[Path]) -> Told:
    return json.loads((days[0].parent / "truth.json").read_text())


@pytest.fixture(scope="module")
def loaded(days: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Inside:
    """The first day's files, taken in."""
    firm = Inside(tmp_path_factory.mktemp("files") / "data")
    assert firm.ingest(days[0], "se").report["events"] == {}
    return firm


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Inside:
    """The first day over HTTP."""
    firm = Inside(tmp_path_factory.mktemp("live") / "data")
    with registries(0) as registry:
        assert ask(firm, registry).report["events"] == {}
    return firm


@pytest.fixture
def fresh(asked: Inside, tmp_path: Path) -> Inside:
    return asked.copy(tmp_path / "data")


@contextmanager
def registries(day: int, **settings: Any) -> Iterator[SandboxServer]:
    with serve(WORLD, **settings) as registry:
        for _ in range(day):
            registry.advance()
        yield registry


def ask(firm: Inside, registry: SandboxServer, *more: str, exit_code: int = 0) -> Said:
    said = firm.run("ingest", "se", "--sandbox", "--json", *more, FIRM_SANDBOX_URL=registry.url)
    assert said.exit_code == exit_code, said.out + said.err
    assert "Traceback" not in said.err
    return said


def is_the_truth(firm: Inside, told: Told, *days: int) -> bool:
    assert strange(firm.events(), planned(told, *days)) == []
    assert firm.profiles(told) == profiles_on(told, days[-1])
    return True


def test_files_day_by_day_are_the_truth(loaded: Inside, days: list[Path], told: Told, tmp_path: Path) -> None:
    firm = loaded.copy(tmp_path / "data")
    for day in (1, 2):
        assert firm.ingest(days[day], "se").report["held"] == []
        assert is_the_truth(firm, told, *range(1, day + 1))
    no_person_is_anywhere(firm)


def test_over_http_day_by_day_the_same(fresh: Inside, told: Told) -> None:
    """And nothing twice: yesterday's token is refused, the archive goes on behind its cursor, old weeks return."""
    with registries(0) as registry:
        assert ask(fresh, registry).report["events"] == {}  # the day that is known
        for day in (1, 2):
            registry.advance()
            ask(fresh, registry)
            assert is_the_truth(fresh, told, *range(1, day + 1))
        fetched = [path for path in registry.requests if f"GET {ARCHIVE}/" in path]
        assert fetched == [f"GET {ARCHIVE}/{name}.zip" for name in ("43_1", "44_2", "44_3")]
        assert registry.requests.count("POST /oauth2/token") == 2
        assert registry.requests.count(f"GET {UNITS}") == 2 * 3, (
            "a register is walked once a day, from cursor to cursor"
        )
        assert not any(secret in path for path in registry.requests for secret in secrets())
    no_person_is_anywhere(fresh)


def test_issuers_lead_to_their_companies(asked: Inside) -> None:
    """By LEI, ISIN or name: the short positions' ISINs stand with the companies they are of."""
    with open_release_tables(asked.layout, asked.release()) as release:
        rows = release.execute("select company_id, value from identifiers where scheme = 'isin'").fetchall()
    due = [
        (issuer.company_id, numbers.swedish_isin(issuer.position))
        for issuer in finansinspektionen.listed_companies(WORLD, 0)
    ]
    assert sorted(rows) == sorted(due) != []


def secrets() -> set[str]:
    return set(sole_traders.personal_data_strings(WORLD.count("SE", WORLD.days - 1)))


def no_person_is_anywhere(firm: Inside) -> None:
    wanted = [secret.lower().encode() for secret in secrets()]
    searched = 0
    for path in firm.data.rglob("*"):
        if path.is_file():
            searched += 1
            for text in texts(path):
                lowered = text.lower()
                found = [one for one in wanted if one in lowered]
                assert found == [], (path, found)
    assert searched > 50


def test_days_that_nobody_asked_are_made_up_for(fresh: Inside, told: Told) -> None:
    """Two days at once: what stands at the end is right, and events are of it alone."""
    with registries(2) as registry:
        assert ask(fresh, registry).report["held"] == []
    assert fresh.profiles(told) == profiles_on(told, 2)
    added = {key for key, event in planned(told, 1, 2).items() if event["event_type"] == "filing.added"}
    founded = {key for key, event in planned(told, 1, 2).items() if event["story"] == "founded"}
    assert added - founded <= fresh.events()


def test_patience_wins_over_passing_troubles(fresh: Inside, told: Told) -> None:
    faults = {
        "/bolagsverket/": "rate_limited",
        "/oauth2/token": "unavailable",
        "/organisationer": "rate_limited",
        "/v1/api-info": "unavailable",
        UNITS: "rate_limited",
        f"{ARCHIVE}/44_2": "slow_drip",
    }
    with registries(1, faults=faults) as registry:
        registry.troubles.pause, registry.troubles.retry_after = 0.0, 0
        assert ask(fresh, registry).report["held"] == []
        assert registry.requests.count("POST /oauth2/token") == 3
    assert is_the_truth(fresh, told, 1)


@pytest.mark.parametrize(
    ("path", "fault", "dataset", "why"),
    [
        ("/bolagsverket/", "half_rows", "se.bolagsverket", r"max_shrink: found 0\.\d+, allowed"),
        ("/scb/", "truncated", "se.scb", "unreadable|fetch"),
        (f"{ARCHIVE}/44_2", "cut_off", "se.arsredovisningar", "fetch: found .*broke off"),
        ("/organisationer", "html", "se.organisationer", "fetch: found .*html"),
        ("/Search", "html", "se.insyn", "fetch: found .*export"),
        (UNITS, "html", "se.foretagsregister", "fetch: found .*html"),
        (UNITS, "truncated", "se.foretagsregister", "fetch: found .*JSON"),
    ],
)
def test_what_fails_is_held_and_comes_when_it_is_asked_again(
    path: str, fault: str, dataset: str, why: str, told: Told, fresh: Inside
) -> None:
    with registries(1, faults={path: fault}) as registry:
        # where the register of companies itself is missing, its only market stands still
        held = ask(fresh, registry, exit_code=4 if dataset == "se.bolagsverket" else 3)
        assert [row["dataset"] for row in held.report["held"]] == [dataset]
        assert re.search(rf"^QUARANTINED {dataset}: (?:{why})", held.err, re.IGNORECASE | re.MULTILINE), held.err
        registry.troubles.by_path.clear()
        assert ask(fresh, registry, *AGAIN).report["held"] == []
    # what came later than a founded company itself is an event, though the truth has both on one day
    assert strange(fresh.events() - of_the_founded(fresh, told), planned(told, 1)) == []
    assert fresh.profiles(told) == profiles_on(told, 1)


def of_the_founded(firm: Inside, told: Told) -> set[str]:
    new = profiles_on(told, 1).keys() - profiles_on(told, 0).keys()
    return fact_keys(event for event in Ledger(firm.layout).after(0, 1000) if event.company_id in new)


@pytest.mark.parametrize(
    "case", [(BULK, "shifted_column", "max_rejected|unreadable"), (STATISTICS, "missing_column", "unreadable")]
)
def test_damaged_files_are_held_and_heal(
    case: tuple[str, str, str], loaded: Inside, days: list[Path], told: Told, tmp_path: Path
) -> None:
    name, fault, why = case
    firm = loaded.copy(tmp_path / "data")
    dataset = "se.bolagsverket" if name == BULK else "se.scb"
    folder = damaged(days[1], tmp_path / "damaged", {name: fault})
    said = firm.run("ingest", "se", "--from", folder, "--json")
    assert [row["dataset"] for row in said.report["held"]] == [dataset]
    assert re.search(rf"QUARANTINED {dataset}: (?:{why})", said.err), said.err
    assert firm.events() <= planned(told, 1).keys()
    firm.ingest(days[1], "se", *AGAIN)
    assert firm.events() >= {key for key, event in planned(told, 1).items() if event["event_type"] == "status.changed"}
    assert firm.profiles(told) == profiles_on(told, 1)


@pytest.mark.parametrize("fault", ["new_column", "unknown_status"])
def test_harmless_oddities_change_nothing(
    fault: str, loaded: Inside, days: list[Path], told: Told, tmp_path: Path
) -> None:
    firm = loaded.copy(tmp_path / "data")
    said = firm.ingest(damaged(days[1], tmp_path / "odd", dict.fromkeys((BULK, STATISTICS), fault)), "se")
    assert said.report["held"] == []
    assert is_the_truth(firm, told, 1)


def test_a_recode_of_every_industry_makes_no_event(told: Told, tmp_path: Path) -> None:
    world = World(seed=12, companies=75, days=2, markets=("SE",), recode_on=1)
    folders = write_days(world, tmp_path / "days", with_truth=False)
    firm = Inside(tmp_path / "data")
    firm.ingest(folders[0], "se")
    before = industries(firm)
    assert firm.ingest(folders[1], "se").report["held"] == []
    after = industries(firm)
    moved = sum(after[number] != code for number, code in before.items() if code)
    assert moved > len(before) / 3
    # nothing tells another industry from a recoded one
    due = {key: one for key, one in planned(told, 1).items() if one["key"].get("fields") != ["sni_code"]}
    assert strange(firm.events(), due) == []


def industries(firm: Inside) -> dict[str, str | None]:
    with open_release_tables(firm.layout, firm.release()) as release:
        return dict(release.execute("select org_number, industry_code from companies").fetchall())
