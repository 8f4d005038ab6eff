"""The service and uvicorn over raw connections: pipelined requests, and headers that would split a response."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from api.runtime.uvicorn_server import build_server
from api.settings.service import ApiSettings
from tests.api.fixtures.running import Running
from tests.tables import check_cases

KNOWN = b"/api/v1/companies/5599999991"


def request(path: bytes, *more: bytes, method: bytes = b"GET") -> bytes:
    lines = (b"Host: localhost", b"X-Request-Id: known-to-both", *more)
    return b"\r\n".join((method + b" " + path + b" HTTP/1.1", *lines, b"", b""))


def test_requests_sent_at_once_are_answered_in_their_order(serve: Any, world: Any) -> None:
    service = serve(world, with_client=False)
    known, last = b"Authorization: Bearer " + service.key.encode(), request(b"/healthz", b"Connection: close")
    with Running(build_server(service.app, ApiSettings(), port=0)) as running:
        told = running.told(request(KNOWN, known) * 5 + request(b"/nowhere") + request(KNOWN, known) * 3 + last)
    assert re.findall(rb"HTTP/1.1 (\d+)", told) == [b"200"] * 5 + [b"404"] + [b"200"] * 4


@pytest.mark.parametrize("value", [b"a\r\nset-cookie: b", b"a\nb", b"a\rb", b"a\0b", b"a\x7fb"])
def test_no_header_can_be_two(value: bytes) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = [(b"content-length", b"0"), (b"x-told", value)]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": b""})

    config = build_server(app, ApiSettings(), port=0).config
    config.lifespan = "off"
    with Running(uvicorn.Server(config)) as running:
        told = running.told(request(b"/") + request(b"/", b"Connection: close"))
    assert b"x-told" not in told, "the connection is closed instead"


def spelled(*lines: bytes, target: bytes = b"/healthz", version: bytes = b"1.1", end: bytes = b"") -> bytes:
    """A request of exactly these header lines."""
    return b"\r\n".join((b"GET " + target + b" HTTP/" + version, *lines, b"Connection: close", b"", end))


HOST = b"Host: localhost"
PAGE, LANGUAGE = b"Origin: https://example.com", b"Content-Type: application/json"
HEADERS_OF_ONE_VALUE = [
    # RFC 9112 3.2: exactly one valid Host, but not in HTTP/1.0; that of an absolute target takes precedence
    ((), {}, 400),
    ((HOST,), {}, 200),
    ((HOST, HOST), {}, 400),
    ((HOST, b"Host: other"), {}, 400),
    ((b"Host: a b",), {}, 400),
    ((b"Host: a/b",), {}, 400),
    ((b"Host:",), {}, 200),
    ((), {"version": b"1.0"}, 200),
    ((HOST, HOST), {"version": b"1.0"}, 400),
    ((HOST,), {"target": b"http://other.example/healthz"}, 200),
    ((), {"target": b"http://other.example/healthz"}, 400),
    # RFC 9112 5.2 and 6.3: folded lines and two ways to find the end of a body
    ((HOST, b"X-Folded: a", b" b"), {}, 400),
    ((HOST, b"Content-Length: 0", b"Content-Length: 0"), {}, 400),
    ((HOST, b"Content-Length: 0", b"Content-Length: 1"), {}, 400),
    ((HOST, b"Content-Length: 5", b"Transfer-Encoding: chunked"), {"end": b"0\r\n\r\n"}, 400),
    ((HOST, b"Host : other"), {}, 400),
    # headers that a proxy may read otherwise
    ((HOST, b"Authorization: Bearer a", b"Authorization: Bearer b"), {}, 400),
    ((HOST, LANGUAGE, LANGUAGE), {}, 400),
    ((HOST, PAGE, PAGE), {}, 400),
    ((HOST, b"Referer: https://a.example/", b"Referer: https://b.example/"), {}, 400),
    # lists, and headers that decide nothing
    ((HOST, b"If-None-Match: x", b"If-None-Match: y", b"Accept: a/b", b"Accept: */*"), {}, 200),
    ((HOST, b"X-Other: a", b"X-Other: b", b"User-Agent: a", b"User-Agent: b"), {}, 200),
]


@pytest.fixture(scope="module")
def running(shared_serve: Any, world: Any) -> Iterator[Running]:
    service = shared_serve(world, with_client=False)
    with Running(build_server(service.app, ApiSettings(), port=0)) as server:
        yield server


@check_cases(("lines", "parts", "status"), HEADERS_OF_ONE_VALUE)
def test_headers_that_have_one_value_have_exactly_one(
    running: Running, lines: tuple[bytes, ...], parts: dict[str, bytes], status: int
) -> None:
    told = running.told(spelled(*lines, **parts))
    assert re.findall(rb"HTTP/1.1 (\d+)", told) == [str(status).encode()], told


def test_a_request_id_that_is_sent_twice_is_none(running: Running) -> None:
    told = running.told(spelled(HOST, b"X-Request-Id: first-of-two", b"X-Request-Id: second-of-two"))
    assert b"x-request-id: req_" in told
