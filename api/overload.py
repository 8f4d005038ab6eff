"""Admission of list queries: a few at once per process, the others wait, then 503 (docs/architecture.md 11).

So a flood of searches never keeps a profile waiting: profiles are answered on the event loop, lists in these
threads, which the system lets run after it. Does not belong here: limits per account (`api.limits`), or how long
one query may take (`warehouse.reader`).
"""

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from api.problems import unavailable
from warehouse.reading import TookTooLong

T = TypeVar("T")
RETRY_AFTER: Final = 2
_NICER: Final = 10  # of 19: list threads get what the event loop leaves of a busy processor

Count = Callable[[str, float], None]


class Lists:
    """Runs list queries in a bounded pool of threads; `count` is told how they waited."""

    def __init__(self, concurrency: int, wait_seconds: float, count: Count) -> None:
        self._slots = asyncio.Semaphore(concurrency)
        self._wait = wait_seconds
        self._count = count
        self._pool = ThreadPoolExecutor(concurrency, thread_name_prefix="firm-list", initializer=_be_nice)

    async def run(self, query: Callable[[], T]) -> T:
        """The result of `query`, or a 503 when no turn came in time."""
        if self._slots.locked():
            await self._turn()
        else:
            await self._slots.acquire()
        running = asyncio.get_running_loop().run_in_executor(self._pool, query)
        # the slot is taken until the thread is done, also when the caller has gone away meanwhile
        running.add_done_callback(self._done)
        try:
            return await asyncio.shield(running)
        except TookTooLong:
            self._count("list_too_slow", 1)
            raise unavailable("The search took too long; ask for less.", RETRY_AFTER) from None

    def _done(self, ended: "asyncio.Future[T]") -> None:
        self._slots.release()
        if not ended.cancelled():
            ended.exception()  # seen, though nobody may wait for it any more

    async def _turn(self) -> None:
        began = time.monotonic()
        try:
            await asyncio.wait_for(self._slots.acquire(), self._wait)
        except TimeoutError:
            self._count("list_refused", 1)
            raise unavailable("Too many searches at once.", RETRY_AFTER) from None
        finally:
            self._count("list_waits", 1)
            self._count("list_wait_seconds", time.monotonic() - began)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _be_nice() -> None:
    """Where the system has priorities of threads (Linux); elsewhere list threads are like any other."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICER)
