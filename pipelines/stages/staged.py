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

from connectors.declare import NOT_A_COMPANY, Dataset, Former, Jurisdiction, Piece, Scope, Unreadable
from pipelines.parsing import FAULTS, Outcome, why
from pipelines.refused import Door
from pipelines.resources import Workspace
from pipelines.stages import editions, former, guards, mended, raw
from pipelines.stages.editions import Kept
from pipelines.stages.former import Formers, Standing
from warehouse.archive import CorruptObject, RawPiece
from warehouse.lake import ACCEPTED, StagedWriter
from warehouse.reading import Held
from warehouse.tombstones import Tombstones


@dataclass(frozen=True, slots=True)
class StagedReceipt:
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


def receipt_name(dataset: str) -> str:
    """Name of a dataset's staging result."""
    return f"staged-{dataset}"


def stage(workspace: Workspace, dataset: Dataset, batch: str) -> StagedReceipt:
    """Parses and writes all pending pieces of a dataset, as one staged batch."""
    began = monotonic()
    release_hold(workspace, dataset, batch)
    staged = workspace.lake.batches(dataset.key)
    pieces = list(workspace.archive.pieces(dataset.key))
    came = raw.RawReceipt.of(workspace.receipts.read(batch, raw.receipt_name(dataset.key)), dataset.key)
    found = editions.effective(
        mended.pending(workspace, dataset),
        pieces,
        batch,
        workspace.receipts,
        lambda: _latest(workspace, dataset),
    )
    # a cursor that moved without new bytes is stored too, or the feed would be read again for ever
    cursor = came.cursor if came.cursor != workspace.lake.cursor(dataset.key) else None
    receipt = StagedReceipt(dataset.key)
    if batch not in staged and (found or cursor):
        kept = editions.kept(found, came.unchanged, workspace.lake)
        judged = editions.judged(dataset, found, kept)
        if judged != found:
            workspace.tell(
                f"{dataset.key}: a file of the set is missing: records absent from the others stay unchanged"
            )
        receipt = _write(workspace, dataset, batch, judged, kept, cursor)
    receipt = replace(receipt, seconds=round(monotonic() - began, 3))
    workspace.receipts.write(batch, receipt_name(dataset.key), asdict(receipt))
    if receipt.pieces:
        workspace.tell(f"{dataset.key}: {receipt.rows} rows, {receipt.rejected} rejected")
    return receipt


def _market(workspace: Workspace, dataset: Dataset) -> Jurisdiction:
    return next(made for made in workspace.jurisdictions if dataset in made.datasets)


def _door(workspace: Workspace, dataset: Dataset) -> Door:
    """The suppression filter of the dataset's market."""
    market = _market(workspace, dataset)
    return Door(market, dataset, Tombstones(workspace.layout).all(market.code))


def _latest(workspace: Workspace, dataset: Dataset) -> datetime | None:
    """The newest instant of anything staged in the dataset's market."""
    market = _market(workspace, dataset)
    indexes = (index for other in market.datasets for index in workspace.lake.indexes(other.key))
    told = (datetime.fromisoformat(edition["observed_at"]) for index in indexes for edition in index.editions)
    return max(told, default=None)


def release_hold(workspace: Workspace, dataset: Dataset, batch: str) -> None:
    """Lifts the quarantine of a dataset if this run overrides it; of a feed, good batches may follow."""
    if dataset.key not in workspace.receipts.facts(batch).accept_shrink:
        return
    for index in workspace.lake.held(dataset.key):
        workspace.lake.accept(dataset.key, index.batch)
        guard = "" if index.held is None else index.held.guard
        workspace.tell(f"{dataset.key}: batch {index.batch} is accepted although {guard} quarantined it")


def _write(
    workspace: Workspace,
    dataset: Dataset,
    batch: str,
    found: list[RawPiece],
    kept: list[Kept],
    cursor: str | None,
) -> StagedReceipt:
    last_full = guards.last_full(workspace.lake.indexes(dataset.key))
    formers = Formers(workspace, _market(workspace, dataset), dataset).against(found)
    with workspace.lake.writer(dataset.key, batch) as writer:
        members = _members(dataset, found, writer, {sha256: one for sha256, (one, _) in formers.items()})
        size = sum(piece.bytes for piece in found if piece.sha256 not in formers)
        outcomes = workspace.readers.read(dataset.read, members, size)
        door = _door(workspace, dataset)
        damaged: set[str] = set()
        signals = sum(_collect(writer, dataset, door.passed(outcome), damaged) for outcome in outcomes)
        writer.figures(door.figures())
        if damaged:
            writer.figures({mended.DAMAGED: sorted(damaged)})
        writer.cursor(cursor or next((piece.cursor for piece in reversed(found) if piece.cursor), None))
        writer.figures(editions.kept_figures(kept))
        unread = damaged | {piece.sha256 for piece in found if writer.piece(piece)["rejected"] is not None}
        standings = [standing for sha256, (_, standing) in formers.items() if sha256 not in unread]
        writer.figures(former.figures(standings))
        reading = _reading(writer, found, kept, standings)
        refused = guards.judge(dataset.guard, reading, last_full)
        accepted = refused is not None and dataset.key in workspace.receipts.facts(batch).accept_shrink
        writer.hold(None if accepted else refused)
        if accepted:
            writer.figures({ACCEPTED: _as_json(refused)})
        warnings = tuple(guards.warnings(dataset.guard, reading))
    return StagedReceipt(
        dataset.key,
        pieces=len(found),
        rows=reading.rows,
        rejected=reading.rejects,
        signals=signals,
        held=None if accepted else _as_json(refused),
        accepted=_as_json(refused) if accepted else None,
        warnings=warnings,
    )


def _as_json(held: Held | None) -> dict[str, Any] | None:
    return None if held is None else {"guard": held.guard, "seen": held.seen, "allowed": held.allowed}


def _reading(
    writer: StagedWriter, found: Iterable[RawPiece], kept: Iterable[Kept], standings: Iterable[Standing]
) -> guards.Reading:
    index = writer.index()
    full = [piece for piece in found if piece.scope == Scope.FULL]
    return guards.Reading(
        rows=sum(index["tables"].values()),
        rejects=writer.reject_count,
        excluded=writer.rejects_beginning(NOT_A_COMPANY),
        full_rows=guards.full_rows(index["editions"], kept),
        unreadable=sum(writer.piece(piece)["rejected"] is not None for piece in full),
        repeated=sum(standing.rows for standing in standings),
    )


def _members(
    dataset: Dataset, found: Iterable[RawPiece], writer: StagedWriter, formers: Mapping[str, Former]
) -> Iterator[Piece]:
    """The members of all pieces; a piece that cannot be split becomes one that raises its error when opened."""
    for raw_piece in found:
        writer.piece(raw_piece)
        scope = Scope(raw_piece.scope)
        piece = Piece(
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
        except CorruptObject as error:
            yield replace(piece, open=partial(_damaged, error.path, error.label, error.reason))
        except (Unreadable, *FAULTS) as error:
            yield replace(piece, open=partial(_refuse, dataset.key, piece.name, why(error)))


def _refuse(dataset: str, name: str, reason: str) -> BinaryIO:
    raise Unreadable(dataset, name, reason)


def _damaged(path: Path, label: str, reason: str) -> BinaryIO:
    raise CorruptObject(path, label, reason)


def _collect(writer: StagedWriter, dataset: Dataset, outcome: Outcome, damaged: set[str]) -> int:
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
