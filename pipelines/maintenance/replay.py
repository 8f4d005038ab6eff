"""Replays a market's STAGED batches, in order, into a new history next to the current one.

It uses a data root of its own, into which the staged batches are linked one by one, so that each step sees
what the original run saw: late-arriving data is late again. Manual decisions are applied at the time they
were made. Retracted batches are replayed until they were retracted. Does not belong here: comparing, and replacing the
current history (`rebuild`), or the change that a retraction makes (`retraction_state`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Self

from connectors.contract.dataset import Jurisdiction
from pipelines.maintenance.retraction_state import ReplayedFile, adopt_replayed_state, recorded_retractions
from pipelines.runtime.batch_ids import batch_instant, next_batch
from pipelines.steps import applied_batches, apply_history, normalise, stage
from pipelines.steps.applied_batches import DeferredBatch, MovedBatch
from pipelines.workspace import Workspace, ignore_progress
from warehouse.decisions import DecisionLog
from warehouse.history.history import MarketHistory
from warehouse.schema.retractions import RETRACTED_MARK, BatchRetraction
from warehouse.storage import atomic_files

_BREAK = b"\n"


class MissingStagedRowsError(RuntimeError):
    """Staged rows needed for a rebuild are missing; the message names them."""

    def __init__(self, market: str, missing: list[str]) -> None:
        shown = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")  # noqa: PLR2004
        super().__init__(
            f"{market} cannot be rebuilt: rows of {shown} are missing from STAGED (pruned or lost); "
            "restore them from a copy, or keep the existing history"
        )
        self.missing = missing


@dataclass(frozen=True, slots=True)
class ReplayChoice:
    """What a replay is limited to. batches: as `dataset/batch`. decisions: the first so many rows of their log.

    retractions: of what is left out.
    """

    batches: frozenset[str]
    decisions: int
    retractions: tuple[BatchRetraction, ...] = ()

    @classmethod
    def applied(cls, history: MarketHistory, retractions: Iterable[BatchRetraction]) -> Self:
        """Everything that a history has applied, without the retracted batches."""
        retractions = tuple(retractions)
        decided = max(map(int, history.recorded_keys(normalise.DECISION_MARK)), default=0)
        return cls(history.recorded_keys(applied_batches.STAGED_MARK) - _left_out(retractions), decided, retractions)


def _left_out(retractions: Iterable[BatchRetraction]) -> frozenset[str]:
    return frozenset[str]().union(*(one.left_out for one in retractions))


@dataclass(frozen=True)
class HistoryReplay:
    """Replay of one market's history. `workspace` is that of the data root that owns the market.

    choice: None for all that the history has applied, in which case batches are retracted when they were. folder: of
    the data root to replay into, by default that of a rebuild.
    """

    workspace: Workspace
    jurisdiction: Jurisdiction
    choice: ReplayChoice | None = None
    folder: Path | None = None

    @property
    def root(self) -> Path:
        return self.folder or self.workspace.layout.rebuild_root(self.jurisdiction.code)

    @cached_property
    def own(self) -> Workspace:
        """The workspace of the data root that the rebuild uses."""
        kept = self.workspace
        settings = kept.settings.alone_in(self.root)
        return Workspace(settings, kept.jurisdictions, kept.clock, ignore_progress, kept.on_step)

    def run(self) -> int:
        """Builds the history; returns the number of batches.

        Raises MissingStagedRowsError before anything is written.
        """
        with self.workspace.open_history(self.jurisdiction.code) as history:
            moves = applied_batches.recorded_moves(history)
            deferrals = applied_batches.recorded_deferrals(history)
            applied = history.recorded_keys(applied_batches.STAGED_MARK)
        replayed = applied if self.choice is None else self.choice.batches
        if missing := list(self._missing(replayed)):
            raise MissingStagedRowsError(self.jurisdiction.code, missing)
        self._create_root()
        applied_by = self._applying_runs(replayed, moves, deferrals)
        with self.own.open_history(self.jurisdiction.code):  # by all steps: opening it takes as long as a small batch
            return self._replay_batches(applied_by, moves)

    def _replay_batches(self, applied_by: Mapping[tuple[str, str], str], moves: Sequence[MovedBatch]) -> int:
        runs = set(applied_by.values())
        batches = sorted({*(batch for _, batch in applied_by), *runs})
        instants = {move.batch: move.instant for move in moves} | {move.applied_by: move.applied_at for move in moves}
        moved = {move.batch for move in moves}
        retractions = [] if self.choice else recorded_retractions(self.workspace, self.jurisdiction)
        for place, batch in enumerate(batches, 1):
            staged = [(dataset, one) for (dataset, one), run in applied_by.items() if run == batch]
            self._retract_before(batch, {f"{dataset}/{one}" for dataset, one in staged}, retractions)
            for dataset, one in staged:
                self.link_batch(self.workspace.layout.staged_folder / dataset, one)
            self._record_deletion_checks(batch, self.choice.retractions if self.choice else retractions)
            self._begin(batch, instants.get(batch))
            if batch not in moved:
                self._finish_staging(batch)
            if batch in runs:
                self._apply_batch(batch)
            self.workspace.report_progress(f"{self.jurisdiction.code}: {place} of {len(batches)} batches")
        self._retract_before(None, frozenset(), retractions)
        self._apply_later_decisions(batches)
        return len(batches)

    def _create_root(self) -> None:
        """Creates the data root, with the tombstones."""
        self.discard()
        atomic_files.make_folder(self.root)
        if self.workspace.layout.tombstones_file.exists():
            atomic_files.write_bytes(
                self.own.layout.tombstones_file, self.workspace.layout.tombstones_file.read_bytes()
            )

    def discard(self) -> None:
        """Removes the rebuilt data root."""
        atomic_files.delete_if_exists(self.root)

    def _retract_before(
        self, batch: str | None, applied: Collection[str], retractions: Sequence[BatchRetraction]
    ) -> None:
        """Takes batches out as of the retractions that were made before a run; None: of all others.

        Made before: the run staged after it, or applied (`dataset/batch`) what was pending then.
        """
        code = self.jurisdiction.code
        for place, retraction in enumerate(retractions):
            if batch is not None and retraction.newest >= batch and not set(retraction.pending) & set(applied):
                return
            with self.own.open_history(code) as history:
                if retraction.mark in history.recorded_keys(RETRACTED_MARK):
                    continue
                choice = ReplayChoice.applied(history, retractions[: place + 1])
            without = HistoryReplay(self.workspace, self.jurisdiction, choice, self.own.layout.rebuild_root(code))
            with closing(without.own):
                without.run()
                replayed = ReplayedFile(without.own.layout.history_file(code))
                adopt_replayed_state(self.own, self.jurisdiction, replayed, retraction)
                without.discard()
            for dataset in retraction.datasets:
                self.own.staged_store.retract_batches(dataset, retraction)

    def _missing(self, replayed: Collection[str]) -> Iterator[str]:
        for dataset in self.jurisdiction.datasets:
            for index in self.workspace.staged_store.all_indexes(dataset.key):
                if f"{dataset.key}/{index.batch}" not in replayed:
                    continue
                folder = self.workspace.layout.staged_folder / dataset.key / index.batch
                for name, rows in index.tables.items():
                    if rows and not (folder / f"{name}.parquet").exists():
                        yield f"{dataset.key}/{index.batch}"

    def _applying_runs(
        self, replayed: Collection[str], moves: Sequence[MovedBatch], deferrals: Sequence[DeferredBatch]
    ) -> dict[tuple[str, str], str]:
        """By dataset and staged batch, the run that applied it: its own, or a later one that the history names.

        replayed: `dataset/batch`, those that the history has applied. Others stay pending, for the next run, whose
        events they make. Histories from before deferrals were recorded name the moved batches alone, of all datasets.
        """
        datasets = [dataset.key for dataset in self.jurisdiction.datasets]
        own = {
            (key, batch): batch
            for key in datasets
            for batch in self.workspace.staged_store.all_batches(key)
            if f"{key}/{batch}" in replayed
        }
        recorded = {one.batch for one in deferrals}
        former = {
            (key, move.batch): move.applied_by for move in moves if move.batch not in recorded for key in datasets
        }
        later = {(one.dataset, one.batch): one.applied_by for one in deferrals}
        return own | {staged: run for staged, run in (former | later).items() if staged in own}

    def _finish_staging(self, batch: str) -> None:
        """Records that a run staged all datasets: what it fetched «now» is not moved to a later run."""
        for dataset in self.jurisdiction.datasets:
            result = stage.StageResult(dataset.key)
            self.own.step_results.write(batch, stage.stage_result_name(dataset.key), asdict(result))

    def _begin(self, batch: str, instant: str | None) -> None:
        """Begins a batch as its run did. instant: the run's, if the history has recorded it."""
        self._judge_until(batch_instant(batch))
        facts = self.workspace.step_results.facts(batch)
        known = facts if instant is None else replace(facts, at=datetime.fromisoformat(instant))
        self.own.step_results.begin(batch, known)

    def link_batch(self, there: Path, batch: str) -> None:
        """Links a staged batch, of the dataset's folder `there`, into the data root of the rebuild."""
        here = self.own.layout.staged_folder / there.name
        if (there / batch).exists() and not (here / batch).exists():
            atomic_files.make_folder(here)
            (here / batch).symlink_to(there / batch)

    def _record_deletion_checks(self, batch: str, retractions: Iterable[BatchRetraction]) -> None:
        """Opens the deletion checks that are open now, and those that a retraction has opened again.

        What retracted batches had answered is open from the first snapshot on where they are left out, and else from
        their retraction on.
        """
        reopened = {check for one in retractions if batch <= one.newest for check in one.reopened}
        for dataset in self.jurisdiction.datasets:
            if dataset.absences_to_confirm is not None:
                snapshots, found = self.workspace.staged_store.pending_deletion_checks(dataset.key)
                remaining = {*found} | reopened if self.choice else {*found} - reopened
                self.own.staged_store.record_pending_deletion_checks(dataset.key, snapshots, sorted(remaining))

    def _judge_until(self, instant: datetime | None) -> None:
        """Copies the decisions made up to an instant; None: all."""
        layout = self.workspace.layout
        rows = [row for row in DecisionLog(layout).all() if instant is None or row.at <= instant]
        if self.choice is not None:
            rows = rows[: self.choice.decisions]
        if rows:
            lines = layout.decision_log_file.read_bytes().split(_BREAK)[: rows[-1].number]
            atomic_files.write_bytes(self.own.layout.decision_log_file, _BREAK.join(lines) + _BREAK)

    def _apply_later_decisions(self, batches: list[str]) -> None:
        """Applies decisions made after the newest batch: runs without files applied those."""
        self._judge_until(None)
        if batches and self.own.layout.decision_log_file.exists():
            batch = next_batch(self.workspace.clock(), batches)
            self.own.step_results.begin(batch, self.workspace.step_results.facts(batch))
            self._apply_batch(batch)

    def _apply_batch(self, batch: str) -> None:
        normalise.normalise_market(self.own, self.jurisdiction, batch)
        apply_history.apply_snapshots(self.own, self.jurisdiction, batch)
