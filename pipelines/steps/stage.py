"""STAGED: parses every pending archived piece, applies the dataset's guard and writes the rows.

Does not belong here: which pieces those are (`editions`), the pool that parses them (`parsing`), limits
(`guards`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO, Self

from connectors.contract.dataset import (
    NOT_A_COMPANY,
    ArchiveMember,
    Dataset,
    Jurisdiction,
    PreviousArchive,
    Scope,
    UnreadableFileError,
)
from pipelines.erasure.suppression import SuppressionFilter
from pipelines.ingest.parser_pool import FAULTS, ParseOutcome, rejection_reason
from pipelines.steps import fetch, guards, incremental_parse, repaired_bodies, snapshots
from pipelines.steps.incremental_parse import IncrementalArchive, ReuseCandidates
from pipelines.steps.snapshots import UnchangedBody
from pipelines.workspace import Workspace
from warehouse.erasure.tombstones import TombstoneStore
from warehouse.raw.archive import CorruptBlobError, RawBody
from warehouse.reader.types import QuarantineReason
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

    @classmethod
    def of(cls, value: dict[str, Any] | None, dataset: str) -> Self:
        """Restores a stored result; an empty one if there is none."""
        return cls(dataset) if value is None else cls(**value)


def result_name(dataset: str) -> str:
    """Name of a dataset's staging result."""
    return f"staged-{dataset}"


def stage(workspace: Workspace, dataset: Dataset, batch: str) -> StageResult:
    """Parses and writes all pending pieces of a dataset, as one staged batch."""
    began = monotonic()
    lift_quarantine(workspace, dataset, batch)
    staged = workspace.lake.batches(dataset.key)
    pieces = list(workspace.archive.pieces(dataset.key))
    came = fetch.FetchResult.of(workspace.receipts.read(batch, fetch.result_name(dataset.key)), dataset.key)
    found = snapshots.assign_instants(
        repaired_bodies.pending_bodies(workspace, dataset),
        pieces,
        batch,
        workspace.receipts,
        lambda: _latest_instant(workspace, dataset),
    )
    # a cursor that moved without new bytes is stored too, or the feed would be read again for ever
    cursor = came.cursor if came.cursor != workspace.lake.cursor(dataset.key) else None
    receipt = StageResult(dataset.key)
    if batch not in staged and (found or cursor):
        kept = snapshots.find_unchanged_bodies(found, came.unchanged, workspace.lake)
        judged = snapshots.downgrade_incomplete(dataset, found, kept)
        if judged != found:
            workspace.tell(
                f"{dataset.key}: a file of the set is missing: records absent from the others stay unchanged"
            )
        receipt = _write_batch(workspace, dataset, batch, judged, kept, cursor)
    receipt = replace(receipt, seconds=round(monotonic() - began, 3))
    workspace.receipts.write(batch, result_name(dataset.key), asdict(receipt))
    if receipt.pieces:
        workspace.tell(f"{dataset.key}: {receipt.rows} rows, {receipt.rejected} rejected")
    return receipt


def _jurisdiction_of(workspace: Workspace, dataset: Dataset) -> Jurisdiction:
    return next(made for made in workspace.jurisdictions if dataset in made.datasets)


def _suppression_filter(workspace: Workspace, dataset: Dataset) -> SuppressionFilter:
    """The suppression filter of the dataset's market."""
    market = _jurisdiction_of(workspace, dataset)
    return SuppressionFilter(market, dataset, TombstoneStore(workspace.layout).all(market.code))


def _latest_instant(workspace: Workspace, dataset: Dataset) -> datetime | None:
    """The newest instant of anything staged in the dataset's market."""
    market = _jurisdiction_of(workspace, dataset)
    indexes = (index for other in market.datasets for index in workspace.lake.indexes(other.key))
    told = (datetime.fromisoformat(edition["observed_at"]) for index in indexes for edition in index.editions)
    return max(told, default=None)


def lift_quarantine(workspace: Workspace, dataset: Dataset, batch: str) -> None:
    """Lifts the quarantine of a dataset if this run overrides it; of a feed, good batches may follow."""
    if dataset.key not in workspace.receipts.facts(batch).accept_shrink:
        return
    for index in workspace.lake.held(dataset.key):
        workspace.lake.accept(dataset.key, index.batch)
        guard = "" if index.held is None else index.held.guard
        workspace.tell(f"{dataset.key}: batch {index.batch} is accepted although {guard} quarantined it")


def _write_batch(
    workspace: Workspace,
    dataset: Dataset,
    batch: str,
    found: list[RawBody],
    kept: list[UnchangedBody],
    cursor: str | None,
) -> StageResult:
    last_full = guards.last_full_rows(workspace.lake.indexes(dataset.key))
    formers = ReuseCandidates(workspace, _jurisdiction_of(workspace, dataset), dataset).against(found)
    with workspace.lake.writer(dataset.key, batch) as writer:
        members = _split_members(
            dataset, found, writer, {sha256: one for sha256, (one, _) in formers.items()}
        )
        size = sum(piece.bytes for piece in found if piece.sha256 not in formers)
        outcomes = workspace.readers.read(dataset.read, members, size)
        door = _suppression_filter(workspace, dataset)
        damaged: set[str] = set()
        signals = sum(
            _collect_outcome(writer, dataset, door.passed(outcome), damaged) for outcome in outcomes
        )
        writer.figures(door.figures())
        if damaged:
            writer.figures({repaired_bodies.DAMAGED: sorted(damaged)})
        writer.cursor(cursor or next((piece.cursor for piece in reversed(found) if piece.cursor), None))
        writer.figures(snapshots.unchanged_body_figures(kept))
        unread = damaged | {piece.sha256 for piece in found if writer.piece(piece)["rejected"] is not None}
        standings = [standing for sha256, (_, standing) in formers.items() if sha256 not in unread]
        writer.figures(incremental_parse.reuse_figures(standings))
        reading = _batch_counts(writer, found, kept, standings)
        refused = guards.first_violation(dataset.guard, reading, last_full)
        accepted = refused is not None and dataset.key in workspace.receipts.facts(batch).accept_shrink
        writer.hold(None if accepted else refused)
        if accepted:
            writer.figures({ACCEPTED: _as_json(refused)})
        warnings = tuple(guards.guard_warnings(dataset.guard, reading))
    return StageResult(
        dataset.key,
        pieces=len(found),
        rows=reading.rows,
        rejected=reading.rejects,
        signals=signals,
        held=None if accepted else _as_json(refused),
        accepted=_as_json(refused) if accepted else None,
        warnings=warnings,
    )


def _as_json(held: QuarantineReason | None) -> dict[str, Any] | None:
    return None if held is None else {"guard": held.guard, "seen": held.seen, "allowed": held.allowed}


def _batch_counts(
    writer: StagedWriter,
    found: Iterable[RawBody],
    kept: Iterable[UnchangedBody],
    standings: Iterable[IncrementalArchive],
) -> guards.BatchCounts:
    index = writer.index()
    full = [piece for piece in found if piece.scope == Scope.FULL]
    return guards.BatchCounts(
        rows=sum(index["tables"].values()),
        rejects=writer.reject_count,
        excluded=writer.rejects_beginning(NOT_A_COMPANY),
        full_rows=guards.full_snapshot_rows(index["editions"], kept),
        unreadable=sum(writer.piece(piece)["rejected"] is not None for piece in full),
        repeated=sum(standing.rows for standing in standings),
    )


def _split_members(
    dataset: Dataset, found: Iterable[RawBody], writer: StagedWriter, formers: Mapping[str, PreviousArchive]
) -> Iterator[ArchiveMember]:
    """The members of all pieces; a piece that cannot be split becomes one that raises its error when opened."""
    for raw_piece in found:
        writer.piece(raw_piece)
        scope = Scope(raw_piece.scope)
        piece = ArchiveMember(
            raw_piece.dataset,
            raw_piece.name,
            raw_piece.sha256,
            raw_piece.observed_at,
            scope,
            raw_piece.batch,
            raw_piece.open,
            former=formers.get(raw_piece.sha256),
        )
        try:
            yield from dataset.split(piece)
        except CorruptBlobError as error:
            yield replace(piece, open=partial(_raise_corrupt, error.path, error.label, error.reason))
        except (UnreadableFileError, *FAULTS) as error:
            yield replace(
                piece, open=partial(_raise_unreadable, dataset.key, piece.name, rejection_reason(error))
            )


def _raise_unreadable(dataset: str, name: str, reason: str) -> BinaryIO:
    raise UnreadableFileError(dataset, name, reason)


def _raise_corrupt(path: Path, label: str, reason: str) -> BinaryIO:
    raise CorruptBlobError(path, label, reason)


def _collect_outcome(writer: StagedWriter, dataset: Dataset, outcome: ParseOutcome, damaged: set[str]) -> int:
    """Writes one piece's rows, rejects and signals; returns the number of signals. Records damaged bodies."""
    if outcome.is_damaged:
        damaged.add(outcome.piece.sha256)
    if outcome.reason is not None:
        writer.rejected_whole(outcome.piece, outcome.reason)
        return 0
    signals = 0
    for batch in outcome.batches:
        writer.rows(dataset.staged[batch.table], outcome.piece, batch.rows)
        writer.rejects(outcome.piece, batch.table, batch.rejects)
        writer.signals(batch.signals)
        signals += len(batch.signals)
    return signals
