"""`firm retract`: takes batches out of use, and completes retractions that were interrupted.

The manifests of RAW record a retraction, before anything else is written: from then on the next run completes what a
kill left undone, and before that nothing has happened. Then STAGED no longer lists the batches, the history gets the
state of a replay without them (`retraction_state`), and a release serves it. Bodies, rows and published events stay.
Does not belong here: printing (`firm`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

import polars as pl

from connectors.contract.dataset import Dataset, Jurisdiction
from pipelines.maintenance.replay import HistoryReplay, ReplayChoice
from pipelines.maintenance.retraction_state import (
    ReplayedFile,
    StateChanges,
    adopt_replayed_state,
    preview_replayed_state,
    recorded_retractions,
)
from pipelines.runtime import crash_recovery
from pipelines.runtime.batch_ids import next_batch
from pipelines.runtime.counted_words import counted
from pipelines.steps import apply_history, publish
from pipelines.steps.applied_batches import STAGED_MARK
from pipelines.steps.batch_figures import incremental_archives, unchanged_bodies
from pipelines.workspace import ProgressCallback, Workspace, WorkspaceOverrides, ignore_progress
from warehouse.history import database
from warehouse.history.adoption import differing_companies
from warehouse.release import retraction_log
from warehouse.schema.retractions import RETRACTED_MARK, BatchRetraction
from warehouse.staged.store import StagedIndex

if TYPE_CHECKING:
    from pipelines.settings import IngestSettings

_SHOWN = 5


class RetractionError(ValueError):
    """Batches that cannot be retracted; the message says why and what to do. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class RetractionRequest:
    """Batches to retract. only: markets (`no`) and datasets (`no.enheter`) to which it is limited; none: no limit."""

    batches: tuple[str, ...]
    only: tuple[str, ...] = ()
    by: str = ""
    reason: str = ""
    is_preview: bool = False


@dataclass(frozen=True, slots=True)
class RetractionResult:
    """A retraction in one market. staged_rows: of the batches, by dataset. release: the number published."""

    market: str
    batches: tuple[str, ...]
    staged_rows: Mapping[str, int]
    changes: StateChanges = field(default_factory=StateChanges)
    release: int | None = None


def retract(
    settings: IngestSettings,
    request: RetractionRequest,
    progress: ProgressCallback = ignore_progress,
    overrides: WorkspaceOverrides | None = None,
) -> list[RetractionResult]:
    """Retracts batches in every market that has them, or shows what that would change; then publishes one release.

    Raises RetractionError, AlreadyLockedError, MissingStagedRowsError, SchemaViolationError.
    """
    overrides = overrides or WorkspaceOverrides()
    workspace = overrides.workspace(settings, progress)
    with ExitStack() as stack:
        for made in _markets_of(workspace, request):
            stack.enter_context(workspace.market_lease.hold_lease(made.code))
        stack.callback(workspace.close)
        for told in crash_recovery.recover_releases(workspace.release_store):
            progress(told)
        chosen = _markets_of(workspace, request)  # read again: another machine may have written them
        for made in chosen:
            finish_retractions(workspace, made)
        at = workspace.clock()
        plans = [_plan_retraction(workspace, made, request, at) for made in chosen]
        done = [_retract_in_market(workspace, made, plan, request) for made, plan in zip(chosen, plans, strict=True)]
        if request.is_preview:
            return done
        number = publish.publish_outboxes(workspace, [made.code for made in chosen])
        progress("nothing was published" if number is None else f"release {number}")
        return [replace(one, release=number) for one in done]


def finish_retractions(workspace: Workspace, jurisdiction: Jurisdiction) -> None:
    """Completes retractions that a kill interrupted. The caller holds the market's lock; the next release has them."""
    recorded = recorded_retractions(workspace, jurisdiction)
    if not recorded:
        return
    with workspace.open_history(jurisdiction.code) as history:
        done = history.recorded_keys(RETRACTED_MARK)
    for place, retraction in enumerate(recorded):
        if retraction.mark not in done:
            workspace.report_progress(
                f"{jurisdiction.code}: completing the retraction of {_listed(retraction.batches)}"
            )
            _record_retraction(workspace, retraction)
            with _replay_without(workspace, jurisdiction, recorded[:place], retraction) as replayed:
                adopt_replayed_state(workspace, jurisdiction, replayed, retraction)


# Which batches


def _markets_of(workspace: Workspace, request: RetractionRequest) -> list[Jurisdiction]:
    """The markets in which the requested batches are, within the limits. Raises RetractionError."""
    within = {dataset.key for dataset in datasets_within(workspace.jurisdictions, request.only)}
    found = {
        batch: [
            (made, dataset)
            for made in workspace.jurisdictions
            for dataset in made.datasets
            if batch in _stored_batches(workspace, dataset)
        ]
        for batch in request.batches
    }
    for batch, places in found.items():
        if not places:
            raise RetractionError(
                f"batch {batch} is unknown: nothing was archived or staged under this name; firm retract --list shows "
                "the batches"
            )
        if not any(dataset.key in within for _, dataset in places):
            had = sorted({dataset.key for _, dataset in places})
            raise RetractionError(f"batch {batch} has nothing of {_listed(request.only)}: it has {', '.join(had)}")
    chosen = {made.code for places in found.values() for made, dataset in places if dataset.key in within}
    return [made for made in workspace.jurisdictions if made.code in chosen]


def datasets_within(jurisdictions: Iterable[Jurisdiction], only: Collection[str]) -> list[Dataset]:
    """The datasets of some markets (`no`) and keys (`no.enheter`), or all. Raises RetractionError at another name."""
    datasets = [(made.code.lower(), dataset) for made in jurisdictions for dataset in made.datasets]
    known = {name for market, dataset in datasets for name in (market, dataset.key)}
    if unknown := [name for name in only if name not in known]:
        raise RetractionError(f"{unknown[0]} is no market and no dataset: give a code (no) or a key (no.enheter)")
    return [dataset for market, dataset in datasets if not only or market in only or dataset.key in only]


def _stored_batches(workspace: Workspace, dataset: Dataset) -> set[str]:
    """Batches with staged rows of a dataset, or with bodies in RAW that no run has parsed."""
    bodies = workspace.raw_archive.all_bodies(dataset.key)
    return {*workspace.staged_store.all_batches(dataset.key), *(body.batch for body in bodies)}


def _plan_retraction(
    workspace: Workspace, made: Jurisdiction, request: RetractionRequest, at: datetime
) -> BatchRetraction:
    """The retraction of a market. Raises RetractionError."""
    wanted = [
        (dataset, batch)
        for dataset in datasets_within(workspace.jurisdictions, request.only)
        for batch in request.batches
        if dataset in made.datasets and batch in _stored_batches(workspace, dataset)
    ]
    before = recorded_retractions(workspace, made)
    known = {key: one for one in before for key in one.left_out}
    fresh = [(dataset, batch) for dataset, batch in wanted if f"{dataset.key}/{batch}" not in known]
    if not fresh:
        dataset, batch = wanted[0]
        one = known[f"{dataset.key}/{batch}"]
        raise RetractionError(
            f"batch {batch} of {dataset.key} was retracted already, on {one.at:%Y-%m-%d %H:%M} UTC by {one.by}: "
            f"{one.reason}"
        )
    for dataset, batch in fresh:
        _require_own_bodies(workspace, dataset, batch)
    for dataset in {dataset.key: dataset for dataset, _ in fresh}.values():
        _require_no_dependents(workspace, dataset, {batch for one, batch in fresh if one.key == dataset.key})
    path = database.existing_history_path(workspace.layout, made.code)
    if path is not None and database.has_mixed_schema_versions(path):
        raise RetractionError(
            f"the history of {made.code} is from before an upgrade: run firm rebuild {made.code.lower()} first, so "
            "that only what the batch changed is told"
        )
    store = workspace.staged_store
    batches = tuple(sorted({batch for _, batch in fresh}))
    datasets = tuple(sorted({dataset.key for dataset, _ in fresh}))
    return BatchRetraction(
        batches,
        datasets,
        max((batch for dataset in made.datasets for batch in store.all_batches(dataset.key)), default=""),
        at,
        request.by,
        request.reason,
        tuple(sorted(_pending_batches(workspace, made) - {f"{dataset.key}/{batch}" for dataset, batch in fresh})),
        tuple(sorted({check for key in datasets for check in store.checks_answered_by(key, batches)})),
    )


def _pending_batches(workspace: Workspace, made: Jurisdiction) -> set[str]:
    """`dataset/batch` of what is staged and was not applied: of killed runs, and quarantined."""
    with workspace.open_history(made.code) as history:
        applied = history.recorded_keys(STAGED_MARK)
    staged = {f"{one.key}/{batch}" for one in made.datasets for batch in workspace.staged_store.batches(one.key)}
    return staged - applied


def _require_own_bodies(workspace: Workspace, dataset: Dataset, batch: str) -> None:
    """Raises RetractionError if a later batch parsed what this one, of a killed run, had fetched."""
    if batch in workspace.staged_store.all_batches(dataset.key):
        return
    own = {(one.name, one.sha256) for one in workspace.raw_archive.all_bodies(dataset.key) if one.batch == batch}
    for index in workspace.staged_store.indexes(dataset.key):
        if index.batch > batch and any((piece["name"], piece["sha256"]) in own for piece in index.pieces):
            raise RetractionError(
                f"the files of batch {batch} of {dataset.key} were read by batch {index.batch}: retract that"
            )


def _require_no_dependents(workspace: Workspace, dataset: Dataset, batches: Collection[str]) -> None:
    """Raises RetractionError if batches in use repeat rows that are staged in these alone."""
    indexes = list(workspace.staged_store.indexes(dataset.key))
    bodies = {piece["sha256"] for index in indexes if index.batch in batches for piece in index.pieces}
    found = [index.batch for index in indexes if index.batch not in batches and _repeats(index, batches, bodies)]
    if found:
        raise RetractionError(
            f"{dataset.key}: what had not changed since {_listed(sorted(batches))} is repeated by {_listed(found)}: "
            f"retract them together (firm retract {' '.join([*sorted(batches), *found])})"
        )


def _repeats(index: StagedIndex, batches: Collection[str], bodies: Collection[str]) -> bool:
    archives = (base for archive in incremental_archives(index) for base in archive.on)
    return any(body.batch in batches for body in unchanged_bodies(index)) or not set(archives).isdisjoint(bodies)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


# Doing it


def _retract_in_market(
    workspace: Workspace, made: Jurisdiction, retraction: BatchRetraction, request: RetractionRequest
) -> RetractionResult:
    if not request.is_preview:
        _apply_pending_snapshots(workspace, made)
    before = recorded_retractions(workspace, made)
    with _replay_without(workspace, made, before, retraction) as replayed:
        if request.is_preview:
            changes = preview_replayed_state(workspace, made, replayed, retraction)
        else:
            _record_retraction(workspace, retraction)
            changes = adopt_replayed_state(workspace, made, replayed, retraction)
    rows = {key: _staged_rows(workspace, key, retraction.batches) for key in retraction.datasets}
    workspace.report_progress(f"{made.code}: {counted(changes.companies, 'company', 'companies')} concerned")
    return RetractionResult(made.code, retraction.batches, rows, changes)


def _apply_pending_snapshots(workspace: Workspace, made: Jurisdiction) -> None:
    """Merges what a killed run had normalised: the history is compared as it is recorded."""
    if workspace.snapshot_store.all(made.code):
        batch = next_batch(workspace.clock(), workspace.step_results.batches())
        apply_history.apply_snapshots(workspace, made, batch)


def _record_retraction(workspace: Workspace, retraction: BatchRetraction) -> None:
    """Records a retraction in RAW and STAGED; done before, it does nothing."""
    staged = workspace.staged_store
    for key in retraction.datasets:
        indexes = (staged.index(key, batch) for batch in retraction.batches)
        bodies = {(piece["name"], piece["sha256"]) for index in indexes if index for piece in index.pieces}
        bodies -= {
            (piece["name"], piece["sha256"])  # parsed again because they were found unchanged
            for index in staged.indexes(key)
            for piece in index.pieces
            if index.batch not in retraction.batches and piece["rejected"] is None
        }
        workspace.raw_archive.retract_batches(key, retraction, bodies)
        workspace.on_step("retraction recorded")
    every = (one for made in workspace.jurisdictions for one in recorded_retractions(workspace, made))
    retraction_log.write_retractions(workspace.layout, every)
    for key in retraction.datasets:
        staged.retract_batches(key, retraction)
        workspace.on_step("batch retracted")


@contextmanager
def _replay_without(
    workspace: Workspace, made: Jurisdiction, before: Sequence[BatchRetraction], retraction: BatchRetraction
) -> Iterator[ReplayedFile]:
    """A replay of all that was applied, without the retracted batches, and the companies that these concern.

    Which those are, a second replay says that has the batches: where a rule of this version differs from the one that
    made the history, the rest of the market would come out as changed by the retraction.
    """
    with workspace.open_history(made.code) as history:
        chosen = ReplayChoice.applied(history, before), ReplayChoice.applied(history, [*before, retraction])
    replay = HistoryReplay(workspace, made, chosen[1])
    whole = HistoryReplay(workspace, made, chosen[0], replay.own.layout.rebuild_root(made.code))
    with closing(replay.own), closing(whole.own):
        try:
            replay.run()
            paths = [one.own.layout.history_file(made.code) for one in (replay, whole)]
            if chosen[0].batches == chosen[1].batches:
                yield ReplayedFile(paths[0], pl.Series("company_id", [], pl.String))
                return
            whole.run()
            with whole.own.open_history(made.code) as history:
                derived = history.outbox_events()["event_id"]
            yield ReplayedFile(paths[0], differing_companies(*paths), derived)
        finally:
            replay.discard()


def _staged_rows(workspace: Workspace, dataset: str, batches: Iterable[str]) -> int:
    indexes = (workspace.staged_store.index(dataset, batch) for batch in batches)
    return sum(sum(index.tables.values()) for index in indexes if index is not None)
