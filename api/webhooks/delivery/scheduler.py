"""Fair in-memory scheduler over a worker's leased endpoint queues: which attempt starts next.

docs/contract/delivery.md 6: a few concurrent attempts per endpoint, many in total, and no endpoint may use up the
capacity others need. So:

- An endpoint with a failed last attempt, or without any success yet, gets one attempt at a time. Failing endpoints
  share three eighths of the capacity, new ones one eighth: hanging endpoints leave half to healthy ones, and the
  first delivery to a new endpoint does not wait behind failing ones.
- Second and further attempts to an endpoint start only while less than half of the capacity is in use, so that an
  endpoint that begins to hang does not delay the first attempts of others.

Does not belong here: the database (`api.webhooks.delivery.sync`), requests (`api.webhooks.delivery.worker`).
"""

from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from api.settings.webhooks import WebhookSettings
from api.webhooks.delivery.batches import MOST_EVENTS, next_batch
from api.webhooks.delivery.records import PreparedAttempt, SubscriberRecord
from api.webhooks.destinations.destination import Destination

SECOND: Final = 1.0


class EndpointRateLimit:
    """Recent attempt starts of one endpoint queue, for `max_per_second`; times are seconds of a monotonic clock.

    A sliding window, so that no second, wherever it begins, exceeds the limit; a fixed bucket would let twice as many
    through around its edge.
    """

    __slots__ = ("_started",)

    def __init__(self) -> None:
        self._started: deque[float] = deque()

    def wait(self, now: float, max_per_second: int) -> float:
        """Seconds until another attempt may start; 0 if it may now."""
        while self._started and now - self._started[0] >= SECOND:
            self._started.popleft()
        if len(self._started) < max_per_second:
            return 0.0
        return self._started[len(self._started) - max_per_second] + SECOND - now

    def start(self, now: float) -> None:
        self._started.append(now)

    def is_fresh(self, now: float) -> bool:
        """Whether an attempt started within the last second."""
        return bool(self._started) and now - self._started[-1] < SECOND


_QUEUES: Final = ("first", "new", "failing", "more", "paced")


@dataclass(frozen=True, slots=True)
class Subscriber:
    """A subscription with its destination and its decrypted secrets."""

    record: SubscriberRecord
    destination: Destination
    secret: str = field(repr=False)
    previous_secret: str | None = field(repr=False)

    def secrets(self, at: int) -> tuple[str, ...]:
        """Secrets to sign with: the current one first, then the previous one during the overlap."""
        until = self.record.previous_secret_expires_at
        if self.previous_secret is None or until is None or at >= until:
            return (self.secret,)
        return (self.secret, self.previous_secret)


@dataclass(slots=True, eq=False)
class EndpointQueue:
    """One leased endpoint queue. Times are seconds of a monotonic clock."""

    subscription_id: str
    failures: int
    """Failed attempts since the last success."""
    has_succeeded: bool
    since: float
    """Time of the lease."""
    subscriber: Subscriber | None = None
    ready: deque[PreparedAttempt] = field(default_factory=deque)
    """Attempts read and checked, not started."""
    read_attempt_ids: set[str] = field(default_factory=set)
    """Ids of attempts read and not yet written."""
    in_flight: int = 0
    ended: int = 0
    """Attempts finished since the last read, a measure of its speed."""
    is_empty: bool = False
    """True if the last read found no further due attempts."""
    read_at: float = 0.0
    is_ending: bool = False
    """Starts nothing more: others wait for its place, or another worker has it."""
    leasable_from: int | None = None
    """Not leased before this instant after its release."""
    pace: EndpointRateLimit = field(default_factory=EndpointRateLimit)
    queue: str = ""
    """The `FairScheduler` queue that contains it."""

    @property
    def is_trusted(self) -> bool:
        return self.failures == 0 and self.has_succeeded

    @property
    def takes_batches(self) -> bool:
        return self.subscriber is not None and self.subscriber.destination.takes_batches

    @property
    def keeps_order(self) -> bool:
        return self.subscriber is not None and self.subscriber.destination.keeps_order

    def next_batch(self) -> list[PreparedAttempt]:
        """The attempts that one request makes, still in `ready`; none while the batch may have more."""
        if not self.takes_batches:
            return [self.ready[0]] if self.ready else []
        return next_batch(self.ready, is_all_read=self.is_empty)

    def remove(self, batch: Sequence[PreparedAttempt]) -> None:
        if len(batch) == 1 and batch[0] is self.ready[0]:
            self.ready.popleft()
            return
        started = {due.queued.attempt_id for due in batch}
        self.ready = deque(due for due in self.ready if due.queued.attempt_id not in started)

    def return_unmade(self, batch: Sequence[PreparedAttempt]) -> None:
        """Forgets attempts that were not made; they remain in the database queue and are read again."""
        self.read_attempt_ids.difference_update(due.queued.attempt_id for due in batch)

    def skip(self, delivery_id: str) -> None:
        """Drops scheduled attempts of a delivery that a manual attempt has delivered."""
        for due in [due for due in self.ready if due.queued.delivery_id == delivery_id]:
            if due.queued.trigger != "manual":
                self.ready.remove(due)
                self.read_attempt_ids.discard(due.queued.attempt_id)

    def forget(self, keep_count: int = 0) -> None:
        """Drops attempts read ahead, except the first `keep_count`; they remain in the database queue."""
        while len(self.ready) > keep_count:
            self.read_attempt_ids.discard(self.ready.pop().queued.attempt_id)
        self.is_empty = False


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Attempts that may start now, in one request."""

    endpoint_queue: EndpointQueue
    batch: Sequence[PreparedAttempt]
    scheduler_group: str
    """The `FairScheduler` queue it was taken from."""


class FairScheduler:
    """Fair scheduler. Endpoint queues are grouped by what they wait for, so that no decision scans all."""

    def __init__(self, settings: WebhookSettings) -> None:
        self._most = settings.in_flight
        self._half = max(1, settings.in_flight // 2)
        self._per_endpoint = settings.in_flight_per_endpoint
        self._doubtful_most: dict[str, int] = {
            "failing": max(1, settings.in_flight * 3 // 8),
            "new": max(1, settings.in_flight // 8),
        }
        self._queues: dict[str, OrderedDict[EndpointQueue, None]] = {name: OrderedDict() for name in _QUEUES}
        self._under_way: dict[str, int] = dict.fromkeys(_QUEUES, 0)
        self.in_flight = 0

    def enqueue(self, endpoint_queue: EndpointQueue) -> None:
        """Registers an endpoint queue that may have an attempt to start."""
        if (
            not endpoint_queue.ready
            or endpoint_queue.is_ending
            or endpoint_queue.in_flight >= self.share(endpoint_queue)
        ):
            return
        self._move_to_group(endpoint_queue, self._group_name(endpoint_queue))

    def share(self, endpoint_queue: EndpointQueue) -> int:
        """Maximum concurrent requests to an endpoint."""
        return self._per_endpoint if endpoint_queue.is_trusted and not endpoint_queue.keeps_order else 1

    def room(self, endpoint_queue: EndpointQueue) -> int:
        """Attempts that the next requests to an endpoint may make."""
        return MOST_EVENTS if endpoint_queue.takes_batches else self.share(endpoint_queue)

    def enqueue_rate_limited(self) -> None:
        """Re-registers rate-limited endpoint queues, which may have waited long enough."""
        for lane in list(self._queues["paced"]):
            self.enqueue(lane)

    def dequeue_ready(self, now: float) -> list[Dispatch]:
        """Removes and returns all attempts that may start now."""
        starts: list[Dispatch] = []
        while (lane := self._next_queue()) is not None:
            if not lane.ready or lane.is_ending or lane.in_flight >= self.share(lane):
                continue
            if self._wait_seconds(lane, now) > 0:
                self._move_to_group(lane, "paced")
                continue
            if batch := lane.next_batch():
                starts.append(self._start(lane, batch, now))
                self.enqueue(lane)
        return starts

    def end(self, start: Dispatch) -> None:
        lane = start.endpoint_queue
        lane.in_flight -= 1
        self.in_flight -= 1
        self._under_way[start.scheduler_group] -= 1
        self.enqueue(lane)

    def wait(self, now: float) -> float | None:
        """Seconds until a rate-limited endpoint queue may start again; None if none waits."""
        waits = [self._wait_seconds(lane, now) for lane in self._queues["paced"] if lane.ready]
        return min(waits, default=None)

    def _group_name(self, lane: EndpointQueue) -> str:
        if lane.failures:
            return "failing"
        if not lane.has_succeeded:
            return "new"
        return "more" if lane.in_flight else "first"

    def _next_queue(self) -> EndpointQueue | None:
        """Picks first attempts, then failing and new endpoints, then further attempts; each round-robin."""
        if self.in_flight >= self._most:
            return None
        lane = self._pop_queue("first")
        for name, most in self._doubtful_most.items():
            if lane is None and self._under_way[name] < most:
                lane = self._pop_queue(name)
        if lane is None and self.in_flight < self._half:
            lane = self._pop_queue("more")
        return lane

    def _pop_queue(self, name: str) -> EndpointQueue | None:
        queue = self._queues[name]
        if not queue:
            return None
        lane, _ = queue.popitem(last=False)
        lane.queue = ""
        return lane

    def _move_to_group(self, lane: EndpointQueue, name: str) -> None:
        """Appends an endpoint queue to one scheduler queue, removing it from its previous one."""
        if lane.queue == name:
            return
        self.leave(lane)
        lane.queue = name
        self._queues[name][lane] = None

    def leave(self, endpoint_queue: EndpointQueue) -> None:
        """Removes an endpoint queue that has nothing to start."""
        if endpoint_queue.queue:
            del self._queues[endpoint_queue.queue][endpoint_queue]
            endpoint_queue.queue = ""

    def _wait_seconds(self, lane: EndpointQueue, now: float) -> float:
        most = lane.subscriber.record.max_per_second if lane.subscriber else None
        return 0.0 if most is None else lane.pace.wait(now, most)

    def _start(self, lane: EndpointQueue, batch: Sequence[PreparedAttempt], now: float) -> Dispatch:
        place = self._group_name(lane)
        lane.in_flight += 1
        self.in_flight += 1
        self._under_way[place] += 1
        if lane.subscriber is not None and lane.subscriber.record.max_per_second is not None:
            lane.pace.start(now)
        lane.remove(batch)
        return Dispatch(lane, batch, place)
