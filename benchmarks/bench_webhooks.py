"""Deliveries: how many a second, how soon after a release, and whether a long backlog slows them down.

One `firm deliver` process on SQLite, fan-out included, receivers in another process on the same machine; beside
it a bare aiohttp loop and an httpx loop that post the same bodies to the same receivers, in alternated rounds. The
peers have no database, no signature and no log. Does not belong here: matching (`bench_webhook_matching`).
"""

import json
import statistics
import tempfile
import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from api.common.clock import Clock
from api.webhooks.delivery.fanout import FanOut
from benchmarks.api_servers import Server
from benchmarks.load import percentile
from benchmarks.webhook_events import bodies
from benchmarks.webhook_peers import Told, posting
from benchmarks.webhook_receivers import Receivers, receiving
from benchmarks.webhook_service import arrived, check, delivering, logged
from benchmarks.webhook_world import Target, World
from warehouse.reader.reader import ReleaseReader

ENDPOINTS = 64
BACKLOG_ENDPOINTS = 100
POSTS = {"aiohttp": 20_000, "httpx": 1_500}
PEERS = {"aiohttp": "bare aiohttp loop, 64 connections, no database", "httpx": "httpx loop, 64 connections"}
ASKED = {"aiohttp": 0.25, "httpx": 1.0}
LATE_SECONDS = 2.0
EARLY, LATE = (3, 36), (62, 95)
"""Hundredths of the backlog that are compared: without the start, and the end where some lanes are empty."""
COMPANY, NEWCOMER = 0, 1
"""Whom all events of the backlog are about, and the one that comes in between."""
STEADY = 0.9
"""What «without slowing» means here: the last third at this share of the first third's rate at least."""


def run(events: int = 300, rounds: int = 4, releases: int = 4, backlog: int = 100_000) -> list[dict[str, Any]]:
    """Throughput beside the peers, latency after releases, a backlog's rate from beginning to end."""
    return [*_throughput(events, rounds), _latency(releases), *_drained(backlog)]


@dataclass(frozen=True, slots=True)
class Bench:
    """A data root, receivers and one worker."""

    world: World
    receivers: Receivers
    worker: Server


@contextmanager
def _bench(endpoints: int, backlog: int = 0) -> Iterator[Bench]:
    """A subscription per endpoint; with a backlog, that many deliveries wait before the worker starts."""
    with tempfile.TemporaryDirectory() as folder, receiving(endpoints) as receivers:
        world = World(Path(folder) / "data")
        try:
            world.subscribe(Target(url, [COMPANY] if backlog else None) for url in receivers.urls)
            if backlog:
                world.publish([COMPANY] * (backlog // endpoints))
                match(world)
            with delivering(world, Path(folder) / "deliver.log") as worker:
                yield Bench(world, receivers, worker)
        finally:
            world.close()


def match(world: World) -> int:
    """Fans out everything published, in this process."""
    reader = ReleaseReader(world.layout)
    fan_out = FanOut(world.database, reader, Clock(), "bench")
    try:
        found = 0
        while done := fan_out.step():
            found += done
        return found
    finally:
        fan_out.close()  # or the worker would wait for its lease to run out
        reader.close()


@dataclass
class Round:
    """Deliveries a second and processor seconds of one, by who made them."""

    rate: dict[str, float]
    work: dict[str, float]


def _throughput(events: int, rounds: int) -> list[dict[str, Any]]:
    """From committed event to acknowledged and logged, against loops that only post."""
    with _bench(ENDPOINTS) as bench:
        sent = 0
        measured, texts = [], bodies(events)
        _ours(bench, 5)  # connections, caches
        sent += 5 * ENDPOINTS
        for _ in range(rounds):
            told = {peer: posting(peer, bench.receivers.urls, texts, POSTS[peer]) for peer in PEERS}
            told["ours"] = _ours(bench, events)
            sent += events * ENDPOINTS
            rates = {who: one.posts / one.seconds for who, one in told.items()}
            measured.append(Round(rates, {who: one.work / one.posts for who, one in told.items()}))
        repeats = check(bench.world, sent)
        memory = bench.worker.memory().own
    return [_beside(peer, measured, memory, repeats) for peer in PEERS]


def _ours(bench: Bench, events: int) -> Told:
    """One release with so many events for every subscription, until the last attempt is logged."""
    bench.receivers.ask("forget")
    worked = bench.worker.worked()
    began = bench.world.publish(range(events))
    arrived(bench.receivers, events * ENDPOINTS)
    seconds = logged(bench.world) - began
    return Told(events * ENDPOINTS, seconds, bench.worker.worked() - worked)


def _beside(peer: str, measured: list[Round], memory: int, repeats: int) -> dict[str, Any]:
    ratio = statistics.median(one.rate["ours"] / one.rate[peer] for one in measured)
    return {
        "name": f"deliveries, committed event to logged, {ENDPOINTS} endpoints, one worker",
        "against": PEERS[peer],
        "ours_rps": round(statistics.median(one.rate["ours"] for one in measured)),
        "peer_rps": round(statistics.median(one.rate[peer] for one in measured)),
        "ratio": round(ratio, 3),
        "asked": f">= {ASKED[peer]:g}",
        "met": ratio >= ASKED[peer],
        "unit": "deliveries/s",
        "ours_cpu_us": _microseconds(measured, "ours"),
        "peer_cpu_us": _microseconds(measured, peer),
        "repeats": repeats,
        "memory_mb": memory,
    }


def _microseconds(measured: list[Round], who: str) -> float:
    return round(1_000_000 * statistics.median(one.work[who] for one in measured), 1)


def _latency(releases: int) -> dict[str, Any]:
    """1,000 events to one endpoint, the hardest way: four of them under way at once."""
    late, medians = [], []
    with _bench(1) as bench:
        bench.world.publish(range(10))  # the worker has started, its connection is open
        arrived(bench.receivers, 10)
        logged(bench.world)
        for _ in range(releases):
            bench.receivers.ask("forget")
            began = bench.world.publish(range(1_000))
            arrived(bench.receivers, 1_000)
            taken = [at - began for _, at in bench.receivers.ask("times")["times"]]
            late.append(percentile(taken, 0.99))
            medians.append(percentile(taken, 0.5))
            logged(bench.world)
        memory = bench.worker.memory().own
    p99 = statistics.median(late)
    return {
        "name": "release of 1,000 events to receipt by one endpoint, p99",
        "ours_s": round(p99, 3),
        "asked": f"<= {LATE_SECONDS:g} s",
        "met": p99 <= LATE_SECONDS,
        "unit": "s",
        "p50_s": round(statistics.median(medians), 3),
        "worst_s": round(max(late), 3),
        "memory_mb": memory,
    }


def _drained(backlog: int) -> list[dict[str, Any]]:
    """A backlog that is there when the worker starts; half-way, one event for somebody who waits for nothing."""
    samples: list[tuple[float, float]] = []
    began: list[float] = []
    with _bench(BACKLOG_ENDPOINTS, backlog) as bench, receiving(1) as newcomer:
        bench.world.subscribe([Target(newcomer.urls[0], [NEWCOMER])])

        def look(count: int) -> None:
            samples.append((time.monotonic(), bench.worker.worked()))
            if count > backlog // 2 and not began:
                began.append(bench.world.publish([NEWCOMER]))

        arrived(bench.receivers, backlog, look)
        look(backlog)
        arrived(newcomer, 1)
        ((_, came),) = newcomer.ask("times")["times"]
        logged(bench.world)
        repeats = check(bench.world, backlog + 1)
        marks, memory = bench.receivers.ask("marks")["marks"], bench.worker.memory().own
    first, last = (Stretch.of(marks, samples, backlog, *between) for between in (EARLY, LATE))
    ratio = last.rate / first.rate
    size = f"backlog of {backlog:,} deliveries to {BACKLOG_ENDPOINTS} endpoints"
    return [
        {
            "name": f"{size}, its last third",
            "against": "its first third",
            "ours_rps": round(last.rate),
            "peer_rps": round(first.rate),
            "ratio": round(ratio, 3),
            "asked": f">= {STEADY:g}",
            "met": ratio >= STEADY,
            "unit": "deliveries/s",
            "ours_cpu_us": round(1_000_000 * last.work, 1),
            "peer_cpu_us": round(1_000_000 * first.work, 1),
            "drained_s": round(marks[-1] - marks[0], 1),
            "repeats": repeats,
            "memory_mb": memory,
        },
        {
            "name": f"{size}: release to receipt of another endpoint's event half-way",
            "ours_s": round(came - began[0], 3),
            "asked": f"<= {LATE_SECONDS:g} s",
            "met": came - began[0] <= LATE_SECONDS,
            "unit": "s",
        },
    ]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Deliveries a second, and processor seconds of one, while a part of the backlog drained."""

    rate: float
    work: float

    @classmethod
    def of(cls, marks: list[float], samples: list[tuple[float, float]], whole: int, first: int, last: int) -> "Stretch":
        """`marks`: when each hundredth had arrived; `samples`: instants with what the worker had used by then."""
        count = whole * (last - first) / 100
        began, ended = marks[first], marks[last]
        return cls(count / (ended - began), (_used(samples, ended) - _used(samples, began)) / count)


def _used(samples: list[tuple[float, float]], at: float) -> float:
    """Processor seconds at an instant, from the samples around it."""
    after = min(bisect_left(samples, (at, 0.0)), len(samples) - 1)
    (early, little), (late, much) = samples[max(0, after - 1)], samples[after]
    return much if late <= early else little + (much - little) * min(1.0, max(0.0, (at - early) / (late - early)))


if __name__ == "__main__":
    print(json.dumps(run(50, 1, 1, 5_000), indent=2))
