"""Webhook receivers for other services: POST operations with a signature over the raw bytes.

No key, no Idempotency-Key, and no JSON parsing before the signature is verified; the handler gets the bytes.
Addresses that fail authentication are rate-limited, as with keys. Does not belong here: verifying the
signature, and processing (`api.routes.billing`).
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from litestar.types import Receive

from api.admission import check_url
from api.answers import Answer, problem_answer
from api.bodies import Body, read_whole
from api.call import Call, Route, Sharing
from api.problems import Problem, problem

Received = Callable[[Call, bytes], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Hook:
    """One such operation, bound to its path by `api.endpoints.bound` like any other."""

    path: str
    name: str
    route: Route
    handler: Received
    method: str = "POST"
    public: bool = True

    async def answer(self, call: Call, receive: Receive) -> Answer:
        """Reads the bytes and runs the handler; a `Problem` becomes the response."""
        call.route = self.route
        try:
            check_url(call.scope["raw_path"], call.query)
            sent = await read_whole(receive, self.route.body.limit)
            if sent is None:
                raise problem("malformed_json", "The request ended before its body was complete.")
            return await self.handler(call, sent)
        except Problem as trouble:
            return problem_answer(call, trouble)


def hook(path: str, limit: int) -> Callable[[Received], Hook]:
    """Registers a handler for POST on `path`: at most `limit` bytes of any media type."""

    def bind(handler: Received) -> Hook:
        told = Route(path, Sharing.NOBODY, counted=False, body=Body(limit=limit))
        return Hook(path, handler.__name__, told, handler)

    return bind
