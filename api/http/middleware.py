"""The ASGI middleware around the routes: request id, client address, size limits, access log, metrics.

It wraps routing, so that routing errors get the same treatment. Does not belong here: anything that needs the
route or the caller (`api.http.routing`, `api.http.access_control`).
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send

from api.http.client_ip import FORWARDING
from api.http.content_negotiation import host_problem, oversize_problem
from api.http.context import READS, RequestContext, set_context
from api.http.responses import HttpResponse
from api.problems.problem import ProblemError

if TYPE_CHECKING:
    from api.services import ApiServices

_REQUEST_ID: Final = re.compile(rb"[A-Za-z0-9_-]{8,64}")
_LISTS: Final = (
    b"accept",
    b"if-none-match",
    b"if-match",
    *FORWARDING,
)  # repeated header lines form one list (RFC 9110 5.3)
_NOSNIFF: Final = (b"x-content-type-options", b"nosniff")
_SLASH: Final = re.compile(rb"%(2f)", re.IGNORECASE)


Straight = Mapping[str, tuple[str, ASGIApp]]
Refused = Callable[[RequestContext, ProblemError], HttpResponse]
Failed = Callable[[RequestContext, Exception], HttpResponse]


class RequestMiddleware:
    """Wraps the application.

    `direct_routes`: see `api.http.routing.direct_routes`. `reject_problem` renders problems found here,
    `on_failure` unexpected exceptions.
    """

    def __init__(
        self, app: ASGIApp, service: "ApiServices", direct_routes: Straight, reject_problem: Refused, on_failure: Failed
    ) -> None:
        self._app = app
        self._service = service
        self._straight = direct_routes
        self._refused = reject_problem
        self._failed = on_failure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if b"%2" in scope["raw_path"]:
            scope["path"] = _path_with_escaped_slashes(scope["raw_path"])
        call = self._new_context(scope)
        set_context(call)
        self._service.metrics.in_flight += 1
        try:
            trouble = oversize_problem(scope["raw_path"], call.query_string, scope["headers"]) or host_problem(
                call.request_headers
            )
            app = self._select_app(call) if trouble is None else self._refused(call, trouble)
            await app(scope, receive, send)
        except Exception as error:
            if call.status:  # the response has begun: it cannot be replaced
                raise
            await self._failed(call, error)(scope, receive, send)
        finally:
            self._record_request(call)

    def _select_app(self, call: RequestContext) -> ASGIApp:
        """The endpoint if the path identifies it directly, else the application with its router."""
        beginning, _, last = call.path.rpartition("/")
        found = self._straight.get(beginning)
        if found is None or not last or call.method not in READS:
            return self._app
        parameter, run = found
        call.scope["path_params"] = {parameter: last}
        return run

    def _new_context(self, scope: HTTPScope) -> RequestContext:
        service = self._service
        incoming = _merge_headers(scope["headers"])
        given = incoming.get(b"x-request-id")
        if given is not None and _REQUEST_ID.fullmatch(given):
            request_id = given.decode()
        else:
            request_id = service.ulid_generator.make("req")
        return RequestContext(
            service,
            request_id,
            scope["method"],
            scope["path"],
            scope["query_string"],
            scope,
            incoming,
            [(b"x-request-id", request_id.encode()), _NOSNIFF],
            service.clock.monotonic(),
            client_ip=service.client_ip_resolver.client(scope.get("client"), incoming),
        )

    def _record_request(self, call: RequestContext) -> None:
        """Counts and logs the request, also an aborted one."""
        service = self._service
        seconds = service.clock.monotonic() - call.started_at
        caller = call.caller
        asked = (call.route_policy.path, call.method, call.status)
        service.metrics.observe(asked, seconds, call.problem_code, caller is not None)
        if service.access_log.is_enabled:
            service.access_log.add(service.clock.wall(), seconds, call)


def _merge_headers(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Headers by name. The last of repeated headers wins, but list headers are joined."""
    given = list(headers)
    incoming = dict(given)
    if len(incoming) != len(given):
        for name in _LISTS:
            if name in incoming:
                incoming[name] = b", ".join([value for other, value in given if other == name])
    return incoming


def _path_with_escaped_slashes(raw_path: bytes) -> str:
    """Decodes the path but keeps `%2F`: an escaped slash is part of its segment and does not separate two."""
    path, _, _ = raw_path.partition(b"?")  # some servers include the query
    return unquote(_SLASH.sub(rb"%25\1", path).decode("latin-1"))
