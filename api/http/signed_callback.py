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
    route_policy: RoutePolicy
    handler: Received
    method: str = "POST"
    is_public: bool = True

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
        return SignedCallback(path, handler.__name__, told, handler)

    return bind
