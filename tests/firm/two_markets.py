"""Three days of a generated world of two markets, the first of them taken in: made once for all who begin with it."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox import World, write_days
from tests.firm.inside import Inside, Told
from tests.once import made_once

WORLD = World(seed=3, companies=120, days=3, markets=("NO", "UK"))


@dataclass(frozen=True)
class TwoMarkets:
    """Its folders of days and `loaded` are only read: who takes in more does so in a copy of `loaded`."""

    folder: Path

    @property
    def days(self) -> list[Path]:
        return [self.folder / "days" / WORLD.date(day).isoformat() for day in range(WORLD.days)]

    @property
    def told(self) -> Told:
        return json.loads((self.folder / "days" / "truth.json").read_text())

    @property
    def loaded(self) -> Inside:
        return Inside(self.folder / "data")


def two_markets(temporary: pytest.TempPathFactory) -> TwoMarkets:
    return TwoMarkets(made_once(temporary, "two-markets", _make))


def _make(folder: Path) -> None:
    first, *_ = write_days(WORLD, folder / "days")
    Inside(folder / "data").ingest(first)
