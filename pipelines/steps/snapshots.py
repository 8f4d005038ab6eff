"""Selects the archived pieces to parse now, their instants, and whether their snapshots are complete.

Pieces of one dataset with one instant form a snapshot. Does not belong here: parsing them (`stage`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

import polars as pl

from connectors.contract.dataset import Dataset, Scope
from pipelines.ingest.step_results import StepResults
from warehouse.raw.archive import RawBody
from warehouse.schema.types import Table
from warehouse.staged.store import StagedStore

KEPT: Final = "kept"

_TICK: Final = timedelta(microseconds=1)


def pending_bodies(
    pieces: Sequence[RawBody], staged_batches: Sequence[str], mended: Collection[str] = ()
) -> list[RawBody]:
    """Pieces archived after the last staged batch, by this run and by runs that were killed before.

    Pieces parsed before are left out: a folder may hold two vintages under one name, and be ingested again. A
    piece that replaces another body of the same instant is included, even if it is the original body again;
    so is one that was damaged when parsed and is intact again (passed by SHA-256): it replaces itself.
    """
    last = max(staged_batches, default="")
    read = {_body_identity(piece) for piece in pieces if piece.batch <= last}
    again = [replace(piece, replaces=piece.sha256) for piece in pieces if piece.sha256 in mended]
    return again + [
        piece
        for piece in pieces
        if piece.batch > last
        and piece.sha256 not in mended
        and (piece.replaces is not None or _body_identity(piece) not in read)
    ]


def _body_identity(piece: RawBody) -> tuple[str, str, datetime]:
    return piece.name, piece.sha256, piece.observed_at


def assign_instants(
    found: Sequence[RawBody],
    pieces: Sequence[RawBody],
    batch: str,
    receipts: StepResults,
    latest: Callable[[], datetime | None],
) -> list[RawBody]:
    """Assigns instants to the pending pieces, in order.

    A reissued file of the newest snapshot gets an instant just after the newest instant of its market: later
    than what it corrects, but no later than necessary, or the next snapshot would be late-arriving. `latest`:
    returns that instant, called only if needed. Bodies that a killed run fetched «now» get the instant of the
    run that completes the fetch.
    """
    at = receipts.facts(batch).at
    newest = max((piece.observed_at for piece in pieces), default=at)
    again = [piece for piece in found if piece.replaces is not None and piece.observed_at == newest]
    after = max(filter(None, (latest(), newest))) + _TICK if again else newest
    moved = [
        _with_reissue_instant(piece, pieces, after)
        if piece in again
        else _with_completion_instant(piece, batch, at, receipts)
        for piece in found
    ]
    return sorted(moved, key=lambda piece: (piece.observed_at, piece.fetched_at, piece.name))


def _with_reissue_instant(piece: RawBody, pieces: Sequence[RawBody], instant: datetime) -> RawBody:
    same = {other.name for other in pieces if other.observed_at == piece.observed_at}
    return replace(
        piece, observed_at=instant, scope=piece.scope if len(same) == 1 else _downgraded_scope(piece.scope)
    )


def _with_completion_instant(piece: RawBody, batch: str, at: datetime, receipts: StepResults) -> RawBody:
    if piece.batch != batch and piece.observed_at == receipts.facts(piece.batch).at:
        return replace(piece, observed_at=at)
    return piece


class PendingSnapshot(Protocol):
    """A staged snapshot that is not part of a normalised snapshot yet."""

    @property
    def dataset(self) -> Dataset: ...
    @property
    def batch(self) -> str: ...
    @property
    def instant(self) -> datetime: ...
    @property
    def scope(self) -> str: ...


def apply_instants(
    waiting: Sequence[PendingSnapshot], run: str, receipts: StepResults, has_died: Callable[[str], bool]
) -> list[datetime]:
    """The instants at which pending snapshots are applied, one by one.

    What a run fetched «now» and staged before it died is applied with the run that completes it: the register
    with a new company, and the accounts that the run did not get to request, arrive together. This applies to
    the last such run only, and to all of its fetches or none: if one of its datasets has a newer snapshot
    since, each stays a state of its own, with its own events.
    """
    others = {edition.batch for edition in waiting if edition.batch != run}
    died = max(filter(has_died, others), default=None)
    at = receipts.facts(run).at
    now = None if died is None else receipts.facts(died).at
    moved = [edition.batch == died and edition.instant == now for edition in waiting]
    begun = [edition for edition, moves in zip(waiting, moved, strict=True) if moves]
    if any(_blocks_move(edition, other, at) for edition in begun for other in waiting):
        return [edition.instant for edition in waiting]
    return [
        max(edition.instant, at) if moves else edition.instant
        for edition, moves in zip(waiting, moved, strict=True)
    ]


def _blocks_move(edition: PendingSnapshot, other: PendingSnapshot, at: datetime) -> bool:
    """True if moving a snapshot to an instant would reorder it with, or hide it behind, a full one of its dataset.

    Partial snapshots may coincide: answers received by one run and those requested by the next form one
    look-up.
    """
    if other.dataset.key != edition.dataset.key or not edition.instant < other.instant <= at:
        return False
    return other.instant < at or Scope.FULL in (edition.scope, other.scope)


def _downgraded_scope(scope: str) -> str:
    return Scope.PART if scope == Scope.FULL else scope


@dataclass(frozen=True, slots=True)
class UnchangedBody:
    """A body repeated unchanged by a full snapshot, and the batch in which it was parsed."""

    name: str
    sha256: str
    observed_at: datetime
    batch: str
    rows: int


def find_unchanged_bodies(
    found: Iterable[RawBody], unchanged: Iterable[Mapping[str, str]], lake: StagedStore
) -> list[UnchangedBody]:
    """Bodies that belong to the full snapshots among these pieces, but are not parsed again.

    Without them, a full snapshot of several files would delete their records as absent.
    """
    full = {piece.observed_at for piece in found if piece.scope == Scope.FULL}
    wanted = {
        (body["name"], body["sha256"]): instant
        for body in unchanged
        if (instant := datetime.fromisoformat(body["observed_at"])) in full
    }
    datasets = {piece.dataset for piece in found}
    indexes = [index for dataset in datasets for index in lake.indexes(dataset)] if wanted else []
    return [
        UnchangedBody(name, piece["sha256"], wanted[name, piece["sha256"]], index.batch, piece["rows"])
        for index in indexes
        for piece in index.pieces
        if ((name := piece["name"]), piece["sha256"]) in wanted
    ]


def downgrade_incomplete(
    dataset: Dataset, found: Sequence[RawBody], same: Iterable[UnchangedBody]
) -> list[RawBody]:
    """The pieces, downgraded to partial if their snapshot lacks a file (`Dataset.is_whole`)."""
    is_whole = dataset.is_whole
    if is_whole is None:
        return list(found)
    names: dict[datetime, set[str]] = {}
    for piece in (*(one for one in found if one.scope == Scope.FULL), *same):
        names.setdefault(piece.observed_at, set()).add(piece.name)
    whole = {instant for instant, there in names.items() if is_whole(there)}
    return [
        piece if piece.observed_at in whole else replace(piece, scope=_downgraded_scope(piece.scope))
        for piece in found
    ]


def parse_unchanged_bodies(figures: Mapping[str, Any]) -> list[UnchangedBody]:
    """Reads the unchanged bodies from a staged batch's figures."""
    return [
        UnchangedBody(**{**body, "observed_at": datetime.fromisoformat(body["observed_at"])})
        for body in figures.get(KEPT, ())
    ]


def unchanged_body_figures(bodies: Iterable[UnchangedBody]) -> dict[str, Any]:
    """Figures that record unchanged bodies in a staged batch."""
    return {KEPT: [{**asdict(body), "observed_at": body.observed_at.isoformat()} for body in bodies]}


def unchanged_body_keys(
    lake: StagedStore, dataset: str, table: Table, instant: datetime, figures: Mapping[str, Any]
) -> list[pl.DataFrame]:
    """Keys of the records in a snapshot's unchanged bodies; `figures` are those of its staged batch."""
    return [
        lake.rows(dataset, body.batch, table)
        .filter(pl.col("_piece") == body.name, pl.col("_raw").str.starts_with(body.sha256))
        .select(table.key)
        .collect()
        for body in parse_unchanged_bodies(figures)
        if body.observed_at == instant
    ]
