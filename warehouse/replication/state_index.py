"""Index of a market's files as the object store has them, in SQLite: what a send or a fetch need not read again.

One row per name with the place of its last change in the store's log (`market_contents`), and for files that were
hashed here their stamp. Derived: without it the parts are read from the store and the files are hashed again. Changes
are collected in `wanted` and take effect in one transaction (`commit`). Does not belong here: the files themselves
(`market_files`), or requests to the store (`market_state`).
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from warehouse.market_index.manifests import ManifestPosition
from warehouse.replication.blobs import BlobRef
from warehouse.replication.errors import ReplicationError
from warehouse.replication.market_contents import FileChange, MarketContents, StatePart
from warehouse.storage.derived_database import DerivedDatabase, transaction

_SCHEMA: Final = """
CREATE TABLE files (
    place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind INTEGER NOT NULL, size INTEGER, sha256 BLOB,
    changed_at INTEGER, inode INTEGER
);
CREATE INDEX other_files_by_address ON files (sha256) WHERE kind <> 0;
CREATE INDEX other_files ON files (kind) WHERE kind <> 0;
CREATE TABLE wanted (
    name TEXT PRIMARY KEY, kind INTEGER NOT NULL, size INTEGER, sha256 BLOB, changed_at INTEGER, inode INTEGER,
    place INTEGER, is_new INTEGER NOT NULL
);
CREATE INDEX wanted_by_address ON wanted (sha256);
CREATE TABLE candidates (sha256 BLOB PRIMARY KEY, is_removed INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE listed (sha256 BLOB PRIMARY KEY, key TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE manifests (dataset TEXT PRIMARY KEY, "end" INTEGER NOT NULL, lines INTEGER NOT NULL, chain BLOB NOT NULL);
CREATE TABLE adopted (contents TEXT NOT NULL, parts TEXT NOT NULL, live INTEGER NOT NULL);
CREATE TABLE session (id TEXT NOT NULL)
"""
_ROWS_AT_A_TIME: Final = 10_000
_WANT: Final = "INSERT OR REPLACE INTO wanted VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_WANT_KNOWN: Final = (
    "INSERT OR IGNORE INTO wanted "
    "SELECT name, kind, size, sha256, changed_at, inode, place, 0 FROM files WHERE name = ?"
)
_WANT_GONE: Final = "INSERT OR IGNORE INTO wanted VALUES (?, ?, NULL, NULL, NULL, NULL, NULL, 0)"
_WANT_REST_GONE: Final = (
    "INSERT INTO wanted SELECT name, kind, NULL, NULL, NULL, NULL, NULL, 0 FROM files "
    "WHERE name NOT IN (SELECT name FROM wanted)"
)
_WANT_LIVE: Final = (
    "INSERT OR IGNORE INTO wanted SELECT name, kind, size, sha256, changed_at, inode, NULL, 0 FROM files "
    "WHERE sha256 IS NOT NULL"
)
_NUMBER_WANTED: Final = (
    "UPDATE wanted SET place = ? + numbered.number "
    "FROM (SELECT name, row_number() OVER (ORDER BY name) - 1 AS number FROM wanted) AS numbered "
    "WHERE numbered.name = wanted.name"
)
_KEEP_WANTED: Final = (
    "INSERT INTO files SELECT place, name, kind, size, sha256, changed_at, inode FROM wanted WHERE place IS NOT NULL"
)
_STAMP: Final = "UPDATE {} SET changed_at = ?, inode = ? WHERE name = ?"
_ADD_CANDIDATE: Final = (
    "INSERT INTO candidates VALUES (?, ?) ON CONFLICT DO UPDATE SET is_removed = is_removed OR excluded.is_removed"
)
_SUPERSEDED: Final = (  # bodies have one name each: their index would be large
    "SELECT DISTINCT files.sha256 FROM wanted CROSS JOIN files USING (name) "
    "WHERE files.sha256 IS NOT NULL AND files.sha256 IS NOT wanted.sha256 "
    "AND NOT EXISTS (SELECT 1 FROM wanted AS other WHERE other.sha256 = files.sha256) "
    "AND NOT EXISTS (SELECT 1 FROM files AS other INDEXED BY other_files_by_address "
    "WHERE other.kind <> 0 AND other.sha256 = files.sha256 AND other.name NOT IN (SELECT name FROM wanted))"
)
_UNNEEDED: Final = (
    "SELECT key FROM listed WHERE sha256 NOT IN (SELECT sha256 FROM files WHERE sha256 IS NOT NULL) ORDER BY key"
)
Result = TypeVar("Result")


class FileKind(IntEnum):
    """What a name is: a body of RAW, all or a stretch of a manifest of RAW, or another file."""

    BODY = 0
    MANIFEST = 1
    OTHER = 2


class FileStamp(NamedTuple):
    """What tells that a file is as it was when it was hashed."""

    size: int
    changed_at: int
    inode: int

    @classmethod
    def of(cls, path: Path) -> FileStamp:
        """The stamp of a file now."""
        status = path.stat()
        return cls(status.st_size, status.st_mtime_ns, status.st_ino)


class WantedFile(NamedTuple):
    """A change to make: the name and the file that it shall have, or None."""

    name: str
    kind: FileKind
    file: BlobRef | None
    is_new: bool


class StateIndex:
    """The index of one market; one user at a time, the holder of the market's lock.

    kind_of: the kind of a name.
    """

    def __init__(self, path: Path, kind_of: Callable[[str], FileKind]) -> None:
        self._database = DerivedDatabase(path, _SCHEMA)
        self._kind_of = kind_of
        self._session = ""

    def begin(self) -> None:
        """Drops what an interrupted send or fetch has left; from here on a lost index ends the work."""
        self._session = ""
        session = uuid.uuid4().hex

        def started(connection: sqlite3.Connection) -> None:
            with transaction(connection, "IMMEDIATE"):
                for table in ("wanted", "candidates", "listed", "session"):
                    connection.execute(f"DELETE FROM {table}")
                connection.execute("INSERT INTO session VALUES (?)", (session,))

        self._database.run(started)
        self._session = session

    def contents(self) -> tuple[str, tuple[StatePart, ...]] | None:
        """Key of the contents that the rows describe, and its parts; None if there are no rows yet."""
        found = self._ask("SELECT contents, parts FROM adopted")
        return None if not found else (found[0][0], tuple(map(StatePart.parse, json.loads(found[0][1]))))

    def clear(self) -> None:
        """Forgets all files."""
        self._write(*((f"DELETE FROM {table}",) for table in ("files", "manifests", "adopted", "wanted")))

    def file(self, name: str) -> BlobRef | None:
        """The file of a name in the store; None if it has none."""
        found = self._ask("SELECT size, sha256 FROM files WHERE name = ? AND sha256 IS NOT NULL", name)
        return BlobRef(name, found[0][0], found[0][1].hex()) if found else None

    def stamps(self) -> dict[str, FileStamp | None]:
        """Names of all files but those of RAW, with their stamps when they were as in the store."""
        query = "SELECT name, size, changed_at, inode FROM files WHERE kind = ? AND kind <> 0 AND sha256 IS NOT NULL"
        rows = self._ask(query, FileKind.OTHER)
        return {name: None if inode is None else FileStamp(size, at, inode) for name, size, at, inode in rows}

    def position(self, dataset: str) -> ManifestPosition:
        """How much of a manifest the rows describe."""
        found = self._ask('SELECT "end", lines, chain FROM manifests WHERE dataset = ?', dataset)
        return ManifestPosition(*found[0]) if found else ManifestPosition()

    def manifest_files(self, manifest: str) -> list[BlobRef]:
        """The files of a manifest, by its name: itself, or its stretches."""
        return _blobs(self._ask(f"SELECT {_FILE} FROM files WHERE {_OF_MANIFEST}", manifest))

    def wanted_manifest_files(self, manifest: str) -> list[BlobRef]:
        """The files that a manifest shall have after the change."""
        query = (
            f"SELECT {_FILE} FROM wanted WHERE {_OF_MANIFEST} UNION ALL "
            f"SELECT {_FILE} FROM files WHERE {_OF_MANIFEST} AND name NOT IN (SELECT name FROM wanted)"
        )
        return _blobs(self._ask(query, manifest))

    def want(self, changes: Iterable[tuple[FileChange, FileStamp | None]]) -> None:
        """Wants files that the store may lack, or that names go."""
        self._insert(
            (one.name, *self._described(one), *((None, None) if stamp is None else stamp[1:]), None, True)
            for one, stamp in changes
        )

    def want_logged(self, first: int, changes: Iterable[FileChange]) -> None:
        """Wants what changes of the store's log say, from a place on; later ones replace earlier ones."""
        self._insert(
            (one.name, *self._described(one), None, None, place, False) for place, one in enumerate(changes, first)
        )

    def want_as_stored(self, names: Iterable[str]) -> None:
        """Wants that names have the file that the store has, or none, unless something else is wanted of them."""
        for some in _batches(names):
            self._write(*((_WANT_KNOWN, name) for name in some))
            self._write(*((_WANT_GONE, name, self._kind_of(name)) for name in some))

    def want_rest_gone(self) -> None:
        """Wants that all names go of which nothing is wanted."""
        self._write((_WANT_REST_GONE,))

    def has_unwanted_since(self, place: int) -> bool:
        """True if a name whose last change is at a place or later is not wanted: the log was another one."""
        query = "SELECT 1 FROM files WHERE place >= ? AND name NOT IN (SELECT name FROM wanted) LIMIT 1"
        return bool(self._ask(query, place))

    def wanted(self) -> Iterator[WantedFile]:
        """What is wanted, by name; rows may be stamped meanwhile."""
        name = ""
        query = "SELECT name, size, sha256, kind, is_new FROM wanted WHERE name > ? ORDER BY name LIMIT ?"
        while rows := self._ask(query, name, _ROWS_AT_A_TIME):
            for name, size, sha256, kind, is_new in rows:
                file = None if sha256 is None else BlobRef(name, size, sha256.hex())
                yield WantedFile(name, FileKind(kind), file, bool(is_new))

    def has_wanted(self) -> bool:
        """True if any change is wanted."""
        return bool(self._ask("SELECT 1 FROM wanted LIMIT 1"))

    def wanted_count(self) -> int:
        """Number of changes wanted."""
        [(found,)] = self._ask("SELECT count(*) FROM wanted")
        return found

    def live_count(self, *, from_start: bool) -> int:
        """Number of files in the store after the change; the rest of the log is of the past. Counts what is wanted."""
        added = "SELECT count(*) FROM wanted WHERE sha256 IS NOT NULL"
        if from_start:
            [(found,)] = self._ask(added)
            return found
        replaced = "SELECT count(*) FROM wanted CROSS JOIN files USING (name) WHERE files.sha256 IS NOT NULL"
        [(found,)] = self._ask(f"SELECT coalesce((SELECT live FROM adopted), 0) + ({added}) - ({replaced})")
        return found

    def stamp_wanted(self, stamps: Iterable[tuple[str, FileStamp]]) -> None:
        """Records stamps of wanted files that are here now."""
        for some in _batches(stamps):
            self._write(*((_STAMP.format("wanted"), *stamp[1:], name) for name, stamp in some))

    def stamp_known(self, stamps: Mapping[str, FileStamp]) -> None:
        """Records stamps of files that are here as in the store."""
        self._write(*((_STAMP.format("files"), *stamp[1:], name) for name, stamp in stamps.items()))

    def want_everything(self) -> None:
        """Wants all files of the store too, for a log that begins again, and forgets the names that are gone."""
        self._write((_WANT_LIVE,), ("DELETE FROM wanted WHERE sha256 IS NULL",))

    def place_wanted(self, first: int) -> None:
        """Gives what is wanted its places in the log, in the order of names, from one on."""
        self._write((_NUMBER_WANTED, first))

    def superseded_addresses(self) -> list[str]:
        """SHA-256 of files that wanted changes replace or remove, and no name has after them. Before `commit`."""
        return [sha256.hex() for (sha256,) in self._ask(_SUPERSEDED)]

    def add_candidates(self, addresses: Iterable[tuple[str, bool]]) -> None:
        """Notes bodies that may have come, or gone by a line that says so."""
        for some in _batches(addresses):
            self._write(*((_ADD_CANDIDATE, bytes.fromhex(sha256), is_removed) for sha256, is_removed in some))

    def candidates(self) -> Iterator[tuple[str, bool]]:
        """Bodies that may have come or gone, as noted."""
        last = b""
        query = "SELECT sha256, is_removed FROM candidates WHERE sha256 > ? ORDER BY sha256 LIMIT ?"
        while rows := self._ask(query, last, _ROWS_AT_A_TIME):
            for last, is_removed in rows:
                yield last.hex(), bool(is_removed)

    def unneeded_keys(self, keys: Iterable[tuple[str, str]]) -> list[str]:
        """Of pairs of SHA-256 and key those keys that no file has."""
        self._write(("DELETE FROM listed",))
        for some in _batches(keys):
            self._write(
                *(("INSERT OR REPLACE INTO listed VALUES (?, ?)", bytes.fromhex(one), key) for one, key in some)
            )
        return [key for (key,) in self._ask(_UNNEEDED)]

    def commit(
        self, key: str, contents: MarketContents, positions: Mapping[str, ManifestPosition], *, from_start: bool
    ) -> None:
        """Makes what is wanted the files of the store, as its contents now say. from_start: all are wanted."""
        live = self.live_count(from_start=from_start)
        parts = json.dumps([[one.first, one.end, one.size, one.sha256] for one in contents.parts])
        dropped = "DELETE FROM files" if from_start else "DELETE FROM files WHERE name IN (SELECT name FROM wanted)"
        rows = [(dataset, at.end, at.lines, at.chain) for dataset, at in positions.items()]
        self._write(
            (dropped,),
            (_KEEP_WANTED,),
            *((f"DELETE FROM {table}",) for table in ("wanted", "candidates", "manifests", "adopted")),
            *(("INSERT INTO manifests VALUES (?, ?, ?, ?)", *row) for row in rows),
            ("INSERT INTO adopted VALUES (?, ?, ?)", key, parts, live),
        )

    def _described(self, change: FileChange) -> tuple[FileKind, int | None, bytes | None]:
        file = change.file
        kind = self._kind_of(change.name)
        return (kind, None, None) if file is None else (kind, file.size, bytes.fromhex(file.sha256))

    def _insert(self, rows: Iterable[tuple[Any, ...]]) -> None:
        for some in _batches(rows):
            self._write(*((_WANT, *row) for row in some))

    def _ask(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._run(lambda connection: connection.execute(query, values).fetchall())

    def _write(self, *statements: tuple[Any, ...]) -> None:
        """Executes statements in one transaction: each with its values."""

        def written(connection: sqlite3.Connection) -> None:
            with transaction(connection, "IMMEDIATE"):
                for statement, *values in statements:
                    connection.execute(statement, values)

        self._run(written)

    def _run(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        def checked(connection: sqlite3.Connection) -> Result:
            if self._session and connection.execute("SELECT id FROM session").fetchall() != [(self._session,)]:
                raise ReplicationError(
                    "the index of a market's state was lost or damaged while it was in use; nothing is lost: run this "
                    "again"
                )
            return work(connection)

        return self._database.run(checked)


_FILE: Final = "name, size, sha256"
_OF_MANIFEST: Final = "sha256 IS NOT NULL AND (name = ?1 OR (name >= ?1 || '@' AND name < ?1 || 'A'))"


def _batches(values: Iterable[Result]) -> Iterator[tuple[Result, ...]]:
    rest = iter(values)
    while some := tuple(islice(rest, _ROWS_AT_A_TIME)):
        yield some


def _blobs(rows: Iterable[tuple[Any, ...]]) -> list[BlobRef]:
    return [BlobRef(name, size, sha256.hex()) for name, size, sha256 in rows]
