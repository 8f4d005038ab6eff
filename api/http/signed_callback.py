"""Webhook receivers for other services: POST operations with a signature over the raw bytes.

No key, no Idempotency-Key, and no JSON parsing before the signature is verified; the handler gets the bytes.
Addresses that fail authentication are rate-limited, as with keys. Does not belong here: verifying the
signature, and processing (`api.billing.routes`).
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from litestar.types import Receive

from api.http.access_control import check_url
from api.http.context import CorsPolicy, RequestContext, RoutePolicy
from api.http.json_body import BodyPolicy, read_full_body
from api.http.responses import HttpResponse, problem_response
from api.problems.problem import ProblemError, new_problem

Received = Callable[[RequestContext, bytes], Awaitable[HttpResponse]]


@dataclass(frozen=True, slots=True)
class SignedCallback:
    """One such operation, bound to its path by `api.http.routing.to_litestar_handlers` like any other."""

    path: str
    name: str
    route: RoutePolicy
    handler: Received
    method: str = "POST"
    public: bool = True

    async def answer(self, call: RequestContext, receive: Receive) -> HttpResponse:
        """Reads the bytes and runs the handler; a `ProblemError` becomes the response."""
        call.route = self.route
        try:
            check_url(call.scope["raw_path"], call.query)
            sent = await read_full_body(receive, self.route.body.limit)
            if sent is None:
                raise new_problem("malformed_json", "The request ended before its body was complete.")
            return await self.handler(call, sent)
        except ProblemError as trouble:
            return problem_response(call, trouble)


def signed_callback(path: str, limit: int) -> Callable[[Received], SignedCallback]:
    """Registers a handler for POST on `path`: at most `limit` bytes of any media type."""

    def bind(handler: Received) -> SignedCallback:
        told = RoutePolicy(path, CorsPolicy.NOBODY, counted=False, body=BodyPolicy(limit=limit))
        return SignedCallback(path, handler.__name__, told, handler)

    return bind
