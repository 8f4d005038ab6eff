"""Staging of normalised snapshots: shared tables of the companies touched by one instant of one batch.

`images/<market>/` holds one folder per instant, with the companies in parts: each part is built, stored and merged
separately, so that a register of millions needs only the memory of one part. A folder is built under a temporary
name and renamed when complete. Does not belong here: which images and parts are merged (`history.history`), or the
meaning of a table.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

import polars as pl

from warehouse.storage import atomic_files, parquet
from warehouse.storage.layout import Layout

INDEX: Final = "index.json"
TOUCHED: Final = "touched"
_STAMP: Final = "%Y%m%dT%H%M%S%fZ"


@dataclass(frozen=True, slots=True)
class SnapshotPart:
    """Some companies of a snapshot. `name`: prefix of its files; `tables`: names of the tables it has."""

    name: str
    folder: Path
    tables: tuple[str, ...]

    def read(self) -> tuple[dict[str, pl.DataFrame], pl.Series]:
        """Reads the tables and the touched companies."""
        tables = {table: pl.read_parquet(self.path(table)) for table in self.tables}
        return tables, pl.read_parquet(self.path(TOUCHED))[TOUCHED]

    def path(self, table: str) -> Path:
        """File of a table of the part."""
        return self.folder / f"{self.name}{table}.parquet"


@dataclass(frozen=True, slots=True)
class RunKnowledge:
    """What the run that made a snapshot knew of first loads and decisions: which events it makes follows from it.

    baselines: by dataset that is loaded at the snapshot's instant, that of its first snapshot. first_loads: by dataset
    whose first load took several runs, the instant of its last snapshot so far. decisions: rows that the decision log
    had. loaded_before: datasets that an earlier run had loaded.
    """

    baselines: Mapping[str, datetime]
    first_loads: Mapping[str, datetime]
    decisions: int = 0
    loaded_before: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, value: Mapping[str, Any]) -> Self:
        """Reads the value of `as_json`."""
        baselines, first_loads = (
            {key: datetime.fromisoformat(at) for key, at in value[name].items()}
            for name in ("baselines", "first_loads")
        )
        return cls(baselines, first_loads, value["decisions"], frozenset(value.get("loaded_before", ())))

    def as_json(self) -> dict[str, Any]:
        """As the index of a snapshot has it."""
        return {
            "baselines": {key: at.isoformat() for key, at in self.baselines.items()},
            "first_loads": {key: at.isoformat() for key, at in self.first_loads.items()},
            "decisions": self.decisions,
            "loaded_before": sorted(self.loaded_before),
        }


@dataclass(frozen=True, slots=True)
class NormalisedSnapshot:
    """Snapshot of one instant of one batch; no company is in two parts.

    known_at: when its content became known, later than the instant if it arrived late. knowledge: None of a snapshot
    that an earlier version wrote.
    """

    market: str
    batch: str
    instant: datetime
    path: Path
    parts: tuple[SnapshotPart, ...]
    known_at: datetime
    knowledge: RunKnowledge | None = None

    @classmethod
    def at(cls, folder: Path) -> Self:
        """Reads a snapshot from disk; one written before parts existed is a single part without name prefix."""
        index = json.loads((folder / INDEX).read_text())
        told: dict[str, Any] = index["parts"] if "parts" in index else {"": index["tables"]}
        parts = tuple(SnapshotPart(name, folder, tuple(tables)) for name, tables in told.items())
        instant = datetime.fromisoformat(index["instant"])
        known_at = datetime.fromisoformat(index["known_at"]) if "known_at" in index else instant
        knowledge = RunKnowledge.parse(index["knowledge"]) if "knowledge" in index else None
        return cls(index["market"], index["batch"], instant, folder, parts, known_at, knowledge)


class SnapshotWriter:
    """Writes a snapshot part by part; created and published by `SnapshotStore.writer`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.parts: dict[str, dict[str, int]] = {}

    def add(self, tables: Mapping[str, pl.DataFrame], touched: pl.Series) -> None:
        """Writes a part; its companies must be in no other part."""
        part = SnapshotPart(f"{len(self.parts):06d}.", self._folder, tuple(tables))
        for table, frame in tables.items():
            parquet.write_parquet(frame, part.path(table))
        touched.rename(TOUCHED).to_frame().write_parquet(part.path(TOUCHED))
        self.parts[part.name] = {table: frame.height for table, frame in tables.items()}


class SnapshotStore:
    """The snapshots of one data root."""

    def __init__(self, layout: Layout, on_step: atomic_files.Step = atomic_files.ignore_step) -> None:
        self._root = layout.snapshots_folder
        self._on_step = on_step

    @contextmanager
    def writer(
        self, market: str, batch: str, instant: datetime, known_at: datetime, knowledge: RunKnowledge
    ) -> Iterator[SnapshotWriter]:
        """Collects a snapshot, published when the block succeeds; replaces one left by a killed run."""
        folder = self._root / market / f"{instant.astimezone(UTC):{_STAMP}}.{batch}"
        built = atomic_files.temporary_path(folder)
        atomic_files.delete_if_exists(built)
        atomic_files.make_folder(built)
        writer = SnapshotWriter(built)
        yield writer
        self._on_step("image written")
        value = {"market": market, "batch": batch, "instant": instant.isoformat(), "known_at": known_at.isoformat()}
        atomic_files.write_json(built / INDEX, value | {"knowledge": knowledge.as_json(), "parts": writer.parts})
        atomic_files.delete_if_exists(folder)
        atomic_files.publish_folder(built, folder, "image", self._on_step)

    def all(self, market: str) -> list[NormalisedSnapshot]:
        """Snapshots of a market in the order in which they became known, then by batch."""
        found = sorted((self._root / market).glob(f"*/{INDEX}"))
        read = (NormalisedSnapshot.at(path.parent) for path in found if path.parent.suffix != atomic_files.TEMPORARY)
        return sorted(read, key=lambda snapshot: (snapshot.known_at, snapshot.batch))

    def drop(self, snapshot: NormalisedSnapshot) -> None:
        """Deletes a snapshot that is merged into history; it can be rebuilt from STAGED."""
        shutil.rmtree(snapshot.path)
