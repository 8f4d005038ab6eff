"""Pieces of a dataset to parse: new ones, and bodies that were damaged and are intact again.

A body found damaged in the archive is rejected like any unreadable one, and counts as parsed. When its source
sends the same bytes again, or a person restores them, it is parsed again. Does not belong here: detecting
damage (`warehouse.raw.blobs`), or assigning instants (`snapshots`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from connectors.contract.dataset import Dataset
from pipelines.steps import snapshots
from pipelines.workspace import Workspace
from warehouse.raw.archive import CorruptBlobError, RawBody
from warehouse.staged.store import StagedIndex

DAMAGED: Final = "damaged"  # figure of a staged batch: SHA-256 of corrupt bodies


def pending_bodies(workspace: Workspace, dataset: Dataset) -> list[RawBody]:
    """The unparsed pieces of a dataset."""
    pieces = list(workspace.archive.pieces(dataset.key))
    unread = corrupt_bodies(workspace.lake.indexes(dataset.key))
    sound = frozenset(
        piece.sha256 for piece in pieces if piece.sha256 in unread and _is_intact(workspace, piece)
    )
    return snapshots.pending_bodies(pieces, workspace.lake.batches(dataset.key), sound)


def corrupt_bodies(indexes: Iterable[StagedIndex]) -> frozenset[str]:
    """SHA-256 of the bodies found damaged when last parsed; `indexes` oldest first."""
    found: set[str] = set()
    for index in indexes:
        found -= {piece["sha256"] for piece in index.pieces}
        found |= set(index.figures.get(DAMAGED, ()))
    return frozenset(found)


def _is_intact(workspace: Workspace, piece: RawBody) -> bool:
    try:
        workspace.archive.verify(piece)
    except CorruptBlobError:
        return False
    return True
