"""Persistent connection of the delivery engine, with one transaction per group of attempts.

On SQLite a commit does not wait for the disk here: a power failure can only lose an attempt's log, and the
attempt is then made again. After any failure the connection is closed, which rolls everything back, and the
next transaction opens a new one. Does not belong here: statements.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection

from api.database.engine import Database

_BEGIN: Final = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "BEGIN"}
_SETTINGS: Final = {
    "sqlite": ("PRAGMA synchronous = NORMAL",),
    # every statement looks up a list of keys: force the index, however stale the statistics of fast-growing
    # tables
    "postgresql": ("SET enable_seqscan = off", "SET enable_hashjoin = off", "SET enable_mergejoin = off"),
}


class WorkerConnection:
    """One connection, for one thread at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: Connection | None = None

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Opens a transaction that is committed if the block succeeds, and rolled back otherwise."""
        with self.reading() as connection:
            connection.exec_driver_sql(_BEGIN[connection.dialect.name])
            yield connection
            connection.exec_driver_sql("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yields the connection in autocommit mode."""
        ended = False
        try:
            yield self._open_connection()
            ended = True
        finally:
            if not ended:
                self.close()

    def close(self) -> None:
        """Closes the connection; the next use opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _open_connection(self) -> Connection:
        if self._connection is None:
            self._connection = self._database.statements()
            for setting in _SETTINGS[self._connection.dialect.name]:
                self._connection.exec_driver_sql(setting)
        return self._connection
