"""Where counts of requests are stored: one connection, kept open, because this is the one write that never stops.

Does not belong here: the statement (`api.db.repositories`), or when to write (`api.usage`).
"""

from collections.abc import Sequence

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from api.db.engine import Database
from api.db.repositories import UsageRepository

Row = tuple[str, int, int]


class Counts:
    """Adds counts up in the control-plane database; used by one thread at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: Connection | None = None

    def add(self, rows: Sequence[Row]) -> list[Row]:
        """One statement, all of it or nothing; after a failure the next one has a new connection."""
        try:
            if self._connection is None:
                self._connection = self._database.statements()
            return UsageRepository(self._connection).add(rows)
        except SQLAlchemyError:
            self.close()
            raise

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
