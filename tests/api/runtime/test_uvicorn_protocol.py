"""Answers over a gathering transport: all of it, in order, at once, whatever is written and whenever it is closed."""

import asyncio
import random
from collections.abc import Callable
from typing import Any, cast

import uvloop

from api.runtime.uvicorn_protocol import CoalescingTransport
from tests.tables import check_cases

Writes = Callable[[CoalescingTransport], None]


class Served(asyncio.Protocol):
    """Answers every connection with what `writes` writes, and notes what reached the real transport."""

    def __init__(self, writes: Writes, sent: list[int]) -> None:
        self.writes = writes
        self.sent = sent

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        real = cast("asyncio.Transport", transport)
        noted = cast("Any", Noted(real, self.sent))
        self.writes(CoalescingTransport(noted, asyncio.get_running_loop()))


class Noted:
    """A real transport, and how long each of its writes was."""

    def __init__(self, real: asyncio.Transport, sent: list[int]) -> None:
        self.real = real
        self.sent = sent

    def write(self, data: bytes) -> None:
        self.sent.append(len(data))
        self.real.write(data)

    def __getattr__(self, name: str) -> object:
        return getattr(self.real, name)


def received(writes: Writes) -> tuple[bytes, list[int]]:
    """What a client reads until the end, and the lengths of the writes."""
    sent: list[int] = []

    async def run() -> bytes:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Served(writes, sent), "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        try:
            return await asyncio.wait_for(reader.read(), 20)
        finally:
            writer.close()
            server.close()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(run()), sent


def later(transport: CoalescingTransport, *writes: bytes) -> None:
    loop = asyncio.get_running_loop()
    for turn, data in enumerate(writes):
        loop.call_later(0.01 * (turn + 1), transport.write, data)
    loop.call_later(0.01 * (len(writes) + 1), transport.close)


def test_head_and_body_of_one_turn_are_one_write() -> None:
    def answer(transport: CoalescingTransport) -> None:
        transport.write(b"head")
        transport.write(b"body")
        later(transport)

    assert received(answer) == (b"headbody", [8])


def test_what_was_written_is_sent_before_it_closes() -> None:
    def answer(transport: CoalescingTransport) -> None:
        transport.write(b"head")
        transport.write(b"body")
        transport.close()

    assert received(answer) == (b"headbody", [8])


def test_what_is_written_in_a_later_turn_is_sent_by_itself() -> None:
    def answer(transport: CoalescingTransport) -> None:
        transport.write(b"one")
        later(transport, b"two", b"three")

    assert received(answer) == (b"onetwothree", [3, 3, 5])


def test_what_is_long_is_sent_at_once_and_behind_what_was_written_before() -> None:
    body = b"b" * 100_000

    def answer(transport: CoalescingTransport) -> None:
        transport.write(b"head")
        transport.write(body)
        transport.write(b"end")
        transport.close()

    assert received(answer) == (b"head" + body + b"end", [4, len(body), 3])


def test_no_more_than_some_kilobytes_are_held() -> None:
    def answer(transport: CoalescingTransport) -> None:
        for _ in range(10):
            transport.write(b"c" * 30_000)
        transport.close()

    body, sent = received(answer)
    assert body == b"c" * 300_000
    assert max(sent) < 100_000


@check_cases("seed", range(8))
def test_whatever_is_written_arrives_in_its_order(seed: int) -> None:
    chance = random.Random(seed)
    pieces = [chance.randbytes(chance.choice((0, 1, 17, 900, 40_000, 90_000))) for _ in range(40)]

    def answer(transport: CoalescingTransport) -> None:
        for piece in pieces[:20]:
            transport.write(piece)
        later(transport, *pieces[20:])

    assert received(answer)[0] == b"".join(pieces)


class Gone(asyncio.Protocol):
    """Answers a connection at the moment it is lost; `sent`: when that would have been sent."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.sent = self.loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        real = cast("asyncio.Transport", transport)
        self.gathering = CoalescingTransport(real, self.loop)
        real.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        def answer() -> None:
            self.gathering.write(b"body")
            self.loop.call_soon(self.sent.set_result, None)

        self.loop.call_later(0.01, answer)


def test_what_was_written_for_a_client_that_has_gone_is_nobodys_error() -> None:
    troubles: list[dict[str, Any]] = []

    async def run() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, trouble: troubles.append(trouble))
        gone = Gone()
        server = await loop.create_server(lambda: gone, "127.0.0.1", 0)
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        await asyncio.wait_for(gone.sent, 20)
        writer.close()
        server.close()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run())
    assert troubles == []
