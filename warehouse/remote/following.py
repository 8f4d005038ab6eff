"""Follows the releases of other machines: fetches each as it is published, and serves the last good one meanwhile.

For machines that serve or deliver. Runs beside the service, in a thread; several processes of a machine may follow,
and one of them fetches. Does not belong here: fetching (`releases`), or noticing a new release on this machine
(`reader`).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from warehouse import locks
from warehouse.locks import Locked
from warehouse.manifests import Unsound
from warehouse.paths import Layout
from warehouse.remote.failures import RemoteFailed
from warehouse.remote.releases import SharedReleases

LOGGER: Final = logging.getLogger("firm.remote")
LOOK_EVERY_SECONDS: Final = 5.0
_STOPS_WITHIN: Final = 5.0
_FAILURES: Final = (RemoteFailed, Unsound, OSError)


class Follower:
    """One data root that follows one store."""

    def __init__(self, layout: Layout, shared: SharedReleases, seconds: float = LOOK_EVERY_SECONDS) -> None:
        self._layout = layout
        self._shared = shared
        self._seconds = seconds
        self._told: str | None = None
        self._ended = threading.Event()

    def look(self) -> int | None:
        """Fetches the newest release; its number where there was anything to fetch.

        None also where somebody else of this machine is publishing or fetching.
        """
        try:
            with locks.release_lock(self._layout, wait_seconds=0.0):
                return self._shared.fetch()
        except Locked:
            return None

    def run(self) -> None:
        """Looks again and again until `end`; what fails is told of once, and tried again at every look."""
        while not self._ended.is_set():
            try:
                number = self.look()
            except _FAILURES as error:
                self._failed(error)
            else:
                self._went_well(number)
            self._ended.wait(self._seconds)

    def end(self) -> None:
        """Ends `run` after what it is doing."""
        self._ended.set()

    def _failed(self, error: Exception) -> None:
        told = f"{type(error).__name__}: {error}"
        if told != self._told:
            LOGGER.error("the release that is here stays, for a newer one cannot be fetched: %s", told)
            self._told = told

    def _went_well(self, number: int | None) -> None:
        if self._told is not None:
            LOGGER.info("the store answers again")
            self._told = None
        if number is not None:
            LOGGER.info("release %s has been fetched", number)


@contextmanager
def followed(follower: Follower | None) -> Iterator[None]:
    """Follows for the length of a block; None: nobody is followed.

    The thread ends with its process: a fetch that is cut off goes on where it was, at the next start.
    """
    if follower is None:
        yield
        return
    thread = threading.Thread(target=follower.run, name="follower", daemon=True)
    thread.start()
    try:
        yield
    finally:
        follower.end()
        thread.join(_STOPS_WITHIN)
