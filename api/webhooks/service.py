"""Everything that delivers, as one thing to run: fan-out, worker, mail and pruning, beside the API or alone.

A part that fails is told of and begun again after a while, for a delivery that nobody makes is noticed by nobody.
Does not belong here: what the parts do, or which process runs them (the composition root says).
"""

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Final

from sqlalchemy.exc import DBAPIError

from api.clock import Clock
from api.db.engine import Database
from api.settings import ApiSettings
from api.ulids import Ulids
from api.webhooks.mail import Mailer
from api.webhooks.matching import FanOut, PublishedEvents
from api.webhooks.outcomes import Outcome
from api.webhooks.posts import Post
from api.webhooks.pruning import Pruning
from api.webhooks.sealing import Sealer
from api.webhooks.sending import Sender
from api.webhooks.settings import WebhookSettings
from api.webhooks.worker import Worker

_LOGGER: Final = logging.getLogger("firm.webhooks")
_LOOK_SECONDS: Final = 0.1  # between two looks for new events; the reader itself looks five times a second
_IDLE_SECONDS: Final = 0.5  # the same while another process leads, or nobody has subscribed yet
_PRUNE_SECONDS: Final = 3_600.0
_BREATH_SECONDS: Final = 0.05  # between two steps of pruning, for others who write
FIRST_WAIT_SECONDS: Final = 1.0
_LONGEST_WAIT: Final = 30.0
_LONG_SECONDS: Final = 60.0  # whoever worked so long fails for another reason
_LONGEST_HOST: Final = 30
ENDING_SECONDS: Final = 3.0  # beyond what an endpoint has to answer: to store what came back

Run = Callable[[asyncio.Event], Awaitable[None]]
Observe = Callable[[str], None]
"""Told what became of each attempt: `succeeded`, or the error's code (docs/contract/contract.md 4.8)."""


def process_name() -> str:
    """A name for leases that no other process has, and that tells an operator which one it is."""
    return f"{socket.gethostname()[:_LONGEST_HOST]}:{os.getpid()}:{secrets.token_hex(4)}"


class _CountingSender(Sender):
    """The one egress, with what came of it counted."""

    def __init__(self, settings: WebhookSettings, clock: Clock, observe: Observe) -> None:
        super().__init__(settings, clock)
        self._observe = observe

    async def send(self, post: Post) -> Outcome:
        outcome = await super().send(post)
        self._observe("succeeded" if outcome.succeeded else outcome.error or "failed")
        return outcome


class Deliveries:
    """One process's share of delivering; any number of processes may run one each, on any number of machines."""

    def __init__(
        self,
        settings: ApiSettings,
        database: Database,
        reader: PublishedEvents,
        sealer: Sealer,
        clock: Clock,
        observe: Observe,
    ) -> None:
        self.name = process_name()
        self._settings = settings
        self._database = database
        self._sealer = sealer
        self._clock = clock
        self._ulids = Ulids(clock.wall)
        self._fan_out = FanOut(database, reader, clock, self.name)
        self._pruning = Pruning(database, settings.webhooks, clock, self.name)
        self._sender = _CountingSender(settings.webhooks, clock, observe)
        self._worker: Worker | None = None
        self.parts: Mapping[str, Run] = {
            "fan-out": self._match,
            "worker": self._deliver,
            "mail": Mailer(database, settings.mail, clock).run,
            "pruning": self._prune,
        }

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop` is set; attempts under way may then end. What is broken off is repeated by another."""
        _LOGGER.info("delivering as %s", self.name)
        parts = [asyncio.create_task(kept(run, name, stop)) for name, run in self.parts.items()]
        try:
            await stop.wait()
            await asyncio.wait(parts, timeout=self._settings.webhooks.ack_seconds + ENDING_SECONDS)
        finally:
            for part in parts:
                part.cancel()
            await asyncio.wait(parts)
            await self._sender.close()
        _LOGGER.info("no longer delivering")

    @asynccontextmanager
    async def beside(self) -> AsyncIterator[None]:
        """Delivers for as long as the block runs, in its event loop."""
        stop = asyncio.Event()
        running = asyncio.create_task(self.run(stop))
        try:
            yield
        finally:
            stop.set()
            await running

    async def _match(self, stop: asyncio.Event) -> None:
        try:
            while not stop.is_set():
                if not await asyncio.to_thread(self._fan_out.step):
                    await _pause(stop, _LOOK_SECONDS if self._fan_out.has_begun else _IDLE_SECONDS)
                elif self._worker is not None:
                    self._worker.wake()
        finally:
            await asyncio.to_thread(self._fan_out.close)

    async def _deliver(self, stop: asyncio.Event) -> None:
        """A worker that failed is not used again: what it had under way is repeated by its successor."""
        self._worker = Worker(
            self._database,
            self._sealer,
            self._sender,
            self._settings.webhooks,
            self._clock,
            self._ulids,
            self.name,
            self._settings.public_url,
        )
        await self._worker.run(stop)

    async def _prune(self, stop: asyncio.Event) -> None:
        try:
            while not stop.is_set():
                more = await asyncio.to_thread(self._pruning.step)
                await _pause(stop, _BREATH_SECONDS if more else _PRUNE_SECONDS)
        finally:
            await asyncio.to_thread(self._pruning.close)


async def kept(run: Run, name: str, stop: asyncio.Event) -> None:
    """Runs a part until it ends by itself; after a failure again, at first soon and then less often."""
    wait = FIRST_WAIT_SECONDS
    while not stop.is_set():
        task, began = asyncio.ensure_future(run(stop)), asyncio.get_running_loop().time()
        try:
            await asyncio.wait([task])
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
        # a future that somebody else canceled breaks a part off as well, and is no end of it
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is None:
            return
        if asyncio.get_running_loop().time() - began > _LONG_SECONDS:
            wait = FIRST_WAIT_SECONDS
        _say(name, wait, error)
        await _pause(stop, wait)
        wait = min(2 * wait, _LONGEST_WAIT)


def _say(name: str, wait: float, error: BaseException) -> None:
    if isinstance(error, DBAPIError):  # the driver's words; ours would name values of the statement
        _LOGGER.warning("%s: the database fails; again in %g s: %s", name, wait, error.orig)
    else:
        _LOGGER.error("%s failed; again in %g s", name, wait, exc_info=error)


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
