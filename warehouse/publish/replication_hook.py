"""Hook for replicating releases to other machines, called by `ReleaseStore` before it publishes.

Does not belong here: the replication (`replication.releases`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from warehouse.release.manifest import ReleaseManifest


class ReplicationHook(Protocol):
    """Steps between building a release and serving it. Called with the release lock held."""

    def hold_release_lock(self) -> AbstractContextManager[None]:
        """Holds publishing for this machine, starting from the newest release of all machines."""
        ...

    def publish(self, manifest: ReleaseManifest) -> None:
        """Makes a built release the newest of all machines; this machine may serve it afterwards.

        Also called for the current release, to announce check times, erasures and pruning.
        """
        ...


class NoReplication:
    """A single machine without replication."""

    @contextmanager
    def hold_release_lock(self) -> Iterator[None]:
        yield

    def publish(self, manifest: ReleaseManifest) -> None:
        del manifest
