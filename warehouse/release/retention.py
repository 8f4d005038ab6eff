"""Release retention on a machine's disk. Imports no engine, as replicas that only serve prune too.

Does not belong here: which release is current (`manifest`). Called with the release lock held.
"""

from __future__ import annotations

import fcntl
from pathlib import Path

from warehouse.release import manifest
from warehouse.release.manifest import MANIFEST
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout


def release_numbers(layout: Layout) -> list[int]:
    """Numbers of the releases on disk, ascending; including those above the pointer."""
    return sorted(int(path.parent.name) for path in layout.releases_folder.glob(f"[0-9]*/{MANIFEST}"))


def prune_releases(layout: Layout, keep: int) -> list[int]:
    """Deletes all but the newest releases, except those that a reader leases; returns their numbers."""
    served = manifest.served_position(layout)[0]
    older = [number for number in release_numbers(layout) if number < served]
    spare = older[: max(0, len(older) - max(0, keep - 1))]
    return [number for number in spare if _remove_unless_leased(layout.release_folder(number))]


def prune_below(layout: Layout, oldest: int) -> None:
    """Deletes releases older than `oldest`, except the current one; leased ones are left for a later call."""
    served = manifest.served_position(layout)[0]
    for number in release_numbers(layout):
        if number < min(oldest, served):
            _remove_unless_leased(layout.release_folder(number))


def _remove_unless_leased(folder: Path) -> bool:
    """Deletes a release unless a reader leases it (`reader.reader` holds a shared lock on its manifest)."""
    with (folder / MANIFEST).open("rb") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        atomic_files.delete_if_exists(folder)
        return True
