"""How a reading operation is bound to its path: admission, handler, answer, in the contract's order.

Litestar routes; `endpoint` puts admission before every handler unless it is said to be public, and turns a
`Problem` into its answer. Handlers take the `Call` and nothing else, so that Litestar has no signature to
parse for every request. Does not belong here: what a handler answers (`api.routes`).
"""

from collections.abc import Awaitable, Callable
from typing import Final

from litestar import HttpMethod, route
from litestar.handlers import HTTPRouteHandler

from api.admission import admit, check_url
from api.answers import Answer, problem_answer
from api.call import Call, current
from api.problems import Problem
from api.stamps import NO_STORE, VARY

Handler = Callable[[Call], Awaitable[Answer]]

ALLOW: Final = "GET, HEAD, OPTIONS"
_METHODS: Final = [HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS]
_OPTIONS: Final = Answer(204, [(b"allow", ALLOW.encode()), NO_STORE, VARY], b"")


def endpoint(path: str, *, public: bool = False) -> Callable[[Handler], HTTPRouteHandler]:
    """Binds a handler to GET and HEAD of a path; OPTIONS is told what there is."""

    def bind(handler: Handler) -> HTTPRouteHandler:
        async def answer() -> Answer:
            call = current()
            if call.method == "OPTIONS":
                return _OPTIONS
            try:
                if public:
                    check_url(call.scope["raw_path"], call.query)
                else:
                    await admit(call)
                return await handler(call)
            except Problem as trouble:
                return problem_answer(call, trouble)

        return route(path, http_method=_METHODS, name=handler.__name__, opt={"public": public})(answer)

    return bind
