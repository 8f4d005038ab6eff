"""What is kept of an answer, what it says about the next attempt, and answers that do harm.

See docs/contract/delivery.md 1 and 4.
"""

import asyncio
import gzip
import json
import time
import tracemalloc
from itertools import product

import pytest

from api.common.clock import Clock
from tests.tables import check_cases


def sent_to(egress, answer, posts=1, **options):
    """Outcomes of attempts made one after the other, and what the receiver saw."""

    async def scenario():
        async with egress.Receiver(answer) as receiver, egress.sending(**options) as sender:
            outcomes = [await sender.send(egress.request_to(receiver.url(), n + 1)) for n in range(posts)]
            return outcomes, receiver

    return egress.run(scenario())


def answered(egress, answer):
    outcomes, receiver = sent_to(egress, answer)
    assert len(receiver.requests) == 1
    return outcomes[0]


def with_status(status, *headers, body=b""):
    lines = [f"HTTP/1.1 {status} Told", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


# What a receiver says about when to come again.


WAITS = [
    ("120", 120.0),
    ("0", 0.0),
    ("9" * 30, 9_999_999_999.0),
    ("Fri, 20 Nov 2026 04:13:11 GMT", 60.0),
    ("Fri, 20 Nov 2026 04:13:11 -0000", 60.0),
    ("Fri, 20 Nov 2026 04:11:11 GMT", 0.0),
    ("-5", None),
    ("1.5", None),
    ("soon", None),
    ("", None),
    ("١٢", None),
    ("Fri, 99 Nov 2026 04:13:11 GMT", None),
]


@check_cases(("status", "written", "seconds"), [(status, *wait) for status, wait in product((429, 503), WAITS)])
def test_retry_after_is_read(egress, status, written, seconds):
    clock = Clock(wall=lambda: egress.STARTED.replace(microsecond=0).timestamp())
    outcomes, _ = sent_to(egress, with_status(status, f"Retry-After: {written}"), clock=clock)
    assert outcomes[0].retry_after == seconds


@pytest.mark.parametrize("status", [200, 301, 404, 500])
def test_retry_after_of_other_answers_is_not_read(egress, status):
    assert answered(egress, with_status(status, "Retry-After: 5")).retry_after is None


# What is kept of an answer.


@pytest.mark.parametrize(("size", "kept", "truncated"), [(2_047, 2_047, False), (2_048, 2_048, False),
                                                         (2_049, 2_048, True), (65_536, 2_048, True)])  # fmt: skip
def test_a_body_is_cut_at_exactly_2_kib(egress, size, kept, truncated):
    outcome = answered(egress, with_status(500, body=b"x" * size))
    assert len(outcome.response_body) == kept
    assert outcome.response_body_truncated is truncated


def test_what_is_no_text_is_marked(egress):
    outcome = answered(egress, with_status(500, body=b"a\x00b\xff\xc3\xa9"))
    assert outcome.response_body == "a�b�é"


def test_a_character_that_is_cut_is_marked(egress):
    outcome = answered(egress, with_status(500, body=b"x" * 2_047 + "é".encode()))
    assert outcome.response_body == "x" * 2_047 + "�"


def test_headers_are_kept_in_bounds_and_without_credentials(egress):
    headers = ["Set-Cookie: session=secret", "X-Twice: a", "X-Twice: b", "X-Long: " + "l" * 5_000, "X-Odd: \xe9\x01"]
    headers += [f"X-{number}: {number}" for number in range(60)]
    raw = "\r\n".join(["HTTP/1.1 500 No", "Content-Length: 0", *headers]).encode("latin-1") + b"\r\n\r\n"
    kept = answered(egress, raw).response_headers
    assert "set-cookie" not in kept
    assert kept["x-twice"] == "a, b"
    assert kept["x-long"] == "l" * 500
    assert kept["x-odd"] == "�\x01"
    assert len(kept) == 40
    json.dumps(kept).encode()


def test_cookies_are_not_sent_back(egress):
    _, receiver = sent_to(egress, with_status(200, "Set-Cookie: a=b"), posts=2)
    assert "Cookie" not in receiver.requests[1].headers


# Answers that do harm.


def test_gzip_bomb(egress):
    """1 GiB in 1 MiB: never unpacked, and not asked for."""
    bomb = gzip.compress(b"\0" * (8 << 20)) * 128
    tracemalloc.start()
    try:
        outcome = answered(egress, with_status(200, "Content-Encoding: gzip", body=bomb))
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()
    assert outcome.has_succeeded
    assert outcome.response_body_truncated
    assert len(outcome.response_body) <= 2_048


def test_what_is_packed_stays_packed(egress):
    packed = gzip.compress(b"unpacked")
    outcome = answered(egress, with_status(500, "Content-Encoding: gzip", body=packed))
    assert outcome.response_body == packed.decode("utf-8", "replace").replace("\x00", "�")


def test_1_gb_response(egress):
    written = 0

    async def endless(reader, writer):
        nonlocal written
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
        for _ in range(1_024):
            writer.write(b"x" * (1 << 20))
            await writer.drain()
            written += 1 << 20

    outcomes, receiver = sent_to(egress, endless, posts=2)
    assert all(one.has_succeeded and one.response_body_truncated for one in outcomes)
    assert written < 64 << 20  # what fits into sockets
    assert receiver.connections == 2  # a connection with a rest in it is not used again


@pytest.mark.parametrize("frame", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"],
                         ids=["until the end", "chunked"])  # fmt: skip
def test_a_body_without_a_length_is_read_as_far_as_is_kept(egress, frame):
    async def talk(reader, writer):
        chunk = b"x" * 100_000
        writer.write(frame + (b"%x\r\n%b\r\n" % (len(chunk), chunk) if b"chunked" in frame else chunk))
        await writer.drain()
        await asyncio.Event().wait()

    outcome = answered(egress, talk)
    assert (outcome.has_succeeded, outcome.response_body, outcome.response_body_truncated) == (True, "x" * 2_048, True)


@check_cases(
    "raw",
    [
        b"HTTP/1.1 200 " + b"O" * 100_000 + b"\r\n\r\n",
        b"HTTP/1.1 2x0 OK\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"220 mail.example.com ESMTP\r\n",
        b"+PONG\r\n\r\n",
        b"\x15\x03\x01\x00\x02\x02\x46" * 20,
        b"HTTP/9.9 200 OK\r\n\r\n",
    ],
    ids=["long status line", "no status", "ssh", "smtp", "redis", "tls", "version"],
)  # fmt: skip
def test_malformed_http(egress, raw):
    outcome = answered(egress, raw)
    assert (outcome.has_succeeded, outcome.error) == (False, "protocol_error")
    assert outcome.remote_ip == "127.0.0.1"
    assert outcome.response_status is None


@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 20", b"HTTP/1.1 200 OK"], ids=["nothing", "half a line", "no end"])
@pytest.mark.parametrize("how", ["close", "reset"])
def test_connections_that_end_before_the_end_of_the_status_line(egress, said, how):
    async def talk(reader, writer):
        writer.write(said)
        await writer.drain()
        if how == "reset":
            writer.transport.get_extra_info("socket").setsockopt(1, 13, b"\x01\0\0\0\0\0\0\0")  # SO_LINGER of none
            writer.transport.abort()
        else:
            writer.close()
        raise ConnectionError

    outcome = answered(egress, talk)
    assert (outcome.has_succeeded, outcome.error) == (False, "connection_reset")


def test_connections_that_end_after_headers_are_acknowledged(egress):
    async def talk(reader, writer):
        writer.write(b"HTTP/1.1 202 OK\r\nContent-Length: 100\r\n\r\nhalf")
        await writer.drain()
        writer.close()
        raise ConnectionError

    outcome = answered(egress, talk)
    assert (outcome.has_succeeded, outcome.response_body, outcome.response_body_truncated) == (True, "half", True)


def test_a_header_of_blanks_that_never_ends_stops_nothing_else(egress):
    """The head is read in the event loop of all deliveries and requests: what it costs must not grow faster than it."""

    async def talk(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nX-Blank:" + b" " * 1_000)
        await writer.drain()
        writer.close()
        raise ConnectionError

    begun = time.process_time()
    outcome = answered(egress, talk)
    assert (outcome.has_succeeded, outcome.response_headers) == (True, {})
    assert time.process_time() - begun < 1


def test_nobody_listens(egress):
    async def scenario():
        async with egress.Receiver() as receiver:
            url = receiver.url()
        async with egress.sending() as sender:
            return await sender.send(egress.request_to(url))

    outcome = egress.run(scenario())
    assert (outcome.error, outcome.remote_ip) == ("connection_refused", "127.0.0.1")
