"""Ten seconds from before the name is looked up to the headers, on a clock that the test moves.

See docs/contract/delivery.md 4.
"""

import asyncio

import pytest

from api.common.clock import Clock


def clock_of(loop, seen=None):
    """The loop's time, and a list that grows with every look at it."""

    def monotonic():
        if seen is not None:
            seen.append(loop.now)
        return loop.now

    return Clock(monotonic=monotonic)


@pytest.mark.parametrize(
    ("seconds", "error", "milliseconds"), [(9.999, None, 9_999), (10.001, "timeout", 10_001)], ids=["9.999", "10.001"]
)
def test_9_999s_success_10_001s_failure(egress, seconds, error, milliseconds):
    async def scenario():
        loop, may_answer = asyncio.get_running_loop(), asyncio.Event()

        async def talk(reader, writer):
            await may_answer.wait()
            writer.write(egress.OK)
            await writer.drain()

        async with egress.Receiver(talk) as receiver, egress.sending(clock=clock_of(loop)) as sender:
            attempt = asyncio.ensure_future(sender.send(egress.request_to(receiver.url())))
            await egress.until(receiver.got.is_set)
            loop.now += seconds
            if error is None:
                may_answer.set()
            return await attempt

    outcome = egress.run(scenario(), egress.FrozenLoop)
    assert (outcome.has_succeeded, outcome.error) == (error is None, error)
    assert outcome.duration_ms == milliseconds
    assert outcome.remote_ip == "127.0.0.1"
    if error:
        assert outcome.error_detail == "No 2xx response within 10 s."
        assert outcome.response_status is None


@pytest.mark.parametrize(("status", "succeeded"), [(200, True), (500, False)])
def test_headers_in_time_body_dripping(egress, status, succeeded):
    async def scenario():
        loop, seen = asyncio.get_running_loop(), []

        async def drip(reader, writer):
            writer.write(b"HTTP/1.1 %d Told\r\nContent-Length: 100\r\n\r\n" % status)
            while True:
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(1)

        async with egress.Receiver(drip) as receiver, egress.sending(clock=clock_of(loop, seen)) as sender:
            attempt = asyncio.ensure_future(sender.send(egress.request_to(receiver.url())))
            await egress.until(lambda: len(seen) > 1)  # the answer's headers are there
            for _ in range(12):
                assert not attempt.done() or loop.now >= 1_010
                loop.now += 1
                for _ in range(5):
                    await asyncio.sleep(0)
            return await attempt, receiver.connections

    outcome, _ = egress.run(scenario(), egress.FrozenLoop)
    assert (outcome.has_succeeded, outcome.response_status) == (succeeded, status)
    assert outcome.duration_ms == 0
    assert outcome.response_body_truncated
    assert set(outcome.response_body) <= {"x"}
    assert len(outcome.response_body) < 100


def test_headers_that_drip_are_too_late(egress):
    async def scenario():
        loop = asyncio.get_running_loop()

        async def drip(reader, writer):
            for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n":
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(1)

        async with egress.Receiver(drip) as receiver, egress.sending(clock=clock_of(loop)) as sender:
            attempt = asyncio.ensure_future(sender.send(egress.request_to(receiver.url())))
            await egress.until(receiver.got.is_set)
            while not attempt.done():
                loop.now += 0.5
                await asyncio.sleep(0)
            return await attempt

    outcome = egress.run(scenario(), egress.FrozenLoop)
    assert (outcome.error, outcome.response_status, outcome.remote_ip) == ("timeout", None, "127.0.0.1")


def test_an_endpoint_that_only_says_to_go_on(egress):
    """1xx alone, for ever, is no answer."""

    async def scenario():
        loop = asyncio.get_running_loop()

        async def talk(reader, writer):
            while True:
                writer.write(b"HTTP/1.1 102 Processing\r\n\r\n")
                await writer.drain()
                loop.now += 0.1
                await asyncio.sleep(0)

        async with egress.Receiver(talk) as receiver, egress.sending(clock=clock_of(loop)) as sender:
            return await sender.send(egress.request_to(receiver.url()))

    assert egress.run(scenario(), egress.FrozenLoop).error == "timeout"


@pytest.mark.parametrize("where", ["name", "connect", "tls"])
def test_all_of_the_way_counts(egress, where):
    """A name server, a connection, a handshake that hang use up the same ten seconds."""

    async def scenario():
        loop = asyncio.get_running_loop()

        async def silent(host):
            loop.now += 10.001
            return await asyncio.Event().wait()

        async def connecting(sock, address):
            loop.now += 10.001
            await asyncio.Event().wait()

        async def passing(host):
            return ["127.0.0.1"]

        async def met(reader, writer):
            await reader.read(1)
            loop.now += 10.001
            await reader.read()
            writer.close()

        server = await asyncio.start_server(met, "127.0.0.1")
        port = server.sockets[0].getsockname()[1]
        if where == "connect":
            loop.sock_connect = connecting
        resolver = silent if where == "name" else passing
        async with egress.sending(resolver, clock_of(loop)) as sender:
            outcome = await sender.send(egress.request_to(f"https://hooks.example.com:{port}/"))
        server.close()
        for _ in range(10):  # its connections end
            await asyncio.sleep(0)
        return outcome

    outcome = egress.run(scenario(), egress.FrozenLoop)
    assert (outcome.error, outcome.duration_ms) == ("timeout", 10_001)
    assert outcome.remote_ip == (None if where == "name" else "127.0.0.1")


def test_the_window_is_a_setting(egress):
    async def scenario():
        loop = asyncio.get_running_loop()

        async def talk(reader, writer):
            loop.now += 0.3
            await asyncio.Event().wait()

        options = {"clock": clock_of(loop), "ack_seconds": 0.25}
        async with egress.Receiver(talk) as receiver, egress.sending(**options) as sender:
            return await sender.send(egress.request_to(receiver.url()))

    assert egress.run(scenario(), egress.FrozenLoop).error_detail == "No 2xx response within 0.25 s."


def test_a_canceled_attempt_is_canceled(egress):
    async def scenario():
        async def talk(reader, writer):
            await asyncio.Event().wait()

        async with egress.Receiver(talk) as receiver, egress.sending() as sender:
            attempt = asyncio.ensure_future(sender.send(egress.request_to(receiver.url())))
            await egress.until(receiver.got.is_set)
            attempt.cancel()
            with pytest.raises(asyncio.CancelledError):
                await attempt

    egress.run(scenario())
