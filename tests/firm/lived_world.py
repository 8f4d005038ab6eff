"""A generated world of five markets, news included, taken in day by day: made once for the tests that read it."""

import json
import shutil
from pathlib import Path

import pytest

from sandbox import World, sufficient_companies, write_days
from tests.firm.inside import Inside
from tests.once import made_once

DAYS = 3
PRESS = ("SE", "NO", "FI", "UK", "US")
WORLD = World(seed=23, companies=sufficient_companies(DAYS), days=DAYS, press=PRESS, groups=True)


def lived_world(temporary: pytest.TempPathFactory) -> Path:
    """A copy of the caller's own: `data`, `truth.json`, and in `reports.json` what each day's ingest reported."""
    made = made_once(temporary, "lived-world", _live_through)
    folder = temporary.mktemp("lived") / "world"
    shutil.copytree(made, folder)
    return folder


def _live_through(folder: Path) -> None:
    inside = Inside(folder / "data")
    days = write_days(WORLD, folder / "days")
    (folder / "reports.json").write_text(json.dumps([inside.ingest(day).report for day in days]))
    shutil.move(folder / "days" / "truth.json", folder)
    shutil.rmtree(folder / "days")
