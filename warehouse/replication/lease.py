"""Distributed lease: one writer at a time over all machines, renewed by its holder.

No clock of another machine is trusted: a waiting machine watches the lease, and takes it after it has not been
renewed for a while by its own clock. A holder that was only paused may then write alongside the new one; its
writes are rejected by conditional requests (`releases`, `market_state`), not by the lease, which only avoids
duplicate work and duplicate requests to registries. Does not belong here: locks within one machine
(`warehouse.storage.locks`).
"""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from warehouse.replication.errors import ReplicationError
from warehouse.replication.s3 import ObjectStore, StoredDocument
from warehouse.storage.locks import AlreadyLockedError

LOGGER: Final = logging.getLogger("firm.remote")


@dataclass(frozen=True, slots=True)
class LeaseTiming:
    """Timing in seconds. expires: a lease that has not been renewed for so long may be taken."""

    expires: float

    @property
    def renews(self) -> float:
        """Interval of renewals: several may fail before the lease expires."""
        return self.expires / 5

    @property
    def poll_seconds(self) -> float:
        """Polling interval of a waiting machine."""
        return self.expires / 20


class _LeaseHandle:
    """A lease of this process, renewed until it is released."""

    def __init__(self, store: ObjectStore, key: str, pace: LeaseTiming) -> None:
        self._store = store
        self._key = key
        self._pace = pace
        self._mark = f"{socket.gethostname()} process {os.getpid()} {uuid.uuid4().hex}"
        self._renewals = 0
        self._tag: str | None = None
        self._ended = threading.Event()

    def take(self, former: StoredDocument | None) -> bool:
        """Takes a lease that is free or has expired; returns False if another machine was faster."""
        made = self._store.replace_previous(self._key, self._lease_document(), former)
        self._tag = None if made is None else made.tag
        return made is not None

    def renew(self) -> None:
        """Renews the lease until it is released or taken by another machine."""
        while not self._ended.wait(self._pace.renews):
            self._renewals += 1
            try:
                tag = self._store.replace(self._key, self._lease_document(), self._tag or "")
            except ReplicationError as error:  # the next request shows if the lease is still ours
                LOGGER.warning("a lease cannot be renewed: %s", error)
                continue
            if tag is None:
                LOGGER.warning("%s was taken over by another machine: writes from here will be rejected", self._key)
                return
            self._tag = tag

    def give_back(self) -> None:
        self._ended.set()

    def free(self) -> None:
        """Releases the lease after the last renewal; if that fails, it expires."""
        try:
            self._store.replace(self._key, _FREE, self._tag or "")
        except ReplicationError as error:
            LOGGER.warning("a lease cannot be released and will expire: %s", error)

    def _lease_document(self) -> bytes:
        return json.dumps({"holder": self._mark, "renewals": self._renewals}).encode()


_FREE: Final = json.dumps({"holder": None}).encode()


@contextmanager
def distributed_lease(
    store: ObjectStore, key: str, description: str, timing: LeaseTiming, wait_seconds: float = 0.0
) -> Iterator[None]:
    """Holds the lease `key`; raises AlreadyLockedError if a live holder still has it after the wait.

    If the lease is not renewed, it takes `pace.expires` to find out that its holder is dead.
    """
    holding = _acquire_lease(store, key, description, wait_seconds, timing)
    thread = threading.Thread(target=holding.renew, name=f"claim {key}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        holding.give_back()
        thread.join()
        holding.free()


def _acquire_lease(store: ObjectStore, key: str, what: str, wait_seconds: float, pace: LeaseTiming) -> _LeaseHandle:
    deadline = time.monotonic() + wait_seconds
    watched: StoredDocument | None = None
    since = time.monotonic()
    while True:
        found = store.read(key)
        if found != watched:
            if watched is not None and time.monotonic() >= deadline and _lease_holder(found) is not None:
                raise AlreadyLockedError(what, _lease_holder(found) or "")  # it was renewed while being watched
            watched, since = found, time.monotonic()
        is_free = _lease_holder(found) is None or time.monotonic() - since >= pace.expires
        if is_free:
            holding = _LeaseHandle(store, key, pace)
            if holding.take(found):
                return holding
            continue
        time.sleep(pace.poll_seconds)


def _lease_holder(found: StoredDocument | None) -> str | None:
    return None if found is None else json.loads(found.content)["holder"]
