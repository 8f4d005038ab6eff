"""Limits of queries: their time, and the memory of table scans over a release's rows.

A query over its time limit is stopped, so that it does not block others. DuckDB is imported, and the file opened,
at the first scan: a process that only looks up by number never loads it. Segments are read as one
(`segment_views`). Does not belong here: the queries
(`filters`), how many of them run at once (`api`), or the response to a timeout.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from warehouse.reader.types import QueryTimeoutError
from warehouse.serving import segment_views

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


STEPS: Final = 20_000  # SQLite VM instructions between two checks of the clock
MEMORY: Final = "96MB"
OF_COMPANIES: Final = ("filings", "financials")
"""Shared tables whose rows of one company are read from here, and not from its documents."""
THREADS: Final = 1
_MILLISECONDS: Final = 1000


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


class DuckdbScans:
    """The rows of one release, from the files of its segments, oldest first.

    Thread-safe: each query has its own cursor.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._lock = threading.Lock()
        self._connection: DuckDBPyConnection | None = None

    def rows(self, budget: QueryDeadline, statement: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        """Runs a statement on the tables of schema `release` (`_open_engine`), and returns its rows."""
        import duckdb

        with self._opened().cursor() as cursor:
            cursor.execute(f"SET max_execution_time = {max(1, int(budget.left() * _MILLISECONDS))}")
            try:
                return cursor.execute(statement, values).fetchall()
            except duckdb.InterruptException as error:
                raise budget.exceeded() from error

    def close(self) -> None:
        """Closes the file; no query may be running."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _opened(self) -> DuckDBPyConnection:
        with self._lock:
            if self._connection is None:
                self._connection = _open_engine(self._paths)
            return self._connection


def _open_engine(paths: Sequence[Path]) -> DuckDBPyConnection:
    """Opens a DuckDB instance with the files attached as catalogs, and a schema `release` of views over them.

    If opened directly, a file would share settings with every other connection of the process to it.
    """
    import duckdb

    connection = duckdb.connect(
        ":memory:",
        config={
            "threads": THREADS,
            "memory_limit": MEMORY,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        },
    )
    connection.execute("SET GLOBAL TimeZone = 'UTC'")  # the machine's would be the default
    catalogs = [f"segment{place}" for place in range(len(paths))]
    for path, catalog in zip(paths, catalogs, strict=True):
        literal = str(path).replace("'", "''")
        connection.execute(f"ATTACH '{literal}' AS {catalog} (READ_ONLY)")
    connection.execute("CREATE SCHEMA release")
    visible = segment_views.visible_rows_sql("search", catalogs, "rank")
    connection.execute(f"CREATE VIEW release.search AS {visible}")
    for table in OF_COMPANIES:
        connection.execute(f"CREATE VIEW release.{table} AS {segment_views.visible_rows_sql(table, catalogs)}")
    places = " UNION ALL ".join(f"SELECT place, names FROM {catalog}.places" for catalog in catalogs)
    connection.execute(f"CREATE VIEW release.places AS {places}")
    connection.execute("SET enable_progress_bar = false")
    return connection
