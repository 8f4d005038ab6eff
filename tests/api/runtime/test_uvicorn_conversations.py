"""The service and uvicorn over raw connections: pipelined requests, and headers that would split a response."""

import re
from typing import Any

import pytest
import uvicorn

from api.runtime.uvicorn_server import build_server
from api.settings.service import ApiSettings
from tests.api.fixtures.running import Running

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
