"""What each step of a run has done, as small files below `runs/<batch>/`; a run's report is made of them.

They outlive the process, so that a run that was killed can be told of, and do not depend on Dagster's
storage. Nothing reads them to decide what is to be done: that is known by what is there (`lake`,
`history`); of a run that died they tell that it did. Two facts of a run stand here too, because steps may run
in other processes: its logical instant and what it overrides.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from pipelines.batches import batch_instant
from warehouse import files
from warehouse.paths import Layout

RUN: Final = "run"


@dataclass(frozen=True, slots=True)
class RunFacts:
    """When a run takes place (its logical instant) and which datasets it lets through their guards."""

    at: datetime
    accept_shrink: frozenset[str] = frozenset()


class Receipts:
    """The receipts below one data root."""

    def __init__(self, layout: Layout) -> None:
        self._root = layout.root / "runs"

    def batches(self) -> list[str]:
        """Batches that have receipts, oldest first."""
        return sorted(path.name for path in self._root.glob("*Z")) if self._root.is_dir() else []

    def write(self, batch: str, step: str, value: Mapping[str, Any]) -> None:
        """Notes what a step has done."""
        files.write_json(self._root / batch / f"{step}.json", value)

    def read(self, batch: str, step: str) -> dict[str, Any] | None:
        """What a step has done; None where it has not."""
        path = self._root / batch / f"{step}.json"
        return json.loads(path.read_text()) if path.exists() else None

    def begin(self, batch: str, facts: RunFacts) -> None:
        """Notes the facts of a run that begins."""
        value = {"at": facts.at.isoformat(), "accept_shrink": sorted(facts.accept_shrink)}
        self.write(batch, RUN, value)

    def facts(self, batch: str) -> RunFacts:
        """The facts of a run; one started by a schedule takes place when it began and overrides nothing."""
        value = self.read(batch, RUN)
        if value is None:
            return RunFacts(batch_instant(batch))
        return RunFacts(datetime.fromisoformat(value["at"]), frozenset(value["accept_shrink"]))

    def folder(self, batch: str) -> Path:
        """Where a run's own files lie."""
        path = self._root / batch
        files.make_folder(path)
        return path

    def prune(self, keep: int) -> None:
        """Removes the oldest runs' receipts."""
        for batch in self.batches()[:-keep]:
            shutil.rmtree(self._root / batch)
