"""Binds an operation to its path: access control, body, handler, response, in the contract's order.

Litestar routes and produces 404 and 405. `endpoint` answers in place of a middleware, before Litestar would
build a Request and resolve arguments that our handlers do not have. Does not belong here: what a handler
returns (`api.routes`).
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Final, cast

from litestar import HttpMethod, route
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, Receive, Scope, Send

from api.http.access_control import authorize, check_url
from api.http.context import NO_BODY, CorsPolicy, RequestContext, RoutePolicy, current_request
from api.http.cors import options_headers
from api.http.idempotency import Handler, run_once
from api.http.json_body import BodyPolicy, read_full_body, read_object
from api.http.responses import HttpResponse, problem_response
from api.problems.problem import ProblemError, new_problem

_ORDER: Final = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
_LOCATED: Final = (200, 304)
_ENDS: Final = re.compile(r"(/[^{}]+)/\{(\w+):str\}")


@dataclass(frozen=True, slots=True)
class HttpOperation(ABC):
    """Anything that can be bound to a path: an operation of the API, or a page (`api.dashboard.routing`)."""

    path: str
    method: str
    name: str
    route_policy: RoutePolicy
    is_public: bool
    """No API key is needed."""

    @abstractmethod
    async def handle_request(self, context: RequestContext, receive: Receive) -> HttpResponse: ...


@dataclass(frozen=True, slots=True)
class Endpoint(HttpOperation):
    """One operation of the API. GET also answers HEAD."""

    has_body: bool
    handler: Handler

    async def handle_request(self, context: RequestContext, receive: Receive) -> HttpResponse:
        """Checks access, reads the body and runs the handler; a `ProblemError` becomes the response."""
        context.route_policy = self.route_policy
        try:
            if self.is_public:
                check_url(context.scope["raw_path"], context.query_string)
            else:
                await authorize(context)
            if self.has_body:
                context.json_body = await read_object(receive, self.route_policy.body_policy)
            if self.method == "POST":
                return await run_once(context, self.handler)
            answer = await self.handler(context)
        except ProblemError as trouble:
            return problem_response(context, trouble)
        return _with_content_location(context, answer) if self.method == "GET" else answer


def endpoint(  # noqa: PLR0913 -- all that is said of a path stands at its handler
    path: str,
    *,
    method: str = "GET",
    body: BodyPolicy | None = None,
    is_public: bool = False,
    is_counted: bool = True,
    is_secret_key_only: bool = False,
    needs_webhooks: bool = False,
    cors_policy: CorsPolicy | None = None,
) -> Callable[[Handler], Endpoint]:
    """Registers a handler for one method of a path; GET includes HEAD.

    `body`: the accepted body, available as `call.body`; a POST may always carry an Idempotency-Key. `cors_policy`:
    which pages may read the responses; by default those of publishable keys where these are accepted, else
    none. Operations that are not `is_counted` work even if the monthly quota is used up.
    """
    chosen = cors_policy or (CorsPolicy.NO_ORIGIN if is_public or is_secret_key_only else CorsPolicy.PAGES)
    told = RoutePolicy(
        path.replace(":str", ""), chosen, is_counted, is_secret_key_only, body or NO_BODY, needs_webhooks
    )

    def bind(handler: Handler) -> Endpoint:
        name = cast("str", getattr(handler, "__name__", path))
        return Endpoint(path, method, name, told, is_public, body is not None, handler)

    return bind


def operations_in(*modules: ModuleType) -> list[HttpOperation]:
    """Every operation that the modules declare, in their order."""
    return [one for module in modules for one in vars(module).values() if isinstance(one, HttpOperation)]


def to_litestar_handlers(endpoints: Iterable[HttpOperation]) -> tuple[HTTPRouteHandler, ...]:
    """Converts endpoints to Litestar handlers: one per path, for all its methods."""
    paths: dict[str, dict[str, HttpOperation]] = {}
    for one in endpoints:
        methods = paths.setdefault(one.path, {})
        if one.method in methods:
            raise ValueError(f"{one.method} {one.path} has two handlers")
        methods[one.method] = one
    return tuple(_to_litestar_handler(path, methods) for path, methods in paths.items())


def sort_methods(methods: Iterable[str]) -> str:
    """Methods in the contract's order (4.10, method_not_allowed)."""
    return ", ".join(sorted(methods, key=_ORDER.index))


def _to_litestar_handler(path: str, methods: Mapping[str, HttpOperation]) -> HTTPRouteHandler:
    by_method = dict(methods)
    if "GET" in by_method:
        by_method["HEAD"] = by_method["GET"]
    first = next(iter(methods.values()))
    known = [*by_method, "OPTIONS"]
    allow = sort_methods(known)

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        call = current_request()
        chosen = by_method.get(call.method)
        if chosen is None:  # OPTIONS: Litestar lets no other method through
            call.route_policy = first.route_policy
            answer = HttpResponse(204, options_headers(call, allow), b"")
        else:
            answer = await chosen.handle_request(call, receive)
        await answer(scope, receive, send)

    async def operation() -> None:
        """Never called: `run` answers first."""

    handler = route(
        path,
        http_method=[HttpMethod(method) for method in known],
        name=first.name,
        opt={"public": first.is_public, "run": run, "endpoints": methods},
        middleware=[_replace_app(run)],
        status_code=200,
    )
    return handler(operation)


def _replace_app(run: ASGIApp) -> Callable[[ASGIApp], ASGIApp]:
    def middleware(app: ASGIApp) -> ASGIApp:  # noqa: ARG001 -- named by Litestar
        return run

    return middleware


def direct_routes(handlers: Iterable[HTTPRouteHandler]) -> dict[str, tuple[str, ASGIApp]]:
    """Paths that end in their only parameter: maps the prefix to the parameter and the ASGI handler.

    Litestar's router caches a thousand paths, and there are millions of companies: `api.http.middleware` routes
    these directly. ValueError if another path has the same prefix, because then only the router can distinguish
    them.
    """
    paths = {path: handler for handler in handlers for path in handler.paths}
    ends: dict[str, tuple[str, ASGIApp]] = {}
    for path, handler in paths.items():
        found = _ENDS.fullmatch(path)
        if found is None:
            continue
        beginning = found[1]
        if any(other.rpartition("/")[0] == beginning and other != path for other in paths):
            raise ValueError(f"{path} is not the only path below {beginning}")
        ends[beginning] = (found[2], handler.opt["run"])
    return ends


def _with_content_location(call: RequestContext, answer: HttpResponse) -> HttpResponse:
    """Adds the canonical path as Content-Location after a trailing slash, unless the handler has set it."""
    routed = call.scope["path"]
    if call.path == routed or answer.status not in _LOCATED:
        return answer
    if any(name == b"content-location" for name, _ in answer.headers):
        return answer
    location = routed.encode() + (b"?" + call.query_string if call.query_string else b"")
    return HttpResponse(answer.status, [*answer.headers, (b"content-location", location)], answer.body)


Received = Callable[[RequestContext, bytes], Awaitable[HttpResponse]]


@dataclass(frozen=True, slots=True)
class SignedCallback(HttpOperation):
    """Receives webhooks of another service: POST with a signature over the raw bytes.

    No key, no Idempotency-Key, and no JSON parsing before the signature is verified; the handler gets the bytes.
    Addresses that fail authentication are rate-limited, as with keys.
    """

    handler: Received

    async def handle_request(self, context: RequestContext, receive: Receive) -> HttpResponse:
        """Reads the bytes and runs the handler; a `ProblemError` becomes the response."""
        context.route_policy = self.route_policy
        try:
            check_url(context.scope["raw_path"], context.query_string)
            sent = await read_full_body(receive, self.route_policy.body_policy.limit)
            if sent is None:
                raise new_problem("malformed_json", "The request ended before its body was complete.")
            return await self.handler(context, sent)
        except ProblemError as trouble:
            return problem_response(context, trouble)


def signed_callback(path: str, limit: int) -> Callable[[Received], SignedCallback]:
    """Registers a handler for POST on `path`: at most `limit` bytes of any media type."""

    def bind(handler: Received) -> SignedCallback:
        told = RoutePolicy(path, CorsPolicy.NO_ORIGIN, is_counted=False, body_policy=BodyPolicy(limit=limit))
        return SignedCallback(path, "POST", handler.__name__, told, True, handler)

    return bind
