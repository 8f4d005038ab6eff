"""Serves the tools of `firmdata.mcp_server` by the protocol's own SDK, one message at a time.

What a tool reads, it asks of the application itself, with the key of the message that called it. So authentication,
limits, counts and problems are those of any request. Nothing is remembered between messages, so each worker process can
answer each. Does not belong here: the tools (`firmdata.mcp_server`), or who may call them (`api.agents.routes`).
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import Context
from typing import TYPE_CHECKING, Any, Final, cast

import httpx
from litestar.types import ASGIApp, Receive, Scope, Send

from api.http.client_ip import FORWARDING
from api.http.context import current_request

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

_PASSED_ON: Final = (b"authorization", *FORWARDING)
_REPLACED: Final = "caller"  # the key that the client is made with: `CallerTransport` sends that of the caller
_OWN_ADDRESS: Final = "http://localhost"


class CallerTransport(httpx.AsyncBaseTransport):
    """Sends requests to the application, as the caller of the request that is being served.

    They carry its key, client address and request id. Outside of a request: LookupError.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        context = current_request()
        for name in _PASSED_ON:
            if name in context.request_headers:
                request.headers[name.decode()] = context.request_headers[name].decode("latin-1")
        request.headers["X-Request-Id"] = context.request_id
        request.headers["Accept-Encoding"] = "identity"
        transport = httpx.ASGITransport(cast("Any", self._app), client=cast("Any", context.scope.get("client")))
        # in a task of its own: the application makes the request that it serves the current one of its task
        return await asyncio.create_task(transport.handle_async_request(request))


class ToolServer:
    """The tools of one process. The first message loads them: the SDK takes half a second and 25 MB."""

    def __init__(self) -> None:
        self._app: ASGIApp | None = None
        self._opening: asyncio.Task[StreamableHTTPSessionManager] | None = None
        self._stop = asyncio.Event()
        self._holding: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def run(self, app: ASGIApp) -> AsyncIterator[None]:
        """While the application runs: what its tools ask, they ask of `app`."""
        self._app, self._opening, self._holding, self._stop = app, None, None, asyncio.Event()
        try:
            yield
        finally:
            await self._close()

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one message."""
        opening = self._opening = self._opening or asyncio.create_task(self._open())
        manager = await asyncio.shield(opening)
        await manager.handle_request(cast("Any", scope), cast("Any", receive), cast("Any", send))

    async def _close(self) -> None:
        self._stop.set()
        if self._holding is not None:
            await self._holding

    async def _open(self) -> "StreamableHTTPSessionManager":
        if self._app is None:
            raise RuntimeError("the application does not run")
        manager = await asyncio.to_thread(_build_manager, self._app)
        ready = asyncio.Event()
        # of no request: whatever were to run here would have no caller
        holding = asyncio.get_running_loop().create_task(self._hold(manager, ready), context=Context())
        self._holding = holding
        await ready.wait()
        return manager

    async def _hold(self, manager: "StreamableHTTPSessionManager", ready: asyncio.Event) -> None:
        async with manager.run():
            ready.set()
            await self._stop.wait()


def _build_manager(app: ASGIApp) -> "StreamableHTTPSessionManager":
    from firmdata import AsyncClient
    from firmdata.mcp_server import build_server
    from firmdata.retries import RetryPolicy
    from mcp.server.transport_security import TransportSecuritySettings

    logging.getLogger("mcp").setLevel(logging.WARNING)  # what a tool was refused is in the access log
    client = AsyncClient(
        api_key=_REPLACED,
        base_url=_OWN_ADDRESS,
        transport=CallerTransport(app),
        retries=RetryPolicy(attempts=1),
        keep=0,  # all callers have this client: what one of them read is no answer to another
    )
    server = build_server(client)
    checked_before = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # `api.agents.routes`
    server.streamable_http_app(stateless_http=True, json_response=True, transport_security=checked_before)
    return server.session_manager
