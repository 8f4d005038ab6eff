"""Requests of pages to the API, in-process: they pass through the whole service, as if they came from that browser.

Every check, limit and count applies, and the request appears in the access log. No connection is opened, so input of a
page cannot direct it to another server (SSRF). Does not belong here: which requests pages make (`api.dashboard.pages`).
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast
from urllib.parse import unquote

from litestar.types import ASGIApp, HTTPScope, Message

from api.http.authenticator import Caller
from api.http.client_ip import FORWARDING
from api.http.context import IN_PROCESS_CALLER, RequestContext
from api.http.responses import Header

_PASSED_ON: Final = (b"host", b"user-agent", *FORWARDING)
"""Headers from which the service derives its own address and the client's."""


@dataclass(frozen=True, slots=True)
class InnerRequest:
    """One request to the API. `path` is escaped, as on the wire."""

    method: str
    path: str
    query: str = ""
    headers: Sequence[Header] = ()
    body: bytes = b""
    caller: Caller | None = None
    """Who asks, if no header says so: the account of a session."""


@dataclass(slots=True)
class InnerResponse:
    """The response, whole."""

    status: int = 0
    headers: list[Header] = field(default_factory=list)
    body: bytearray = field(default_factory=bytearray)


async def send_inner_request(context: RequestContext, request: InnerRequest) -> InnerResponse:
    """The service's response to a request that a page makes while it answers `context`."""
    response, is_taken = InnerResponse(), False

    async def receive() -> dict[str, Any]:
        nonlocal is_taken
        if is_taken:
            return {"type": "http.disconnect"}
        is_taken = True
        return {"type": "http.request", "body": request.body, "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            response.status, response.headers = message["status"], list(message["headers"])
        elif message["type"] == "http.response.body":
            response.body += message["body"]

    app = cast("ASGIApp", context.scope["litestar_app"])
    run = app(_asgi_scope(context, request), receive, send)  # type: ignore[arg-type]
    # a separate task, because the current call is a context variable (`api.http.context`)
    await asyncio.ensure_future(run)
    return response


def _asgi_scope(context: RequestContext, request: InnerRequest) -> HTTPScope:
    """The ASGI scope, as a server would create it."""
    headers = [(name, value) for name, value in context.request_headers.items() if name in _PASSED_ON]
    headers += request.headers
    if request.body:
        headers.append((b"content-length", b"%d" % len(request.body)))
    here: Any = context.scope
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": here["asgi"],
        "http_version": here["http_version"],
        "method": request.method,
        "scheme": here["scheme"],
        "path": unquote(request.path),
        "raw_path": request.path.encode(),
        "query_string": request.query.encode(),
        "root_path": here.get("root_path", ""),
        "headers": headers,
        "client": here.get("client"),
        "server": here.get("server"),
    }
    if request.caller is not None:
        scope[IN_PROCESS_CALLER] = request.caller
    return cast("HTTPScope", scope)
