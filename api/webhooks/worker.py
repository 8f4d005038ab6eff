"""The delivery worker: makes the attempts that are due, through the one egress, and writes what came of them.

Requests run in the event loop, the database in a thread of its own: while a round writes and reads there, attempts
go on here, and what ends meanwhile is written together by the next round. Killed at any moment it loses nothing: a
row stays in the queue until its attempt is written, and another worker repeats it when the lease has run out.

Does not belong here: rules of the schedule (`api.webhooks.schedule`), fairness (`api.webhooks.lanes`), SQL
(`api.db`), the wire (`api.webhooks.sending`).
"""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Final, Protocol

from sqlalchemy.exc import DBAPIError

from api.clock import Clock
from api.db.engine import Database
from api.db.queue_records import Aside, Due, Finished
from api.db.webhook_models import milliseconds, moment
from api.ulids import Ulids
from api.webhooks import schedule
from api.webhooks.held_lanes import HeldLanes
from api.webhooks.lanes import Lane, Start, Subscriber, Turns
from api.webhooks.outcomes import Outcome
from api.webhooks.posts import Post, Sent, post
from api.webhooks.rounds import Asked, Rounds
from api.webhooks.sealing import Sealer
from api.webhooks.settings import WebhookSettings

_LOGGER: Final = logging.getLogger("firm.webhooks.worker")
_LOOK_SECONDS: Final = 0.1
"""Between two looks at the queue when nothing is to be done."""
_GATHER_SECONDS: Final = 0.05
"""Between the first attempt that ended and the round that writes it: others join it."""
_FRESH_SECONDS: Final = 1.0
"""Nothing starts on what was read longer ago."""
_FIRST_RETREAT: Final = 0.1
_LONGEST_RETREAT: Final = 2.0
_LONGEST_FREE_MS: Final = 60_000
"""For this long at most a lane is kept from others without a lease (`api.webhooks.held_lanes`)."""
_ENDING_SECONDS: Final = 1.0


class Sends(Protocol):
    """The egress as a worker sees it (`api.webhooks.sending.Sender`)."""

    async def send(self, post: Post) -> Outcome: ...


class Worker:
    """One worker; any number may share a PostgreSQL database, and one a SQLite file with the API."""

    def __init__(  # noqa: PLR0913, PLR0917 -- what it is made of, once
        self,
        database: Database,
        sealer: Sealer,
        sender: Sends,
        settings: WebhookSettings,
        clock: Clock,
        ulids: Ulids,
        name: str,
        public_url: str = "",
    ) -> None:
        self._sender = sender
        self._settings = settings
        self._clock = clock
        self._ulids = ulids
        self._turns = Turns(settings)
        self._held = HeldLanes(settings, sealer, self._turns)
        self._rounds = Rounds(database, name, ulids, public_url, clock.monotonic)
        self._thread = _thread()
        self._finished: list[Finished] = []
        self._asides: list[Aside] = []
        self._tasks: set[asyncio.Task[Outcome]] = set()
        self._woken = asyncio.Event()
        self._checked = float("-inf")
        self._retreat = _FIRST_RETREAT
        self._is_ending = False

    @property
    def in_flight(self) -> int:
        """Attempts under way."""
        return len(self._tasks)

    @property
    def is_idle(self) -> bool:
        """Nothing under way, nothing to write, no lane held."""
        return not (self._tasks or self._finished or self._asides or len(self._held))

    def wake(self) -> None:
        """Something is due: the next look is now. To be called in the worker's event loop."""
        self._woken.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop` is set; attempts under way may end then, and lanes are given back."""
        self._is_ending = False
        stopping = asyncio.ensure_future(stop.wait())
        stopping.add_done_callback(lambda _: self.wake())
        try:
            while not stop.is_set():
                await self._rest(self._pause_after(await self._tried()))
            await self._finish()
        finally:
            stopping.cancel()
            await self.close()

    async def tick(self) -> bool:
        """One round, then all attempts that may start. Whether there was anything to do."""
        now, asked = self._clock.monotonic(), self._asked()
        answer = await asyncio.get_running_loop().run_in_executor(self._thread, self._rounds.make, asked)
        self._written(asked, now)
        self._asides += self._held.take(asked, answer, now)
        self._checked = answer.looked_at
        self._turns.offer_paced()
        self._start_all()
        return bool(asked.finished or asked.asides or asked.releases or answer.taken or answer.due)

    async def close(self) -> None:
        """Breaks off what is under way, which is repeated by this worker or another; gives up the connection."""
        self._is_ending = True
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        thread, self._thread = self._thread, _thread()
        await asyncio.to_thread(thread.shutdown)
        self._rounds.close()

    def _asked(self, *, ending: bool = False) -> Asked:
        """What the next round is to do; whatever it is told stays here until the round has done it."""
        now, at = self._clock.monotonic(), milliseconds(self._clock.now())
        lease = round(self._settings.lease_seconds * 1_000)
        for one in self._finished:
            if lane := self._held.find(one.due.queued.subscription_id):
                lane.in_hand.discard(one.due.queued.attempt_id)  # written before anything is read again
        releases = self._held.releases(now, at, all_of_them=ending)
        return Asked(
            at=at,
            lease_until=at + lease,
            horizon=at + 2 * lease + _LONGEST_FREE_MS,
            finished=tuple(self._finished),
            asides=tuple(self._asides),
            releases=releases,
            renewals=self._held.renewals(now, releases),
            lanes=() if ending else self._held.wanted(now, releases),
            places=(0, 0) if ending else self._held.places(),
            first_look=self._settings.in_flight_per_endpoint,
        )

    def _written(self, asked: Asked, now: float) -> None:
        del self._finished[: len(asked.finished)]
        del self._asides[: len(asked.asides)]
        self._held.given_back(asked.releases)
        if asked.renewals:
            self._held.renewed(now)

    def _start_all(self) -> None:
        """Nothing starts on what was read too long ago: the database may be away."""
        now = self._clock.monotonic()
        if now - self._checked <= _FRESH_SECONDS and not self._is_ending:
            for start in self._turns.take(now):
                self._start(start)

    def _start(self, start: Start) -> None:
        at, subscriber, due = milliseconds(self._clock.now()), start.lane.subscriber, start.due
        if subscriber is None or due.data is None:
            raise ValueError(f"{due.queued.attempt_id} was not checked")
        queued = due.queued
        number = schedule.number(queued.trigger, due.tries, self._settings.waits)
        attempt = self._attempt(
            Sent(due.event_id, due.event_type, due.data), subscriber, queued.delivery_id, number, at
        )
        task = asyncio.ensure_future(attempt)
        self._tasks.add(task)
        task.add_done_callback(partial(self._ended, start, subscriber.url, number, at))

    async def _attempt(self, event: Sent, to: Subscriber, delivery_id: str, number: int, at: int) -> Outcome:
        request = post(to.url, to.secrets(at), event, delivery_id, number, moment(at))
        return await self._sender.send(request)

    def _ended(self, start: Start, url: str, number: int, at: int, task: asyncio.Task[Outcome]) -> None:
        self._tasks.discard(task)
        lane, due = start.lane, start.due
        if task.cancelled():
            lane.in_hand.discard(due.queued.attempt_id)
        elif (error := task.exception()) is not None:
            self._put_aside(lane, due, error)
        else:
            self._keep(lane, self._made(due, number, url, at, task.result()))
        lane.ended += 1
        self._turns.end(start)
        self._start_all()
        self.wake()

    def _made(self, due: Due, number: int, url: str, at: int, outcome: Outcome) -> Finished:
        """With what it means for the schedule: nothing, if it was asked for by hand."""
        step, next_attempt_id = None, ""
        if due.queued.trigger != "manual":
            more = schedule.asked_to_wait(outcome.response_status, outcome.retry_after)
            finished_at = at + outcome.duration_ms
            step = schedule.after(self._settings.waits, due.tries, finished_at, outcome.succeeded, more)
            if step.next_attempt_at is not None:
                next_attempt_id = self._ulids.make("att")
        return Finished(due, number, _shown(url), at, outcome, step, next_attempt_id)

    def _keep(self, lane: Lane, made: Finished) -> None:
        succeeded, queued = made.outcome.succeeded, made.due.queued
        if lane.is_trusted and not succeeded:
            lane.forget(1)  # what was read ahead of a quick endpoint would keep a slow one busy for long
        lane.failures = 0 if succeeded else lane.failures + 1
        lane.has_succeeded = lane.has_succeeded or succeeded
        self._finished.append(made)
        if succeeded and queued.trigger == "manual":
            lane.skip(queued.delivery_id)

    def _put_aside(self, lane: Lane, due: Due, error: BaseException) -> None:
        """An attempt that cannot even be made must not keep others from theirs."""
        _LOGGER.error("%s is put aside: it cannot be attempted", due.queued.delivery_id, exc_info=error)
        lane.in_hand.discard(due.queued.attempt_id)
        self._asides.append(Aside(due.queued, "held"))

    async def _tried(self) -> bool | None:
        """A tick; None where the database would not have it: then it is asked again, less and less often."""
        try:
            done = await self.tick()
        except DBAPIError as error:
            _LOGGER.warning(
                "the database fails; what was delivered is kept and written later: %s", error.orig
            )
            self._retreat = min(2 * self._retreat, _LONGEST_RETREAT)
            return None
        self._retreat = _FIRST_RETREAT
        return done

    def _pause_after(self, done: bool | None) -> float:
        if done is None:
            return self._retreat
        wait = self._turns.wait(self._clock.monotonic())
        return 0.0 if done else min(_LOOK_SECONDS, _LOOK_SECONDS if wait is None else wait)

    async def _rest(self, seconds: float) -> None:
        """Until something ended or was said to be due, then a moment more, so that others join it."""
        if seconds:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), seconds)
        self._woken.clear()
        await asyncio.sleep(_GATHER_SECONDS)

    async def _finish(self) -> None:
        """Nothing starts any more; what is under way may end, is written, and the lanes are given back."""
        self._is_ending = True
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._settings.ack_seconds + _ENDING_SECONDS)
        asked = self._asked(ending=True)
        await asyncio.get_running_loop().run_in_executor(self._thread, self._rounds.make, asked)
        self._written(asked, self._clock.monotonic())


def _thread() -> ThreadPoolExecutor:
    """The one thread that talks with the database; it begins when it is needed."""
    return ThreadPoolExecutor(1, "webhooks")


def _shown(url: str) -> str:
    """Without its query, which may hold a secret of the receiver's."""
    return url.partition("?")[0]
