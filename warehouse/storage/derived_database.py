"""Derived SQLite files: indexes of other files, which are rebuilt from these when they are lost, foreign or damaged.

A file may be deleted at any time, also while processes have it open, and is left out of backups and replication: what
it holds, its owner can build again, and must compare with the files it is built from in the transaction that reads it.
Does not belong here: the tables and how they are filled (`market_index`, `ledger.known_ids`).
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, TypeVar

from warehouse.storage import atomic_files

LOGGER: Final = logging.getLogger("firm.index")
_WAIT_SECONDS: Final = 600.0  # for another process that builds the file: 5 million lines take minutes
_DAMAGED: Final = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB))
_UNWRITABLE: Final = frozenset((sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN))
_DISK_ERRORS: Final = {sqlite3.SQLITE_FULL: errno.ENOSPC, sqlite3.SQLITE_IOERR: errno.EIO}
Result = TypeVar("Result")


class DerivedDatabase:
    """One derived file. Any thread may use it, one at a time; other processes may write it meanwhile.

    Where it cannot be written, on read-only media, a temporary file serves, which ends with the process.
    """

    def __init__(self, path: Path, schema: str) -> None:
        self._path = path
        self._name = str(path)
        self._schema = schema
        self._version = int.from_bytes(hashlib.sha256(schema.encode()).digest()[:4]) >> 1
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._connection: sqlite3.Connection | None = None
        self._inode: int | None = None
        self.is_temporary = False

    def run(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Calls `work`, again with an empty file if the file was found damaged. OSError if the disk is full or fails.

        `work` begins and ends its transactions (`transaction`).
        """
        with self._lock:
            try:
                return work(self._opened())
            except sqlite3.DatabaseError as error:
                if _code(error) in _DISK_ERRORS:
                    number = _DISK_ERRORS[_code(error)]
                    raise OSError(number, os.strerror(number), str(self._path)) from error
                if _code(error) in _UNWRITABLE and not self.is_temporary:
                    self.close()
                    self._connection = self._open_temporary(error)
                elif _code(error) in _DAMAGED:
                    self._discard(error)
                else:
                    raise
                return work(self._opened())

    @contextmanager
    def reader(self) -> Iterator[sqlite3.Connection]:
        """A connection of its own, whose transaction sees one state however long it reads. Not of a temporary file."""
        with closing(_connect(self._path)) as connection:
            yield connection

    def clear(self) -> None:
        """Empties the file: what it was built from was rewritten. Nothing of the former rows stays in it."""
        self.run(lambda connection: self._create_tables(connection, -1))
        self.run(lambda connection: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())

    def _opened(self) -> sqlite3.Connection:
        if self._process != os.getpid():
            self.close()
            self._process = os.getpid()
        if self._connection is not None and not self.is_temporary and self._inode != _inode(self._name):
            self.close()  # deleted, or replaced by another process
        if self._connection is None:
            self._connection = self._open()
            self._inode = None if self.is_temporary else _inode(self._name)
        return self._connection

    def _open(self) -> sqlite3.Connection:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            connection = _connect(self._path)
        except (OSError, sqlite3.OperationalError) as error:
            return self._open_temporary(error)
        try:
            self._prepare(connection)
        except sqlite3.DatabaseError as error:
            connection.close()
            if _code(error) in _UNWRITABLE:
                return self._open_temporary(error)
            if _code(error) not in _DAMAGED:
                raise
            try:
                self._discard(error)
            except OSError as unwritable:
                return self._open_temporary(unwritable)
            return self._open()
        return connection

    def _open_temporary(self, error: Exception) -> sqlite3.Connection:
        LOGGER.warning("%s cannot be written (%s): a temporary index is built", self._path, error)
        self.is_temporary = True
        connection = _connect("")
        self._prepare(connection)
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Creates the tables in a new file. Those of another version are dropped: their content is built again."""
        if _version(connection) != self._version:
            connection.execute("PRAGMA journal_mode = WAL")
            self._create_tables(connection, self._version)

    def _create_tables(self, connection: sqlite3.Connection, unless: int) -> None:
        with transaction(connection, "IMMEDIATE"):
            if _version(connection) == unless:  # made by another process meanwhile
                return
            tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            former = [name for (name,) in connection.execute(tables)]
            if former and unless == self._version:
                LOGGER.warning("%s was made by another version, or is none of ours: built again", self._path)
            for name in former:
                connection.execute(f'DROP TABLE "{name}"')
            for statement in self._schema.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {self._version}")

    def _discard(self, error: Exception) -> None:
        LOGGER.warning("%s is damaged (%s): built again", self._path, error)
        self.close()
        for suffix in ("-wal", "-shm", ""):
            atomic_files.delete_if_exists(self._path.with_name(self._path.name + suffix))

    def close(self) -> None:
        """Closes the file; the next use opens it again."""
        if self._process != os.getpid():  # a forked child must not touch its parent's connection
            _INHERITED.append(self._connection)
        elif self._connection is not None:
            self._connection.close()
        self._connection = None

    def __del__(self) -> None:
        self.close()


_INHERITED: Final[list[sqlite3.Connection | None]] = []  # kept open: closing them would act on the parent's file


def _inode(path: str) -> int | None:
    try:
        return os.stat(path).st_ino  # noqa: PTH116 - asked before every question
    except FileNotFoundError:
        return None


def _version(connection: sqlite3.Connection) -> int:
    [found] = connection.execute("PRAGMA user_version").fetchone()
    return found


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF  # the extended codes have more bits


def _connect(path: Path | str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        for pragma in (
            "synchronous = NORMAL",  # a power cut may take the last rows, which are built again, and damages nothing
            "secure_delete = ON",  # erased names do not stay in free pages
            "cache_size = -16384",
            "temp_store = FILE",
        ):
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection, kind: str = "DEFERRED") -> Iterator[None]:
    """A transaction, rolled back if the block fails. IMMEDIATE for one that writes."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # some errors have ended it
            connection.rollback()
        raise
    connection.commit()
