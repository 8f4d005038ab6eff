"""Runs fan-out, worker, mail and pruning as one service, within the API process or alone.

A part that fails is logged and restarted after a while, as missing deliveries would go unnoticed. Does not
belong here: what the parts do, or which process runs them (the composition root decides).
"""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Final

from api.auth.encryption import SecretBox
from api.common.background import Run, process_name, run_with_restart, running, sleep_or_stop
from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.database.engine import Database
from api.email.outbox import OutboxWorker
from api.settings.service import ApiSettings
from api.webhooks.delivery.fanout import FanOut, PublishedEvents
from api.webhooks.delivery.worker import DeliveryWorker, Observe
from api.webhooks.egress.http_client import WebhookClient
from api.webhooks.retention import RetentionPruner

_LOGGER: Final = logging.getLogger("firm.webhooks")
_LOOK_SECONDS: Final = 0.1  # between two polls for new events; the reader itself polls five times a second
_IDLE_SECONDS: Final = 0.5  # the same while another process leads, or there is no subscription yet
_PRUNE_SECONDS: Final = 3_600.0
_BREATH_SECONDS: Final = 0.05  # between two steps of pruning, so that other writers get their turn
ENDING_SECONDS: Final = 3.0  # on top of the acknowledgement time: to store the result


class DeliveryRunner:
    """Delivery service of one process; any number of processes and machines may run one each."""

    def __init__(
        self,
        settings: ApiSettings,
        database: Database,
        reader: PublishedEvents,
        secret_box: SecretBox,
        clock: Clock,
        observe: Observe,
    ) -> None:
        self.name = process_name()
        self._settings = settings
        self._fan_out = FanOut(database, reader, clock, self.name, settings.webhooks.batch_seconds)
        self._pruning = RetentionPruner(database, settings.webhooks, clock, self.name)
        self._sender = WebhookClient(settings.webhooks, clock)
        self._new_worker = partial(
            DeliveryWorker,
            database,
            secret_box,
            self._sender,
            settings.webhooks,
            clock,
            UlidGenerator(clock.wall),
            self.name,
            settings.public_url,
            observe,
        )
        self._worker: DeliveryWorker | None = None
        self.parts: Mapping[str, Run] = {
            "fan-out": self._run_fanout,
            "worker": self._run_worker,
            "mail": OutboxWorker(database, settings.mail, clock).run,
            "pruning": self._run_pruning,
        }

    async def run(self, stop: asyncio.Event) -> None:
        """Runs until `stop` is set; running attempts may end. Aborted ones are repeated by another worker."""
        _LOGGER.info("delivering as %s", self.name)
        parts = [asyncio.create_task(run_with_restart(run, name, stop)) for name, run in self.parts.items()]
        try:
            await stop.wait()
            await asyncio.wait(parts, timeout=self._settings.webhooks.ack_seconds + ENDING_SECONDS)
        finally:
            for part in parts:
                part.cancel()
            await asyncio.wait(parts)
            await self._sender.close()
        _LOGGER.info("no longer delivering")

    def run_in_background(self) -> AbstractAsyncContextManager[None]:
        """Delivers in the event loop for the duration of the block."""
        return running(self.run)

    async def _run_fanout(self, stop: asyncio.Event) -> None:
        try:
            while not stop.is_set():
                if not await asyncio.to_thread(self._fan_out.step):
                    await sleep_or_stop(stop, _LOOK_SECONDS if self._fan_out.has_begun else _IDLE_SECONDS)
                elif self._worker is not None:
                    self._worker.wake()
        finally:
            await asyncio.to_thread(self._fan_out.close)

    async def _run_worker(self, stop: asyncio.Event) -> None:
        """Runs a new worker; after a failure its successor repeats what was in flight."""
        self._worker = self._new_worker()
        await self._worker.run(stop)

    async def _run_pruning(self, stop: asyncio.Event) -> None:
        try:
            while not stop.is_set():
                more = await asyncio.to_thread(self._pruning.step)
                await sleep_or_stop(stop, _BREATH_SECONDS if more else _PRUNE_SECONDS)
        finally:
            await asyncio.to_thread(self._pruning.close)
