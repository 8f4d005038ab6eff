"""Release retention on a machine's disk. Imports no engine, as replicas that only serve prune too.

Does not belong here: which release is current (`manifests`). Called with the release lock held.
"""

from __future__ import annotations

import fcntl
from pathlib import Path

from warehouse import files, manifests
from warehouse.manifests import MANIFEST
from warehouse.paths import Layout


def numbers(layout: Layout) -> list[int]:
    """Numbers of the releases on disk, ascending; including those above the pointer."""
    return sorted(int(path.parent.name) for path in layout.releases.glob(f"[0-9]*/{MANIFEST}"))


def prune(layout: Layout, keep: int) -> list[int]:
    """Deletes all but the newest releases, except those that a reader leases; returns their numbers."""
    served = manifests.covered(layout)[0]
    older = [number for number in numbers(layout) if number < served]
    spare = older[: max(0, len(older) - max(0, keep - 1))]
    return [number for number in spare if _removed(layout.release(number))]


def prune_below(layout: Layout, oldest: int) -> None:
    """Deletes releases older than `oldest`, except the current one; leased ones are left for a later call."""
    served = manifests.covered(layout)[0]
    for number in numbers(layout):
        if number < min(oldest, served):
            _removed(layout.release(number))


def _removed(folder: Path) -> bool:
    """Deletes a release unless a reader leases it (`reader` holds a shared lock on its manifest)."""
    with (folder / MANIFEST).open("rb") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        files.discard(folder)
        return True
