"""Answers that leave whole: byte for byte what uvicorn sends step by step, to whatever is asked however."""

import asyncio
import re
import threading
from typing import Any, Self

import pytest
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from api.auth.service_secrets import ServiceSecrets
from api.http.responses import WHOLE
from api.runtime.uvicorn_protocol import FastHttpProtocol
from api.runtime.uvicorn_server import build_server
from api.settings.service import ApiSettings

KNOWN = b"/api/v1/companies/5599999991"
LEFT = re.compile(rb"(r=|remaining: )\d+")  # of the account that both conversations spend from


class Running:
    """A server in a thread of its own, until the block ends."""

    def __init__(self, made: uvicorn.Server) -> None:
        self.server = made
        ready, startup = threading.Event(), made.startup

        async def told(sockets: Any = None) -> None:
            await startup(sockets)
            ready.set()

        made.startup = told  # type: ignore[method-assign]
        self.thread = threading.Thread(target=lambda: asyncio.run(made.serve()))
        self.thread.start()
        assert ready.wait(20)
        self.port = made.servers[0].sockets[0].getsockname()[1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.should_exit = True
        self.thread.join(20)
        assert not self.thread.is_alive()

    def told(self, asked: bytes) -> bytes:
        """All that comes until the server parts; `asked` must end in a request to do so."""

        async def run() -> bytes:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            writer.write(asked)
            try:
                return await asyncio.wait_for(reader.read(), 20)
            finally:
                writer.close()

        return asyncio.run(run())


def request(path: bytes, *more: bytes, method: bytes = b"GET", version: bytes = b"1.1") -> bytes:
    lines = (b"Host: localhost", b"X-Request-Id: known-to-both", *more)
    return b"\r\n".join((method + b" " + path + b" HTTP/" + version, *lines, b"", b""))


def conversations(key: str) -> dict[str, bytes]:
    known = b"Authorization: Bearer " + key.encode()
    last = request(b"/healthz", b"Connection: close")
    return {
        "a profile": request(KNOWN, known) + last,
        "its head": request(KNOWN, known, method=b"HEAD") + last,
        "an old etag": request(KNOWN, known, b'If-None-Match: "other"') + last,
        "not modified": request(KNOWN, known, b"If-None-Match: *") + last,
        "a list": request(b"/api/v1/companies?limit=3", known) + last,
        "nobody's": request(KNOWN) + last,
        "nowhere": request(b"/api/v1/nowhere", known) + last,
        "options": request(KNOWN, known, method=b"OPTIONS") + last,
        "several at once": request(KNOWN, known) * 5 + request(b"/healthz") * 3 + last,
        "of an old client": request(KNOWN, known, version=b"1.0"),
        "the last of a client": request(KNOWN, known, b"Connection: close"),
        "with leave to go on": request(KNOWN, known, b"Expect: 100-continue", b"Content-Length: 0") + last,
    }


def test_what_is_sent_whole_is_what_uvicorn_sends(serve: Any, world: Any) -> None:
    answers, secrets = [], ServiceSecrets.generate()
    for protocol in (HttpToolsProtocol, FastHttpProtocol):
        service = serve(world, secrets=secrets, with_client=False)
        config = build_server(service.app, ApiSettings(), port=0).config
        config.http, config.date_header = protocol, False
        with Running(uvicorn.Server(config)) as running:
            asked = conversations(service.key)
            answers.append({name: LEFT.sub(rb"\1", running.told(requests)) for name, requests in asked.items()})
    stepwise, whole = answers
    assert stepwise == whole
    assert whole["a profile"].startswith(b"HTTP/1.1 200 OK\r\n")
    assert whole["several at once"].count(b"HTTP/1.1 200 OK\r\n") == 9


def sent_by(app: Any, asked: bytes) -> bytes:
    config = uvicorn.Config(
        app, port=0, http=FastHttpProtocol, lifespan="off", date_header=False, server_header=False, log_config=None
    )
    with Running(uvicorn.Server(config)) as running:
        return running.told(asked)


def test_every_application_is_offered_it() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        # the last of a connection is left to uvicorn
        assert scope["extensions"][WHOLE](send, 200, [(b"content-length", b"2")], b"ok")

    told = sent_by(app, request(b"/") + request(b"/", b"Connection: close"))
    assert told.startswith(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 500 ")


@pytest.mark.parametrize("value", [b"a\r\nset-cookie: b", b"a\nb", b"a\rb", b"a\0b", b"a\x7fb"])
def test_no_header_can_be_two(value: bytes) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        scope["extensions"][WHOLE](send, 200, [(b"content-length", b"0"), (b"x-told", value)], b"")

    told = sent_by(app, request(b"/") + request(b"/", b"Connection: close"))
    assert told.startswith(b"HTTP/1.1 500 ")
    assert value not in told


def test_who_stands_between_sees_every_message() -> None:
    seen = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        async def watched(message: Any) -> None:
            seen.append(message["type"])
            await send(message)

        assert not scope["extensions"][WHOLE](watched, 200, [(b"content-length", b"0")], b"")
        await watched({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await watched({"type": "http.response.body", "body": b""})

    sent_by(app, request(b"/", b"Connection: close"))
    assert seen == ["http.response.start", "http.response.body"]
