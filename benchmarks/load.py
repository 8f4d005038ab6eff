"""A small HTTP load generator on loopback: keep-alive, one request in flight per connection.

httpx costs more per request than the services measured with it; this asks in raw protocol callbacks instead. Every
answer is looked at: its status, and that it holds what it must. Does not belong here: which services are compared
(`bench_api`, `bench_search`), what they are asked (`api_questions`).
"""

import asyncio
import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

_LENGTH = b"content-length:"
_END = b"\r\n\r\n"
_LAST_CHUNK = b"0\r\n\r\n"
_PATIENCE = 600.0


@dataclass(frozen=True, slots=True)
class Ask:
    """One request: what it is an example of, its bytes, and what the body of a good answer holds."""

    kind: str
    request: bytes
    holds: bytes = b""
    label: str = ""


Seen = Callable[[Ask, bytes, bytes, float], None]
"""Told of every answer: what was asked, head, body, seconds it took."""


class Unanswered(RuntimeError):  # noqa: N818 - named for what it says
    """A server closed a connection on a request, or answered something else than asked."""


class _Stream:
    """Requests of one kind of client: where they come from, who is told, how many a second at most."""

    def __init__(self, asks: Iterable[Ask], seen: Seen, rate: float | None) -> None:
        self._asks = iter(asks)
        self._every = 1 / rate if rate else 0.0
        self._started = 0.0
        self._count = 0
        self.seen = seen
        self.failure: Exception | None = None

    def next(self) -> tuple[Ask | None, float]:
        """The next request and the instant it is due; None at the end."""
        if self.failure is not None:
            return None, 0.0
        if not self._count:
            self._started = time.perf_counter()
        self._count += 1
        return next(self._asks, None), self._started + (self._count - 1) * self._every


class _Connection(asyncio.Protocol):
    def __init__(self, stream: _Stream, done: "asyncio.Future[None]") -> None:
        self._stream = stream
        self._done = done
        self._buffer = b""
        self._asked_at = 0.0
        self._ask: Ask | None = None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._next()

    def _next(self) -> None:
        self._ask, due = self._stream.next()
        early = due - time.perf_counter()
        if self._ask is None:
            self._transport.close()
        elif early > 0:
            asyncio.get_running_loop().call_later(early, self._send)
        else:
            self._send()

    def _send(self) -> None:
        if self._ask is not None:
            self._asked_at = time.perf_counter()
            self._transport.write(self._ask.request)

    def data_received(self, data: bytes) -> None:
        self._buffer = self._buffer + data if self._buffer else data
        end = _end_of_head(self._buffer)
        if end is None or self._ask is None:
            return
        taken = time.perf_counter() - self._asked_at
        head, body, self._buffer = self._buffer[:end], self._buffer[end:], b""
        try:
            self._stream.seen(self._ask, head, body, taken)
        except Exception as error:  # noqa: BLE001 - told to the one who waits for the load
            self._stream.failure = error
        self._next()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._ask is not None and self._stream.failure is None:
            self._stream.failure = Unanswered(f"connection closed on {self._ask.request!r}: {exc}")
        if not self._done.done():
            self._done.set_result(None)


def _end_of_head(answer: bytes) -> int | None:
    """Where the head ends, once head and body have arrived: by length where it is told, else by the last chunk."""
    end = answer.find(_END)
    if end < 0:
        return None
    end += len(_END)
    head = answer[:end].lower()
    place = head.find(_LENGTH)
    if place < 0:
        return end if answer.endswith(_LAST_CHUNK) or b" 304 " in head[:16] else None
    length = int(head[place + len(_LENGTH) : head.find(b"\r\n", place)])
    return end if len(answer) >= end + length else None


@dataclass(frozen=True, slots=True)
class Client:
    """A kind of client: its requests, who is told of the answers, its connections and its pace."""

    asks: Iterable[Ask]
    seen: Seen
    connections: int = 16
    rate: float | None = None


async def run(host: str, port: int, *clients: Client) -> float:
    """Runs clients side by side until all of them have asked everything; gives the seconds it took."""
    loop = asyncio.get_running_loop()
    streams, waiting = [], []
    began = time.perf_counter()
    for client in clients:
        stream = _Stream(client.asks, client.seen, client.rate)
        streams.append(stream)
        for _ in range(client.connections):
            done = loop.create_future()
            waiting.append(done)
            await loop.create_connection(lambda s=stream, d=done: _Connection(s, d), host, port)
    await asyncio.wait_for(asyncio.gather(*waiting), _PATIENCE)
    seconds = time.perf_counter() - began
    for stream in streams:
        if stream.failure is not None:
            raise stream.failure
    return seconds


@dataclass
class Answers:
    """How long answers took, by kind of request; `refusing` are the statuses that are counted instead of raised."""

    refusing: tuple[bytes, ...] = ()
    seconds: float = 0.0
    refused: int = 0
    count: int = 0
    taken: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    slowest: list[tuple[float, str, str]] = field(default_factory=list)

    def see(self, ask: Ask, head: bytes, body: bytes, seconds: float) -> None:
        self.count += 1
        status = head[9:12]
        if status in self.refusing:
            self.refused += 1  # it took its time all the same
        elif status != b"200" or not body or ask.holds not in body:
            raise Unanswered(f"{ask.request[:300]!r} got {head[:200]!r} {body[:300]!r}")
        self.taken[ask.kind].append(seconds)
        if ask.label:
            self.slowest.append((seconds, ask.kind, ask.label))

    def take(self, others: "Answers") -> None:
        """Adds what others have seen."""
        self.count += others.count
        for kind, taken in others.taken.items():
            self.taken[kind] += taken

    def all(self) -> list[float]:
        return [seconds for kind in self.taken.values() for seconds in kind]


def measure(host: str, port: int, asks: Iterable[Ask], connections: int = 16) -> Answers:
    """Asks everything over `connections` sockets; raises where an answer is not what was asked for."""
    answers = Answers()
    answers.seconds = running(run(host, port, Client(asks, answers.see, connections)))
    return answers


def running(work: Any) -> float:
    """Runs a coroutine on the fastest loop there is."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(work)


def percentile(values: list[float], share: float) -> float:
    """The smallest value that `share` of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
