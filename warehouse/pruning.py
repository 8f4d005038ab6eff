"""Which releases stay on a machine's disk. Imports no engine: whoever only serves prunes too.

Does not belong here: which one is served (`manifests`). Called with the release lock held.
"""

from __future__ import annotations

import fcntl
from pathlib import Path

from warehouse import files, manifests
from warehouse.manifests import MANIFEST
from warehouse.paths import Layout


def numbers(layout: Layout) -> list[int]:
    """Releases that lie there, oldest first; also those above the pointer."""
    return sorted(int(path.parent.name) for path in layout.releases.glob(f"[0-9]*/{MANIFEST}"))


def prune(layout: Layout, keep: int) -> list[int]:
    """Removes all but the newest releases, never one that a reader holds; gives their numbers."""
    served = manifests.covered(layout)[0]
    older = [number for number in numbers(layout) if number < served]
    spare = older[: max(0, len(older) - max(0, keep - 1))]
    return [number for number in spare if _removed(layout.release(number))]


def prune_below(layout: Layout, oldest: int) -> None:
    """Removes releases older than one, never the one served nor one that a reader holds: those at another time."""
    served = manifests.covered(layout)[0]
    for number in numbers(layout):
        if number < min(oldest, served):
            _removed(layout.release(number))


def _removed(folder: Path) -> bool:
    """Removes a release unless a reader holds its manifest (`reader` takes a shared lock on it)."""
    with (folder / MANIFEST).open("rb") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        files.discard(folder)
        return True
