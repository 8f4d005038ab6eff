"""The lanes a worker has leased, and which of them may start an attempt next: fairness, in memory.

docs/contract/delivery.md 6: a few attempts at once per endpoint, many in all, and no endpoint may use up what
others need. So:

- An endpoint whose last attempt failed, or that has never acknowledged one, gets one attempt at a time. All that
  fail have three eighths of what may be under way, all that are new one eighth: endpoints that hang leave half to
  those that do not, and the first delivery of a new one does not wait behind those that fail.
- The second and further attempts to an endpoint start only while less than half is under way, so that an endpoint
  that begins to hang keeps nobody from his first.

Does not belong here: the database (`api.webhooks.rounds`), requests (`api.webhooks.worker`).
"""

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import Final

from api.db.queue_records import Due
from api.webhooks.pacing import Pace
from api.webhooks.settings import WebhookSettings

_QUEUES: Final = ("first", "new", "failing", "more", "paced")


@dataclass(frozen=True, slots=True)
class Subscriber:
    """A subscription as attempts need it, its secrets opened."""

    revision: int
    is_active: bool
    is_gone: bool
    url: str
    secret: str = field(repr=False)
    previous_secret: str | None = field(repr=False)
    previous_expires_at: int | None
    event_mask: int
    max_per_second: int | None

    def secrets(self, at: int) -> tuple[str, ...]:
        """Current first; the one before while both are good."""
        if self.previous_secret is None or self.previous_expires_at is None or at >= self.previous_expires_at:
            return (self.secret,)
        return (self.secret, self.previous_secret)


@dataclass(slots=True, eq=False)
class Lane:
    """One leased lane. Times are seconds of a monotonic clock."""

    subscription_id: str
    failures: int
    """Failed attempts since the last success."""
    has_succeeded: bool
    since: float
    """When it was leased."""
    subscriber: Subscriber | None = None
    ready: deque[Due] = field(default_factory=deque)
    """Read and checked, not started."""
    in_hand: set[str] = field(default_factory=set)
    """Attempts that were read and are not yet written."""
    in_flight: int = 0
    ended: int = 0
    """Attempts that ended since it was last looked at: how fast it is."""
    is_empty: bool = False
    """Nothing more was due when it was last looked at."""
    looked_at: float = 0.0
    is_ending: bool = False
    """Starts nothing more: others wait for its place, or it is another worker's."""
    free_at: int | None = None
    """Nobody takes it before, once it is given back."""
    pace: Pace = field(default_factory=Pace)
    queue: str = ""
    """The queue of `Turns` it stands in."""

    @property
    def is_trusted(self) -> bool:
        return self.failures == 0 and self.has_succeeded

    def skip(self, delivery_id: str) -> None:
        """An attempt by hand has delivered it: its schedule is over."""
        for due in [due for due in self.ready if due.queued.delivery_id == delivery_id]:
            if due.queued.trigger != "manual":
                self.ready.remove(due)
                self.in_hand.discard(due.queued.attempt_id)

    def forget(self, kept: int = 0) -> None:
        """What was read of it, but for the first so many, is read again; the queue still has it."""
        while len(self.ready) > kept:
            self.in_hand.discard(self.ready.pop().queued.attempt_id)
        self.is_empty = False


@dataclass(frozen=True, slots=True)
class Start:
    """An attempt that may start now."""

    lane: Lane
    due: Due
    place: str
    """The queue of `Turns` it came from."""


class Turns:
    """Whose turn it is. Lanes stand in queues by what they wait for, so that no decision looks at all of them."""

    def __init__(self, settings: WebhookSettings) -> None:
        self._most = settings.in_flight
        self._half = max(1, settings.in_flight // 2)
        self._per_endpoint = settings.in_flight_per_endpoint
        self._doubtful_most: dict[str, int] = {
            "failing": max(1, settings.in_flight * 3 // 8),
            "new": max(1, settings.in_flight // 8),
        }
        self._queues: dict[str, OrderedDict[Lane, None]] = {name: OrderedDict() for name in _QUEUES}
        self._under_way: dict[str, int] = dict.fromkeys(_QUEUES, 0)
        self.in_flight = 0

    def offer(self, lane: Lane) -> None:
        """It may have something to start."""
        if not lane.ready or lane.is_ending or lane.in_flight >= self.share(lane):
            return
        self._stand(lane, self._place(lane))

    def share(self, lane: Lane) -> int:
        """Attempts it may have under way."""
        return self._per_endpoint if lane.is_trusted else 1

    def offer_paced(self) -> None:
        """Lanes that keep their pace may have waited long enough."""
        for lane in list(self._queues["paced"]):
            self.offer(lane)

    def take(self, now: float) -> list[Start]:
        """All that may start now, taken out of their lanes."""
        starts: list[Start] = []
        while (lane := self._next()) is not None:
            if not lane.ready or lane.is_ending or lane.in_flight >= self.share(lane):
                continue
            if self._waits(lane, now) > 0:
                self._stand(lane, "paced")
                continue
            starts.append(self._start(lane, now))
            self.offer(lane)
        return starts

    def end(self, start: Start) -> None:
        """This attempt ended."""
        lane = start.lane
        lane.in_flight -= 1
        self.in_flight -= 1
        self._under_way[start.place] -= 1
        self.offer(lane)

    def wait(self, now: float) -> float | None:
        """Seconds until a lane that keeps its pace may start again; None where none waits."""
        waits = [self._waits(lane, now) for lane in self._queues["paced"] if lane.ready]
        return min(waits, default=None)

    def _place(self, lane: Lane) -> str:
        if lane.failures:
            return "failing"
        if not lane.has_succeeded:
            return "new"
        return "more" if lane.in_flight else "first"

    def _next(self) -> Lane | None:
        """First attempts before second ones, and endpoints in doubt in between, each in turn."""
        if self.in_flight >= self._most:
            return None
        lane = self._pop("first")
        for name, most in self._doubtful_most.items():
            if lane is None and self._under_way[name] < most:
                lane = self._pop(name)
        if lane is None and self.in_flight < self._half:
            lane = self._pop("more")
        return lane

    def _pop(self, name: str) -> Lane | None:
        queue = self._queues[name]
        if not queue:
            return None
        lane, _ = queue.popitem(last=False)
        lane.queue = ""
        return lane

    def _stand(self, lane: Lane, name: str) -> None:
        """In one queue at a time; at the end of another it begins to wait anew."""
        if lane.queue == name:
            return
        self.leave(lane)
        lane.queue = name
        self._queues[name][lane] = None

    def leave(self, lane: Lane) -> None:
        """It has nothing to start any more."""
        if lane.queue:
            del self._queues[lane.queue][lane]
            lane.queue = ""

    def _waits(self, lane: Lane, now: float) -> float:
        most = lane.subscriber.max_per_second if lane.subscriber else None
        return 0.0 if most is None else lane.pace.wait(now, most)

    def _start(self, lane: Lane, now: float) -> Start:
        place = self._place(lane)
        lane.in_flight += 1
        self.in_flight += 1
        self._under_way[place] += 1
        if lane.subscriber is not None and lane.subscriber.max_per_second is not None:
            lane.pace.start(now)
        return Start(lane, lane.ready.popleft(), place)
