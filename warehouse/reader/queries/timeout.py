"""Query timeout: a query over its time limit is stopped, so that it does not block others.

Does not belong here: how many queries run at once (`api`), or the response to a timeout.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from warehouse.reader.types import QueryTimeoutError

STEPS: Final = 20_000  # SQLite VM instructions between two checks of the clock


class QueryDeadline:
    """A time limit in seconds, starting now."""

    def __init__(self, seconds: float, monotonic: Callable[[], float]) -> None:
        self._seconds = seconds
        self._monotonic = monotonic
        self._end = monotonic() + seconds

    def left(self) -> float:
        """Remaining seconds; raises QueryTimeoutError if there are none."""
        left = self._end - self._monotonic()
        if left <= 0:
            raise self.exceeded()
        return left

    def exceeded(self) -> QueryTimeoutError:
        """The exception for a stopped query."""
        return QueryTimeoutError(f"not answered within {self._seconds:g} s")

    @contextmanager
    def limits(self, connection: sqlite3.Connection) -> Iterator[None]:
        """Stops statements on this connection when the time is up."""
        connection.set_progress_handler(lambda: self._monotonic() >= self._end, STEPS)
        try:
            yield
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                raise self.exceeded() from error
            raise
        finally:
            connection.set_progress_handler(None, 0)
