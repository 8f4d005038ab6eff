"""Replays a market's STAGED batches, in order, into a new history next to the current one.

It uses a data root of its own, into which the staged batches are linked one by one, so that each step sees
what the original run saw: late-arriving data is late again. Manual decisions are applied at the time they
were made. Does not belong here: comparing, and replacing the current history (`rebuild`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path

from connectors.contract.dataset import Jurisdiction
from pipelines.runtime.batch_ids import batch_instant, next_batch
from pipelines.steps import applied_batches, apply_history, normalise, stage
from pipelines.steps.applied_batches import DeferredBatch, MovedBatch
from pipelines.workspace import Workspace, ignore_progress
from warehouse.decisions import DecisionLog
from warehouse.staged.store import DOUBTS
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


@dataclass(frozen=True)
class HistoryReplay:
    """Rebuild of one market's history. `workspace` is that of the data root that owns the market."""

    workspace: Workspace
    jurisdiction: Jurisdiction

    @property
    def root(self) -> Path:
        return self.workspace.layout.rebuild_root(self.jurisdiction.code)

    @cached_property
    def own(self) -> Workspace:
        """The workspace of the data root that the rebuild uses."""
        kept = self.workspace
        settings = replace(kept.settings, data=self.root, object_store=None)
        return Workspace(settings, kept.jurisdictions, kept.clock, ignore_progress, kept.on_step)

    def run(self) -> int:
        """Builds the history; returns the number of batches.

        Raises MissingStagedRowsError before anything is written.
        """
        if missing := list(self._missing()):
            raise MissingStagedRowsError(self.jurisdiction.code, missing)
        self.discard()
        atomic_files.make_folder(self.root)
        if self.workspace.layout.tombstones_file.exists():
            atomic_files.write_bytes(
                self.own.layout.tombstones_file, self.workspace.layout.tombstones_file.read_bytes()
            )
        with self.workspace.open_history(self.jurisdiction.code) as history:
            moves = applied_batches.recorded_moves(history)
            deferrals = applied_batches.recorded_deferrals(history)
            applied = history.recorded_keys(applied_batches.STAGED_MARK)
        applied_by = self._applying_runs(applied, moves, deferrals)
        runs = set(applied_by.values())
        batches = sorted({*(batch for _, batch in applied_by), *runs})
        instants = {move.batch: move.instant for move in moves} | {move.applied_by: move.applied_at for move in moves}
        moved = {move.batch for move in moves}
        for place, batch in enumerate(batches, 1):
            for (dataset, staged), run in applied_by.items():
                if run == batch:
                    self._link_batch(self.workspace.layout.staged_folder / dataset, staged)
            self._begin(batch, instants.get(batch))
            if batch not in moved:
                self._finish_staging(batch)
            if batch in runs:
                self._apply_batch(batch)
            self.workspace.report_progress(f"{self.jurisdiction.code}: {place} of {len(batches)} batches")
        self._apply_later_decisions(batches)
        return len(batches)

    def discard(self) -> None:
        """Removes the rebuilt data root."""
        atomic_files.delete_if_exists(self.root)

    def _missing(self) -> Iterator[str]:
        for dataset in self.jurisdiction.datasets:
            for index in self.workspace.staged_store.indexes(dataset.key):
                folder = self.workspace.layout.staged_folder / dataset.key / index.batch
                for name, rows in index.tables.items():
                    if rows and not (folder / f"{name}.parquet").exists():
                        yield f"{dataset.key}/{index.batch}"

    def _applying_runs(
        self, applied: Collection[str], moves: Sequence[MovedBatch], deferrals: Sequence[DeferredBatch]
    ) -> dict[tuple[str, str], str]:
        """By dataset and staged batch, the run that applied it: its own, or a later one that the history names.

        applied: marks of the batches in the history. Others stay pending, for the next run, whose events they make.
        Histories from before deferrals were recorded name the moved batches alone, of all datasets.
        """
        datasets = [dataset.key for dataset in self.jurisdiction.datasets]
        own = {
            (key, batch): batch
            for key in datasets
            for batch in self.workspace.staged_store.batches(key)
            if f"{key}/{batch}" in applied
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

    def _link_batch(self, there: Path, batch: str) -> None:
        here = self.own.layout.staged_folder / there.name
        for name in (batch, DOUBTS):
            if (there / name).exists() and not (here / name).exists():
                atomic_files.make_folder(here)
                (here / name).symlink_to(there / name)

    def _judge_until(self, instant: datetime | None) -> None:
        """Copies the decisions made up to an instant; None: all."""
        layout = self.workspace.layout
        rows = [row for row in DecisionLog(layout).all() if instant is None or row.at <= instant]
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
