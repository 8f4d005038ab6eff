"""Streams feeds into the spool (`warehouse.raw.stream_spool`), one connection per feed, outside of runs.

A reader resumes from the newest cursor of its spool, else of the staged rows: what it had received but not
spooled at a kill, the source sends again. Duplicates become one record (by the table's key and sequence). A
source that closes the connection, as some do every night, is reconnected to; after errors, or with a full
disk, with growing pauses; a source that refuses the key ends the reader of that feed only, with a report.
Does not belong here: what a feed delivers (`connectors`), or ingesting the spool (`steps.fetch`).
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Protocol, cast

from connectors.contract.dataset import Dataset, Jurisdiction
from connectors.contract.pieces import Cursor, FetchedFile
from connectors.kit.http.client import HttpClient
from connectors.kit.http.errors import FetchError, RequestRejectedError
from pipelines.workspace import Workspace
from warehouse.raw.archive import Redact
from warehouse.raw.stream_spool import StreamSpool
from warehouse.storage.locks import AlreadyLockedError, exclusive_lock, is_locked

FIRST: Final = 1.0
LONGEST: Final = 600.0
CROWDED: Final = 60.0  # minimum pause in seconds after HTTP 429
PATIENT: Final = 900.0  # maximum pause in seconds, whatever Retry-After says
TROUBLED: Final = 3  # failed connections in a row after which a run reports it
_TOO_MANY: Final = 429
_TOO_OLD: Final = 416
_PROBED: Final = 0.5  # seconds for which a probe may hold the lock

Wait = Callable[[float], bool]  # seconds to wait; returns true to stop


class _ClosableIterator(Iterator[FetchedFile], Protocol):
    def close(self) -> None: ...


def streaming_datasets(jurisdiction: Jurisdiction) -> list[Dataset]:
    """The datasets of a market that can be streamed."""
    return [dataset for dataset in jurisdiction.datasets if dataset.listen_stream is not None]


def listener_lock(workspace: Workspace, dataset: Dataset) -> AbstractContextManager[None]:
    """Lock of the one reader of a feed; a run that finds it taken leaves the feed to the reader."""
    return exclusive_lock(workspace.layout, _listener_lock_name(dataset), f"feed {dataset.key}", _PROBED)


def connection_lock(workspace: Workspace, dataset: Dataset) -> AbstractContextManager[None]:
    """Lock held while connected, by reader and run: a feed is never read by both."""
    return exclusive_lock(workspace.layout, f"connected-{dataset.key}", f"feed {dataset.key}")


def has_listener(workspace: Workspace, dataset: Dataset) -> bool:
    """True if a feed has a reader now."""
    return is_locked(workspace.layout, _listener_lock_name(dataset))


def _listener_lock_name(dataset: Dataset) -> str:
    return f"listening-{dataset.key}"


def newest_cursor(workspace: Workspace, dataset: Dataset) -> str | None:
    """Cursor to resume a feed from, after all that was archived: a killed run may not have staged it."""
    return workspace.raw_archive.newest_cursor(dataset.key) or workspace.staged_store.cursor(dataset.key)


def connection_error(workspace: Workspace, dataset: Dataset) -> str | None:
    """Why a running reader keeps failing to reach its source; None if it does not."""
    if not has_listener(workspace, dataset):
        return None
    since = workspace.clock() - timedelta(seconds=2 * LONGEST)
    return StreamSpool(workspace.layout, dataset.key).last_connection_error(since)


@dataclass(frozen=True, slots=True)
class _ConnectionResult:
    """How a connection ended. `brought`: it delivered something; `trouble`: the error, None for a normal close."""

    brought: bool
    trouble: FetchError | OSError | AlreadyLockedError | None = None

    @property
    def is_final(self) -> bool:
        """True if retrying would not help: a refused key or an invalid address."""
        if not isinstance(self.trouble, RequestRejectedError) or self.trouble.status == _TOO_OLD:
            return False
        return self.trouble.status is None or self.trouble.status < 500  # noqa: PLR2004 - the source's own trouble

    @property
    def asked(self) -> float:
        """Pause in seconds that the source requires before the next connection."""
        if not isinstance(self.trouble, FetchError):
            return 0.0
        least = CROWDED if self.trouble.status == _TOO_MANY else 0.0
        return max(least, min(PATIENT, self.trouble.wait or 0.0))


@dataclass(frozen=True)
class FeedListener:
    """The reader of one feed. `wait` is the `wait` of a stop event: returns early, with true, when that is set.

    `chance`: 0 to 1, jitter for the pauses of feeds that failed together.
    """

    workspace: Workspace
    dataset: Dataset
    http: HttpClient
    wait: Wait
    chance: Callable[[], float] = random.random

    def run(self) -> None:
        """Reads until stopped.

        Raises RequestRefusedError if the source rejects the key, AlreadyLockedError if another process reads.
        """
        inbox = StreamSpool(self.workspace.layout, self.dataset.key, self.workspace.on_step)
        vain = 0  # connections in a row that delivered nothing
        with listener_lock(self.workspace, self.dataset):
            inbox.sweep()
            while True:
                ended = self._read_connection(inbox)
                if self.wait(0):
                    return
                vain = 0 if ended.brought else vain + 1
                self._report_trouble(inbox, ended, vain)
                if ended.is_final and ended.trouble is not None:
                    raise ended.trouble
                grown = min(LONGEST, FIRST * 2.0 ** min(vain, 30)) * (0.5 + self.chance() / 2)
                if self.wait(max(grown, ended.asked)):
                    return

    def _report_trouble(self, inbox: StreamSpool, ended: _ConnectionResult, vain: int) -> None:
        if ended.trouble is None:
            return
        self.workspace.report_progress(f"{self.dataset.key}: {ended.trouble}")
        if vain >= TROUBLED:
            with suppress(OSError):  # the disk may be the one that is full: the log line has to suffice
                inbox.record_connection_error(str(ended.trouble), self.workspace.clock())

    def _read_connection(self, inbox: StreamSpool) -> _ConnectionResult:
        """One connection from first to last byte."""
        listen = self.dataset.listen_stream
        if listen is None:
            raise ValueError(f"{self.dataset.key} is not a streaming feed")
        brought = False
        try:
            redact = self.workspace.redaction_of(self.dataset).redact
            with connection_lock(self.workspace, self.dataset):
                after = inbox.cursor() or newest_cursor(self.workspace, self.dataset)
                bodies = listen(self.http, None if after is None else Cursor(after))
                with closing(cast("_ClosableIterator", bodies)):
                    for arrival in bodies:
                        self._spool_file(inbox, arrival, redact)
                        brought = True
                        if self.wait(0):
                            break
        except (FetchError, OSError, AlreadyLockedError) as error:
            return _ConnectionResult(brought, error)
        return _ConnectionResult(brought)

    def _spool_file(self, inbox: StreamSpool, arrival: FetchedFile, redact: Redact | None) -> None:
        """Removes personal data before anything is written, as the archive does."""
        body = arrival.body if redact is None else redact(arrival.body)
        cursor = None if arrival.cursor is None else arrival.cursor.value
        with body:
            inbox.put(arrival.name, body, arrival.url, arrival.observed_at, cursor)


def listen(workspace: Workspace, jurisdiction: Jurisdiction, http: HttpClient, stop: threading.Event) -> None:
    """Reads all feeds of a market, a connection each, until stopped or until none is left to read.

    Raises the first error that ended a reader.
    """
    feeds = streaming_datasets(jurisdiction)
    left = threading.Semaphore(0)
    failures: list[BaseException] = []

    def read(dataset: Dataset) -> None:
        try:
            FeedListener(workspace, dataset, http, stop.wait).run()
        except BaseException as error:  # noqa: BLE001 - a thread that dies untold would be a feed that ends unseen
            failures.append(error)
            if not isinstance(error, (RequestRejectedError, AlreadyLockedError)):
                stop.set()
        finally:
            left.release()

    def watch() -> None:
        for _ in feeds:
            left.acquire()
        stop.set()

    threads = [threading.Thread(target=read, args=(dataset,), name=f"listen-{dataset.key}") for dataset in feeds]
    for thread in (*threads, threading.Thread(target=watch, name="listen")):
        thread.daemon = True  # ends with its process, even amid a connection: what was not spooled is sent again
        thread.start()
    stop.wait()
    if failures:
        raise failures[0]
