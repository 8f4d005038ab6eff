"""The dated pairs of genuine submissions through the real command: exactly what happened becomes events."""

import json
import shutil
from pathlib import Path

import pytest

from tests.firm.inside import Inside
from warehouse.ledger.ledger import Ledger

pytestmark = [pytest.mark.sources, pytest.mark.slow]
PAIRS = {"0001318605": "Tesla", "0000310522": "Fannie Mae", "0001718179": "an individual"}
DAYS = {1: "2026-02-10", 2: "2026-03-01"}


@pytest.fixture(scope="module")
def lived(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Inside:
    """Both days of the three filers, taken in one after the other."""
    folder = tmp_path_factory.mktemp("pairs")
    firm = Inside(folder / "data")
    for number, day in DAYS.items():
        target = folder / day / "us" / "submissions"
        target.mkdir(parents=True)
        for cik in PAIRS:
            body = (sources / "us" / "submissions" / f"CIK{cik}.snapshot{number}.json").read_bytes()
            (target / f"CIK{cik}.json").write_bytes(body)
        firm.ingest(folder / day, "us", "--at", f"{day}T12:00:00")
    return firm


def test_pitfall_07_flicker_makes_no_event_and_a_new_report_makes_one(lived: Inside) -> None:
    found = [(event.event_type, event.company_id) for event in Ledger(lived.layout).after(0, 100)]
    assert found == [("filing.added", "firm:US:US0000310522")]


def test_the_event_tells_of_the_report(lived: Inside) -> None:
    (event,) = Ledger(lived.layout).after(0, 100)
    data = event.data if isinstance(event.data, dict) else json.loads(event.data)
    told = data["filing"]
    assert (told["filing_type"], told["period_end"], told["filed_at"]) == ("annual_report", "2025-12-31", "2026-02-11")
    assert told["document_url"].startswith("https://www.sec.gov/Archives/edgar/data/310522/")


def test_the_same_again_says_nothing(lived: Inside, sources: Path, tmp_path: Path) -> None:
    firm = lived.copy(tmp_path / "data")
    target = tmp_path / "again" / "us" / "submissions"
    target.mkdir(parents=True)
    for cik in PAIRS:
        shutil.copyfile(sources / "us" / "submissions" / f"CIK{cik}.snapshot2.json", target / f"CIK{cik}.json")
    assert firm.ingest(tmp_path / "again", "us", "--at", "2026-03-05T12:00:00").report["events"] == {}
