"""The engine's own connection: kept open, with transactions as long as one group of attempts.

On SQLite a commit does not wait for the disk here: what a failing machine could lose is an attempt's log, and the
attempt is then made again. After any failure the connection is closed, which takes everything back, and the next
transaction has a new one. Does not belong here: statements.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection

from api.db.engine import Database

_BEGIN: Final = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "BEGIN"}
_SETTINGS: Final = {
    "sqlite": ("PRAGMA synchronous = NORMAL",),
    # every statement is of a list of keys: it goes by the index however little is known of tables that just grew
    "postgresql": ("SET enable_seqscan = off", "SET enable_hashjoin = off", "SET enable_mergejoin = off"),
}


class EngineConnection:
    """One connection, for one thread at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: Connection | None = None

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is committed when the block ends well, and taken back otherwise."""
        with self.reading() as connection:
            connection.exec_driver_sql(_BEGIN[connection.dialect.name])
            yield connection
            connection.exec_driver_sql("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Statements that are each a transaction of their own."""
        ended = False
        try:
            yield self._opened()
            ended = True
        finally:
            if not ended:
                self.close()

    def close(self) -> None:
        """What is asked afterwards opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _opened(self) -> Connection:
        if self._connection is None:
            self._connection = self._database.statements()
            for setting in _SETTINGS[self._connection.dialect.name]:
                self._connection.exec_driver_sql(setting)
        return self._connection
