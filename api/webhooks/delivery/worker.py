"""Delivery worker: makes due attempts through the HTTP client and writes their results.

Requests run in the event loop, the database in a thread of its own: during a sync attempts go on, and those
that finish meanwhile are written together by the next sync. Killed at any moment it loses nothing: a row stays
in the queue until its attempt is written, and another worker repeats it when the lease has expired.

Does not belong here: the retry policy (`api.webhooks.delivery.retry_policy`), fairness
(`api.webhooks.delivery.scheduler`), SQL (`api.database`), the wire (`api.webhooks.egress.http_client`).
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Final

from sqlalchemy.exc import DBAPIError

from api.auth.encryption import SecretBox
from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.database.engine import Database
from api.database.models.base import from_milliseconds, to_milliseconds
from api.settings.webhooks import WebhookSettings
from api.webhooks.delivery import retry_policy
from api.webhooks.delivery.leased_endpoints import LeasedEndpoints
from api.webhooks.delivery.records import DeferredAttempt, FinishedAttempt, PreparedAttempt
from api.webhooks.delivery.scheduler import Dispatch, EndpointQueue, FairScheduler, Subscriber
from api.webhooks.delivery.sync import SyncRequest, WorkerSync
from api.webhooks.destinations.destination import DeliveryOutcome, EventBatch, OutgoingEvent, RequestSender
from api.webhooks.egress.payload import EventPayload, WebhookBodyTooLargeError

_LOGGER: Final = logging.getLogger("firm.webhooks.worker")
_LOOK_SECONDS: Final = 0.1
"""Poll interval of the queue when idle."""
_GATHER_SECONDS: Final = 0.05
"""Delay from the first finished attempt to the sync that writes it, so that others join it."""
_FRESH_SECONDS: Final = 1.0
"""Maximum age of read data on which attempts may start."""
_FIRST_RETREAT: Final = 0.1
_LONGEST_RETREAT: Final = 2.0
_LONGEST_FREE_MS: Final = 60_000
"""Maximum time in which an endpoint queue is withheld from others without a lease."""
_ENDING_SECONDS: Final = 1.0


Observe = Callable[[str], None]
"""Called with the result of each attempt: `succeeded`, or the error code (docs/contract/contract.md 4.8)."""


class DeliveryWorker:
    """Delivery worker; any number may share a PostgreSQL database, one may share SQLite with the API."""

    def __init__(  # noqa: PLR0913, PLR0917 -- what it is made of, once
        self,
        database: Database,
        secret_box: SecretBox,
        sender: RequestSender,
        settings: WebhookSettings,
        clock: Clock,
        ulids: UlidGenerator,
        name: str,
        public_url: str = "",
        observe: Observe = lambda _: None,
    ) -> None:
        self._observe = observe
        self._sender = sender
        self._settings = settings
        self._clock = clock
        self._ulids = ulids
        self._turns = FairScheduler(settings)
        self._held = LeasedEndpoints(settings, secret_box, self._turns)
        self._rounds = WorkerSync(database, name, ulids, public_url, clock.monotonic)
        self._thread = _database_thread()
        self._finished: list[FinishedAttempt] = []
        self._asides: list[DeferredAttempt] = []
        self._tasks: set[asyncio.Task[DeliveryOutcome]] = set()
        self._woken = asyncio.Event()
        self._checked = float("-inf")
        self._retreat = _FIRST_RETREAT
        self._is_ending = False

    @property
    def in_flight(self) -> int:
        return len(self._tasks)

    @property
    def is_idle(self) -> bool:
        """True if nothing is running, nothing to write, and no endpoint queue leased."""
        return not (self._tasks or self._finished or self._asides or len(self._held))

    def wake(self) -> None:
        """Makes the worker poll at once. Call it in the worker's event loop."""
        self._woken.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Runs until `stop` is set; running attempts may then end, and endpoint queues are released."""
        self._is_ending = False
        stopping = asyncio.ensure_future(stop.wait())
        stopping.add_done_callback(lambda _: self.wake())
        try:
            while not stop.is_set():
                await self._wait_for_work(self._pause_after(await self._try_tick()))
            await self._finish_attempts()
        finally:
            stopping.cancel()
            await self.close()

    async def tick(self) -> bool:
        """Runs one sync, then starts all attempts that may; returns whether there was work."""
        now, asked = self._clock.monotonic(), self._asked()
        answer = await asyncio.get_running_loop().run_in_executor(self._thread, self._rounds.make, asked)
        self._clear_written(asked, now)
        self._asides += self._held.take(asked, answer, now)
        self._checked = answer.read_at
        self._turns.enqueue_rate_limited()
        self._start_all()
        return bool(asked.finished or asked.deferred_attempts or asked.releases or answer.leased or answer.due)

    async def close(self) -> None:
        """Cancels running attempts, which this or another worker repeats, and closes the connection."""
        self._is_ending = True
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        thread, self._thread = self._thread, _database_thread()
        await asyncio.to_thread(thread.shutdown)
        self._rounds.close()

    def _asked(self, *, ending: bool = False) -> SyncRequest:
        """Input of the next sync; the worker keeps it until the sync succeeds."""
        now, at = self._clock.monotonic(), to_milliseconds(self._clock.now())
        lease = round(self._settings.lease_seconds * 1_000)
        for one in self._finished:
            if lane := self._held.find(one.due.queued.subscription_id):
                lane.read_attempt_ids.discard(one.due.queued.attempt_id)  # written before the queue is read again
        releases = self._held.releases(now, at, release_all=ending)
        return SyncRequest(
            at=at,
            lease_until=at + lease,
            horizon=at + 2 * lease + _LONGEST_FREE_MS,
            finished=tuple(self._finished),
            deferred_attempts=tuple(self._asides),
            releases=releases,
            renewals=self._held.renewals(now, releases),
            queue_reads=() if ending else self._held.queue_reads(now, releases),
            places=(0, 0) if ending else self._held.places(),
            first_read_rows=self._settings.in_flight_per_endpoint,
        )

    def _clear_written(self, asked: SyncRequest, now: float) -> None:
        del self._finished[: len(asked.finished)]
        del self._asides[: len(asked.deferred_attempts)]
        self._held.drop_released(asked.releases)
        if asked.renewals:
            self._held.renewed(now)

    def _start_all(self) -> None:
        """Starts attempts, unless the data is too old: the database may be down."""
        now = self._clock.monotonic()
        if now - self._checked <= _FRESH_SECONDS and not self._is_ending:
            for start in self._turns.dequeue_ready(now):
                self._start(start)

    def _start(self, start: Dispatch) -> None:
        at, subscriber = to_milliseconds(self._clock.now()), start.endpoint_queue.subscriber
        if subscriber is None:
            raise ValueError(f"{start.batch[0].queued.attempt_id} was not checked")
        task = asyncio.ensure_future(self._make_attempt(start.batch, subscriber, at))
        self._tasks.add(task)
        task.add_done_callback(partial(self._on_attempt_done, start, at))

    async def _make_attempt(self, due: Sequence[PreparedAttempt], to: Subscriber, at: int) -> DeliveryOutcome:
        events: list[OutgoingEvent] = []
        for one in due:
            if one.data is None:
                raise ValueError(f"{one.queued.attempt_id} was not checked")
            event = EventPayload(one.event_id, one.event_type, one.data)
            events.append(OutgoingEvent(event, one.queued.delivery_id, self._number(one)))
        batch = EventBatch(events, from_milliseconds(at), to.secrets(at))
        return await to.destination.deliver(batch, self._sender)

    def _number(self, due: PreparedAttempt) -> int:
        return retry_policy.attempt_number(due.queued.trigger, due.tries, self._settings.waits)

    def _on_attempt_done(self, start: Dispatch, at: int, task: asyncio.Task[DeliveryOutcome]) -> None:
        self._tasks.discard(task)
        lane = start.endpoint_queue
        if task.cancelled():
            lane.return_unmade(start.batch)
        elif (error := task.exception()) is not None:
            self._defer_batch(lane, start.batch, error)
        else:
            for due in start.batch:
                self._record_result(lane, self._to_finished(due, at, task.result()))
        lane.ended += len(start.batch)
        self._turns.end(start)
        self._start_all()
        self.wake()

    def _to_finished(self, due: PreparedAttempt, at: int, made: DeliveryOutcome) -> FinishedAttempt:
        """Builds the finished attempt with the next schedule step; none for a manual one."""
        step, next_attempt_id, outcome = None, "", made.result
        if due.queued.trigger != "manual":
            more = retry_policy.requested_delay(outcome.response_status, outcome.retry_after)
            finished_at = at + outcome.duration_ms
            step = retry_policy.decide_retry(self._settings.waits, due.tries, finished_at, outcome.has_succeeded, more)
            if step.next_attempt_at is not None:
                next_attempt_id = self._ulids.make("att")
        self._observe("succeeded" if outcome.has_succeeded else outcome.error or "failed")
        return FinishedAttempt(due, self._number(due), made.request_url, at, outcome, step, next_attempt_id)

    def _record_result(self, lane: EndpointQueue, made: FinishedAttempt) -> None:
        succeeded, queued = made.result.has_succeeded, made.due.queued
        if lane.is_trusted and not succeeded:
            lane.forget(1)  # what was read ahead while the endpoint was fast would occupy a slow one for long
        lane.failures = 0 if succeeded else lane.failures + 1
        lane.has_succeeded = lane.has_succeeded or succeeded
        self._finished.append(made)
        if succeeded and queued.trigger == "manual":
            lane.skip(queued.delivery_id)

    def _defer_batch(self, lane: EndpointQueue, batch: Sequence[PreparedAttempt], error: BaseException) -> None:
        """Sets aside the event at fault, if it is known, else all, so that it blocks nothing; others are read again."""
        for due in batch:
            if not isinstance(error, WebhookBodyTooLargeError) or due.event_id == error.event_id:
                _LOGGER.error("%s is deferred: it cannot be attempted", due.queued.delivery_id, exc_info=error)
                self._asides.append(DeferredAttempt(due.queued, "held"))
        lane.return_unmade(batch)

    async def _try_tick(self) -> bool | None:
        """Runs a tick; None on a database error, after which polls back off."""
        try:
            done = await self.tick()
        except DBAPIError as error:
            _LOGGER.warning("the database fails; finished attempts are kept and written later: %s", error.orig)
            self._retreat = min(2 * self._retreat, _LONGEST_RETREAT)
            return None
        self._retreat = _FIRST_RETREAT
        return done

    def _pause_after(self, done: bool | None) -> float:
        if done is None:
            return self._retreat
        wait = self._turns.wait(self._clock.monotonic())
        return 0.0 if done else min(_LOOK_SECONDS, _LOOK_SECONDS if wait is None else wait)

    async def _wait_for_work(self, seconds: float) -> None:
        """Waits until an attempt ends or work arrives, then briefly more, so that others join."""
        if seconds:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), seconds)
        self._woken.clear()
        await asyncio.sleep(_GATHER_SECONDS)

    async def _finish_attempts(self) -> None:
        """Starts nothing more; running attempts may end, are written, and endpoint queues released."""
        self._is_ending = True
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._settings.ack_seconds + _ENDING_SECONDS)
        asked = self._asked(ending=True)
        await asyncio.get_running_loop().run_in_executor(self._thread, self._rounds.make, asked)
        self._clear_written(asked, self._clock.monotonic())


def _database_thread() -> ThreadPoolExecutor:
    """The single database thread; started on first use."""
    return ThreadPoolExecutor(1, "webhooks")
