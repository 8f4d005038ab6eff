"""A first load over HTTP that breaks off, in every market: whatever is left of it is no news on the next day."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox import SandboxServer, World, serve
from sandbox import expected as sandbox_expected
from sandbox.faults.requests import FaultPlan
from sandbox.write import api_document_key
from tests.firm.inside import Inside, Said, planned
from warehouse.ledger.ledger import Ledger

pytestmark = pytest.mark.slow


@dataclass(slots=True)
class Outage(FaultPlan):
    """Requests of a path are refused after some, until it is over."""

    path: str = ""
    left: int = 0
    fault: str = "html"
    is_over: bool = False
    refused: int = 0

    def of(self, path: str) -> str | None:
        if self.is_over or self.path not in path:
            return None
        if self.left:
            self.left -= 1
            return None
        self.refused += 1
        return self.fault


@contextmanager
def registries(market: str, outage: Outage) -> Iterator[SandboxServer]:
    with serve(World(seed=11, companies=60, days=3, markets=(market,))) as registry:
        registry.troubles = outage
        yield registry


def ingest(firm: Inside, registry: SandboxServer, market: str, exit_code: int = 0) -> Said:
    said = firm.run("ingest", market, "--sandbox", "--json", FIRM_SANDBOX_URL=registry.url)
    assert said.exit_code == exit_code, said.out + said.err
    return said


@pytest.mark.parametrize(
    ("market", "path", "passed", "dataset", "fault"),
    [
        ("NO", "/regnskapsregisteret/regnskap/", 5, "no.regnskap", "unavailable"),
        ("FI", "/opendata-xbrl-api/v3/financial", 40, "fi.xbrl", "unavailable"),
        ("UK", "/en_pscdata.html", 0, "uk.psc", "html"),
        ("SE", "/arsredovisningar-bulkfiler", 1, "se.arsredovisningar", "html"),
        ("US", "/submissions/CIK", 3, "us.filer", "html"),
    ],
)
def test_first_load_that_breaks_off_and_goes_on_is_silent(
    market: str, path: str, passed: int, dataset: str, fault: str, tmp_path: Path
) -> None:
    firm, outage = Inside(tmp_path / "data"), Outage(path=path, left=passed, fault=fault, retry_after=0)
    with registries(market, outage) as registry:
        said = ingest(firm, registry, market, exit_code=3)
        assert dataset in [held["dataset"] for held in said.report["held"]]
        assert outage.refused
        assert said.report["events"] == {}
        sandbox_expected.write_truth(registry.desk.world, tmp_path / "truth.json", api_document_key)
        told = json.loads((tmp_path / "truth.json").read_text())
        outage.is_over = True
        for day in (1, 2):
            registry.advance()
            assert ingest(firm, registry, market).report["held"] == []
            extra = firm.events() - planned(told, *range(1, day + 1)).keys()
            assert [one.data for one in Ledger(firm.layout).after(0, 10_000) if one.event_id in extra] == []
            assert extra == set(), f"day {day}"
    signalled = {key for key, event in planned(told, 2).items() if event.get("signalled", True)}
    assert signalled - firm.events() == set(), "after the first load everything is told again"
