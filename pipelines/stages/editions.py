"""Selects the archived pieces to parse now, their instants, and whether their snapshots are complete.

Pieces of one dataset with one instant form a snapshot. Does not belong here: parsing them (`staged`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

import polars as pl

from connectors.declare import Dataset, Scope
from pipelines.receipts import Receipts
from warehouse.archive import RawPiece
from warehouse.lake import Lake
from warehouse.schema.types import Table

KEPT: Final = "kept"

_TICK: Final = timedelta(microseconds=1)


def pending(
    pieces: Sequence[RawPiece], staged_batches: Sequence[str], mended: Collection[str] = ()
) -> list[RawPiece]:
    """Pieces archived after the last staged batch, by this run and by runs that were killed before.

    Pieces parsed before are left out: a folder may hold two vintages under one name, and be ingested again. A
    piece that replaces another body of the same instant is included, even if it is the original body again;
    so is one that was damaged when parsed and is intact again (passed by SHA-256): it replaces itself.
    """
    last = max(staged_batches, default="")
    read = {_identity(piece) for piece in pieces if piece.batch <= last}
    again = [replace(piece, replaces=piece.sha256) for piece in pieces if piece.sha256 in mended]
    return again + [
        piece
        for piece in pieces
        if piece.batch > last
        and piece.sha256 not in mended
        and (piece.replaces is not None or _identity(piece) not in read)
    ]


def _identity(piece: RawPiece) -> tuple[str, str, datetime]:
    return piece.name, piece.sha256, piece.observed_at


def effective(
    found: Sequence[RawPiece],
    pieces: Sequence[RawPiece],
    batch: str,
    receipts: Receipts,
    latest: Callable[[], datetime | None],
) -> list[RawPiece]:
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
        _reissued(piece, pieces, after) if piece in again else _completed(piece, batch, at, receipts)
        for piece in found
    ]
    return sorted(moved, key=lambda piece: (piece.observed_at, piece.fetched_at, piece.name))


def _reissued(piece: RawPiece, pieces: Sequence[RawPiece], instant: datetime) -> RawPiece:
    same = {other.name for other in pieces if other.observed_at == piece.observed_at}
    return replace(piece, observed_at=instant, scope=piece.scope if len(same) == 1 else _part(piece.scope))


def _completed(piece: RawPiece, batch: str, at: datetime, receipts: Receipts) -> RawPiece:
    if piece.batch != batch and piece.observed_at == receipts.facts(piece.batch).at:
        return replace(piece, observed_at=at)
    return piece


class Waiting(Protocol):
    """A staged snapshot that is not part of a normalised snapshot yet."""

    @property
    def dataset(self) -> Dataset: ...
    @property
    def batch(self) -> str: ...
    @property
    def instant(self) -> datetime: ...
    @property
    def scope(self) -> str: ...


def taken_at(
    waiting: Sequence[Waiting], run: str, receipts: Receipts, has_died: Callable[[str], bool]
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
    if any(_stands_between(edition, other, at) for edition in begun for other in waiting):
        return [edition.instant for edition in waiting]
    return [
        max(edition.instant, at) if moves else edition.instant
        for edition, moves in zip(waiting, moved, strict=True)
    ]


def _stands_between(edition: Waiting, other: Waiting, at: datetime) -> bool:
    """True if moving a snapshot to an instant would reorder it with, or hide it behind, a full one of its dataset.

    Partial snapshots may coincide: answers received by one run and those requested by the next form one
    look-up.
    """
    if other.dataset.key != edition.dataset.key or not edition.instant < other.instant <= at:
        return False
    return other.instant < at or Scope.FULL in (edition.scope, other.scope)


def _part(scope: str) -> str:
    return Scope.PART if scope == Scope.FULL else scope


@dataclass(frozen=True, slots=True)
class Kept:
    """A body repeated unchanged by a full snapshot, and the batch in which it was parsed."""

    name: str
    sha256: str
    observed_at: datetime
    batch: str
    rows: int


def kept(found: Iterable[RawPiece], unchanged: Iterable[Mapping[str, str]], lake: Lake) -> list[Kept]:
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
        Kept(name, piece["sha256"], wanted[name, piece["sha256"]], index.batch, piece["rows"])
        for index in indexes
        for piece in index.pieces
        if ((name := piece["name"]), piece["sha256"]) in wanted
    ]


def judged(dataset: Dataset, found: Sequence[RawPiece], same: Iterable[Kept]) -> list[RawPiece]:
    """The pieces, downgraded to partial if their snapshot lacks a file (`Dataset.is_whole`)."""
    is_whole = dataset.is_whole
    if is_whole is None:
        return list(found)
    names: dict[datetime, set[str]] = {}
    for piece in (*(one for one in found if one.scope == Scope.FULL), *same):
        names.setdefault(piece.observed_at, set()).add(piece.name)
    whole = {instant for instant, there in names.items() if is_whole(there)}
    return [
        piece if piece.observed_at in whole else replace(piece, scope=_part(piece.scope)) for piece in found
    ]


def kept_of(figures: Mapping[str, Any]) -> list[Kept]:
    """Reads the unchanged bodies from a staged batch's figures."""
    return [
        Kept(**{**body, "observed_at": datetime.fromisoformat(body["observed_at"])})
        for body in figures.get(KEPT, ())
    ]


def kept_figures(bodies: Iterable[Kept]) -> dict[str, Any]:
    """Figures that record unchanged bodies in a staged batch."""
    return {KEPT: [{**asdict(body), "observed_at": body.observed_at.isoformat()} for body in bodies]}


def kept_keys(
    lake: Lake, dataset: str, table: Table, instant: datetime, figures: Mapping[str, Any]
) -> list[pl.DataFrame]:
    """Keys of the records in a snapshot's unchanged bodies; `figures` are those of its staged batch."""
    return [
        lake.rows(dataset, body.batch, table)
        .filter(pl.col("_piece") == body.name, pl.col("_raw").str.starts_with(body.sha256))
        .select(table.key)
        .collect()
        for body in kept_of(figures)
        if body.observed_at == instant
    ]
