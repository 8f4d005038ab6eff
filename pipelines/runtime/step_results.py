"""Result of each step of a run, as small files below `runs/<batch>/`; a run's report is made from them.

They outlive the process, so that a killed run can be reported, and do not depend on Dagster's storage. No
step reads them to decide what to do, which follows from the stores (`lake`, `history`); for a killed run they
show that it died. They also hold two facts of a run, because steps may run in other processes: its logical
instant and its overrides.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from pipelines.runtime.batch_ids import batch_instant
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout

RUN: Final = "run"
KEPT_FOR: Final = timedelta(days=2)  # at short cadences many runs, each of a few datasets, make a day


@dataclass(frozen=True, slots=True)
class RunParameters:
    """Logical instant of a run, and the datasets it lets through their guards."""

    at: datetime
    accept_shrink: frozenset[str] = frozenset()


class StepResults:
    """The step results below one data root."""

    def __init__(self, layout: Layout) -> None:
        self._root = layout.root / "runs"

    def batches(self) -> list[str]:
        """Batches that have step results, oldest first."""
        return sorted(path.name for path in self._root.glob("*Z")) if self._root.is_dir() else []

    def write(self, batch: str, step: str, value: Mapping[str, Any]) -> None:
        """Writes the result of a step."""
        atomic_files.write_json(self._root / batch / f"{step}.json", value)

    def read(self, batch: str, step: str) -> dict[str, Any] | None:
        """The result of a step; None if it has none."""
        path = self._root / batch / f"{step}.json"
        return json.loads(path.read_text()) if path.exists() else None

    def begin(self, batch: str, facts: RunParameters) -> None:
        """Writes the facts of a run that begins."""
        value = {"at": facts.at.isoformat(), "accept_shrink": sorted(facts.accept_shrink)}
        self.write(batch, RUN, value)

    def facts(self, batch: str) -> RunParameters:
        """The facts of a run; a scheduled run has its start as logical instant and overrides nothing."""
        value = self.read(batch, RUN)
        if value is None:
            return RunParameters(batch_instant(batch))
        return RunParameters(datetime.fromisoformat(value["at"]), frozenset(value["accept_shrink"]))

    def folder(self, batch: str) -> Path:
        """Folder of a run's own files."""
        path = self._root / batch
        atomic_files.make_folder(path)
        return path

    def prune(self, keep: int, now: datetime) -> int:
        """Removes the oldest runs' results, none younger than KEPT_FOR; returns how many runs' were removed."""
        old = [batch for batch in self.batches()[:-keep] if batch_instant(batch) < now - KEPT_FOR]
        for batch in old:
            shutil.rmtree(self._root / batch)
        return len(old)
