"""Reading feeds while they happen: a connection per feed, beside the runs, into the inbox (`warehouse.inbox`).

A reader goes on from the newest cursor of its inbox, else of what is staged: what it had taken and not put away
when it was killed, the source sends again. What comes twice is one record (its table's key and sequence). A
source that ends the connection, as some do every night, is asked again; one that is in trouble after growing
pauses; one that refuses the key ends the reader, which says so. Does not belong here: what a feed says
(`connectors`), or taking the inbox in (`stages.raw`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from connectors.declare import Cursor, Dataset, Jurisdiction
from connectors.kit.errors import FetchError, Refused
from connectors.kit.http import Http
from pipelines.resources import Workspace
from warehouse.inbox import Inbox
from warehouse.locks import Locked, exclusive

FIRST: Final = 1.0
LONGEST: Final = 600.0
CROWDED: Final = 60.0  # seconds at least, after too many requests
_TOO_MANY: Final = 429

Wait = Callable[[float], bool]  # seconds to wait; true: stop


def listened(jurisdiction: Jurisdiction) -> list[Dataset]:
    """The datasets of a market that can be read while they happen."""
    return [dataset for dataset in jurisdiction.datasets if dataset.listen is not None]


@contextmanager
def reader_lock(workspace: Workspace, dataset: Dataset) -> Iterator[None]:
    """What the one reader of a feed holds; a run that finds it taken leaves the connection to the reader."""
    with exclusive(workspace.layout, f"listening-{dataset.key}", f"feed {dataset.key}"):
        yield


def is_listened_to(workspace: Workspace, dataset: Dataset) -> bool:
    """Whether a reader holds the feed's connection now."""
    try:
        with reader_lock(workspace, dataset):
            return False
    except Locked:
        return True


@dataclass(frozen=True)
class Listener:
    """The reader of one feed. `wait` is a stop event's own: it returns early, and true, when that is set."""

    workspace: Workspace
    dataset: Dataset
    http: Http
    wait: Wait

    def run(self) -> None:
        """Reads until told to stop. Raises Refused where the source takes no key, Locked where another reads."""
        pause = FIRST
        with reader_lock(self.workspace, self.dataset):
            while True:
                trouble = self._connection()
                if isinstance(trouble, Refused):
                    raise trouble
                crowded = trouble is not None and trouble.status == _TOO_MANY
                pause = FIRST if trouble is None else min(LONGEST, pause * 2)
                if self.wait(max(CROWDED, pause) if crowded else pause):
                    return

    def _connection(self) -> FetchError | None:
        """One connection from first to last byte; why it ended, None where the source closed it in order."""
        listen = self.dataset.listen
        if listen is None:
            raise ValueError(f"{self.dataset.key} is no feed to listen to")
        inbox = Inbox(self.workspace.layout, self.dataset.key, self.workspace.on_step)
        after = inbox.cursor() or self.workspace.lake.cursor(self.dataset.key)
        try:
            for arrival in listen(self.http, None if after is None else Cursor(after)):
                # persons leave before anything is written, as on the way into the archive
                body = arrival.body if self.dataset.redact is None else self.dataset.redact(arrival.body)
                cursor = None if arrival.cursor is None else arrival.cursor.value
                with body:
                    inbox.put(arrival.name, body, arrival.url, arrival.observed_at, cursor)
                if self.wait(0):
                    return None
        except FetchError as error:
            self.workspace.tell(f"{self.dataset.key}: {error}")
            return error
        return None


def listen(workspace: Workspace, jurisdiction: Jurisdiction, http: Http, stop: threading.Event) -> None:
    """Reads all feeds of a market, a connection each, until told to stop or until one is refused."""
    failures: list[Exception] = []

    def read(dataset: Dataset) -> None:
        try:
            Listener(workspace, dataset, http, stop.wait).run()
        except (Refused, Locked) as error:
            failures.append(error)
            stop.set()

    readers = [
        threading.Thread(target=read, args=(dataset,), name=f"listen-{dataset.key}", daemon=True)
        for dataset in listened(jurisdiction)
    ]
    for reader in readers:
        reader.start()
    stop.wait()  # a reader amid a connection ends with its process: what it had not put away comes again
    if failures:
        raise failures[0]
