"""Retention of RAW and STAGED: finds, lists and on request deletes what no later step needs.

A body of RAW may be deleted once it was parsed and applied; rows of STAGED once history has them and all
their bodies are gone, because an erasure finds bodies by the rows parsed from them. Whatever its age, the
newest full snapshot of a dataset stays with all that came after it; so does what a newer archive repeats
(`steps.stage_plan`), whatever is quarantined or was never parsed, and what a dataset that looks up single
subjects has not processed. Does not belong here: releases, exports and step results of runs, which each run
prunes; deliveries (`api.webhooks.retention`); printing (`firm`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from connectors.contract.dataset import Dataset, Jurisdiction
from pipelines.runtime.batch_ids import batch_instant
from pipelines.steps import batch_figures
from pipelines.steps.applied_batches import STAGED_MARK
from pipelines.steps.apply_history import HISTORY_MARK
from pipelines.steps.normalise import IMAGE_MARK
from pipelines.workspace import Workspace
from warehouse.history.history import MarketHistory
from warehouse.raw.archive import RawBody
from warehouse.staged.store import StagedIndex
from warehouse.storage import atomic_files


@dataclass(frozen=True, slots=True)
class RetentionLimits:
    """Minimum age of bodies and rows to be deleted; None: never."""

    raw: timedelta | None = None
    staged: timedelta | None = None


@dataclass(frozen=True, slots=True)
class ExpiredData:
    """Deletable bodies and batches of one dataset, with their bytes on disk. leftovers: files of killed runs."""

    dataset: str
    bodies: tuple[tuple[RawBody, int], ...] = ()
    batches: tuple[tuple[StagedIndex, int], ...] = ()
    leftovers: tuple[Path, ...] = ()

    @property
    def bytes(self) -> int:
        return sum(size for _, size in self.bodies) + sum(size for _, size in self.batches)

    @property
    def is_empty(self) -> bool:
        return not (self.bodies or self.batches or self.leftovers)


def find_expired(
    workspace: Workspace, jurisdiction: Jurisdiction, limits: RetentionLimits, now: datetime
) -> list[ExpiredData]:
    """What may be deleted of a market, by dataset; changes nothing. The caller holds the market's lock."""
    if not workspace.layout.history_file(jurisdiction.code).exists():
        return []  # nothing has been ingested
    with workspace.open_history(jurisdiction.code) as history:
        taken = _applied_batches(history)
    found = [
        _DatasetRetention(workspace, jurisdiction, dataset, taken).spare(limits, now)
        for dataset in jurisdiction.datasets
    ]
    return [one for one in found if not one.is_empty]


def _applied_batches(history: MarketHistory) -> frozenset[str]:
    """Staged batches applied to history; none while a snapshot is pending."""
    if history.recorded_keys(IMAGE_MARK) - history.recorded_keys(HISTORY_MARK):
        return frozenset()
    return history.recorded_keys(STAGED_MARK)


def remove_expired(workspace: Workspace, expired: ExpiredData) -> None:
    """Deletes it: bodies before the rows that lead to them."""
    for piece, _ in expired.bodies:
        workspace.raw_archive.prune_body(piece)
        workspace.on_step("body pruned")
    for index, _ in expired.batches:
        workspace.staged_store.prune_rows(index)
        workspace.on_step("rows pruned")
    for path in expired.leftovers:
        atomic_files.delete_if_exists(path)


@dataclass(frozen=True)
class _DatasetRetention:
    workspace: Workspace
    jurisdiction: Jurisdiction
    dataset: Dataset
    taken: Collection[str]

    def spare(self, limits: RetentionLimits, now: datetime) -> ExpiredData:
        indexes = list(self.workspace.staged_store.all_indexes(self.dataset.key))
        past = self._prunable_batches(indexes, self.workspace.staged_store.batches(self.dataset.key))
        bodies = () if limits.raw is None else tuple(self._expired_bodies(past, now - limits.raw))
        gone = {piece.sha256 for piece, _ in bodies}
        batches = () if limits.staged is None else tuple(self._expired_batches(past, gone, now - limits.staged))
        folder = self.workspace.layout.staged_folder / self.dataset.key
        leftovers = tuple(sorted(folder.glob(f"*{atomic_files.TEMPORARY}")))
        return ExpiredData(self.dataset.key, bodies, batches, leftovers)

    def _prunable_batches(self, indexes: list[StagedIndex], used: Collection[str]) -> list[StagedIndex]:
        """Batches that nothing depends on: applied, and older than the newest full snapshot (or newest batch) in use.

        The newest by its instant: a full snapshot that was ingested later may be older. Retracted ones stay too: a
        rebuild replays what was known of them.
        """
        whole = [
            (instant, index.batch)
            for index in indexes
            if index.held is None and index.batch in used and (instant := index.full_instant)
        ]
        last = max(whole)[1] if whole else max(used, default="")
        staying = [index for index in indexes if index.batch >= last]
        repeated = {body.batch for index in staying for body in batch_figures.unchanged_bodies(index)}
        stood_on = batch_figures.base_archives(staying, _body_hashes(staying))
        repeated |= {index.batch for index in indexes if not stood_on.isdisjoint(_body_hashes([index]))}
        return [
            index
            for index in indexes
            if index.batch < last
            and index.held is None
            and f"{self.dataset.key}/{index.batch}" in self.taken
            and index.batch not in repeated
        ]

    def _expired_bodies(self, past: list[StagedIndex], before: datetime) -> Iterator[tuple[RawBody, int]]:
        """Stored bodies that were parsed in these batches and in no other, and fetched before the limit."""
        archive = self.workspace.raw_archive
        pieces = list(archive.all_bodies(self.dataset.key))
        spare = _body_hashes(past) - self._still_read(past) - self._elsewhere()
        spare -= {piece.sha256 for piece in pieces if piece.fetched_at >= before}
        for piece in {piece.sha256: piece for piece in pieces if piece.sha256 in spare}.values():
            size = archive.stored_bytes(piece)
            if size is not None:
                yield piece, size

    def _still_read(self, past: list[StagedIndex]) -> set[str]:
        """Bodies of the batches that stay, and those that no run has parsed yet."""
        indexes = list(self.workspace.staged_store.all_indexes(self.dataset.key))
        gone = {index.batch for index in past}
        unread = self.workspace.raw_archive.unstaged_bodies(self.dataset.key)
        return _body_hashes(index for index in indexes if index.batch not in gone) | {one.sha256 for one in unread}

    def _elsewhere(self) -> set[str]:
        """Bodies that other datasets have too: equal bytes are archived once."""
        archive = self.workspace.raw_archive
        others = (key for key in archive.datasets() if key != self.dataset.key)
        return {piece.sha256 for key in others for piece in archive.all_bodies(key)}

    def _expired_batches(
        self, past: list[StagedIndex], gone: Collection[str], before: datetime
    ) -> Iterator[tuple[StagedIndex, int]]:
        pieces = {piece.sha256: piece for piece in self.workspace.raw_archive.all_bodies(self.dataset.key)}
        there = {
            sha256
            for sha256, piece in pieces.items()
            if sha256 not in gone and self.workspace.raw_archive.stored_bytes(piece) is not None
        }
        there |= batch_figures.base_archives(self.workspace.staged_store.all_indexes(self.dataset.key), there)
        for index in past:
            is_bodiless = there.isdisjoint(piece["sha256"] for piece in index.pieces)
            if batch_instant(index.batch) < before and is_bodiless and self._has_finished_lookups(index):
                size = self.workspace.staged_store.rows_bytes(index)
                if size:
                    yield index, size

    def _has_finished_lookups(self, index: StagedIndex) -> bool:
        """True if every dataset that looks up single subjects has processed a batch."""
        asking = (made.key for made in self.jurisdiction.datasets if made.subjects_to_fetch is not None)
        lake = self.workspace.staged_store
        return all(index.batch <= lake.looked_up_batches(key).get(index.dataset, "") for key in asking)


def _body_hashes(indexes: Iterable[StagedIndex]) -> set[str]:
    return {piece["sha256"] for index in indexes for piece in index.pieces}
