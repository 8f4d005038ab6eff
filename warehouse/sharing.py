"""Whether releases are this machine's alone, or shared with others: what `Releases` asks before it publishes.

Does not belong here: how they are shared (`remote.releases`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from warehouse.manifests import Manifest


class Sharing(Protocol):
    """What stands between a release that is built and its being served. Called with the release lock held."""

    def turn(self) -> AbstractContextManager[None]:
        """Holds publishing for this machine, beginning from the newest release that any has published."""
        ...

    def publish(self, manifest: Manifest) -> None:
        """Makes a built release everybody's newest; after it this machine may serve it.

        Also tells again of one that is served: when runs have looked at what, what has been erased or pruned.
        """
        ...


class Alone:
    """One machine, which shares with nobody."""

    @contextmanager
    def turn(self) -> Iterator[None]:
        yield

    def publish(self, manifest: Manifest) -> None:
        del manifest
