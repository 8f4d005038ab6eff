"""Advisory file locks for one writer at a time; the operating system drops them when their holder dies.

Does not belong here: the protected resources. Readers of releases take no lock, as releases are never modified.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import IO, Final, NamedTuple, Self

from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout

_POLL_SECONDS: Final = 0.05
_RELEASE_WAIT_SECONDS: Final = 600.0


class AlreadyLockedError(RuntimeError):
    """Another process is writing. `what` names the resource, `holder` the process id, if known."""

    def __init__(self, description: str, holder: str) -> None:
        by = f" by process {holder}" if holder else ""
        super().__init__(f"{description} is being written{by}: wait until it is done, then run this again")
        self.what = description
        self.holder = holder


class _Holder(NamedTuple):
    """The process that a lock's file names: its id, and among which processes (`atomic_files.process_space`)."""

    process: str
    space: str

    @classmethod
    def parse(cls, written: str) -> Self:
        process, _, space = written.strip().partition(" ")
        return cls(process, space)

    @property
    def is_here(self) -> bool:
        """Whether its id means a process here; files of earlier versions name no space."""
        return self.space in ("", atomic_files.process_space())

    @property
    def shown(self) -> str:
        return self.process if self.is_here else f"{self.process} of another container"


@contextmanager
def exclusive_lock(layout: Layout, name: str, description: str, wait_seconds: float = 0.0) -> Iterator[None]:
    """Holds the lock `name`; raises AlreadyLockedError if it is still taken after the wait.

    Two holders in one process exclude each other too.
    """
    layout.locks_folder.mkdir(parents=True, exist_ok=True)
    with layout.lock_file(name).open("a+") as handle:
        deadline = time.monotonic() + wait_seconds
        while not _try_lock(handle):
            if time.monotonic() >= deadline:
                handle.seek(0)
                raise AlreadyLockedError(description, _Holder.parse(handle.read()).shown)
            time.sleep(_POLL_SECONDS)
        handle.seek(0)
        handle.truncate()
        handle.write(f"{os.getpid()} {atomic_files.process_space()}")
        handle.flush()
        try:
            yield
        finally:
            handle.truncate(0)


def _try_lock(handle: IO[str]) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_locked(layout: Layout, name: str) -> bool:
    """True if the lock `name` is taken. For display only: taking it to check could block another process.

    The lock is only tried if its file names a live process, which may be an unrelated one by now, or a process of
    another container, which cannot be looked for.
    """
    path = layout.lock_file(name)
    holder = _Holder.parse(path.read_text() if path.exists() else "")
    if not holder.process.isdecimal() or (holder.is_here and not atomic_files.is_process_alive(int(holder.process))):
        return False
    with path.open("a+") as handle:
        return not _try_lock(handle)


def is_being_ingested(layout: Layout, market: str) -> bool:
    """True if an ingest of a market is running."""
    return is_locked(layout, _market_lock_name(market))


def _market_lock_name(market: str) -> str:
    return f"market-{market}"


def market_lock(layout: Layout, market: str) -> AbstractContextManager[None]:
    """The lock of an ingest from fetch to publish. `MarketHistory` takes its own lock inside it."""
    return exclusive_lock(layout, _market_lock_name(market), f"market {market}")


def history_lock(layout: Layout, market: str) -> AbstractContextManager[None]:
    """The lock of a market's history file."""
    return exclusive_lock(layout, _history_lock_name(market), f"history of market {market}")


def is_history_written(layout: Layout, market: str) -> bool:
    """True if a process has a market's history open for writing."""
    return is_locked(layout, _history_lock_name(market))


def _history_lock_name(market: str) -> str:
    return f"history-{market}"


def release_lock(layout: Layout, wait_seconds: float = _RELEASE_WAIT_SECONDS) -> AbstractContextManager[None]:
    """The lock for numbering events and publishing a release. Waits, as two markets may finish at once."""
    return exclusive_lock(layout, "release", "a release", wait_seconds)
