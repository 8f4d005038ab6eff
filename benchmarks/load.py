"""A small HTTP load generator on loopback: keep-alive, one request in flight per connection.

httpx costs more per request than the services measured with it; this asks in raw protocol callbacks
instead. Does not belong here: which services are compared (`bench_api`).
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

_LENGTH = b"content-length:"
_END = b"\r\n\r\n"
_LAST_CHUNK = b"0\r\n\r\n"


@dataclass
class Load:
    """Requests still to send, answers received, and how long each took."""

    requests: Sequence[bytes]
    sent: int = 0
    answered: int = 0
    bad: int = 0
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)


class _Connection(asyncio.Protocol):
    def __init__(self, load: Load, done: "asyncio.Future[None]") -> None:
        self.load = load
        self.done = done
        self.buffer = b""
        self.asked = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.next()

    def next(self) -> None:
        load = self.load
        if load.sent >= len(load.requests):
            self.transport.close()
            return
        request = load.requests[load.sent]
        load.sent += 1
        self.asked = time.perf_counter()
        self.transport.write(request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if not _is_whole(self.buffer):
            return
        self.load.latencies.append(time.perf_counter() - self.asked)
        self.load.answered += 1
        if not self.buffer.startswith(b"HTTP/1.1 200"):
            self.load.bad += 1
        self.buffer = b""
        self.next()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        if not self.done.done():
            self.done.set_result(None)


def _is_whole(answer: bytes) -> bool:
    """Whether head and body have arrived: by length where it is told, else by the last chunk."""
    end = answer.find(_END)
    if end < 0:
        return False
    head = answer[:end].lower()
    place = head.find(_LENGTH)
    if place < 0:
        return answer.endswith(_LAST_CHUNK)
    stop = head.find(b"\r\n", place)
    length = int(head[place + len(_LENGTH) : stop if stop > 0 else None])
    return len(answer) >= end + len(_END) + length


async def _run(host: str, port: int, load: Load, connections: int) -> None:
    loop = asyncio.get_running_loop()
    waiting = []
    started = time.perf_counter()
    for _ in range(connections):
        done = loop.create_future()
        await loop.create_connection(lambda done=done: _Connection(load, done), host, port)
        waiting.append(done)
    await asyncio.wait_for(asyncio.gather(*waiting), 120)
    load.seconds = time.perf_counter() - started


def measure(host: str, port: int, requests: Sequence[bytes], connections: int = 16) -> Load:
    """Send all requests over `connections` sockets and wait for all answers."""
    load = Load(requests)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_run(host, port, load, connections))
    if load.bad or load.answered != len(requests):
        raise RuntimeError(f"{load.bad} bad answers, {load.answered} of {len(requests)} answered")
    return load


def _loop_factory():  # noqa: ANN202
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
