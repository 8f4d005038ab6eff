"""Asks and changes the control-plane database for requests: in threads of its own, 503 where it is away.

Key look-ups have other threads, so that writers that wait for each other keep no caller from being recognised.
Does not belong here: statements (`api.db`), or who may ask.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection

from api.db.engine import Database
from api.problems import unavailable

T = TypeVar("T")
_LOGGER: Final = logging.getLogger("firm.api")
_THREADS: Final = 4
_RETRY_AFTER: Final = 2


class ControlPlane:
    """One transaction per question or change, on a connection that it is handed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="firm-control")

    async def read(self, question: Callable[[Connection], T]) -> T:
        """What `question` finds."""

        def ask() -> T:
            with self._database.reading() as session:
                return question(session.connection())

        return await self._run(ask)

    async def write(self, change: Callable[[Connection], T]) -> T:
        """What `change` gives; committed when it returns, undone when it raises."""

        def do() -> T:
            with self._database.writing() as session:
                return change(session.connection())

        return await self._run(do)

    async def _run(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        except (OperationalError, NoConnection) as error:
            _LOGGER.warning("a question to the control-plane database failed", exc_info=error)
            raise unavailable("The database cannot be reached at this moment.", _RETRY_AFTER) from error

    def close(self) -> None:
        """Lets what runs end; nothing is asked afterwards."""
        self._pool.shutdown()
