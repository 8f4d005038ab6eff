"""What RAW and STAGED hold that no later step needs: found by age, told, and removed when somebody says so.

A body of RAW may go when it was read and taken in; rows of STAGED when history has them and all their bodies
are gone, for an erasure finds bodies by the rows that were read from them. Whatever its age, the newest complete
edition of a dataset stays, and all that came after it; so does what a newer archive repeats (`stages.former`), what
a guard holds, what was never read, and what a dataset that asks for single subjects has not looked at. Does not
belong here: releases, exports and receipts of runs, which each run prunes; deliveries (`api.webhooks.pruning`);
printing (`firm`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from connectors.declare import Dataset, Jurisdiction, Scope
from pipelines.batches import batch_instant
from pipelines.resources import Workspace
from pipelines.stages import former
from pipelines.stages.editions import kept_of
from pipelines.stages.history import HISTORY_MARK
from pipelines.stages.normalised import IMAGE_MARK, STAGED_MARK
from warehouse import files
from warehouse.archive import RawPiece
from warehouse.history import History
from warehouse.lake import StagedIndex


@dataclass(frozen=True, slots=True)
class Limits:
    """How old bodies and rows must be to go; None: they stay."""

    raw: timedelta | None = None
    staged: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Spare:
    """What may go of one dataset, with the bytes on disk: bodies, batches of rows. leftovers: of killed runs."""

    dataset: str
    bodies: tuple[tuple[RawPiece, int], ...] = ()
    batches: tuple[tuple[StagedIndex, int], ...] = ()
    leftovers: tuple[Path, ...] = ()

    @property
    def bytes(self) -> int:
        return sum(size for _, size in self.bodies) + sum(size for _, size in self.batches)

    @property
    def is_empty(self) -> bool:
        return not (self.bodies or self.batches or self.leftovers)


def spare(workspace: Workspace, jurisdiction: Jurisdiction, limits: Limits, now: datetime) -> list[Spare]:
    """What may go of a market, dataset by dataset; changes nothing. The caller holds the market's lock."""
    if not workspace.layout.history_file(jurisdiction.code).exists():
        return []  # nothing has been taken in
    with workspace.history(jurisdiction.code) as history:
        taken = _taken(history)
    found = [
        _Dataset(workspace, jurisdiction, dataset, taken).spare(limits, now)
        for dataset in jurisdiction.datasets
    ]
    return [one for one in found if not one.is_empty]


def _taken(history: History) -> frozenset[str]:
    """Staged batches whose images history has applied; none while an image waits."""
    if history.marked(IMAGE_MARK) - history.marked(HISTORY_MARK):
        return frozenset()
    return history.marked(STAGED_MARK)


def remove(workspace: Workspace, found: Spare) -> None:
    """Removes it: bodies before the rows that lead to them."""
    for piece, _ in found.bodies:
        workspace.archive.prune(piece)
        workspace.on_step("body pruned")
    for index, _ in found.batches:
        workspace.lake.drop_rows(index)
        workspace.on_step("rows pruned")
    for path in found.leftovers:
        files.discard(path)


@dataclass(frozen=True)
class _Dataset:
    workspace: Workspace
    jurisdiction: Jurisdiction
    dataset: Dataset
    taken: Collection[str]

    def spare(self, limits: Limits, now: datetime) -> Spare:
        indexes = list(self.workspace.lake.indexes(self.dataset.key))
        past = self._past(indexes)
        bodies = () if limits.raw is None else tuple(self._bodies(past, now - limits.raw))
        gone = {piece.sha256 for piece, _ in bodies}
        batches = () if limits.staged is None else tuple(self._batches(past, gone, now - limits.staged))
        folder = self.workspace.layout.staged / self.dataset.key
        leftovers = tuple(sorted(folder.glob(f"*{files.TEMPORARY}")))
        return Spare(self.dataset.key, bodies, batches, leftovers)

    def _past(self, indexes: list[StagedIndex]) -> list[StagedIndex]:
        """Batches that nothing rests on: taken in, and before the newest complete edition, or the newest at all."""
        whole = [index.batch for index in indexes if index.held is None and _is_full(index)]
        last = max(whole, default=max((index.batch for index in indexes), default=""))
        staying = [index for index in indexes if index.batch >= last]
        repeated = {body.batch for index in staying for body in kept_of(index.figures)}
        stood_on = former.under(staying, _read_in(staying))
        repeated |= {index.batch for index in indexes if not stood_on.isdisjoint(_read_in([index]))}
        return [
            index
            for index in indexes
            if index.batch < last
            and index.held is None
            and f"{self.dataset.key}/{index.batch}" in self.taken
            and index.batch not in repeated
        ]

    def _bodies(self, past: list[StagedIndex], before: datetime) -> Iterator[tuple[RawPiece, int]]:
        """Bodies that were read in these batches and in no other, fetched before, and are still there."""
        archive = self.workspace.archive
        pieces = list(archive.pieces(self.dataset.key))
        spare = _read_in(past) - self._still_read(past) - self._elsewhere()
        spare -= {piece.sha256 for piece in pieces if piece.fetched_at >= before}
        for piece in {piece.sha256: piece for piece in pieces if piece.sha256 in spare}.values():
            size = archive.stored(piece)
            if size is not None:
                yield piece, size

    def _still_read(self, past: list[StagedIndex]) -> set[str]:
        """Bodies of the batches that stay, and those that no run has read yet."""
        indexes = list(self.workspace.lake.indexes(self.dataset.key))
        gone = {index.batch for index in past}
        newest = max((index.batch for index in indexes), default="")
        unread = (piece for piece in self.workspace.archive.pieces(self.dataset.key) if piece.batch > newest)
        return _read_in(index for index in indexes if index.batch not in gone) | {
            one.sha256 for one in unread
        }

    def _elsewhere(self) -> set[str]:
        """Bodies that other datasets have too: an archive keeps equal bytes once."""
        archive = self.workspace.archive
        others = (key for key in archive.datasets() if key != self.dataset.key)
        return {piece.sha256 for key in others for piece in archive.pieces(key)}

    def _batches(
        self, past: list[StagedIndex], gone: Collection[str], before: datetime
    ) -> Iterator[tuple[StagedIndex, int]]:
        pieces = {piece.sha256: piece for piece in self.workspace.archive.pieces(self.dataset.key)}
        there = {
            sha256
            for sha256, piece in pieces.items()
            if sha256 not in gone and self.workspace.archive.stored(piece) is not None
        }
        there |= former.under(self.workspace.lake.indexes(self.dataset.key), there)
        for index in past:
            is_bodiless = there.isdisjoint(piece["sha256"] for piece in index.pieces)
            if batch_instant(index.batch) < before and is_bodiless and self._is_asked_about(index):
                size = self.workspace.lake.rows_size(index)
                if size:
                    yield index, size

    def _is_asked_about(self, index: StagedIndex) -> bool:
        """Whether every dataset that asks for single subjects has looked at a batch."""
        asking = (made.key for made in self.jurisdiction.datasets if made.wants is not None)
        lake = self.workspace.lake
        return all(index.batch <= lake.asked(key).get(index.dataset, "") for key in asking)


def _read_in(indexes: Iterable[StagedIndex]) -> set[str]:
    return {piece["sha256"] for index in indexes for piece in index.pieces}


def _is_full(index: StagedIndex) -> bool:
    return any(edition["scope"] == Scope.FULL for edition in index.editions)
