"""STAGED store: Parquet files that are written once and read by the next step.

`staged/<dataset>/<batch>/` holds one file per staged table, rejects, signals and an index. A folder is built under
a temporary name and renamed when complete. Which batches there are, and which of them a question is about, is answered
by the index of the market (`market_index`). Does not belong here: which batches are merged (`history.history`), or what
the rows become (`snapshots`).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Self

import polars as pl

from warehouse import schema_render
from warehouse.market_index.batches import FULL, INDEX, RETRACTED, utc_text
from warehouse.market_index.index import MarketIndex, Part
from warehouse.schema.market_state import QuarantineReason
from warehouse.schema.retractions import BatchRetraction
from warehouse.schema.types import Table
from warehouse.staged.writer import REJECTS, SIGNALS, STAGED_COLUMNS, StagedWriter
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout

__all__ = ["INDEX", "StagedIndex", "StagedStore", "StagedWriter"]

ASKED: Final = "asked.json"  # next to a dataset's batches
DOUBTS: Final = "doubts.json"
ACCEPTED: Final = "accepted"  # key in `figures`: the guard that was overridden for the batch
DeletionCheck = tuple[str, tuple[str, ...]]  # a staged table, and the key of a record that a snapshot lacks
NOTHING_ANSWERED: Final[Mapping[str, Sequence[DeletionCheck]]] = MappingProxyType({})


_ALL: Final = "SELECT batch FROM batches WHERE dataset = ?1"
_IN_USE: Final = f"{_ALL} AND NOT is_retracted"


@dataclass(frozen=True, slots=True)
class StagedIndex:
    """Index of one staged batch. Written last: without it the batch does not exist.

    `editions`: by instant and scope, `{observed_at, scope, rows: {table: count}, records: {table: count of
    distinct keys}}`. `pieces`: every piece read, `{name, sha256, rows, rejected: null or the reason it was
    rejected entirely}`.
    """

    dataset: str
    batch: str
    tables: Mapping[str, int]
    rejects: int
    editions: tuple[Mapping[str, Any], ...]
    pieces: tuple[Mapping[str, Any], ...]
    cursor: str | None = None
    held: QuarantineReason | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def accepted(self) -> QuarantineReason | None:
        """The guard that would quarantine the batch, if it was overridden."""
        told = self.figures.get(ACCEPTED)
        return None if told is None else QuarantineReason(**told)

    @property
    def newest_instant(self) -> datetime | None:
        """Instant of its newest snapshot; None if it has none."""
        return max((datetime.fromisoformat(one["observed_at"]) for one in self.editions), default=None)

    @property
    def full_instant(self) -> datetime | None:
        """Instant of its newest full snapshot; None if it has none."""
        full = (one["observed_at"] for one in self.editions if one["scope"] == FULL)
        return max(map(datetime.fromisoformat, full), default=None)

    def is_superseded_by(self, full: datetime | None) -> bool:
        """True if a full snapshot of this instant, ingested later, supersedes the batch: not if it is older itself."""
        newest = self.newest_instant
        return full is not None and newest is not None and newest <= full

    @classmethod
    def parse(cls, text: str) -> Self:
        values = json.loads(text)
        held = values.pop("held")
        values["editions"] = tuple(values["editions"])
        values["pieces"] = tuple(values["pieces"])
        return cls(**values, held=QuarantineReason(**held) if held else None)


class StagedStore:
    """The staged batches of one data root."""

    def __init__(
        self, layout: Layout, on_step: atomic_files.Step = atomic_files.ignore_step, index: MarketIndex | None = None
    ) -> None:
        self._staged = layout.staged_folder
        self._index = MarketIndex(layout) if index is None else index
        self._on_step = on_step

    @contextmanager
    def write_batch(self, dataset: str, batch: str) -> Iterator[StagedWriter]:
        """Collects one staged batch; it is published only if the block succeeds."""
        folder = self._staged / dataset / batch
        if folder.exists():
            raise FileExistsError(f"{dataset}: batch {batch} is already staged; a batch is written only once")
        built = atomic_files.temporary_path(folder)
        atomic_files.delete_if_exists(built)
        atomic_files.make_folder(built)
        with self._writer(dataset, batch, built) as writer:
            yield writer
        self._on_step("staged written")
        atomic_files.write_json(built / INDEX, writer.build_index())
        atomic_files.publish_folder(built, folder, "staged", self._on_step)
        self._index.forget_batch(dataset, batch)  # that it was not there

    def _writer(self, dataset: str, batch: str, folder: Path) -> StagedWriter:
        return StagedWriter(dataset, batch, folder)

    def batches(self, dataset: str) -> list[str]:
        """Batches of a dataset in use, oldest first."""
        return self._names(dataset, f"{_IN_USE} ORDER BY batch")

    def all_batches(self, dataset: str) -> list[str]:
        """Batches of a dataset, oldest first, retracted ones included: an erasure and retention see all of them."""
        return self._names(dataset, f"{_ALL} ORDER BY batch")

    def newest_batch(self, dataset: str) -> str:
        """The newest batch of a dataset, retracted or not; empty if it has none."""
        return next(iter(self._names(dataset, f"{_ALL} ORDER BY batch DESC LIMIT 1")), "")

    def newest_batch_in_use(self, dataset: str) -> str:
        """The newest batch of a dataset in use; empty if it has none."""
        return next(iter(self._names(dataset, f"{_IN_USE} ORDER BY batch DESC LIMIT 1")), "")

    def newest_batches(self, datasets: Iterable[str]) -> list[str]:
        """The newest batch of each dataset that has one."""
        return list(filter(None, map(self.newest_batch, datasets)))

    def batches_naming(self, dataset: str, sha256: str, name: str | None = None) -> list[str]:
        """Batches in use that parsed a body of these bytes, and of this name if one is given; oldest first."""
        named = "SELECT batch FROM pieces WHERE dataset = ?1 AND sha256 = ?2 AND name = coalesce(?3, name)"
        return self._names(dataset, f"{_IN_USE} AND batch IN ({named}) ORDER BY batch", sha256, name)

    def batches_of_instant(self, dataset: str, instant: datetime) -> list[str]:
        """Batches in use with a snapshot of an instant, oldest first."""
        query = f"{_IN_USE} AND batch IN (SELECT batch FROM snapshots WHERE dataset = ?1 AND observed_at = ?2)"
        return self._names(dataset, f"{query} ORDER BY batch", utc_text(instant))

    def batches_with_figure(self, dataset: str, figure: str) -> list[str]:
        """Batches in use whose figures have a key, oldest first."""
        query = f"{_IN_USE} AND batch IN (SELECT batch FROM figures WHERE dataset = ?1 AND name = ?2) ORDER BY batch"
        return self._names(dataset, query, figure)

    def held_batches(self, dataset: str) -> list[str]:
        """Batches in use that are marked as quarantined, oldest first, superseded or not."""
        return self._names(dataset, f"{_IN_USE} AND is_held ORDER BY batch")

    def newest_accepted_full(self, dataset: str) -> str | None:
        """The batch with the newest full snapshot by its instant that is in use and not quarantined."""
        query = f"{_IN_USE} AND full_instant IS NOT NULL AND NOT is_held ORDER BY full_instant DESC, batch DESC LIMIT 1"
        return next(iter(self._names(dataset, query)), None)

    def newest_instant(self, dataset: str) -> datetime | None:
        """Instant of the newest snapshot of the batches in use; None if there is none."""
        newest = "newest_instant IS NOT NULL ORDER BY newest_instant DESC LIMIT 1"
        query = f"SELECT newest_instant FROM batches WHERE dataset = ?1 AND NOT is_retracted AND {newest}"
        return next(map(datetime.fromisoformat, self._names(dataset, query)), None)

    def _names(self, dataset: str, query: str, *values: str | None) -> list[str]:
        return [name for (name,) in self._index.ask(dataset, Part.STAGED, query, values)]

    def index(self, dataset: str, batch: str) -> StagedIndex | None:
        """Index of a batch; None if it is not staged."""
        path = self._staged / dataset / batch / INDEX
        return StagedIndex.parse(path.read_text()) if path.exists() else None

    def indexes(self, dataset: str) -> Iterator[StagedIndex]:
        """Indexes of the batches of a dataset in use, oldest first."""
        return self._read_indexes(dataset, self.batches(dataset))

    def all_indexes(self, dataset: str) -> Iterator[StagedIndex]:
        """Indexes of all batches of a dataset, retracted ones included, oldest first."""
        return self._read_indexes(dataset, self.all_batches(dataset))

    def newest_indexes(self, dataset: str) -> Iterator[StagedIndex]:
        """Indexes of the batches of a dataset in use, newest first, each read when it is requested."""
        return self._read_indexes(dataset, reversed(self.batches(dataset)))

    def _read_indexes(self, dataset: str, batches: Iterable[str]) -> Iterator[StagedIndex]:
        found = (self.index(dataset, batch) for batch in batches)
        return (index for index in found if index is not None)

    def cursor(self, dataset: str) -> str | None:
        """The newest cursor set by a staged batch, from which the feed resumes.

        If a batch with a cursor was retracted, the feed resumes before it: what was retracted is read again.
        """
        again = sorted(self._batches_to_repeat(dataset))
        marks = ", ".join("?" * len(again))
        query = f"{_IN_USE.replace('batch', 'cursor', 1)} AND cursor IS NOT NULL AND batch NOT IN ({marks})"
        return next(iter(self._names(dataset, f"{query} ORDER BY batch DESC LIMIT 1", *again)), None)

    def newest_batch_with_cursor(self, dataset: str) -> str | None:
        """The newest batch in use that has a cursor, whatever was retracted."""
        return next(iter(self._names(dataset, f"{_IN_USE} AND cursor IS NOT NULL ORDER BY batch DESC LIMIT 1")), None)

    def _batches_to_repeat(self, dataset: str) -> frozenset[str]:
        """Batches in use that continued after a retracted batch with a cursor."""
        found, made = frozenset[str](), self.retractions(dataset)
        staged = self.batches(dataset) if made else []
        for one in made:
            indexes = (self.index(dataset, batch) for batch in one.batches)
            if any(index is not None and index.cursor is not None for index in indexes):
                found |= one.repeated_batches(staged)
        return found

    def retractions(self, dataset: str) -> list[BatchRetraction]:
        """Retractions of batches of a dataset, oldest first."""
        path = self._staged / dataset / RETRACTED
        return [BatchRetraction.parse(one) for one in json.loads(path.read_text())] if path.exists() else []

    def retract_batches(self, dataset: str, retraction: BatchRetraction) -> None:
        """Takes batches out of use; their files stay. What they had looked up or confirmed is looked up again."""
        known = self.retractions(dataset)
        if retraction in known:
            return
        self.reopen_deletion_checks(dataset, self.checks_answered_by(dataset, retraction.batches))
        first = min(retraction.batches)
        looked_up = {
            other: min(batch, max((one for one in self.all_batches(other) if one < first), default=""))
            for other, batch in self.looked_up_batches(dataset).items()
        }
        if not set(retraction.batches).isdisjoint(self.all_batches(dataset)):
            self.record_looked_up_batches(dataset, looked_up)
        atomic_files.make_folder(self._staged / dataset)
        atomic_files.write_json(self._staged / dataset / RETRACTED, [one.as_json() for one in (*known, retraction)])
        self._index.forget_batch(dataset, first)

    def looked_up_batches(self, dataset: str) -> dict[str, str]:
        """For each other dataset: its newest batch for which this dataset has made its look-ups."""
        path = self._staged / dataset / ASKED
        return json.loads(path.read_text()) if path.exists() else {}

    def record_looked_up_batches(self, dataset: str, looked_up: Mapping[str, str]) -> None:
        """Records up to which batch of each other dataset the look-ups are made."""
        if looked_up != self.looked_up_batches(dataset):
            atomic_files.make_folder(self._staged / dataset)
            atomic_files.write_json(self._staged / dataset / ASKED, dict(looked_up))

    def pending_deletion_checks(self, dataset: str) -> tuple[dict[str, str], list[DeletionCheck]]:
        """State of the deletion check: the snapshot checked last, by table; and (table, key) still to confirm."""
        path = self._staged / dataset / DOUBTS
        if not path.exists():
            return {}, []
        said = json.loads(path.read_text())
        return said["editions"], [(table, tuple(key)) for table, key in said["left"]]

    def answered_deletion_checks(self, dataset: str) -> dict[str, list[DeletionCheck]]:
        """(table, key) of the deletion checks answered for the snapshots checked last, by the batch that fetched."""
        path = self._staged / dataset / DOUBTS
        answered = json.loads(path.read_text()).get("answered", {}) if path.exists() else {}  # not in former files
        return {batch: [(table, tuple(key)) for table, key in checks] for batch, checks in answered.items()}

    def record_pending_deletion_checks(
        self,
        dataset: str,
        editions: Mapping[str, str],
        remaining: Sequence[DeletionCheck],
        answered: Mapping[str, Sequence[DeletionCheck]] = NOTHING_ANSWERED,
    ) -> None:
        """Records the absences in complete snapshots that still have to be confirmed, and who answered the others."""
        atomic_files.make_folder(self._staged / dataset)
        atomic_files.write_json(
            self._staged / dataset / DOUBTS, {"editions": dict(editions), "left": remaining, "answered": dict(answered)}
        )

    def checks_answered_by(self, dataset: str, batches: Collection[str]) -> list[DeletionCheck]:
        """The deletion checks that these batches of a dataset have answered, and no other one in use.

        What a killed run had fetched belongs to the batch that was staged with it, the first one from then on.
        """
        staged, unused = (
            self.all_batches(dataset),
            {batch for one in self.retractions(dataset) for batch in one.batches},
        )
        own, others = set[DeletionCheck](), set[DeletionCheck]()
        for fetched, checks in self.answered_deletion_checks(dataset).items():
            batch = next((one for one in staged if one >= fetched), fetched)
            if {batch, fetched} & set(batches):
                own.update(checks)
            elif batch not in unused:
                others.update(checks)
        return sorted(own - others)

    def reopen_deletion_checks(self, dataset: str, reopened: Iterable[DeletionCheck]) -> None:
        """Opens deletion checks of a dataset that were answered: the next run makes them again."""
        checks, (editions, left) = set(reopened), self.pending_deletion_checks(dataset)
        if checks:
            answered = {
                batch: kept
                for batch, found in self.answered_deletion_checks(dataset).items()
                if (kept := [one for one in found if one not in checks])
            }
            self.record_pending_deletion_checks(dataset, editions, sorted({*left, *checks}), answered)

    def read_rows(self, dataset: str, batch: str, table: Table) -> pl.LazyFrame:
        """Rows of one staged table with the columns of STAGED_COLUMNS; empty if the batch has none."""
        path = self._staged / dataset / batch / f"{table.name}.parquet"
        if path.exists():
            return pl.scan_parquet(path)
        return pl.LazyFrame(schema={**schema_render.polars_schema(table), **STAGED_COLUMNS})

    def rejects(self, dataset: str, batch: str) -> pl.DataFrame:
        """Rejected records: table, piece, raw pointer, record, reason, excerpt."""
        path = self._staged / dataset / batch / f"{REJECTS}.parquet"
        return pl.read_parquet(path)

    def signals(self, dataset: str, batch: str) -> list[dict[str, Any]]:
        """Signals for manual review."""
        return json.loads((self._staged / dataset / batch / f"{SIGNALS}.json").read_text())

    def set_quarantine(self, dataset: str, batch: str, reason: QuarantineReason | None) -> None:
        """Marks a batch as quarantined; None lifts the mark."""
        index = self.index(dataset, batch)
        if index is None:
            raise KeyError(f"{dataset}: batch {batch} is not staged")
        self._replace_index(dataset, batch, replace(index, held=reason))

    def quarantined_indexes(self, dataset: str) -> list[StagedIndex]:
        """Quarantined batches that no later snapshot supersedes, oldest first.

        A complete snapshot supersedes all before it. Later parts of a feed do not supersede a quarantined part,
        as its records would be lost.
        """
        held = self.held_batches(dataset)
        found: list[StagedIndex] = []
        full: datetime | None = None
        for index in self.newest_indexes(dataset) if held else ():
            if index.batch < held[0] or index.is_superseded_by(full):
                break
            if index.held is not None:
                found.insert(0, index)
            full = max(filter(None, (full, index.full_instant)), default=None)
        return found

    def lift_quarantine(self, dataset: str, batch: str) -> None:
        """Lifts the quarantine of a batch and keeps the guard in its figures, as `accepted`."""
        index = self.index(dataset, batch)
        if index is None or index.held is None:
            raise KeyError(f"{dataset}: batch {batch} is not quarantined")
        figures = {**index.figures, ACCEPTED: asdict(index.held)}
        self._replace_index(dataset, batch, replace(index, held=None, figures=figures))

    def _replace_index(self, dataset: str, batch: str, index: StagedIndex) -> None:
        self._index.forget_batch(dataset, batch)  # before: a kill between the two leaves nothing false
        self._on_step("batch forgotten")
        atomic_files.write_json(self._staged / dataset / batch / INDEX, asdict(index))

    def rows_bytes(self, index: StagedIndex) -> int:
        """Size on disk of the rows of a batch, in bytes."""
        return sum(path.stat().st_size for path in self._tables(index) if path.exists())

    def prune_rows(self, index: StagedIndex) -> None:
        """Deletes rows of a batch that are no longer needed; its index, rejects and signals stay."""
        for path in self._tables(index):
            atomic_files.delete_if_exists(path)

    def _tables(self, index: StagedIndex) -> Iterator[Path]:
        return (self._staged / index.dataset / index.batch / f"{name}.parquet" for name in index.tables)
