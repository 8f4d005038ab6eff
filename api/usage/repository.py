"""SQL of usage: the count of each month, and the month's count at the start of each day; stored on open connections.

A day's usage is the difference to the next day's mark, so the days of a month add up to its count, and a mark
is written once per day and account instead of with every count. Connections are kept open, because this write never
pauses: SQLite is first tried on one that does not wait for locks and leaves the write-ahead log to grow; the other
waits for the lock, and checkpoints the log when it has grown. PostgreSQL is reached over a network and has only the
latter. Does not belong here: the differences (`api.dashboard.pages.usage`), or when to count (`api.usage.counter`).
"""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Final

from sqlalchemy import Connection, delete, select, tuple_
from sqlalchemy.exc import SQLAlchemyError

from api.database.engine import Database
from api.database.json_bulk import JsonStatement
from api.database.models.accounts import Usage, UsageDay
from api.usage.counter import Row

# One upsert for any number of rows, always in the same order, so that writers cannot deadlock. Rows of one account and
# month are summed first: PostgreSQL refuses to change a row twice in one statement. Unknown accounts are skipped, here
# and below, and an existing mark of a day is kept.
ADD_COUNTS: Final = JsonStatement(
    "INSERT INTO usage (account_id, month, count) SELECT given.account_id, given.month, sum(given.count) "
    "FROM {given} JOIN accounts ON accounts.account_id = given.account_id WHERE true GROUP BY 1, 2 ORDER BY 1, 2 "
    "ON CONFLICT (account_id, month) DO UPDATE SET count = usage.count + excluded.count "
    "RETURNING account_id, month, count",
    "account_id text, month integer, count bigint",
)
MARK_DAY: Final = JsonStatement(
    "INSERT INTO usage_days (account_id, day, count_before) "
    "SELECT given.account_id, given.day, coalesce(usage.count, 0) FROM {given} "
    "JOIN accounts ON accounts.account_id = given.account_id "
    "LEFT JOIN usage ON usage.account_id = given.account_id AND usage.month = given.month "
    "WHERE true ORDER BY given.account_id ON CONFLICT (account_id, day) DO NOTHING",
    "account_id text, day integer, month integer",
)


def usage_marks(connection: Connection, account_id: str, month: int) -> list[tuple[int, int]]:
    """Days of a month (202611), from 1, with the count before each; in order."""
    statement = (
        select(UsageDay.day, UsageDay.count_before)
        .where(UsageDay.account_id == account_id, UsageDay.day.between(month * 100, month * 100 + 99))
        .order_by(UsageDay.day)
    )
    return [(row.day % 100, row.count_before) for row in connection.execute(statement)]


def prune_days(connection: Connection, before: int, limit: int) -> int:
    """Deletes up to `limit` of the oldest marks before a day (20251018); returns their number."""
    oldest = select(UsageDay.account_id, UsageDay.day).where(UsageDay.day < before).order_by(UsageDay.day)
    gone = delete(UsageDay).where(tuple_(UsageDay.account_id, UsageDay.day).in_(oldest.limit(limit)))
    return connection.execute(gone).rowcount


def monthly_count(connection: Connection, account_id: str, month: int) -> int:
    statement = select(Usage.count).where(Usage.account_id == account_id, Usage.month == month)
    return connection.execute(statement).scalar() or 0


class DatabaseUsageStore:
    """Adds usage counts to the control-plane database.

    `add` and `close` belong to one thread, `add_at_once` to another. Before a day's first count of an account it
    records the month's count so far; days are those of `today`, in UTC. An existing mark is not overwritten, so a
    failure between the two writes is repaired by the next attempt.
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
        """None, and nothing added, if another writer holds the lock or the engine is not SQLite."""
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
            MARK_DAY.run(connection, [(account_id, day, month) for account_id in new])
            self._begun = self._begun | new
        return ADD_COUNTS.run(connection, rows)

    def close(self) -> None:
        """Closes both connections; later calls open them again."""
        self._connection, self._prompt = _close_connection(self._connection), _close_connection(self._prompt)


def _close_connection(connection: Connection | None) -> None:
    if connection is not None:
        connection.close()
