"""Async access to the control-plane database: statements run in threads, 503 if it is unavailable.

Key look-ups use other threads, so that writers waiting for each other do not block authentication. Does not
belong here: statements (`api.database`), or access control.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection

from api.database.engine import Database
from api.problems.problem import service_unavailable_problem

T = TypeVar("T")
_LOGGER: Final = logging.getLogger("firm.api")
_THREADS: Final = 4
_RETRY_AFTER: Final = 2


class AsyncDatabase:
    """Runs one transaction per read or write and passes in the connection."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="firm-control")

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Returns the result of `query`, run in a read transaction."""

        def ask() -> T:
            with self._database.reading() as session:
                return query(session.connection())

        return await self._run_in_pool(ask)

    async def write(self, change: Callable[[Connection], T]) -> T:
        """Returns the result of `change`; commits when it returns, rolls back when it raises."""

        def do() -> T:
            with self._database.writing() as session:
                return change(session.connection())

        return await self._run_in_pool(do)

    async def _run_in_pool(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        except (OperationalError, NoConnection) as error:
            _LOGGER.warning("a query to the control-plane database failed", exc_info=error)
            raise service_unavailable_problem("The database cannot be reached at the moment.", _RETRY_AFTER) from error

    def close(self) -> None:
        """Waits for running statements; no new ones are accepted."""
        self._pool.shutdown()
