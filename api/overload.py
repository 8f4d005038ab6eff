"""Admission of list queries: a few at once per process, the others wait, then 503 (DESIGN decision 11).

So a flood of searches never keeps a profile waiting: profiles are answered on the event loop, lists in these
threads. Does not belong here: limits per account (`api.limits`).
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from api.problems import problem

T = TypeVar("T")
RETRY_AFTER: Final = 2


class Lists:
    """Runs list queries in a bounded pool of threads."""

    def __init__(self, concurrency: int, wait_seconds: float) -> None:
        self._slots = asyncio.Semaphore(concurrency)
        self._wait = wait_seconds
        self._pool = ThreadPoolExecutor(concurrency, thread_name_prefix="firm-list")

    async def run(self, query: Callable[[], T]) -> T:
        """The result of `query`, or a 503 when no turn came in time."""
        if self._slots.locked():
            await self._turn()
        else:
            await self._slots.acquire()
        running = asyncio.get_running_loop().run_in_executor(self._pool, query)
        # the slot is taken until the thread is done, also when the caller has gone away meanwhile
        running.add_done_callback(self._done)
        return await asyncio.shield(running)

    def _done(self, ended: "asyncio.Future[T]") -> None:
        self._slots.release()
        if not ended.cancelled():
            ended.exception()  # seen, though nobody may wait for it any more

    async def _turn(self) -> None:
        try:
            await asyncio.wait_for(self._slots.acquire(), self._wait)
        except TimeoutError:
            trouble = problem(
                "service_unavailable",
                f"Too many searches at once. Try again in {RETRY_AFTER} seconds.",
                retry_after=RETRY_AFTER,
            )
            trouble.headers = [(b"retry-after", b"%d" % RETRY_AFTER)]
            raise trouble from None

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
