"""A place of the invented market with somebody in it who is to be erased.

`main`, in a process of its own, is an erasure that kills that process at a step.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl

from pipelines.erasure import command as pipelines_erase
from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.reporting.report import IngestReport
from pipelines.sources.source import FolderSource
from tests.pipelines.invented import MARKET
from tests.pipelines.places import ONE, TWO, Place, accounts, owner
from warehouse.erasure.tombstones import Tombstone
from warehouse.exports.exports import FORMATS, ExportStore
from warehouse.reader.reader import ReleaseReader
from warehouse.storage.atomic_files import ignore_step

COMPANY, OTHER = f"firm:FI:{ONE}", f"firm:FI:{TWO}"
NAME, HOLDER_NAME, NEW_NAME = "Yksityinen Henkilö Tmi", "Åsa Öberg", "Yksityinen Uusi Tmi"
REMOVED_ROW = (ONE, ONE, "closed", "2026-03-09")  # its day is the feed's word
ANNOUNCED_ROW = (ONE, ONE, "closed", "2026-03-08")


def _is_removed(rows: pl.DataFrame) -> pl.Series:
    return (rows["status"] == "closed") & (rows["name"] == rows["number"])


def _is_confirmed(rows: pl.DataFrame) -> pl.Series:
    return _is_removed(rows) & (rows["date"] == date(2026, 3, 9))


ERASED_MARKET = replace(
    MARKET, removal_masks={"fi_register": _is_removed}, removal_confirmations={"fi_register": _is_confirmed}
)


class Erased(Place):
    """A place whose market says which companies it has taken away."""

    def load(self) -> None:
        """Two days: a company with a name, accounts, an owner and events; another with the same."""
        self.register((ONE, NAME, "open", "2020-01-01"), (TWO, "Kaksi Oy", "open", ""))
        self.records("accounts/a1.json", accounts("a1", ONE, 2024, 1234567), accounts("b1", TWO, 2024, 55))
        self.records(
            "owners/o1.json", owner("o1", ONE, 25, 50, holder=HOLDER_NAME), owner("p1", TWO, 25, 50, holder="Matti")
        )
        self.take()
        self.register((ONE, NAME, "asleep", "2026-03-03"), (TWO, "Kaksi Oy", "asleep", "2026-03-03"), ("odd",))
        self.records("accounts/a2.json", accounts("a2", ONE, 2025, 7654321), accounts("b2", TWO, 2025, 56))
        self.records(
            "owners/o2.json", owner("o1", ONE, 50, 75, holder=HOLDER_NAME), owner("p1", TWO, 50, 75, holder="Matti")
        )
        self.take()
        list(ExportStore(self.settings.layout).write(["FI"], FORMATS))

    def register(self, *rows: Any, name: str = "register.csv", day: str = "") -> Path:  # type: ignore[override]
        """A line that is no record, too: its reject tells of the company."""
        lines = ["number,name,status,date", *(",".join(row) for row in rows), "end"]
        return self.write(f"fi/register/{name}", "\n".join(lines), day)

    def take(
        self, on_step: Callable[[str], None] = ignore_step, told: Callable[[str], None] | None = None
    ) -> IngestReport:
        """An ingest a day after the last one."""
        from datetime import timedelta

        self.now += timedelta(days=1)
        overrides = IngestOverrides(jurisdictions=(ERASED_MARKET,), clock=self.clock, on_step=on_step)
        return ingest(
            self.settings, ["fi"], FolderSource(self.folder), progress=told or self.lines.append, overrides=overrides
        )

    def erase(self, *subjects: str, on_step: Callable[[str], None] = ignore_step) -> tuple[Tombstone, ...]:
        overrides = pipelines_erase.WorkspaceOverrides((ERASED_MARKET,), self.clock, on_step)
        return pipelines_erase.erase(self.settings, subjects, "asked for", self.lines.append, overrides)

    def lift(self, *subjects: str) -> tuple[Tombstone, ...]:
        overrides = pipelines_erase.WorkspaceOverrides((ERASED_MARKET,), self.clock)
        return pipelines_erase.lift(self.settings, subjects, "it is back", overrides)

    def profile(self, company: str) -> dict[str, Any] | None:
        reader = ReleaseReader(self.settings.layout)
        try:
            with reader.pin_release() as snapshot:
                document = snapshot.profile(company)
        finally:
            reader.close()
        return None if document is None else json.loads(document.body)

    def copied(self, root: Path) -> Erased:
        shutil.copytree(self.root, root, dirs_exist_ok=True)
        return Erased(root, self.now)


def main(root: str, now: str, step: str, subject: str) -> None:
    def die(name: str) -> None:
        if name == step:
            os.kill(os.getpid(), signal.SIGKILL)

    Erased(Path(root), datetime.fromisoformat(now)).erase(subject, on_step=die)
