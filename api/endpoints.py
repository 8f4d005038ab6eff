"""How a reading operation is bound to its path: admission, handler, answer, in the contract's order.

Litestar routes, and tells 404 and 405; `endpoint` answers at the place of a middleware, before Litestar would
build a Request and look for arguments that no handler of ours has. Does not belong here: what a handler answers
(`api.routes`).
"""

import re
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from litestar import HttpMethod, route
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, Receive, Scope, Send

from api.admission import admit, check_url
from api.answers import Answer, problem_answer
from api.call import Call, Route, Sharing, current
from api.cors import METHODS, options_headers
from api.problems import Problem

Handler = Callable[[Call], Awaitable[Answer]]

_METHODS: Final = [HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS]
_LOCATED: Final = (200, 304)
_ENDS: Final = re.compile(r"(/[^{}]+)/\{(\w+):str\}")


def endpoint(
    path: str,
    *,
    public: bool = False,
    counted: bool = True,
    secret_only: bool = False,
    sharing: Sharing | None = None,
) -> Callable[[Handler], HTTPRouteHandler]:
    """Binds a handler to GET and HEAD of a path; OPTIONS is told what there is.

    `sharing` says which pages may read the answers: those of publishable keys where these are admitted, else
    nobody's, unless it says otherwise. What is not `counted` is answered though the month is used up.
    """
    chosen = sharing or (Sharing.NOBODY if public or secret_only else Sharing.PAGES)
    told = Route(path.replace(":str", ""), chosen, counted, secret_only)

    def bind(handler: Handler) -> HTTPRouteHandler:
        async def answered(call: Call) -> Answer:
            if call.method == "OPTIONS":
                return Answer(204, options_headers(call, METHODS), b"")
            try:
                if public:
                    check_url(call.scope["raw_path"], call.query)
                else:
                    await admit(call)
                return _located(call, await handler(call))
            except Problem as trouble:
                return problem_answer(call, trouble)

        async def run(scope: Scope, receive: Receive, send: Send) -> None:
            call = current()
            call.route = told
            answer = await answered(call)
            await answer(scope, receive, send)

        async def operation() -> Answer:
            return await answered(current())

        bound = route(
            path,
            http_method=_METHODS,
            name=handler.__name__,
            opt={"public": public, "run": run},
            middleware=[_in_place_of(run)],
        )
        return bound(operation)

    return bind


def _in_place_of(run: ASGIApp) -> Callable[[ASGIApp], ASGIApp]:
    def middleware(app: ASGIApp) -> ASGIApp:  # noqa: ARG001 -- named by Litestar
        return run

    return middleware


def straight(handlers: Iterable[HTTPRouteHandler]) -> dict[str, tuple[str, ASGIApp]]:
    """Endpoints whose path ends in its only parameter: by what stands before it, the parameter and the endpoint.

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
