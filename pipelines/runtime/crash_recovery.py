"""Crash recovery: cleans up data that a killed run left. Called with the market's lock held.

Everything else recovers without it: writes are atomic, and steps resume from the stored state. Does not
belong here: those writes (`warehouse`), or Dagster's record of such a run (`dead_runs`).
"""

from __future__ import annotations

from warehouse.publish.publisher import ReleaseStore
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout
from warehouse.storage.locks import AlreadyLockedError


def discard_partial_rebuild(layout: Layout, market: str) -> None:
    """Removes what a killed rebuild left: the history in place is the valid one."""
    atomic_files.delete_if_exists(layout.rebuild_root(market))


def recover_releases(releases: ReleaseStore) -> list[str]:
    """Removes segments and folders above the current release, unless another process is publishing right now."""
    try:
        return releases.remove_incomplete()
    except AlreadyLockedError:  # the publishing process has already done so
        return []
