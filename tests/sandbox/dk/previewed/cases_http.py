"""Denmark with the preview on over HTTP: `firm ingest dk --sandbox` on two days, with searches and hosts that fail."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from connectors.dk import search
from sandbox import SandboxServer, World, minimum_companies, serve, write_days
from tests.firm.inside import Inside, Said, Told, planned, profiles_on
from tests.sandbox.dk.previewed.conftest import read_truth

COMPANIES, REPORTS = "/cvr-permanent/virksomhed/_search", "/offentliggoerelser/_search"
WORLD = World(seed=31, companies=minimum_companies("DK", 2), days=2, markets=("DK",))


@contextmanager
def registries(day: int, **settings: Any) -> Iterator[SandboxServer]:
    with serve(WORLD, **settings) as registry:
        for _ in range(day):
            registry.advance()
        yield registry


def asked(firm: Inside, registry: SandboxServer, exit_code: int = 0) -> Said:
    said = firm.run("ingest", "dk", "--sandbox", "--json", FIRM_SANDBOX_URL=registry.url)
    assert said.exit_code == exit_code, said.out + said.err
    assert "Traceback" not in said.err
    return said


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    folder = tmp_path_factory.mktemp("told")
    write_days(WORLD, folder)
    return read_truth(folder)


def is_day(firm: Inside, told: Told, day: int) -> bool:
    """Whether the state is that of a day, and the events are all that were planned until then."""
    assert firm.profiles(told) == profiles_on(told, day)
    assert firm.events() == planned(told, *range(1, day + 1)).keys()
    return True


def test_over_http_day_by_day_with_troubles(told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In pages of 25, so that one search follows another."""
    monkeypatch.setattr(search, "SIZE", 25)
    firm = Inside(tmp_path / "data")
    with registries(0, faults={COMPANIES: "truncated"}) as registry:
        said = asked(firm, registry, exit_code=3)
        assert "dk.virksomhed" in [held["dataset"] for held in said.report["held"]]
        registry.troubles.by_path.clear()
        assert asked(firm, registry).report["held"] == []
        assert is_day(firm, told, 0)
        assert Counter(line.split()[1] for line in registry.requests)[REPORTS] > 2
        before = len(registry.requests)
        assert asked(firm, registry).report["release"] is None  # nothing is new on the day that is known
        again = registry.requests[before:]
        assert [line for line in again if line.endswith((".xml", ".xhtml"))] == []  # a document is asked for once
        assert {line.split()[1] for line in again if "_search" in line} == {COMPANIES, REPORTS}
    with registries(1, faults={COMPANIES: "rate_limited", REPORTS: "unavailable"}) as registry:
        registry.troubles.retry_after = 0
        assert asked(firm, registry).report["held"] == []
        assert is_day(firm, told, 1)
