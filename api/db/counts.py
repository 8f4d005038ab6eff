"""Where counts of requests are stored, on connections kept open, because this is the one write that never stops.

SQLite is asked at once, by a connection that waits for nobody and leaves the write-ahead log to grow; the other
one waits for its turn, and moves the log into the file when it has grown. PostgreSQL is far away: it has only the
latter.

Does not belong here: the statement (`api.db.repositories`), or when to write (`api.usage`).
"""

from collections.abc import Callable, Sequence
from datetime import date

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from api.db.engine import Database
from api.db.repositories import UsageRepository
from api.db.usage_days import begin_day

Row = tuple[str, int, int]


class Counts:
    """Adds counts up in the control-plane database; `add` and `close` by one thread, `add_at_once` by another.

    Before a day's first count of an account it marks where the month stood (`api.db.usage_days`), by `today` in
    UTC. A mark that stands is not made again, so a failure between the two is healed by the next attempt.
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
        """One statement, all of it or nothing; after a failure the next one has a new connection."""
        try:
            if self._connection is None:
                self._connection = self._database.statements()
            return self._added(self._connection, rows)
        except SQLAlchemyError:
            self._connection = _closed(self._connection)
            raise

    def add_at_once(self, rows: Sequence[Row]) -> list[Row] | None:
        """The same in SQLite where nobody else is writing; None, and nothing added, otherwise."""
        if not self._is_near:
            return None
        try:
            if self._prompt is None:
                self._prompt = self._database.statements()
                self._prompt.exec_driver_sql("PRAGMA busy_timeout = 0")
                self._prompt.exec_driver_sql("PRAGMA wal_autocheckpoint = 0")
            return self._added(self._prompt, rows)
        except SQLAlchemyError:  # most likely another writer; `add` tells if it is more than that
            return None

    def _added(self, connection: Connection, rows: Sequence[Row]) -> list[Row]:
        today = self._today()
        day = today.year * 10_000 + today.month * 100 + today.day
        if day != self._day:
            self._day, self._begun = day, set()
        month = day // 100  # what is left of the month before belongs to its last day
        new = {account_id for account_id, counted, _ in rows if counted == month} - self._begun
        if new:
            begin_day(connection, new, day)
            self._begun = self._begun | new
        return UsageRepository(connection).add(rows)

    def close(self) -> None:
        """Closes both; what is added afterwards opens them again."""
        self._connection, self._prompt = _closed(self._connection), _closed(self._prompt)


def _closed(connection: Connection | None) -> None:
    if connection is not None:
        connection.close()
