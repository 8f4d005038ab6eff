"""The one ASGI layer around the routes: request id, sizes of what comes in, access log.

It stands outside routing, so that errors of routing get the same treatment. Does not belong here: anything
that needs to know the route or the caller (`api.endpoints`, `api.admission`).
"""

import re
from collections.abc import Iterable
from typing import Final

from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send

from api.access_log import Line
from api.answers import problem_answer
from api.call import Call, enter
from api.media import oversized
from api.service import Service

_REQUEST_ID: Final = re.compile(rb"[A-Za-z0-9_-]{8,64}")
_LISTS: Final = (b"accept", b"if-none-match")  # read as lists: several lines are one (RFC 9110 5.3)
_NOSNIFF: Final = (b"x-content-type-options", b"nosniff")


class Edge:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        call = self._call(scope)
        enter(call)
        try:
            trouble = oversized(scope["raw_path"], call.query, scope["headers"])
            if trouble is None:
                await self._app(scope, receive, send)
            else:
                await problem_answer(call, trouble)(scope, receive, send)
        finally:
            if self._service.access_log.enabled:
                self._log(call)

    def _call(self, scope: HTTPScope) -> Call:
        service = self._service
        incoming = _incoming(scope["headers"])
        given = incoming.get(b"x-request-id")
        if given is not None and _REQUEST_ID.fullmatch(given):
            request_id = given.decode()
        else:
            request_id = service.ulids.make("req")
        return Call(
            service,
            request_id,
            scope["method"],
            scope["path"],
            scope["query_string"],
            scope,
            incoming,
            [(b"x-request-id", request_id.encode()), _NOSNIFF],
            service.clock.monotonic(),
        )

    def _log(self, call: Call) -> None:
        clock, caller = self._service.clock, call.caller
        self._service.access_log.add(
            Line(
                clock.wall(),
                call.request_id,
                call.method,
                call.path,
                call.query.decode("latin-1") if call.query else "",
                call.status,
                round((clock.monotonic() - call.started) * 1000, 3),
                None if caller is None else caller.account_id,
                None if caller is None else caller.key_id,
            )
        )


def _incoming(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Headers by name. Of one given several times the last counts, but lists are put together."""
    given = list(headers)
    incoming = dict(given)
    if len(incoming) != len(given):
        for name in _LISTS:
            if name in incoming:
                incoming[name] = b", ".join([value for other, value in given if other == name])
    return incoming
