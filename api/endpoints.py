"""How an operation is bound to its path: admission, body, handler, answer, in the contract's order.

Litestar routes, and tells 404 and 405; `endpoint` answers at the place of a middleware, before Litestar would
build a Request and look for arguments that no handler of ours has. Does not belong here: what a handler answers
(`api.routes`).
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol, cast

from litestar import HttpMethod, route
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, Receive, Scope, Send

from api.admission import admit, check_url
from api.answers import Answer, problem_answer
from api.bodies import Body, read_object
from api.call import NO_BODY, Call, Route, Sharing, current
from api.cors import options_headers
from api.idempotency import once
from api.problems import Problem

Handler = Callable[[Call], Awaitable[Answer]]

_ORDER: Final = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
_READS: Final = ("GET", "HEAD")
_LOCATED: Final = (200, 304)
_ENDS: Final = re.compile(r"(/[^{}]+)/\{(\w+):str\}")


class Operable(Protocol):
    """What can be bound to a path: an operation of the interface, or a page (`api.dashboard.pages`)."""

    @property
    def path(self) -> str: ...

    @property
    def method(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def route(self) -> Route: ...

    @property
    def public(self) -> bool: ...

    async def answer(self, call: Call, receive: Receive) -> Answer: ...


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One operation: the method and path it answers, and how. GET answers HEAD too."""

    path: str
    method: str
    name: str
    route: Route
    public: bool
    takes_body: bool
    handler: Handler

    async def answer(self, call: Call, receive: Receive) -> Answer:
        """The answer to an admitted call, or the problem that stands in its way."""
        call.route = self.route
        try:
            if self.public:
                check_url(call.scope["raw_path"], call.query)
            else:
                await admit(call)
            if self.takes_body:
                call.sent = await read_object(receive, self.route.body)
            if self.method == "POST":
                return await once(call, self.handler)
            answer = await self.handler(call)
        except Problem as trouble:
            return problem_answer(call, trouble)
        return _located(call, answer) if self.method == "GET" else answer


def endpoint(  # noqa: PLR0913 -- all that is said of a path stands at its handler
    path: str,
    *,
    method: str = "GET",
    body: Body | None = None,
    public: bool = False,
    counted: bool = True,
    secret_only: bool = False,
    needs_webhooks: bool = False,
    sharing: Sharing | None = None,
) -> Callable[[Handler], Endpoint]:
    """Makes a handler the answer to one method of a path; GET includes HEAD.

    `body` says what it takes as a body, which the handler finds in `call.body`; a POST may always carry an
    Idempotency-Key. `sharing` says which pages may read the answers: those of publishable keys where these are
    admitted, else nobody's, unless it says otherwise. What is not `counted` is answered though the month is
    used up.
    """
    chosen = sharing or (Sharing.NOBODY if public or secret_only else Sharing.PAGES)
    told = Route(path.replace(":str", ""), chosen, counted, secret_only, body or NO_BODY, needs_webhooks)

    def bind(handler: Handler) -> Endpoint:
        name = cast("str", getattr(handler, "__name__", path))
        return Endpoint(path, method, name, told, public, body is not None, handler)

    return bind


def bound(endpoints: Iterable[Operable]) -> tuple[HTTPRouteHandler, ...]:
    """The endpoints as Litestar takes them: one handler per path, whatever its methods."""
    paths: dict[str, dict[str, Operable]] = {}
    for one in endpoints:
        methods = paths.setdefault(one.path, {})
        if one.method in methods:
            raise ValueError(f"{one.method} {one.path} has two handlers")
        methods[one.method] = one
    return tuple(_bound(path, methods) for path, methods in paths.items())


def in_order(methods: Iterable[str]) -> str:
    """Methods as the contract lists them (4.10, method_not_allowed)."""
    return ", ".join(sorted(methods, key=_ORDER.index))


def _bound(path: str, methods: Mapping[str, Operable]) -> HTTPRouteHandler:
    by_method = dict(methods)
    if "GET" in by_method:
        by_method["HEAD"] = by_method["GET"]
    first = next(iter(methods.values()))
    known = [*by_method, "OPTIONS"]
    allow = in_order(known)

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        call = current()
        chosen = by_method.get(call.method)
        if chosen is None:  # Litestar lets nothing else pass
            call.route = first.route
            answer = Answer(204, options_headers(call, allow), b"")
        else:
            answer = await chosen.answer(call, receive)
        await answer(scope, receive, send)

    async def operation() -> None:
        """Never called: `run` stands before it."""

    handler = route(
        path,
        http_method=[HttpMethod(method) for method in known],
        name=first.name,
        opt={"public": first.public, "run": run, "endpoints": methods},
        middleware=[_in_place_of(run)],
        status_code=200,
    )
    return handler(operation)


def _in_place_of(run: ASGIApp) -> Callable[[ASGIApp], ASGIApp]:
    def middleware(app: ASGIApp) -> ASGIApp:  # noqa: ARG001 -- named by Litestar
        return run

    return middleware


def straight(handlers: Iterable[HTTPRouteHandler]) -> dict[str, tuple[str, ASGIApp]]:
    """Paths that end in their only parameter: by what stands before it, the parameter and what answers.

    Litestar's router remembers a thousand paths, and companies have millions: `api.edge` leads these itself.
    ValueError where another path lies below the same beginning, for then only the router knows which is meant.
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


def _located(call: Call, answer: Answer) -> Answer:
    """Says the canonical path of what was asked with a slash too many, where the handler has not."""
    routed = call.scope["path"]
    if call.path == routed or answer.status not in _LOCATED:
        return answer
    if any(name == b"content-location" for name, _ in answer.headers):
        return answer
    location = routed.encode() + (b"?" + call.query if call.query else b"")
    return Answer(answer.status, [*answer.headers, (b"content-location", location)], answer.body)
