"""Operations that other services call: a POST whose sender signs the bytes as he sends them.

There is no key, no Idempotency-Key and no JSON before the signature was found right; the handler gets the bytes.
Addresses that fail to prove who they are wait, as with keys. Does not belong here: whose signature, and what
follows (`api.routes.billing`).
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
    """One such operation; `api.endpoints.bound` binds it to its path as any other."""

    path: str
    name: str
    route: Route
    handler: Received
    method: str = "POST"
    public: bool = True

    async def answer(self, call: Call, receive: Receive) -> Answer:
        """The answer to the bytes that were sent, or the problem that stands in its way."""
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
    """Makes a handler the answer to what is posted to `path`: at most `limit` bytes, of whatever kind."""

    def bind(handler: Received) -> Hook:
        told = Route(path, Sharing.NOBODY, counted=False, body=Body(limit=limit))
        return Hook(path, handler.__name__, told, handler)

    return bind
