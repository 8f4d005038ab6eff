"""Finland of the generated world over HTTP: `firm ingest fi --sandbox` day by day, with services that fail."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sandbox import SandboxServer, World, serve, write_days
from tests.firm.inside import Inside, Said, Told, planned, profiles_on

pytestmark = pytest.mark.slow
WORLD = World(seed=11, companies=60, days=3, markets=("FI",))


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    folder = tmp_path_factory.mktemp("told")
    write_days(WORLD, folder)
    return json.loads((folder / "truth.json").read_text())


@contextmanager
def registries(day: int, **settings: Any) -> Iterator[SandboxServer]:
    with serve(WORLD, **settings) as registry:
        for _ in range(day):
            registry.advance()
        yield registry


def asked(firm: Inside, registry: SandboxServer, exit_code: int = 0) -> Said:
    said = firm.run("ingest", "fi", "--sandbox", "--json", FIRM_SANDBOX_URL=registry.url)
    assert said.exit_code == exit_code, said.out + said.err
    assert "Traceback" not in said.err
    return said


@pytest.fixture(scope="module")
def asked_once(tmp_path_factory: pytest.TempPathFactory) -> Inside:
    """The first day, asked for over HTTP."""
    firm = Inside(tmp_path_factory.mktemp("asked") / "data")
    with registries(0) as registry:
        asked(firm, registry)
    return firm


def is_day(firm: Inside, told: Told, day: int) -> bool:
    """Whether the state is that of a day, and the events are all that were planned until then."""
    assert firm.profiles(told) == profiles_on(told, day)
    assert firm.events() == planned(told, *range(1, day + 1)).keys()
    return True


def test_over_http_day_by_day_with_troubles(asked_once: Inside, told: Told, tmp_path: Path) -> None:
    firm = asked_once.copy(tmp_path / "data")
    assert firm.events() == set()
    with registries(0) as registry:
        assert asked(firm, registry).report["release"] is None  # nothing is new on the day that is known
        statements = [line for line in registry.requests if line.endswith("/opendata-xbrl-api/v3/financial")]
        assert statements == []  # what was asked is not asked again
    passing = {
        "/all_companies": "rate_limited",
        "/all_financial_statements": "unavailable",
        "/query.action": "slow_drip",
    }
    with registries(1, faults=passing) as registry:
        registry.troubles.retry_after = 0
        assert asked(firm, registry).report["held"] == []
        assert is_day(firm, told, 1)
    with registries(2, faults={"/all_companies": "cut_off"}) as registry:
        said = asked(firm, registry, exit_code=3)
        assert said.err.startswith("QUARANTINED fi.ytj: fetch: found ")
        assert firm.events() < planned(told, 1, 2).keys()
        registry.troubles.by_path.clear()
        asked(firm, registry)
        assert is_day(firm, told, 2)


@pytest.mark.parametrize(
    ("path", "fault", "dataset"),
    [("/opendata-registerednotices-api/v3/", "html", "fi.notices"), ("/query.action", "truncated", "fi.nasdaq")],
)
def test_what_an_endpoint_fails_to_tell_comes_when_it_is_asked_again(
    path: str, fault: str, dataset: str, asked_once: Inside, told: Told, tmp_path: Path
) -> None:
    firm = asked_once.copy(tmp_path / "data")
    with registries(1, faults={path: fault}) as registry:
        said = asked(firm, registry, exit_code=3)
        assert dataset in [held["dataset"] for held in said.report["held"]]
        registry.troubles.by_path.clear()
        assert asked(firm, registry).report["held"] == []
    assert is_day(firm, told, 1)
