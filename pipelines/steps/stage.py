"""STAGED: parses every pending archived body of a dataset, applies the dataset's guard and writes the rows.

A staging loads its state, plans (`stage_plan`), and executes the plan. Does not belong here: which bodies are
parsed and how they count (`stage_plan`), the pool that parses them (`runtime.parser_pool`), limits (`guards`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO

from connectors.contract.dataset import Dataset, Jurisdiction
from connectors.contract.pieces import NOT_A_COMPANY, ArchiveMember, Scope, UnreadableFileError
from connectors.kit.http.errors import RequestRejectedError
from pipelines.runtime.counted_words import counted
from pipelines.runtime.parser_pool import FAULTS, rejection_reason
from pipelines.sources.folder import FileEntry
from pipelines.sources.source import OpenedSource
from pipelines.steps import fetch, guards
from pipelines.steps.batch_figures import (
    COMPLETED,
    DAMAGED,
    INCREMENTAL,
    PARTIAL_FETCH,
    REISSUED,
    UNCHANGED,
    figure_values,
)
from pipelines.steps.future_instants import latest_accepted_instant, without_future_instants
from pipelines.steps.stage_plan import StagePlan, plan_stage
from pipelines.steps.stage_state import load_pending, load_stage_state
from pipelines.steps.suppression import SuppressionFilter
from pipelines.workspace import Workspace
from warehouse.erasure.tombstones import TombstoneStore
from warehouse.raw.archive import CorruptBlobError
from warehouse.staged.store import ACCEPTED, StagedWriter


@dataclass(frozen=True, slots=True)
class StageResult:
    """Result of parsing one dataset; `held`: the guard that quarantined it, `accepted`: one overridden."""

    dataset: str
    pieces: int = 0
    rows: int = 0
    rejected: int = 0
    signals: int = 0
    seconds: float = 0.0
    held: Mapping[str, Any] | None = None
    accepted: Mapping[str, Any] | None = None
    warnings: Sequence[str] = ()


def stage_result_name(dataset: str) -> str:
    """Name of a dataset's staging result."""
    return f"staged-{dataset}"


def read_stage_result(workspace: Workspace, dataset: str, batch: str) -> StageResult:
    """Result of parsing a dataset; an empty one if it was not parsed."""
    return StageResult(**(workspace.step_results.read(batch, stage_result_name(dataset)) or {"dataset": dataset}))


def stage_dataset(workspace: Workspace, jurisdiction: Jurisdiction, dataset: Dataset, batch: str) -> StageResult:
    """Parses and writes all pending bodies of a dataset, as one staged batch."""
    began = monotonic()
    _lift_quarantine(workspace, dataset, batch)
    plan = plan_stage(load_stage_state(workspace, jurisdiction, dataset, batch), dataset)
    if plan.is_incomplete:
        workspace.report_progress(
            f"{dataset.key}: a file of the set is missing: records absent from the others stay unchanged"
        )
    if plan.postponed:
        files = counted(plan.postponed, "file that", "files that")
        workspace.report_progress(
            f"{dataset.key}: parsed by the next run: {files} came after {batch}, or not after a batch that is staged"
        )
    result = StageResult(dataset.key) if plan.is_empty else execute_stage(workspace, jurisdiction, dataset, plan)
    result = replace(result, seconds=round(monotonic() - began, 3))
    workspace.step_results.write(batch, stage_result_name(dataset.key), asdict(result))
    if result.pieces:
        workspace.report_progress(f"{dataset.key}: {counted(result.rows, 'row')}, {result.rejected} rejected")
    return result


def datasets_with_work(
    workspace: Workspace, jurisdiction: Jurisdiction, source: OpenedSource, batch: str
) -> list[Dataset]:
    """The datasets with files in a folder, pending bodies, or a guard override: steps without work take time."""
    fetch.record_source_files(workspace, jurisdiction, source, batch)
    named = {entry.dataset for entry in source.files(jurisdiction)}
    named |= workspace.step_results.facts(batch).accept_shrink
    return [dataset for dataset in jurisdiction.datasets if dataset.key in named or load_pending(workspace, dataset)]


def unchanged_datasets(
    workspace: Workspace, datasets: Iterable[Dataset], source: OpenedSource, jurisdiction: Jurisdiction, batch: str
) -> list[Dataset]:
    """The datasets of which a folder has only what RAW has, of which nothing is pending and no guard is overridden.

    Their files are read once more than by a fetch: it would write what it reads.
    """
    overridden = workspace.step_results.facts(batch).accept_shrink
    return [
        dataset
        for dataset in datasets
        if dataset.key not in overridden
        and not load_pending(workspace, dataset)
        and all(
            _is_archived(workspace, dataset, file) for file in source.files(jurisdiction) if file.dataset == dataset.key
        )
    ]


def _is_archived(workspace: Workspace, dataset: Dataset, file: FileEntry) -> bool:
    """False too if that cannot be found out: the fetch tells why."""
    try:
        redact, _ = workspace.redaction_of(dataset)
        with file.path.open("rb") as body:
            return workspace.raw_archive.is_unchanged(dataset.key, file.name, body, redact)
    except (OSError, RequestRejectedError):
        return False


def record_datasets_left_out(
    workspace: Workspace, jurisdiction: Jurisdiction, chosen: Collection[str], batch: str
) -> None:
    """Writes an empty result for datasets that a run leaves out: it is complete only with a result for each.

    A run that is executed again from a failure chooses fewer; what it had read stays. Their fetch needs no file: a
    missing one says that nothing was fetched, and a run of one dataset every few minutes leaves many out.
    """
    for dataset in jurisdiction.datasets:
        name = stage_result_name(dataset.key)
        if dataset.key not in chosen and workspace.step_results.read(batch, name) is None:
            workspace.step_results.write(batch, name, asdict(StageResult(dataset.key)))


def _lift_quarantine(workspace: Workspace, dataset: Dataset, batch: str) -> None:
    """Lifts the quarantine of a dataset if this run overrides it; of a feed, good batches may follow."""
    if dataset.key not in workspace.step_results.facts(batch).accept_shrink:
        return
    for index in workspace.staged_store.quarantined_indexes(dataset.key):
        workspace.staged_store.lift_quarantine(dataset.key, index.batch)
        guard = "" if index.held is None else index.held.guard
        workspace.report_progress(f"{dataset.key}: batch {index.batch} is accepted although {guard} quarantined it")


def execute_stage(workspace: Workspace, jurisdiction: Jurisdiction, dataset: Dataset, plan: StagePlan) -> StageResult:
    """Parses the planned bodies and publishes the batch, quarantined if its counts violate the guard."""
    with workspace.staged_store.write_batch(dataset.key, plan.batch) as writer:
        signals, damaged = _parse_bodies(workspace, jurisdiction, dataset, plan, writer)
        unread = damaged | {body.sha256 for body in plan.bodies if writer.add_member(body)["rejected"] is not None}
        compared = [archive for sha256, (_, archive) in plan.compared.items() if sha256 not in unread]
        writer.set_cursor(plan.cursor)
        figures: dict[str, Any] = {UNCHANGED: figure_values(plan.unchanged), INCREMENTAL: figure_values(compared)}
        figures |= {COMPLETED: figure_values(plan.completed), REISSUED: figure_values(plan.reissued)}
        figures[PARTIAL_FETCH] = plan.is_partial_fetch
        writer.add_figures({name: value for name, value in figures.items() if value})
        counts = _batch_counts(plan, writer, sum(archive.rows for archive in compared))
        violation = guards.first_violation(dataset.guard_limits, counts, plan.last_full_rows)
        held, accepted = (None, violation) if plan.accepts_violation else (violation, None)
        writer.set_quarantine(held)
        if accepted is not None:
            writer.add_figures({ACCEPTED: asdict(accepted)})
    return StageResult(
        dataset.key,
        pieces=len(plan.bodies),
        rows=counts.rows,
        rejected=counts.rejects,
        signals=signals,
        held=None if held is None else asdict(held),
        accepted=None if accepted is None else asdict(accepted),
        warnings=tuple(guards.guard_warnings(dataset.guard_limits, counts)),
    )


def _parse_bodies(
    workspace: Workspace, jurisdiction: Jurisdiction, dataset: Dataset, plan: StagePlan, writer: StagedWriter
) -> tuple[int, set[str]]:
    """Writes what the bodies contain; returns the number of signals, and the SHA-256 of damaged bodies."""
    size = sum(body.bytes for body in plan.bodies if body.sha256 not in plan.compared)
    latest = latest_accepted_instant(workspace.step_results.facts(plan.batch).at, workspace.clock())
    tombstones = TombstoneStore(workspace.layout).list_tombstones(jurisdiction.code)
    suppression = SuppressionFilter(jurisdiction, dataset, tombstones)
    damaged: set[str] = set()
    ahead: Counter[str] = Counter()
    signals = 0
    for parsed in workspace.parser_pool.parse_members(
        dataset.read_batches, _split_members(dataset, plan, writer), size
    ):
        outcome = suppression.passed(parsed)
        if outcome.is_damaged:
            damaged.add(outcome.member.sha256)
        if outcome.reason is not None:
            writer.add_unreadable_member(outcome.member, outcome.reason)
        for rows in outcome.batches:
            table = dataset.staged_tables[rows.table]
            past, refused, found = without_future_instants(dataset.key, table, rows.rows, latest)
            writer.add_rows(table, outcome.member, past)
            for rejects in (rows.rejects, refused):
                writer.add_rejects(outcome.member, rows.table, rejects)
            writer.add_signals((*rows.signals, *found))
            signals += len(rows.signals) + len(found)
            ahead.update({one.subject: one.count for one in found})
    for column, count in ahead.items():
        workspace.report_progress(
            f"{dataset.key}: {column}: {counted(count, 'instant')} in the future, treated as unknown"
        )
    writer.add_figures({**suppression.figures(), **({DAMAGED: sorted(damaged)} if damaged else {})})
    return signals, damaged


def _split_members(dataset: Dataset, plan: StagePlan, writer: StagedWriter) -> Iterator[ArchiveMember]:
    """The members of all bodies; a body that cannot be split becomes one that raises its error when opened."""
    for body in plan.bodies:
        writer.add_member(body)
        previous, _ = plan.compared.get(body.sha256, (None, None))
        origin = body.dataset, body.name, body.sha256, body.observed_at, Scope(body.scope), body.batch
        whole = ArchiveMember(*origin, body.open, previous_archive=previous)
        try:
            yield from dataset.split_members(whole)
        except CorruptBlobError as error:
            yield replace(whole, open=partial(_raise_corrupt, error.path, error.label, error.reason))
        except (UnreadableFileError, *FAULTS) as error:
            reason = rejection_reason(error)
            yield replace(whole, open=partial(_raise_unreadable, dataset.key, body.name, reason))


def _raise_unreadable(dataset: str, name: str, reason: str) -> BinaryIO:
    raise UnreadableFileError(dataset, name, reason)


def _raise_corrupt(path: Path, label: str, reason: str) -> BinaryIO:
    raise CorruptBlobError(path, label, reason)


def _batch_counts(plan: StagePlan, writer: StagedWriter, repeated: int) -> guards.BatchCounts:
    index = writer.build_index()
    full = [body for body in plan.bodies if body.scope == Scope.FULL]
    return guards.BatchCounts(
        rows=sum(index["tables"].values()),
        rejects=writer.reject_count,
        excluded=writer.count_rejects_with_prefix(NOT_A_COMPANY),
        full_rows=guards.full_snapshot_rows(index["editions"], plan.unchanged),
        unreadable=sum(writer.add_member(body)["rejected"] is not None for body in full),
        repeated=repeated,
    )
