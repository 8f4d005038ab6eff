"""STAGED: Parquet files that are written once and read by the next step.

`staged/<dataset>/<batch>/` holds one file per staged table, rejects, signals and an index. A folder is built
under another name and renamed when whole, so that what is there is complete. Which of them history has taken in
is known by `history`; what becomes of the rows is kept by `images`. Neither belongs here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

import polars as pl

from warehouse import files, render
from warehouse.paths import Layout
from warehouse.reading import Held
from warehouse.schema.types import Table
from warehouse.staging import REJECTS, SIGNALS, STAGED_COLUMNS, StagedWriter

__all__ = ["Lake", "StagedIndex", "StagedWriter"]

INDEX: Final = "index.json"
ASKED: Final = "asked.json"  # beside a dataset's batches
DOUBTS: Final = "doubts.json"
ACCEPTED: Final = "accepted"  # figure: the guard that a person let the batch through
FULL: Final = "full"  # the scope of an edition that stands for all before it


@dataclass(frozen=True, slots=True)
class StagedIndex:
    """What one staged batch holds. Written last: where there is none, there is no batch.

    `editions`: by instant and scope, `{observed_at, scope, rows: {table: count}, records: {table: count of
    different keys}}`. `pieces`: every
    piece read, `{name, sha256, rows, rejected: null or the reason it was rejected whole}`.
    """

    dataset: str
    batch: str
    tables: Mapping[str, int]
    rejects: int
    editions: tuple[Mapping[str, Any], ...]
    pieces: tuple[Mapping[str, Any], ...]
    cursor: str | None = None
    held: Held | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def accepted(self) -> Held | None:
        """The guard that would have held the batch, had a person not let it through."""
        told = self.figures.get(ACCEPTED)
        return None if told is None else Held(**told)

    @classmethod
    def parse(cls, text: str) -> Self:
        values = json.loads(text)
        held = values.pop("held")
        values["editions"] = tuple(values["editions"])
        values["pieces"] = tuple(values["pieces"])
        return cls(**values, held=Held(**held) if held else None)


class Lake:
    """Staged batches below one data root."""

    def __init__(self, layout: Layout, on_step: files.Step = files.no_step) -> None:
        self._staged = layout.staged
        self._on_step = on_step

    @contextmanager
    def writer(self, dataset: str, batch: str) -> Iterator[StagedWriter]:
        """Collects one staged batch; it is there when the block ends well, and not at all otherwise."""
        folder = self._staged / dataset / batch
        if folder.exists():
            raise FileExistsError(f"{dataset}: batch {batch} is staged already; a batch is written once")
        built = files.temporary(folder)
        files.discard(built)
        files.make_folder(built)
        with StagedWriter(dataset, batch, built) as writer:
            yield writer
        self._on_step("staged written")
        files.write_json(built / INDEX, writer.index())
        self._publish(built, folder, "staged")

    def _publish(self, built: Path, folder: Path, what: str) -> None:
        files.sync_tree(built)
        self._on_step(f"{what} synced")
        built.replace(folder)
        files.sync_folder(folder.parent)
        self._on_step(f"{what} published")

    def batches(self, dataset: str) -> list[str]:
        """Batches of a dataset, oldest first."""
        return sorted(path.parent.name for path in self._whole(self._staged / dataset))

    def index(self, dataset: str, batch: str) -> StagedIndex | None:
        """What a batch holds; None where it is not staged."""
        path = self._staged / dataset / batch / INDEX
        return StagedIndex.parse(path.read_text()) if path.exists() else None

    def indexes(self, dataset: str) -> Iterator[StagedIndex]:
        """Every staged batch of a dataset, oldest first."""
        for batch in self.batches(dataset):
            index = self.index(dataset, batch)
            if index is not None:
                yield index

    def staged_pieces(self, dataset: str) -> frozenset[tuple[str, str]]:
        """(name, sha256) of every piece that has been read, rejected ones too."""
        return frozenset(
            (piece["name"], piece["sha256"]) for index in self.indexes(dataset) for piece in index.pieces
        )

    def cursor(self, dataset: str) -> str | None:
        """Where the feed goes on: of the newest staged batch that set one."""
        cursors = [index.cursor for index in self.indexes(dataset) if index.cursor is not None]
        return cursors[-1] if cursors else None

    def asked(self, dataset: str) -> dict[str, str]:
        """The newest batch of each other dataset whose subjects this one has asked for."""
        path = self._staged / dataset / ASKED
        return json.loads(path.read_text()) if path.exists() else {}

    def note_asked(self, dataset: str, seen: Mapping[str, str]) -> None:
        """Notes up to which batch of each other dataset subjects have been asked for."""
        if seen != self.asked(dataset):
            files.make_folder(self._staged / dataset)
            files.write_json(self._staged / dataset / ASKED, dict(seen))

    def doubts(self, dataset: str) -> tuple[dict[str, str], list[tuple[str, tuple[str, ...]]]]:
        """Of which complete editions a dataset has doubted what, by table; and (table, key) still in doubt."""
        path = self._staged / dataset / DOUBTS
        if not path.exists():
            return {}, []
        said = json.loads(path.read_text())
        return said["editions"], [(table, tuple(key)) for table, key in said["left"]]

    def note_doubts(
        self, dataset: str, editions: Mapping[str, str], left: Sequence[tuple[str, tuple[str, ...]]]
    ) -> None:
        """Notes what of complete editions was doubted and is not answered yet."""
        files.make_folder(self._staged / dataset)
        files.write_json(self._staged / dataset / DOUBTS, {"editions": dict(editions), "left": left})

    def rows(self, dataset: str, batch: str, table: Table) -> pl.LazyFrame:
        """Rows of one staged table with the columns of STAGED_COLUMNS; none where the batch has none."""
        path = self._staged / dataset / batch / f"{table.name}.parquet"
        if path.exists():
            return pl.scan_parquet(path)
        return pl.LazyFrame(schema={**render.polars_schema(table), **STAGED_COLUMNS})

    def rejects(self, dataset: str, batch: str) -> pl.DataFrame:
        """What could not be read: table, piece, raw pointer, record, reason, excerpt."""
        path = self._staged / dataset / batch / f"{REJECTS}.parquet"
        return pl.read_parquet(path)

    def signals(self, dataset: str, batch: str) -> list[dict[str, Any]]:
        """What a person should look at."""
        return json.loads((self._staged / dataset / batch / f"{SIGNALS}.json").read_text())

    def hold(self, dataset: str, batch: str, held: Held | None) -> None:
        """Marks a batch as held; None: it is not."""
        index = self.index(dataset, batch)
        if index is None:
            raise KeyError(f"{dataset}: batch {batch} is not staged")
        path = self._staged / dataset / batch / INDEX
        files.write_json(path, as_json(replace(index, held=held)))

    def held(self, dataset: str) -> list[StagedIndex]:
        """Batches that a guard holds and that nothing stands for yet, oldest first.

        A complete edition stands for all before it. Behind a held part of a feed later parts go on: without it
        what it tells of would be lost.
        """
        found: list[StagedIndex] = []
        for batch in reversed(self.batches(dataset)):
            index = self.index(dataset, batch)
            if index is not None and index.held is not None:
                found.insert(0, index)
            if index is not None and any(edition["scope"] == FULL for edition in index.editions):
                break
        return found

    def accept(self, dataset: str, batch: str) -> None:
        """Lets a held batch go on and keeps what held it among its figures, as `accepted`."""
        index = self.index(dataset, batch)
        if index is None or index.held is None:
            raise KeyError(f"{dataset}: batch {batch} is not held")
        figures = {**index.figures, ACCEPTED: asdict(index.held)}
        files.write_json(
            self._staged / dataset / batch / INDEX, as_json(replace(index, held=None, figures=figures))
        )

    def rows_size(self, index: StagedIndex) -> int:
        """Bytes that the rows of a batch take on disk."""
        return sum(path.stat().st_size for path in self._tables(index) if path.exists())

    def drop_rows(self, index: StagedIndex) -> None:
        """Removes the rows of a batch that nobody reads any more; what it was, its rejects and signals stay."""
        for path in self._tables(index):
            files.discard(path)

    def _tables(self, index: StagedIndex) -> Iterator[Path]:
        return (self._staged / index.dataset / index.batch / f"{name}.parquet" for name in index.tables)

    @staticmethod
    def _whole(folder: Path) -> Iterator[Path]:
        """Indexes of finished folders; those under a temporary name are not."""
        return (path for path in folder.glob(f"*/{INDEX}") if path.parent.suffix != files.TEMPORARY)


def as_json(index: StagedIndex) -> dict[str, Any]:
    """An index as its file holds it."""
    held = index.held
    return {
        "dataset": index.dataset,
        "batch": index.batch,
        "tables": dict(index.tables),
        "rejects": index.rejects,
        "editions": list(index.editions),
        "pieces": list(index.pieces),
        "cursor": index.cursor,
        "held": {"guard": held.guard, "seen": held.seen, "allowed": held.allowed} if held else None,
        "figures": dict(index.figures),
    }
