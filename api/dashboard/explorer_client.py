"""Sends an explorer request through the whole service in-process, as if it came from that browser.

It passes every check, limit and count of an external request and appears in the access log. No connection is
opened, so form input cannot direct it to another server (SSRF). Does not belong here: parsing the form
(`api.dashboard.explorer_forms`).
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any, Final, cast
from urllib.parse import unquote

from litestar.types import ASGIApp, HTTPScope, Message

from api.dashboard.explorer_forms import ExplorerRequest
from api.http.client_ip import FORWARDING
from api.http.context import RequestContext

_PASSED_ON: Final = (b"host", b"user-agent", *FORWARDING)
"""Headers from which the service derives its own address and the client's."""
_SHOWN: Final = 100_000  # bytes of a response that a page shows


@dataclass(frozen=True, slots=True)
class ExplorerResponse:
    """The response. `body` is truncated if `is_cut`."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    is_truncated: bool
    milliseconds: int

    def header(self, name: str) -> str | None:
        return next((value for given, value in self.headers if given == name), None)


@dataclass(slots=True)
class _AsgiExchange:
    """ASGI receive and send of one request: supplies the body once, and collects the response."""

    body: bytes
    status: int = 0
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    received: bytearray = field(default_factory=bytearray)
    is_taken: bool = False

    async def receive(self) -> dict[str, Any]:
        if self.is_taken:
            return {"type": "http.disconnect"}
        self.is_taken = True
        return {"type": "http.request", "body": self.body, "more_body": False}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message["headers"])
        elif message["type"] == "http.response.body":
            self.received += message["body"]


async def execute_request(context: RequestContext, request: ExplorerRequest, key: str) -> ExplorerResponse:
    """The response to a request with that key; an empty key is not sent."""
    clock = context.services.clock
    body = (request.body or "").encode()
    exchange, began = _AsgiExchange(body), clock.monotonic()
    app = cast("ASGIApp", context.scope["litestar_app"])
    run = app(_asgi_scope(context, request, key, body), exchange.receive, exchange.send)  # type: ignore[arg-type]
    # a separate task, because the current call is a context variable (`api.http.context`)
    await asyncio.ensure_future(run)
    headers = tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in exchange.headers)
    shown = bytes(exchange.received[:_SHOWN])
    lasted = int((clock.monotonic() - began) * 1_000)
    return ExplorerResponse(exchange.status, headers, shown, len(exchange.received) > _SHOWN, lasted)


def _asgi_scope(call: RequestContext, asked: ExplorerRequest, key: str, body: bytes) -> HTTPScope:
    """The ASGI scope, as a server would create it."""
    given = [(name.lower().encode(), value.encode("latin-1")) for name, value in asked.headers]
    headers = [(name, value) for name, value in call.request_headers.items() if name in _PASSED_ON] + given
    if key:
        headers.append((b"authorization", b"Bearer " + key.encode("latin-1")))
    if body:
        headers.append((b"content-length", b"%d" % len(body)))
    here: Any = call.scope
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": here["asgi"],
        "http_version": here["http_version"],
        "method": asked.method,
        "scheme": here["scheme"],
        "path": unquote(asked.path),
        "raw_path": asked.path.encode(),
        "query_string": asked.query.encode(),
        "root_path": here.get("root_path", ""),
        "headers": headers,
        "client": here.get("client"),
        "server": here.get("server"),
    }
    return cast("HTTPScope", scope)
