"""Table scans of a release's `warehouse.duckdb`: opened at the first query, with little memory.

DuckDB is imported at the first query too: a process that only looks up by number never loads it. Does not
belong here: the queries (`filters`).
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from warehouse.reader.queries.timeout import QueryDeadline

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY: Final = "96MB"
THREADS: Final = 1
_MILLISECONDS: Final = 1000


class DuckdbScans:
    """The database of one release. Thread-safe: each query has its own cursor."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection: DuckDBPyConnection | None = None

    def rows(self, budget: QueryDeadline, statement: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        """Runs a statement on the catalog `release` and returns its rows."""
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
                self._connection = _open_engine(self._path)
            return self._connection


def _open_engine(path: Path) -> DuckDBPyConnection:
    """Opens a DuckDB instance with the file attached as a catalog.

    If opened directly, the file would share settings with every other connection of the process to it.
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
    literal = str(path).replace("'", "''")
    connection.execute(f"ATTACH '{literal}' AS release (READ_ONLY)")
    connection.execute("SET enable_progress_bar = false")
    return connection
