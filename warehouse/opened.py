"""One release held open by a process that serves: its connections, and the lease that keeps it from being pruned.

Files are read, not mapped: a mapped page counts as memory of the process for as long as it is there, a read one is
the system's to keep or drop. Does not belong here: which release is open, or who uses it (`reader`).
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
import weakref
from collections import OrderedDict, deque
from typing import Final

from warehouse import packed
from warehouse.manifests import MANIFEST, SERVING, WAREHOUSE, Manifest
from warehouse.paths import Layout
from warehouse.queries import profiles
from warehouse.queries.scans import Scans
from warehouse.reading import Document

_CACHED_KIB: Final = 8192  # of each file of a connection, of which there are few
KEPT: Final = 32_768  # profiles of half a kilobyte or so: asked for again, they cost no read


class OpenRelease:
    """One release held open: a stack of connections, each used by one request at a time."""

    def __init__(self, layout: Layout, manifest: Manifest) -> None:
        folder = layout.release(manifest.release)
        self.manifest = manifest
        self.requests = 0
        self._path = folder / SERVING
        self._spare: deque[sqlite3.Connection] = deque()
        self._kept: OrderedDict[str, Document] = OrderedDict()
        self._keeping = threading.Lock()
        self.scans = Scans(folder / WAREHOUSE)
        lease = os.open(folder / MANIFEST, os.O_RDONLY)
        self._end_lease = weakref.finalize(self, os.close, lease)
        try:
            fcntl.flock(lease, fcntl.LOCK_SH | fcntl.LOCK_NB)  # refused: it is being removed
            self.give(self.take())
        except (OSError, sqlite3.DatabaseError):
            self._end_lease()
            raise

    def take(self) -> sqlite3.Connection:
        """A connection nobody else uses."""
        try:
            return self._spare.pop()
        except IndexError:
            connection = packed.opened(self._path)
            for _, name, _ in connection.execute("PRAGMA database_list").fetchall():
                connection.execute(f"PRAGMA {name}.cache_size = -{_CACHED_KIB}")
            return connection

    def give(self, connection: sqlite3.Connection) -> None:
        """Returns a connection."""
        self._spare.append(connection)

    def profile(self, connection: sqlite3.Connection, company_id: str) -> Document | None:
        """The ready profile; those read last are kept, for some companies are asked for again and again."""
        document = self._kept.get(company_id)
        if document is None:
            document = profiles.profile(connection, company_id)
            if document is not None:
                self._keep(document)
        return document

    def _keep(self, document: Document) -> None:
        with self._keeping:
            if len(self._kept) >= KEPT:
                self._kept.popitem(last=False)  # the one kept longest; a dict would look for it among holes
            self._kept[document.company_id] = document

    def close(self) -> None:
        """Closes everything; no request is under way."""
        while self._spare:
            self._spare.pop().close()
        self.scans.close()
        self._end_lease()
