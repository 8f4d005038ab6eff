"""Pieces of a dataset to parse: new ones, and bodies that were damaged and are intact again.

A body found damaged in the archive is rejected like any unreadable one, and counts as parsed. When its source
sends the same bytes again, or a person restores them, it is parsed again. Does not belong here: detecting
damage (`warehouse.objects`), or assigning instants (`editions`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from connectors.declare import Dataset
from pipelines.resources import Workspace
from pipelines.stages import editions
from warehouse.archive import CorruptObject, RawPiece
from warehouse.lake import StagedIndex

DAMAGED: Final = "damaged"  # figure of a staged batch: SHA-256 of corrupt bodies


def pending(workspace: Workspace, dataset: Dataset) -> list[RawPiece]:
    """The unparsed pieces of a dataset."""
    pieces = list(workspace.archive.pieces(dataset.key))
    unread = damaged(workspace.lake.indexes(dataset.key))
    sound = frozenset(
        piece.sha256 for piece in pieces if piece.sha256 in unread and _is_sound(workspace, piece)
    )
    return editions.pending(pieces, workspace.lake.batches(dataset.key), sound)


def damaged(indexes: Iterable[StagedIndex]) -> frozenset[str]:
    """SHA-256 of the bodies found damaged when last parsed; `indexes` oldest first."""
    found: set[str] = set()
    for index in indexes:
        found -= {piece["sha256"] for piece in index.pieces}
        found |= set(index.figures.get(DAMAGED, ()))
    return frozenset(found)


def _is_sound(workspace: Workspace, piece: RawPiece) -> bool:
    try:
        workspace.archive.verify(piece)
    except CorruptObject:
        return False
    return True
