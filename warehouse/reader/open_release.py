"""A release opened by a serving process: its connections, and the lease that protects it from pruning.

Files are read, not memory-mapped: mapped pages count as memory of the process, pages of the read cache do not.
Does not belong here: which release is open, or who uses it (`reader`).
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
import weakref
from collections import OrderedDict, deque
from typing import Final

from warehouse.reader.past_states import PastStates
from warehouse.reader.queries import profiles
from warehouse.reader.queries.duckdb_scans import DuckdbScans
from warehouse.reader.types import ProfileDocument
from warehouse.release.manifest import MANIFEST, ReleaseManifest
from warehouse.release.segments import ROWS
from warehouse.serving import codec_read, past_db
from warehouse.serving.codec_read import DocumentsConnection
from warehouse.serving.past_db import PublishedRelease
from warehouse.storage.layout import Layout

_CACHED_KIB: Final = 8192  # page cache per file of a connection; there are few connections
KEPT: Final = 32_768  # cached profiles of about half a kilobyte


class OpenRelease:
    """One open release: a pool of connections, each used by one request at a time."""

    def __init__(self, layout: Layout, manifest: ReleaseManifest) -> None:
        folder = layout.release_folder(manifest.release)
        self.manifest = manifest
        self.requests = 0
        self._folder = folder
        self._spare: deque[DocumentsConnection] = deque()
        self._kept: OrderedDict[str, ProfileDocument] = OrderedDict()
        self._keeping = threading.Lock()
        self.scans = DuckdbScans([folder / segment.files[ROWS] for segment in manifest.segments])
        current = PublishedRelease(past_db.published_text(manifest.built_at), manifest.release)
        self.past = PastStates([folder / file.file for file in manifest.past], current)
        lease = os.open(folder / MANIFEST, os.O_RDONLY)
        self._end_lease = weakref.finalize(self, os.close, lease)
        try:
            fcntl.flock(lease, fcntl.LOCK_SH | fcntl.LOCK_NB)  # fails if it is being removed
            self.give(self.take())
        except (OSError, sqlite3.DatabaseError):
            self._end_lease()
            raise

    def take(self) -> DocumentsConnection:
        """Takes a connection from the pool, or opens one."""
        try:
            return self._spare.pop()
        except IndexError:
            connection = codec_read.open_documents(self._folder, self.manifest.segments)
            for _, name, _ in connection.execute("PRAGMA database_list").fetchall():
                connection.execute(f"PRAGMA {name}.cache_size = -{_CACHED_KIB}")
            return connection

    def give(self, connection: DocumentsConnection) -> None:
        """Returns a connection to the pool."""
        self._spare.append(connection)

    def profile(self, connection: sqlite3.Connection, company_id: str) -> ProfileDocument | None:
        """A profile document; the latest are cached, as some companies are requested often."""
        document = self._kept.get(company_id)
        if document is None:
            document = profiles.company_profile(connection, company_id)
            if document is not None:
                self._keep(document)
        return document

    def _keep(self, document: ProfileDocument) -> None:
        with self._keeping:
            if len(self._kept) >= KEPT:
                self._kept.popitem(last=False)  # the oldest; a plain dict is slower at this
            self._kept[document.company_id] = document

    def close(self) -> None:
        """Closes everything; no request may be running."""
        while self._spare:
            self._spare.pop().close()
        self.scans.close()
        self.past.close()
        self._end_lease()
