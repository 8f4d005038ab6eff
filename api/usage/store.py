"""Writes usage counts on connections kept open, because this write never pauses.

SQLite is first tried on a connection that does not wait for locks and leaves the write-ahead log to grow; the
other connection waits for the lock, and checkpoints the log when it has grown. PostgreSQL is reached over a
network and has only the latter.

Does not belong here: the statement (`api.accounts.repository`), or when to write (`api.usage.counter`).
"""

from collections.abc import Callable, Sequence
from datetime import date

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from api.database.engine import Database
from api.usage.counter import Row
from api.usage.repository import UsageRepository, mark_day_start


class DatabaseUsageStore:
    """Adds usage counts to the control-plane database.

    `add` and `close` belong to one thread, `add_at_once` to another. Before a day's first count of an account it
    records the month's count so far (`api.usage.repository`); days are those of `today`, in UTC. An
    existing mark is not overwritten, so a failure between the two writes is repaired by the next attempt.
    """

    def __init__(self, database: Database, today: Callable[[], date]) -> None:
        self._database = database
        self._today = today
        self._day = 0
        self._begun: set[str] = set()
        self._connection: Connection | None = None
        self._prompt: Connection | None = None
        self._is_near = database.url.get_backend_name() == "sqlite"

    def add(self, rows: Sequence[Row]) -> list[Row]:
        """Adds rows in one statement, all or nothing; after a failure the next call opens a new connection."""
        try:
            if self._connection is None:
                self._connection = self._database.statements()
            return self._added(self._connection, rows)
        except SQLAlchemyError:
            self._connection = _close_connection(self._connection)
            raise

    def add_at_once(self, rows: Sequence[Row]) -> list[Row] | None:
        """Adds rows without waiting for a lock; SQLite only.

        None, and nothing added, if another writer holds the lock or the engine is not SQLite.
        """
        if not self._is_near:
            return None
        try:
            if self._prompt is None:
                self._prompt = self._database.statements()
                self._prompt.exec_driver_sql("PRAGMA busy_timeout = 0")
                self._prompt.exec_driver_sql("PRAGMA wal_autocheckpoint = 0")
            return self._added(self._prompt, rows)
        except SQLAlchemyError:  # most likely another writer; `add` reports it if it is more
            return None

    def _added(self, connection: Connection, rows: Sequence[Row]) -> list[Row]:
        today = self._today()
        day = today.year * 10_000 + today.month * 100 + today.day
        if day != self._day:
            self._day, self._begun = day, set()
        month = day // 100  # counts left of the previous month belong to its last day
        new = {account_id for account_id, counted, _ in rows if counted == month} - self._begun
        if new:
            mark_day_start(connection, new, day)
            self._begun = self._begun | new
        return UsageRepository(connection).add(rows)

    def close(self) -> None:
        """Closes both connections; later calls open them again."""
        self._connection, self._prompt = _close_connection(self._connection), _close_connection(self._prompt)


def _close_connection(connection: Connection | None) -> None:
    if connection is not None:
        connection.close()
