"""The ASGI middleware around the routes: request id, client address, size limits, access log, metrics.

It wraps routing, so that routing errors get the same treatment. Does not belong here: anything that needs the
route or the caller (`api.http.routing`, `api.http.access_control`).
"""

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import unquote

from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from api.common.redaction import redact
from api.http.client_ip import FORWARDING
from api.http.content_negotiation import header_problem, oversize_problem
from api.http.context import RequestContext, set_context
from api.http.cors import Header, cors_headers
from api.http.responses import HttpResponse

if TYPE_CHECKING:
    from api.services import ApiServices

_REQUEST_ID: Final = re.compile(rb"[A-Za-z0-9_-]{8,64}")
# Repeated header lines form one list (RFC 9110 5.3). The last two are no lists: joined, they have no valid value.
_JOINED: Final = (
    b"accept",
    b"accept-encoding",
    b"if-none-match",
    b"if-match",
    *FORWARDING,
    b"if-modified-since",
    b"x-request-id",
)
_LOCATED: Final = (200, 304)
_NOSNIFF: Final = (b"x-content-type-options", b"nosniff")
_SLASH: Final = re.compile(rb"%(2f)", re.IGNORECASE)


ErrorResponse = Callable[[RequestContext, Exception], HttpResponse]


class RequestMiddleware:
    """Wraps the application; `error_response` renders problems found here, and unexpected exceptions."""

    def __init__(self, app: ASGIApp, service: "ApiServices", error_response: ErrorResponse) -> None:
        self._app = app
        self._service = service
        self._error_response = error_response

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Runs one request; HEAD is routed as GET, and its response is sent without a body."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if b"%2" in scope["raw_path"]:
            scope["path"] = _path_with_escaped_slashes(scope["raw_path"])
        context = self._new_context(scope)
        if scope["method"] == "HEAD":
            # a copy, because the server reads its own to know whether a body is due
            context.scope = scope = cast("HTTPScope", {**scope, "method": "GET"})
        set_context(context)
        send = _with_headers(send, context)
        self._service.metrics.in_flight += 1
        try:
            sent = [*scope["headers"]]
            trouble = oversize_problem(scope["raw_path"], context.query_string, sent) or header_problem(
                sent, context.request_headers, scope.get("http_version")
            )
            app = self._app if trouble is None else self._error_response(context, trouble)
            await app(scope, receive, send)
        except Exception as error:
            if context.status:  # the response has begun: it cannot be replaced
                raise
            await self._error_response(context, error)(scope, receive, send)
        finally:
            context.json_body = None  # context and scope name each other: a body would stay until they are collected
            self._record_request(context)

    def _new_context(self, scope: HTTPScope) -> RequestContext:
        service = self._service
        incoming = _merge_headers(scope["headers"])
        request_id = _given_request_id(incoming.get(b"x-request-id")) or service.ulid_generator.make("req")
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
        call.release_quota()
        service = self._service
        seconds = service.clock.monotonic() - call.started_at
        caller = call.caller
        asked = (call.path_template, call.method, call.status)
        service.metrics.observe(asked, seconds, call.problem_code, caller is not None)
        if service.access_log.is_enabled:
            service.access_log.add(service.clock.wall(), seconds, call)


def _with_headers(send: Send, context: RequestContext) -> Send:
    """`send` that adds the headers of every response, and leaves out the body of a response to HEAD."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            context.status = message["status"]
            message["headers"] = [*message["headers"], *_common_headers(context, message["headers"])]
        elif context.method == "HEAD" and message["type"] == "http.response.body":
            message["body"] = b""
        await send(message)

    return send_with_headers


def _common_headers(context: RequestContext, given: Iterable[Header]) -> list[Header]:
    """Headers that every response gets in addition to its own: request id, CORS, canonical path, limits."""
    headers = [*context.response_headers, *cors_headers(context)]
    if context.canonical_path is not None and context.status in _LOCATED:
        headers += _content_location(context.canonical_path, context.query_string, given)
    if context.caller is not None:
        context.release_quota()
        counted = context.counts_as or context.status
        headers += context.services.rate_limiter.count_response(
            context.caller.account_limits,
            counted,
            context.route_policy.is_counted,
            context.tokens_left,
            context.counts_as_requests,
        )
    return headers


def _content_location(canonical_path: str, query: bytes, given: Iterable[Header]) -> list[Header]:
    """The canonical path after a trailing slash, unless the handler has set it."""
    if any(name == b"content-location" for name, _ in given):
        return []
    return [(b"content-location", canonical_path.encode() + (b"?" + query if query else b""))]


def _given_request_id(given: bytes | None) -> str | None:
    """The caller's request id, unless it is malformed or looks like a secret: it is returned and logged."""
    if given is None or not _REQUEST_ID.fullmatch(given):
        return None
    text = given.decode()
    return text if redact(text) == text else None


def _merge_headers(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Headers by name. The last of repeated headers wins, but list headers are joined."""
    given = list(headers)
    incoming = dict(given)
    if len(incoming) != len(given):
        for name in _JOINED:
            if name in incoming:
                incoming[name] = b", ".join([value for other, value in given if other == name])
    return incoming


def _path_with_escaped_slashes(raw_path: bytes) -> str:
    """Decodes the path but keeps `%2F`: an escaped slash is part of its segment and does not separate two."""
    path, _, _ = raw_path.partition(b"?")  # some servers include the query
    return unquote(_SLASH.sub(rb"%25\1", path).decode("latin-1"))
