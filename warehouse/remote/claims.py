"""One writer at a time over all machines: a claim in the store, which its holder renews while it lives.

Nobody's clock is believed: who wants a claim that is held watches it, and takes it when it has not been renewed for
a while by the watcher's own clock. A holder that was only paused may then go on beside the new one; that what it
writes counts for nothing is seen to by conditions on what it had read (`releases`, `markets`), not by the claim,
which saves work and asks no registry twice. Does not belong here: locks within one machine (`warehouse.locks`).
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

from warehouse.locks import Locked
from warehouse.remote.failures import RemoteFailed
from warehouse.remote.store import Found, Store

LOGGER: Final = logging.getLogger("firm.remote")


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds. expires: a claim that has not been renewed for so long is nobody's."""

    expires: float

    @property
    def renews(self) -> float:
        """How often a holder renews: several renewals may fail."""
        return self.expires / 5

    @property
    def looks(self) -> float:
        """How often one who waits looks."""
        return self.expires / 20


class _Holding:
    """A claim of ours, renewed until it is given back."""

    def __init__(self, store: Store, key: str, pace: Pace) -> None:
        self._store = store
        self._key = key
        self._pace = pace
        self._mark = f"{socket.gethostname()} process {os.getpid()} {uuid.uuid4().hex}"
        self._renewals = 0
        self._tag: str | None = None
        self._ended = threading.Event()

    def take(self, former: Found | None) -> bool:
        """Takes a claim that nobody has, or that one had who is gone."""
        made = self._store.succeed(self._key, self._content(), former)
        self._tag = None if made is None else made.tag
        return made is not None

    def renew(self) -> None:
        """Until it is given back or somebody else has taken it."""
        while not self._ended.wait(self._pace.renews):
            self._renewals += 1
            try:
                tag = self._store.replace(self._key, self._content(), self._tag or "")
            except RemoteFailed as error:  # whether it is still ours shows when the store answers again
                LOGGER.warning("a claim cannot be renewed: %s", error)
                continue
            if tag is None:
                LOGGER.warning(
                    "%s has been taken by another machine: what is written now will not count", self._key
                )
                return
            self._tag = tag

    def give_back(self) -> None:
        self._ended.set()

    def free(self) -> None:
        """After the last renewal; a claim that cannot be given back expires."""
        try:
            self._store.replace(self._key, _FREE, self._tag or "")
        except RemoteFailed as error:
            LOGGER.warning("a claim cannot be given back and will expire: %s", error)

    def _content(self) -> bytes:
        return json.dumps({"holder": self._mark, "renewals": self._renewals}).encode()


_FREE: Final = json.dumps({"holder": None}).encode()


@contextmanager
def claimed(store: Store, key: str, what: str, pace: Pace, wait_seconds: float = 0.0) -> Iterator[None]:
    """Holds the claim `key`; raises Locked where somebody who lives still does after the wait.

    Whether one lives takes `pace.expires` to tell, where nothing is renewed.
    """
    holding = _taken(store, key, what, wait_seconds, pace)
    thread = threading.Thread(target=holding.renew, name=f"claim {key}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        holding.give_back()
        thread.join()
        holding.free()


def _taken(store: Store, key: str, what: str, wait_seconds: float, pace: Pace) -> _Holding:
    deadline = time.monotonic() + wait_seconds
    watched: Found | None = None
    since = time.monotonic()
    while True:
        found = store.read(key)
        if found != watched:
            if watched is not None and time.monotonic() >= deadline and _holder(found) is not None:
                raise Locked(what, _holder(found) or "")  # it has been renewed before our eyes
            watched, since = found, time.monotonic()
        is_free = _holder(found) is None or time.monotonic() - since >= pace.expires
        if is_free:
            holding = _Holding(store, key, pace)
            if holding.take(found):
                return holding
            continue
        time.sleep(pace.looks)


def _holder(found: Found | None) -> str | None:
    return None if found is None else json.loads(found.content)["holder"]
