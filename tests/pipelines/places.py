"""Folders of the invented market, and ingests of them with a clock that only tests move."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg

from connectors.contract.dataset import Jurisdiction
from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.reporting.report import IngestReport
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from tests.once import copy_made
from tests.pipelines.invented import MARKET
from warehouse.release import freshness
from warehouse.release.freshness import DatasetCheck

START = datetime(2026, 3, 1, 8, tzinfo=UTC)
ONE, TWO, THREE = "1000001-1", "1000002-2", "1000003-3"


@dataclass
class Place:
    """One data root, one folder of files, one clock."""

    root: Path
    now: datetime = START
    lines: list[str] = field(default_factory=list)
    instance: dg.DagsterInstance | None = None  # None: Dagster's own, on disk
    market: Jurisdiction = MARKET

    @property
    def folder(self) -> Path:
        return self.root / "files"

    @property
    def settings(self) -> IngestSettings:
        return IngestSettings(data=self.root / "data", workers=1)

    @property
    def noted(self) -> dict[str, DatasetCheck]:
        """What runs have noted of datasets, by the last word of their keys."""
        datasets = freshness.read_freshness(self.settings.layout).dataset_checks
        return {key.removeprefix("fi."): seen for key, seen in datasets.items()}

    def clock(self) -> datetime:
        self.now += timedelta(milliseconds=7)
        return self.now

    def write(self, name: str, text: str | bytes, day: str = "") -> Path:
        path = self.folder / day / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def register(self, *rows: tuple[str, str, str, str], name: str = "register.csv", day: str = "") -> Path:
        lines = ["number,name,status,date", *(",".join(row) for row in rows), "end"]
        return self.write(f"fi/register/{name}", "\n".join(lines), day)

    def records(self, name: str, *rows: dict[str, Any], day: str = "") -> Path:
        return self.write(f"fi/{name}", "\n".join(json.dumps(row) for row in rows), day)

    def day(self, day: str, *complete: str) -> None:
        self.write("day.json", json.dumps({"date": day, "complete": list(complete)}), day)

    def plain(self) -> None:
        """Two companies, one set of accounts, one owner; undated."""
        self.register((ONE, "Yksi Oy", "open", "2020-01-01"), (TWO, "Kaksi Oy", "open", ""))
        self.records("accounts/a1.json", accounts("a1", ONE, 2024, 100))
        self.records("owners/o1.json", owner("o1", ONE, 25, 50))

    def plain_ingested(self) -> None:
        """The plain files, ingested, without Dagster: once by a test process."""
        copy_made(_ingest_plain, self.root)
        self.now = datetime.fromisoformat((self.root / "now").read_text())

    def ingest(self, hook: Callable[[str], None] | None = None, **values: Any) -> IngestReport:
        """An ingest a day after the last one."""
        self.now += timedelta(days=1)
        overrides = IngestOverrides(jurisdictions=(self.market,), clock=self.clock, instance=self.instance, **values)
        return ingest(
            self.settings, ["fi"], FolderSource(self.folder), progress=hook or self.lines.append, overrides=overrides
        )


def _ingest_plain(root: Path) -> None:
    from tests.without_dagster import without_dagster  # not at the head: processes that die need no Dagster

    place = Place(root)
    place.plain()
    with without_dagster():
        place.ingest()
    (root / "now").write_text(place.now.isoformat())


def accounts(native: str, number: str, year: int, revenue: int, **values: Any) -> dict[str, Any]:
    period = {"start": f"{year}-01-01", "end": f"{year}-12-31"}
    return {"id": native, "number": number, **period, "revenue": revenue} | values


def owner(native: str, number: str, low: int, high: int, **values: Any) -> dict[str, Any]:
    return {"id": native, "number": number, "holder": "Åsa", "low": low, "high": high, "since": "2021-05-01"} | values
