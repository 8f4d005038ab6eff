"""Parts of a process that run until it stops: restarted after a failure, which is logged.

Does not belong here: what the parts do.
"""

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

from sqlalchemy.exc import DBAPIError

_LOGGER: Final = logging.getLogger("firm.webhooks")
FIRST_WAIT_SECONDS: Final = 1.0
_LONGEST_WAIT: Final = 30.0
_LONG_SECONDS: Final = 60.0  # a part that ran this long fails for a new reason
_LONGEST_HOST: Final = 30

Run = Callable[[asyncio.Event], Awaitable[None]]


def process_name() -> str:
    """Unique lease-holder name of this process, readable for an operator."""
    return f"{socket.gethostname()[:_LONGEST_HOST]}:{os.getpid()}:{secrets.token_hex(4)}"


async def run_with_restart(run: Run, name: str, stop: asyncio.Event) -> None:
    """Runs a part until it returns; restarts it after a failure, with growing waits."""
    wait = FIRST_WAIT_SECONDS
    while not stop.is_set():
        task, began = asyncio.ensure_future(run(stop)), asyncio.get_running_loop().time()
        try:
            await asyncio.wait([task])
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
        # a cancellation from outside also counts as a failure, not as the end
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is None:
            return
        if asyncio.get_running_loop().time() - began > _LONG_SECONDS:
            wait = FIRST_WAIT_SECONDS
        _log_failure(name, wait, error)
        await sleep_or_stop(stop, wait)
        wait = min(2 * wait, _LONGEST_WAIT)


def _log_failure(name: str, wait: float, error: BaseException) -> None:
    if isinstance(error, DBAPIError):  # the driver's message; SQLAlchemy's would contain values of the statement
        _LOGGER.warning("%s: the database fails; again in %g s: %s", name, wait, error.orig)
    else:
        _LOGGER.error("%s failed; again in %g s", name, wait, exc_info=error)


async def sleep_or_stop(stop: asyncio.Event, seconds: float) -> bool:
    """Sleeps until the time is over or `stop` is set; returns whether it is set."""
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
    return stop.is_set()


@asynccontextmanager
async def running(run: Run) -> AsyncIterator[None]:
    """Runs a part in the event loop for the duration of the block; waits for its end."""
    stop = asyncio.Event()
    task = asyncio.ensure_future(run(stop))
    try:
        yield
    finally:
        stop.set()
        await task
