"""STAGED: parses every pending archived body of a dataset, applies the dataset's guard and writes the rows.

A staging loads its state, plans (`stage_plan`), and executes the plan. Does not belong here: which bodies are
parsed and how they count (`stage_plan`), the pool that parses them (`runtime.parser_pool`), limits (`guards`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO

import polars as pl

from connectors.contract.dataset import Dataset, Jurisdiction
from connectors.contract.pieces import NOT_A_COMPANY, ArchiveMember, Scope, UnreadableFileError
from connectors.kit.archive.unchanged_members import has_removed_members
from pipelines.runtime.parser_pool import FAULTS, rejection_reason
from pipelines.sources.source import OpenedSource
from pipelines.steps import fetch, guards
from pipelines.steps.batch_figures import DAMAGED, INCREMENTAL, PARTIAL_FETCH, UNCHANGED, corrupt_bodies, figure_values
from pipelines.steps.future_instants import latest_accepted_instant, without_future_instants
from pipelines.steps.stage_plan import StagePlan, StageState, base_archive, confirmed_bodies, pending_bodies, plan_stage
from pipelines.steps.suppression import SuppressionFilter
from pipelines.workspace import Workspace
from warehouse.erasure.tombstones import TombstoneStore
from warehouse.raw.archive import CorruptBlobError, RawBody
from warehouse.staged.store import ACCEPTED, StagedIndex, StagedWriter
from warehouse.staged.writer import MEMBER


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
        workspace.report_progress(
            f"{dataset.key}: {plan.postponed} files are parsed by the next run: they came after {batch}, or a batch "
            "that is not older is staged"
        )
    result = StageResult(dataset.key) if plan.is_empty else execute_stage(workspace, jurisdiction, dataset, plan)
    result = replace(result, seconds=round(monotonic() - began, 3))
    workspace.step_results.write(batch, stage_result_name(dataset.key), asdict(result))
    if result.pieces:
        workspace.report_progress(f"{dataset.key}: {result.rows} rows, {result.rejected} rejected")
    return result


def datasets_with_work(
    workspace: Workspace, jurisdiction: Jurisdiction, source: OpenedSource, batch: str
) -> list[Dataset]:
    """The datasets with files in a folder, pending bodies, or a guard override: steps without work take time."""
    fetch.record_source_files(workspace, jurisdiction, source, batch)
    named = {entry.dataset for entry in source.files(jurisdiction)}
    named |= workspace.step_results.facts(batch).accept_shrink
    return [
        dataset for dataset in jurisdiction.datasets if dataset.key in named or _load_pending(workspace, dataset)[-1]
    ]


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


# loading


def load_stage_state(workspace: Workspace, jurisdiction: Jurisdiction, dataset: Dataset, batch: str) -> StageState:
    """Reads what the plan of a batch depends on."""
    bodies, indexes, pending = _load_pending(workspace, dataset)
    fetched = fetch.read_fetch_result(workspace, dataset.key, batch)
    facts = workspace.step_results.facts
    is_reissued = any(body.replaces is not None for body in pending)
    compared = pending if dataset.reread_interval is not None else ()
    needs_sharing = bool(compared) or any(body.batch != batch for body in pending)
    retracted = {one for made in workspace.staged_store.retractions(dataset.key) for one in made.batches}
    sharing = (
        other for other in jurisdiction.datasets if not other.staged_tables.keys().isdisjoint(dataset.staged_tables)
    )
    return StageState(
        batch,
        bodies,
        indexes,
        pending,
        run_instants={name: facts(name).at for name in {batch, *(body.batch for body in pending)}},
        newest_instant=_newest_instant(workspace, jurisdiction) if is_reissued else None,
        cursor=fetched.cursor,
        is_cursor_taken_back=workspace.staged_store.cursor(dataset.key) != _newest_cursor(indexes),
        retracted=retracted,
        confirmed=_load_confirmed(workspace, dataset, bodies, indexes, retracted),
        unchanged=fetched.unchanged,
        comparable={one.sha256 for one in compared if _is_comparable(workspace, one, bodies, indexes)},
        sharing=[one for other in sharing for one in workspace.raw_archive.bodies(other.key)] if needs_sharing else (),
        accepts_violation=dataset.key in facts(batch).accept_shrink,
        # a stream begins where it is entered: it has no first load
        is_partial_fetch=fetched.is_partial and dataset.listen_stream is None,
        was_queried=fetched.asked,
    )


def _load_pending(workspace: Workspace, dataset: Dataset) -> tuple[list[RawBody], list[StagedIndex], list[RawBody]]:
    """Bodies, staged batches, and the pending ones of the bodies.

    A body found damaged counts as parsed until it is intact again.
    """
    bodies = list(workspace.raw_archive.bodies(dataset.key))
    indexes = list(workspace.staged_store.indexes(dataset.key))
    corrupt = corrupt_bodies(indexes)
    repaired = {body.sha256 for body in bodies if body.sha256 in corrupt and _is_intact(workspace, body)}
    return bodies, indexes, pending_bodies(bodies, indexes, repaired)


def _load_confirmed(
    workspace: Workspace,
    dataset: Dataset,
    bodies: Sequence[RawBody],
    indexes: Sequence[StagedIndex],
    retracted: Collection[str],
) -> list[RawBody]:
    """The unchanged bodies to parse again (`confirmed_bodies`); none, and a message, if one is no longer stored."""
    found = confirmed_bodies(bodies, workspace.raw_archive.manifest_lines(dataset.key), indexes, retracted)
    pruned = [body.name for body in found if workspace.raw_archive.stored_bytes(body) is None]
    if pruned:
        workspace.report_progress(
            f"{dataset.key}: {pruned[0]} was found unchanged at {found[0].observed_at:%Y-%m-%d %H:%M:%S} UTC, but is "
            "no longer stored: an older complete file counts as the newest until it is fetched again"
        )
    return [] if pruned else found


def _newest_cursor(indexes: Sequence[StagedIndex]) -> str | None:
    return next((index.cursor for index in reversed(indexes) if index.cursor is not None), None)


def _is_intact(workspace: Workspace, body: RawBody) -> bool:
    try:
        workspace.raw_archive.verify_body(body)
    except CorruptBlobError:
        return False
    return True


def _newest_instant(workspace: Workspace, jurisdiction: Jurisdiction) -> datetime | None:
    """The newest instant of anything staged in a market."""
    indexes = (index for dataset in jurisdiction.datasets for index in workspace.staged_store.indexes(dataset.key))
    snapshots = (snapshot for index in indexes for snapshot in index.editions)
    return max((datetime.fromisoformat(one["observed_at"]) for one in snapshots), default=None)


def _is_comparable(
    workspace: Workspace, body: RawBody, bodies: Sequence[RawBody], indexes: Sequence[StagedIndex]
) -> bool:
    """True if an archive can be compared with its base, which must be stored and undamaged.

    Nor may a member of the base be unparsed, as it may be readable later and would otherwise stay unparsed, or be
    missing in the new archive: its rows stay on the base.
    """
    base, _ = base_archive(body, bodies, indexes) or (None, None)
    if base is None or workspace.raw_archive.stored_bytes(base) is None or base.sha256 in corrupt_bodies(indexes):
        return False
    if any(_has_unread_members(workspace, base, index) for index in indexes):
        return False
    try:
        return _is_intact(workspace, base) and not has_removed_members(body.open, base.open)
    except CorruptBlobError:  # the new archive: reported when it is parsed
        return False


def _has_unread_members(workspace: Workspace, body: RawBody, index: StagedIndex) -> bool:
    if all(entry["sha256"] != body.sha256 for entry in index.pieces):
        return False
    rejects = workspace.staged_store.rejects(index.dataset, index.batch)
    members = rejects.filter(pl.col("table") == MEMBER, pl.col("raw").str.starts_with(body.sha256))
    return not members.is_empty()


# executing


def execute_stage(workspace: Workspace, jurisdiction: Jurisdiction, dataset: Dataset, plan: StagePlan) -> StageResult:
    """Parses the planned bodies and publishes the batch, quarantined if its counts violate the guard."""
    with workspace.staged_store.write_batch(dataset.key, plan.batch) as writer:
        signals, damaged = _parse_bodies(workspace, jurisdiction, dataset, plan, writer)
        unread = damaged | {body.sha256 for body in plan.bodies if writer.add_member(body)["rejected"] is not None}
        compared = [archive for sha256, (_, archive) in plan.compared.items() if sha256 not in unread]
        writer.set_cursor(plan.cursor)
        figures: dict[str, Any] = {UNCHANGED: figure_values(plan.unchanged), INCREMENTAL: figure_values(compared)}
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
        workspace.report_progress(f"{dataset.key}: {column}: {count} instants in the future, treated as unknown")
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
