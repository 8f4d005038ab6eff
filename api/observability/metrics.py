"""In-process metrics for Prometheus: requests, problems, waiting times, the release, summed over all workers.

A request only increments numbers on the event loop; names, labels and text are built at scrape time. Several
workers publish their numbers on a `SharedSlots` once a second, so each can report the sum. A restarted worker
continues the counters of the dead one (prometheus-client's own multi-process files would cost a write per
number and keep one file per dead process). Does not belong here: the text format (`api.observability.prometheus`).
"""

import asyncio
import threading
from bisect import bisect_left
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, ParamSpec, TypeVar

import msgspec

from api.common.shared_memory import SharedSlots

P = ParamSpec("P")
T = TypeVar("T")

_PUBLISH_SECONDS: Final = 1.0

BOUNDS: Final = (0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
COUNT, SECONDS, FIRST = 0, 1, 2
_METHODS: Final = frozenset(("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"))
SEPARATOR: Final = " "

TOTALS: Final = {
    "authenticated_requests": "Requests with a valid key.",
    "key_lookups": "Keys looked up in the database, not found in the cache.",
    "list_waits": "List queries that waited for a free slot.",
    "list_wait_seconds": "Seconds that list queries waited for a free slot.",
    "list_refused": "List queries answered 503 because no slot became free in time.",
    "list_too_slow": "List queries answered 503 because they took too long.",
    "worker_starts": "Worker processes started, including the first of each slot.",
}
"""Counters without labels: name and description."""


class MetricCounts(msgspec.Struct):
    """Numbers of one worker, or the sum of several."""

    requests: dict[str, list[float]] = {}
    """By `route method class`: count, sum of seconds, and count per histogram bucket."""
    problems: dict[str, float] = {}
    attempts: dict[str, float] = {}
    """Webhook attempts by outcome."""
    totals: dict[str, float] = {}
    in_flight: int = 0


@dataclass(frozen=True, slots=True)
class WorkerSlot:
    """One worker's slot on the board."""

    slots: SharedSlots
    index: int


class Metrics:
    """Counters of this worker, and the sum over all. `observe` must run on the event loop."""

    __slots__ = (
        "_added",
        "_attempts",
        "_authenticated",
        "_desk",
        "_former",
        "_lock",
        "_problems",
        "_requests",
        "in_flight",
    )

    def __init__(self, worker_slot: WorkerSlot | None = None) -> None:
        self.in_flight = 0
        self._authenticated = 0
        self._requests: dict[tuple[str, str, int], list[float]] = {}
        self._problems: dict[str, float] = {}
        self._attempts: dict[str, float] = {}
        self._added = dict.fromkeys(TOTALS, 0.0)
        self._lock = threading.Lock()
        self._desk = worker_slot
        self._former = _read_counts(worker_slot.slots, worker_slot.index) if worker_slot else MetricCounts()
        self._former.in_flight = 0  # requests of a dead worker are no longer in flight
        self.add("worker_starts")

    @property
    def is_shared(self) -> bool:
        """True if there are other workers."""
        return self._desk is not None

    def observe(self, route: tuple[str, str, int], seconds: float, problem: str | None, authenticated: bool) -> None:
        """Records a finished request: route, method and status of the response (0: nothing was sent)."""
        self.in_flight -= 1
        row = self._requests.get(route)
        if row is None:
            row = self._new_row(route)
        row[COUNT] += 1
        row[SECONDS] += seconds
        row[FIRST + bisect_left(BOUNDS, seconds)] += 1
        if authenticated:
            self._authenticated += 1
        if problem is not None:
            self._problems[problem] = self._problems.get(problem, 0.0) + 1

    def _new_row(self, asked: tuple[str, str, int]) -> list[float]:
        """Creates a counter row; unknown methods share one, or callers could create any number of rows."""
        route, method, status = asked
        if method not in _METHODS:
            asked = route, "other", status
        return self._requests.setdefault(asked, [0.0] * (FIRST + len(BOUNDS) + 1))

    def add(self, name: str, more: float = 1.0) -> None:
        """Adds to one of `TOTALS`, from any thread."""
        with self._lock:
            self._added[name] += more

    def attempted(self, outcome: str) -> None:
        """Counts a finished webhook attempt: `succeeded`, or its error (docs/contract/contract.md 4.8)."""
        self._attempts[outcome] = self._attempts.get(outcome, 0.0) + 1

    def counted(self, name: str, function: Callable[P, T]) -> Callable[P, T]:
        """Wraps a function so that every call is counted."""

        def counting(*arguments: P.args, **named: P.kwargs) -> T:
            self.add(name)
            return function(*arguments, **named)

        return counting

    def publish(self) -> None:
        """Publishes this worker's numbers to the other workers."""
        if self._desk is not None:
            self._desk.slots.write(self._desk.index, msgspec.msgpack.encode(self._own_counts()))

    def counts(self) -> MetricCounts:
        """The sum over all workers: this one's current numbers, the others' at most a second old."""
        if self._desk is None:
            return self._own_counts()
        board, mine = self._desk.slots, self._desk.index
        others = [_read_counts(board, place) for place in range(board.slot_count) if place != mine]
        return sum_counts([self._own_counts(), *others])

    def _own_counts(self) -> MetricCounts:
        now = MetricCounts(problems=self._problems, attempts=self._attempts, in_flight=self.in_flight)
        now.totals = self._added | {"authenticated_requests": float(self._authenticated)}
        rows = [
            MetricCounts(requests={SEPARATOR.join((route, method, f"{status // 100}xx" if status else "none")): row})
            for (route, method, status), row in self._requests.items()
        ]
        return sum_counts([self._former, now, *rows])


@asynccontextmanager
async def publish_periodically(metrics: Metrics) -> AsyncIterator[None]:
    """Publishes the numbers while the service runs, and once more at the end."""
    timer = asyncio.create_task(_publish_loop(metrics)) if metrics.is_shared else None
    try:
        yield
    finally:
        if timer is not None:
            timer.cancel()
            metrics.publish()


async def _publish_loop(metrics: Metrics) -> None:
    while True:
        metrics.publish()
        await asyncio.sleep(_PUBLISH_SECONDS)


def _read_counts(board: SharedSlots, place: int) -> MetricCounts:
    written = board.read(place)
    return msgspec.msgpack.decode(written, type=MetricCounts) if written else MetricCounts()


def sum_counts(parts: Iterable[MetricCounts]) -> MetricCounts:
    whole = MetricCounts({}, {}, {}, dict.fromkeys(TOTALS, 0.0))
    for part in parts:
        for name, row in part.requests.items():
            whole.requests[name] = add_rows(whole.requests.get(name, [0.0] * len(row)), row)
        pairs = ((whole.problems, part.problems), (whole.attempts, part.attempts), (whole.totals, part.totals))
        for one, more in pairs:
            for name, value in more.items():
                one[name] = one.get(name, 0.0) + value
        whole.in_flight += part.in_flight
    return whole


def add_rows(first: list[float], second: list[float]) -> list[float]:
    return [left + right for left, right in zip(first, second, strict=True)]
