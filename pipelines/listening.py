"""Reading feeds while they happen: a connection per feed, beside the runs, into the inbox (`warehouse.inbox`).

A reader goes on from the newest cursor of its inbox, else of what is staged: what it had taken and not put away
when it was killed, the source sends again. What comes twice is one record (its table's key and sequence). A
source that ends the connection, as some do every night, is asked again; one that is in trouble, and a disk that is
full, after growing pauses; one that refuses the key ends the reader of that feed, which says so, and no other.
Does not belong here: what a feed says (`connectors`), or taking the inbox in (`stages.raw`).
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Protocol, cast

from connectors.declare import Arrival, Cursor, Dataset, Jurisdiction
from connectors.kit.errors import FetchError, Refused
from connectors.kit.http import Http
from pipelines.resources import Workspace
from warehouse.inbox import Inbox
from warehouse.locks import Locked, exclusive, is_held

FIRST: Final = 1.0
LONGEST: Final = 600.0
CROWDED: Final = 60.0  # seconds at least, after too many requests
PATIENT: Final = 900.0  # seconds at most, however long a source asks to wait
TROUBLED: Final = 3  # connections in vain, from which on a run tells of it
_TOO_MANY: Final = 429
_TOO_OLD: Final = 416
_PROBED: Final = 0.5  # seconds for which somebody may look whether a feed is read

Wait = Callable[[float], bool]  # seconds to wait; true: stop


class _Closing(Iterator[Arrival], Protocol):
    def close(self) -> None: ...


def listened(jurisdiction: Jurisdiction) -> list[Dataset]:
    """The datasets of a market that can be read while they happen."""
    return [dataset for dataset in jurisdiction.datasets if dataset.listen is not None]


@contextmanager
def reader_lock(workspace: Workspace, dataset: Dataset) -> Iterator[None]:
    """What the one reader of a feed holds; a run that finds it taken leaves the feed to the reader."""
    with exclusive(workspace.layout, _reader(dataset), f"feed {dataset.key}", _PROBED):
        yield


@contextmanager
def connection_lock(workspace: Workspace, dataset: Dataset) -> Iterator[None]:
    """What reader and run hold while they are connected: a feed is never read by both."""
    with exclusive(workspace.layout, f"connected-{dataset.key}", f"feed {dataset.key}"):
        yield


def is_listened_to(workspace: Workspace, dataset: Dataset) -> bool:
    """Whether a feed has a reader now."""
    return is_held(workspace.layout, _reader(dataset))


def _reader(dataset: Dataset) -> str:
    return f"listening-{dataset.key}"


def newest_cursor(workspace: Workspace, dataset: Dataset) -> str | None:
    """Where a feed goes on behind all that was archived, which a killed run may not have come to stage."""
    lines = tuple(workspace.archive.lines(dataset.key))
    archived = (line["cursor"] for line in reversed(lines) if line.get("cursor") is not None)
    return next(archived, None) or workspace.lake.cursor(dataset.key)


def in_trouble(workspace: Workspace, dataset: Dataset) -> str | None:
    """What keeps the reader of a feed from its source, where one reads and tries in vain."""
    if not is_listened_to(workspace, dataset):
        return None
    since = workspace.clock() - timedelta(seconds=2 * LONGEST)
    return Inbox(workspace.layout, dataset.key).trouble(since)


@dataclass(frozen=True, slots=True)
class _Ended:
    """How a connection ended: `brought` something, or not; `trouble`: why, None where the source closed it."""

    brought: bool
    trouble: FetchError | OSError | Locked | None = None

    @property
    def is_final(self) -> bool:
        """Whether asking again would not help: a refused key, an address that is none."""
        if not isinstance(self.trouble, Refused) or self.trouble.status == _TOO_OLD:
            return False
        return self.trouble.status is None or self.trouble.status < 500  # noqa: PLR2004 - the source's own trouble

    @property
    def asked(self) -> float:
        """Seconds that the source wants to be left alone."""
        if not isinstance(self.trouble, FetchError):
            return 0.0
        least = CROWDED if self.trouble.status == _TOO_MANY else 0.0
        return max(least, min(PATIENT, self.trouble.wait or 0.0))


@dataclass(frozen=True)
class Listener:
    """The reader of one feed. `wait` is a stop event's own: it returns early, and true, when that is set.

    `chance`: 0 to 1, spreads the pauses of feeds that one failure has ended together.
    """

    workspace: Workspace
    dataset: Dataset
    http: Http
    wait: Wait
    chance: Callable[[], float] = random.random

    def run(self) -> None:
        """Reads until told to stop. Raises Refused where the source takes no key, Locked where another reads."""
        inbox = Inbox(self.workspace.layout, self.dataset.key, self.workspace.on_step)
        vain = 0  # connections in a row that brought nothing
        with reader_lock(self.workspace, self.dataset):
            inbox.sweep()
            while True:
                ended = self._connection(inbox)
                if self.wait(0):
                    return
                vain = 0 if ended.brought else vain + 1
                self._tell(inbox, ended, vain)
                if ended.is_final and ended.trouble is not None:
                    raise ended.trouble
                grown = min(LONGEST, FIRST * 2.0 ** min(vain, 30)) * (0.5 + self.chance() / 2)
                if self.wait(max(grown, ended.asked)):
                    return

    def _tell(self, inbox: Inbox, ended: _Ended, vain: int) -> None:
        if ended.trouble is None:
            return
        self.workspace.tell(f"{self.dataset.key}: {ended.trouble}")
        if vain >= TROUBLED:
            with suppress(OSError):  # of the very disk that is full: what was told must do
                inbox.note_trouble(str(ended.trouble), self.workspace.clock())

    def _connection(self, inbox: Inbox) -> _Ended:
        """One connection from first to last byte."""
        listen = self.dataset.listen
        if listen is None:
            raise ValueError(f"{self.dataset.key} is no feed to listen to")
        brought = False
        try:
            with connection_lock(self.workspace, self.dataset):
                after = inbox.cursor() or newest_cursor(self.workspace, self.dataset)
                bodies = listen(self.http, None if after is None else Cursor(after))
                with closing(cast("_Closing", bodies)):
                    for arrival in bodies:
                        self._put(inbox, arrival)
                        brought = True
                        if self.wait(0):
                            break
        except (FetchError, OSError, Locked) as error:
            return _Ended(brought, error)
        return _Ended(brought)

    def _put(self, inbox: Inbox, arrival: Arrival) -> None:
        """Persons leave before anything is written, as on the way into the archive."""
        body = arrival.body if self.dataset.redact is None else self.dataset.redact(arrival.body)
        cursor = None if arrival.cursor is None else arrival.cursor.value
        with body:
            inbox.put(arrival.name, body, arrival.url, arrival.observed_at, cursor)


def listen(workspace: Workspace, jurisdiction: Jurisdiction, http: Http, stop: threading.Event) -> None:
    """Reads all feeds of a market, a connection each, until told to stop or until none is left to read.

    Raises what ended the reader of a feed before its time.
    """
    feeds = listened(jurisdiction)
    left = threading.Semaphore(0)
    failures: list[BaseException] = []

    def read(dataset: Dataset) -> None:
        try:
            Listener(workspace, dataset, http, stop.wait).run()
        except BaseException as error:  # noqa: BLE001 - a thread that dies untold would be a feed that ends unseen
            failures.append(error)
            if not isinstance(error, (Refused, Locked)):
                stop.set()
        finally:
            left.release()

    def watch() -> None:
        for _ in feeds:
            left.acquire()
        stop.set()

    threads = [
        threading.Thread(target=read, args=(dataset,), name=f"listen-{dataset.key}") for dataset in feeds
    ]
    for thread in (*threads, threading.Thread(target=watch, name="listen")):
        thread.daemon = (
            True  # amid a connection it ends with its process: what it had not put away comes again
        )
        thread.start()
    stop.wait()
    if failures:
        raise failures[0]
