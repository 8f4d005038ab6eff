"""Concurrency limit for list queries: a few at once per process, the others wait, then 503.

See docs/architecture.md 11. A flood of searches never delays a profile: profiles are served on the event loop,
lists in these threads, which have a lower priority. Does not belong here: limits per account
(`api.rate_limits.limiter`), or the time limit of one query (`warehouse.reader.reader`).
"""

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from api.problems.problem import service_unavailable_problem
from warehouse.reader.types import QueryTimeoutError

T = TypeVar("T")
RETRY_AFTER: Final = 2
_NICER: Final = 10  # of 19: list threads only get CPU time that the event loop leaves

Count = Callable[[str, float], None]


class ListQueryPool:
    """Runs list queries in a bounded thread pool; reports waiting times to `count`."""

    def __init__(self, concurrency: int, wait_seconds: float, count: Count) -> None:
        self._slots = asyncio.Semaphore(concurrency)
        self._wait = wait_seconds
        self._count = count
        self._pool = ThreadPoolExecutor(concurrency, thread_name_prefix="firm-list", initializer=_lower_priority)

    async def run(self, query: Callable[[], T]) -> T:
        """Returns the result of `query`, or 503 if no slot became free in time."""
        if self._slots.locked():
            await self._wait_for_slot()
        else:
            await self._slots.acquire()
        running = asyncio.get_running_loop().run_in_executor(self._pool, query)
        # the slot stays taken until the thread ends, even if the client has disconnected
        running.add_done_callback(self._on_query_done)
        try:
            return await asyncio.shield(running)
        except QueryTimeoutError:
            self._count("list_too_slow", 1)
            raise service_unavailable_problem("The search took too long; narrow it.", RETRY_AFTER) from None

    def _on_query_done(self, ended: "asyncio.Future[T]") -> None:
        self._slots.release()
        if not ended.cancelled():
            ended.exception()  # marks the exception as retrieved, even if no request waits for it

    async def _wait_for_slot(self) -> None:
        began = time.monotonic()
        try:
            await asyncio.wait_for(self._slots.acquire(), self._wait)
        except TimeoutError:
            self._count("list_refused", 1)
            raise service_unavailable_problem("Too many searches at once.", RETRY_AFTER) from None
        finally:
            self._count("list_waits", 1)
            self._count("list_wait_seconds", time.monotonic() - began)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _lower_priority() -> None:
    """Lowers the thread's priority where the system supports it (Linux only)."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICER)
