"""What of a dataset is to be read: what has come since, and bodies that were damaged and are sound again.

A body that the archive finds damaged is rejected as any other that cannot be read, and counts as read. Its source
sends the same bytes again, or a person brings them back: then it is news. Does not belong here: finding damage
(`warehouse.objects`), or which of several instants it counts from (`editions`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from connectors.declare import Dataset
from pipelines.resources import Workspace
from pipelines.stages import editions
from warehouse.archive import CorruptObject, RawPiece
from warehouse.lake import StagedIndex

DAMAGED: Final = "damaged"  # figure of a staged batch: SHA-256 of bodies that were not what they should be


def pending(workspace: Workspace, dataset: Dataset) -> list[RawPiece]:
    """The pieces of a dataset that nobody has read."""
    pieces = list(workspace.archive.pieces(dataset.key))
    unread = damaged(workspace.lake.indexes(dataset.key))
    sound = frozenset(
        piece.sha256 for piece in pieces if piece.sha256 in unread and _is_sound(workspace, piece)
    )
    return editions.pending(pieces, workspace.lake.batches(dataset.key), sound)


def damaged(indexes: Iterable[StagedIndex]) -> frozenset[str]:
    """SHA-256 of the bodies whose last reading met damage; `indexes` oldest first."""
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
