"""Replica follower: fetches each release published by other machines; the last good one is served meanwhile.

For machines that serve or deliver. Runs in a thread of the service; several processes of a machine may follow,
only one of them fetches. Does not belong here: fetching (`releases`), or detecting a new release on this
machine (`reader`).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from warehouse.release.manifest import InvalidReleaseError
from warehouse.replication.errors import ReplicationError
from warehouse.replication.releases import ReplicatedReleases
from warehouse.storage import locks
from warehouse.storage.layout import Layout
from warehouse.storage.locks import AlreadyLockedError

LOGGER: Final = logging.getLogger("firm.remote")
LOOK_EVERY_SECONDS: Final = 5.0
_STOPS_WITHIN: Final = 5.0
_FAILURES: Final = (ReplicationError, InvalidReleaseError, OSError)


class ReleaseFollower:
    """Follows one store for one data root."""

    def __init__(self, layout: Layout, shared: ReplicatedReleases, seconds: float = LOOK_EVERY_SECONDS) -> None:
        self._layout = layout
        self._shared = shared
        self._seconds = seconds
        self._told: str | None = None
        self._is_empty_told = False
        self._ended = threading.Event()

    def fetch_newest(self) -> int | None:
        """Fetches the newest release; returns its number if there was anything to fetch.

        Also None if another process of this machine is publishing or fetching.
        """
        try:
            with locks.release_lock(self._layout, wait_seconds=0.0):
                found = self._shared.fetch()
        except AlreadyLockedError:
            return None
        if not self._shared.has_release and not self._is_empty_told:
            LOGGER.warning("the object store has no release yet, or FIRM_OBJECT_STORE names another prefix than others")
        self._is_empty_told = not self._shared.has_release
        return found

    def run(self) -> None:
        """Polls until `end` is called; an error is logged once, and every poll retries."""
        while not self._ended.is_set():
            try:
                number = self.fetch_newest()
            except _FAILURES as error:
                self._failed(error)
            else:
                self._log_success(number)
            self._ended.wait(self._seconds)

    def end(self) -> None:
        """Stops `run` after its current step."""
        self._ended.set()

    def _failed(self, error: Exception) -> None:
        told = f"{type(error).__name__}: {error}"
        if told != self._told:
            LOGGER.error("the local release stays in use, because a newer one cannot be fetched: %s", told)
            self._told = told

    def _log_success(self, number: int | None) -> None:
        if self._told is not None:
            LOGGER.info("the object store responds again")
            self._told = None
        if number is not None:
            LOGGER.info("fetched release %s", number)


@contextmanager
def following_releases(follower: ReleaseFollower | None) -> Iterator[None]:
    """Follows for the length of a block; None: does nothing.

    The thread ends with its process: an interrupted fetch resumes at the next start.
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
