"""Budgets of connections over real sockets: bytes and seconds of heads and bodies, pipelining, clients that do not read.

The last tests fail when what the protocol overrides is changed by uvicorn or httptools.
"""

import asyncio
import inspect
import json
from typing import Any, Self

import httptools
import pytest
import uvicorn
from uvicorn.loops.auto import auto_loop_factory
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from api.http.content_negotiation import HEADER_COUNT, HEADERS_LIMIT, LARGEST_BODY, URL_LIMIT
from api.openapi.problem_responses import examples_of_status
from api.routes import ROUTES
from api.runtime.connection_guard import Phase, Progress, surplus_heads
from api.runtime.http_protocol import PIPELINED, GuardedHttpProtocol
from api.runtime.uvicorn_server import build_server
from api.settings.connections import ConnectionSettings
from api.settings.service import ApiSettings
from tests.tables import check_cases

HOST = b"Host: localhost\r\n"
LARGE = 64 << 20  # more than the socket buffers of both ends
SLOW = 1e-1
GET = b"GET / HTTP/1.1\r\n" + HOST
POST = b"POST / HTTP/1.1\r\n" + HOST


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Reads the body, unless the path is /unread, and answers with its length and the names of the headers."""
    length, more = 0, scope["path"] != "/unread"
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return
        length, more = length + len(message["body"]), message["more_body"]
    if scope["path"] == "/wait":
        await asyncio.sleep(SLOW)
    names = [name.decode() for name, _ in scope["headers"]]
    body = b"x" * LARGE if scope["path"] == "/large" else json.dumps({"length": length, "names": names}).encode()
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Served:
    """A server on this event loop, until the block ends."""

    def __init__(self, **limits: Any) -> None:
        settings = ApiSettings(connections=ConnectionSettings(**limits), shutdown_seconds=1, trusted_proxies=())
        config = build_server(echo, settings, port=0).config
        config.lifespan = "off"
        self.server = uvicorn.Server(config)

    async def __aenter__(self) -> Self:
        started, startup = asyncio.Event(), self.server.startup

        async def told(sockets: Any = None) -> None:
            await startup(sockets)
            started.set()

        self.server.startup = told  # type: ignore[method-assign]
        self.serving = asyncio.create_task(self.server.serve())
        await started.wait()
        self.port = self.server.servers[0].sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.should_exit = True
        await self.serving

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def exchange(self, *parts: bytes) -> bytes:
        """What is answered to parts sent one after the other, until the server closes."""
        reader, writer = await self.open()
        for part in parts:
            writer.write(part)
            await asyncio.sleep(0.02)  # parts must arrive apart
        try:
            return await asyncio.wait_for(reader.read(), 60)
        finally:
            writer.transport.abort()


async def send_until_closed(writer: asyncio.StreamWriter, piece: bytes, times: int, apart: float = 0) -> None:
    """Sends a piece again and again; fails if the server still takes it after so many times."""
    try:
        for _ in range(times):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(apart)
    except ConnectionError:
        return
    finally:
        writer.transport.abort()
    pytest.fail("the connection is still open")


def outcomes(answer: bytes) -> list[tuple[int, str]]:
    """Status and code of each response."""
    found = []
    while answer:
        head, _, rest = answer.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        found.append((int(head.split(b" ")[1]), json.loads(rest[:length]).get("code", "")))
        answer = rest[length:]
    return found


def run(parts: tuple[bytes, ...], **limits: Any) -> list[tuple[int, str]]:
    async def run_one() -> bytes:
        async with Served(**limits) as served:
            return await served.exchange(*parts)

    return outcomes(asyncio.run(run_one()))


LAST = b"Connection: close\r\n\r\n"
LONG_HEADER = b"X-Long: " + b"a" * (URL_LIMIT + HEADERS_LIMIT)
PIECE = b"a" * 1024
TOO_SLOW = (408, "request_timeout")
SENT = [
    ("a whole request", (GET + LAST,), [(200, "")]),
    ("headers at their number", (GET + b"A: b\r\n" * (HEADER_COUNT - 2) + LAST,), [(200, "")]),
    ("headers without an end", (GET + b"A: b\r\n" * 3000,), [(431, "headers_too_large")]),
    ("a header without an end", (GET + LONG_HEADER, PIECE, PIECE, PIECE), [(431, "headers_too_large")]),
    ("a URL without an end", (b"GET /" + b"a" * (URL_LIMIT + HEADERS_LIMIT), PIECE, PIECE), [(414, "uri_too_long")]),
    ("no HTTP", (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",), [(400, "malformed_request")]),
    ("two lengths", (POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n",), [(400, "malformed_request")]),
    ("a broken chunk", (POST + b"Transfer-Encoding: chunked\r\n\r\n", b"zz\r\n"), [(400, "malformed_request")]),
    ("a slow head", (GET,), [TOO_SLOW]),
    ("line ends without a head", (GET + b"\r\n", b"\r\n"), [(200, ""), TOO_SLOW]),
    ("a slow body", (POST + b"Content-Length: 9\r\n\r\n", b"a"), [TOO_SLOW]),
    ("a slow body that is not read", (b"POST /unread HTTP/1.1\r\nContent-Length: 9\r\n\r\n", b"a"), [(200, "")]),
    ("silence", (), []),
    ("requests at once", (GET + b"\r\n",) * PIPELINED + (GET + LAST,), [(200, "")] * (PIPELINED + 1)),
    (
        "a malformed request after a waiting one",
        (b"GET /wait HTTP/1.1\r\n" + HOST + b"\r\n" + b"\x00\r\n\r\n",),
        [(200, "")],
    ),
    ("a flood of requests", ((b"GET /wait HTTP/1.1\r\n" + HOST + b"\r\n") * 99,), [(200, "")] * (PIPELINED + 1)),
]


def test_what_is_sent_within_and_over_each_budget_is_answered() -> None:
    """All at once: most of them wait for a deadline."""

    async def run_all() -> list[bytes]:
        async with Served(head_seconds=0.5, body_seconds=0.5, body_bytes_per_second=1000) as served:
            return await asyncio.gather(*[served.exchange(*parts) for _, parts, _ in SENT])

    answers = asyncio.run(run_all())
    assert {name: outcomes(got) for (name, _, _), got in zip(SENT, answers, strict=True)} == {
        name: expected for name, _, expected in SENT
    }


@check_cases("code, status, parts", [("malformed_request", 400, SENT[5][1]), ("request_timeout", 408, SENT[8][1])])
def test_a_problem_of_a_connection_is_the_example_of_the_contract(
    code: str, status: int, parts: tuple[bytes, ...]
) -> None:
    async def run_one() -> bytes:
        async with Served(head_seconds=0.1) as served:
            return await served.exchange(*parts)

    head, _, body = asyncio.run(run_one()).partition(b"\r\n\r\n")
    problem, apart = json.loads(body), {"type", "instance", "request_id"}
    example = examples_of_status(status, "https://api.example.com")[code]
    assert {name: problem[name] for name in problem if name not in apart} == {
        name: example[name] for name in example if name not in apart
    }
    assert f"x-request-id: {problem['request_id']}\r\n".encode() in head
    assert head.endswith(b"connection: close")


def test_requests_of_a_lost_connection_end_without_an_error(caplog: pytest.LogCaptureFixture) -> None:
    """Also those before the newest one, under the event loop of the service."""

    async def run_one() -> None:
        async with Served() as served:
            _, writer = await served.open()
            writer.write((b"GET /wait HTTP/1.1\r\n" + HOST + b"\r\n") * 3)
            await writer.drain()
            await asyncio.sleep(SLOW / 2)
            writer.transport.abort()
            await asyncio.sleep(2 * SLOW)

    with asyncio.Runner(loop_factory=auto_loop_factory()) as runner:
        runner.run(run_one())
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


def test_an_idle_connection_is_closed_after_its_seconds() -> None:
    async def run_one() -> bytes:
        async with Served(keep_alive_seconds=1) as served:
            return await served.exchange(GET + b"\r\n")

    assert outcomes(asyncio.run(run_one())) == [(200, "")]


def test_unfinished_heads_over_the_limit_are_closed_and_a_whole_one_is_served() -> None:
    async def run_all() -> tuple[list[bytes], bytes]:
        async with Served(unfinished_heads=3, head_seconds=60) as served:
            slow = [asyncio.create_task(served.exchange(GET)) for _ in range(5)]
            closed, _ = await asyncio.wait(slow, return_when=asyncio.FIRST_COMPLETED)
            whole = await served.exchange(GET + LAST)
            refused = [one.result() for one in closed]
            for one in slow:
                one.cancel()
            return refused, whole

    refused, whole = asyncio.run(run_all())
    assert {outcome for one in refused for outcome in outcomes(one)} == {TOO_SLOW}
    assert 1 <= len(refused) <= 2
    assert outcomes(whole) == [(200, "")]


def test_a_trailer_does_not_join_the_headers() -> None:
    chunked = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Forwarded-For: 10.0.0.1\r\n\r\n"

    async def run_one() -> bytes:
        async with Served() as served:
            return await served.exchange(chunked, GET + LAST)

    assert b"x-forwarded-for" not in asyncio.run(run_one())


def test_a_body_that_is_not_read_is_not_received_without_end() -> None:
    """The response has been sent; the client goes on."""

    async def run_one() -> None:
        async with Served() as served:
            _, writer = await served.open()
            writer.write(b"POST /unread HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
            await send_until_closed(writer, b"10000\r\n" + b"a" * 65536 + b"\r\n", times=1 << 10)

    asyncio.run(run_one())


def test_a_client_that_reads_nothing_is_let_go() -> None:
    async def run_one() -> None:
        async with Served(write_seconds=0.1) as served:
            _, writer = await served.open()
            writer.transport.pause_reading()
            writer.write(b"GET /large HTTP/1.1\r\n\r\n")
            await send_until_closed(writer, b"\r\n", times=1 << 10, apart=0.05)

    asyncio.run(run_one())


@check_cases("limit", ["connections", "connections_per_address"])
def test_one_connection_too_many_is_refused_and_the_others_are_served(limit: str) -> None:
    async def run_all() -> tuple[bytes, bytes]:
        async with Served(**{limit: 2}) as served:
            (reader, writer), (_, idle) = [await served.open() for _ in range(2)]
            refused = await served.exchange(GET + LAST)
            writer.write(GET + LAST)
            answer = await reader.read()
            for one in (writer, idle):
                one.close()
                await one.wait_closed()
            return refused, answer

    refused, served = asyncio.run(run_all())
    assert outcomes(refused) == [(503, "service_unavailable")]
    assert b"retry-after: 5" in refused
    assert outcomes(served) == [(200, "")]


class Waiting:
    """A connection as the guard sees it."""

    def __init__(self, address: str | None, begun: float, phase: Phase = Phase.HEAD) -> None:
        self.address, self.progress = address, Progress(begun, phase)


def test_the_oldest_unfinished_heads_beyond_the_limits_are_surplus() -> None:
    limits = ConnectionSettings(unfinished_heads=6, unfinished_heads_per_address=2)
    of_one = [Waiting("192.0.2.1", begun) for begun in (3, 1, 2, 4)]
    of_proxy = [Waiting(None, begun) for begun in (5, 6, 7)]
    others = [Waiting("192.0.2.2", 8), Waiting("192.0.2.1", 99.5), Waiting("192.0.2.1", 0, Phase.BODY)]
    surplus = surplus_heads([*of_one, *of_proxy, *others], limits, now=100)
    assert [(one.address, one.progress.begun) for one in surplus] == [("192.0.2.1", 1), ("192.0.2.1", 2)]
    fewer = ConnectionSettings(unfinished_heads=3, unfinished_heads_per_address=9)
    assert len(surplus_heads([*of_one, *of_proxy, *others], fewer, now=100)) == 5


@check_cases(
    "phase, received, seconds, is_late",
    [
        (Phase.HEAD, 0, 10, False),
        (Phase.HEAD, 10**6, 10.1, True),
        (Phase.BODY, 0, 10.1, True),
        (Phase.BODY, 4096, 11, False),
        (Phase.BODY, 4096, 11.1, True),
        (Phase.IDLE, 0, 10**6, False),
        (Phase.ENDING, 0, 10**6, False),
        (Phase.REFUSED, 0, 2.1, True),
    ],
)
def test_a_client_is_late_by_what_is_awaited(phase: Phase, received: int, seconds: float, is_late: bool) -> None:
    assert Progress(0, phase, received).is_late(ConnectionSettings(), seconds) == is_late


def test_a_client_is_stuck_when_nothing_was_taken_for_long() -> None:
    progress, limits = Progress(0), ConnectionSettings()
    steps = [(0, 0), (9, 10), (9, 40), (0, 41), (9, 42), (9, 73)]
    assert [progress.is_stuck(limits, unsent, now) for unsent, now in steps] == [False] * 5 + [True]


def test_no_operation_takes_a_larger_body_than_the_protocol() -> None:
    policies = [handler.opt["policy"] for handler in ROUTES if "policy" in handler.opt]
    assert max(policy.body.limit for policy in policies if policy.body is not None) == LARGEST_BODY


def test_the_versions_that_the_protocol_was_written_against_are_installed() -> None:
    """Read `api/runtime/http_protocol.py` beside the new version before changing these."""
    assert uvicorn.__version__.startswith("0.54.")
    assert httptools.__version__.startswith("0.9.")


@check_cases(
    "method, parameters",
    [
        ("connection_made", ["self", "transport"]),
        ("connection_lost", ["self", "exc"]),
        ("data_received", ["self", "data"]),
        ("on_message_begin", ["self"]),
        ("on_headers_complete", ["self"]),
        ("on_message_complete", ["self"]),
        ("send_400_response", ["self", "msg"]),
        ("shutdown", ["self"]),
    ],
)
def test_uvicorn_has_the_methods_that_are_overridden_or_called(method: str, parameters: list[str]) -> None:
    assert list(inspect.signature(getattr(HttpToolsProtocol, method)).parameters) == parameters


def test_uvicorn_has_the_attributes_that_are_read() -> None:
    made = inspect.getsource(HttpToolsProtocol) + inspect.getsource(RequestResponseCycle)
    read = ("pipeline", "headers", "url", "cycle", "flow", "loop", "client", "transport")
    assert [
        name
        for name in (*read, "response_complete", "response_started", "disconnected", "message_event")
        if f"self.{name}" not in made
    ] == []
    assert "read_paused" in inspect.getsource(FlowControl)
    overridden = {name for name in vars(GuardedHttpProtocol) if name in vars(HttpToolsProtocol)} - {"__doc__"}
    assert all(not name.startswith("_") or name == "__module__" for name in overridden)
