"""Days of the whole market, ingested in this process: files by hand, a clock that only tests move."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import polars as pl

from connectors.se import SWEDEN
from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.reporting.report import IngestReport
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from tests.connectors.se import bulk_files
from tests.without_dagster import without_dagster
from warehouse.history.history import MarketHistory
from warehouse.ledger.ledger import Ledger
from warehouse.schema.types import Table


@dataclass
class Market:
    """One data root; every day is a folder of its own, dated."""

    root: Path
    instance: dg.DagsterInstance
    now: datetime = datetime(2025, 12, 1, 9, tzinfo=UTC)
    lines: list[str] = field(default_factory=list)

    def clock(self) -> datetime:
        self.now += timedelta(milliseconds=7)
        return self.now

    def day(
        self, date: str, organisations: list[dict[str, str]], units: list[dict[str, str]], **files: bytes
    ) -> IngestReport:
        """One day of both bulk files, whole, and whatever else came."""
        stamp = date.replace("-", "")
        bodies = {
            "bolagsverket_bulk/bolagsverket_bulkfil.txt": bulk_files.bulk(*organisations),
            f"scb_bulk/scb_bulkfil_JE_{stamp}T060000_1.txt": bulk_files.scb(*units),
            **{name.replace("__", "/"): body for name, body in files.items()},
        }
        return self.take(date, bodies, ["se.bolagsverket", "se.scb"])

    def take(self, date: str, bodies: dict[str, bytes], complete: list[str]) -> IngestReport:
        folder = self.root / "files" / date
        for name, body in bodies.items():
            path = folder / "se" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
        (folder / "day.json").write_text(json.dumps({"date": date, "complete": complete}))
        self.now = datetime.fromisoformat(f"{date}T09:00:00+00:00")
        overrides = IngestOverrides(jurisdictions=(SWEDEN,), clock=self.clock, instance=self.instance)
        settings = IngestSettings(data=self.root / "data", workers=1)
        with without_dagster():
            return ingest(settings, ["se"], FolderSource(folder), progress=self.lines.append, overrides=overrides)

    @property
    def events(self) -> list[str]:
        layout = IngestSettings(data=self.root / "data").layout
        return [f"{event.event_type} {json.loads(event.data)['org_nr']}" for event in Ledger(layout).after(0, 100)]

    def rows(self, table: Table) -> pl.DataFrame:
        with MarketHistory(IngestSettings(data=self.root / "data").layout, "SE") as history:
            return history.current_rows(table)
