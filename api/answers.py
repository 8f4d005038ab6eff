"""Answers: ready bytes with ready headers, sent without another encoding step.

Litestar's own `Response` builds cookies, encoders and header objects for every call; company data is stored
as JSON already, so an `Answer` is the two ASGI messages and nothing else. Does not belong here: what goes
into a body (`api.routes`).
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from litestar.types import Receive, Scope, Send

from api.call import Call, current
from api.conditional import digest, matches, weak
from api.cors import sharing_headers
from api.problems import MEDIA_TYPE, Problem, render
from api.stamps import JSON, NO_STORE, VARY, Headers

Header = tuple[bytes, bytes]
Whole = Callable[[Send, int, Sequence[Header], bytes], bool]
WHOLE: Final = "firm.whole"
"""ASGI extension of a server that takes answers as a whole (`api.packets`): a `Whole`, False where it cannot."""
_PUBLIC_CACHE: Final = (b"cache-control", b"public, max-age=300")


class Answer:
    """One whole answer; an ASGI application of its own. It adds the call's headers, and answers HEAD bare."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: Sequence[Header], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 -- ASGI's signature
        call = current()
        call.status = self.status
        headers = [*self.headers, *call.headers, *sharing_headers(call)]
        if call.caller is not None:
            meter = call.caller.meter
            headers += call.service.limits.settle(meter, self.status, call.route.counted, call.left)
        body = b"" if call.method == "HEAD" else self.body
        whole = cast("Whole | None", (scope.get("extensions") or {}).get(WHOLE))
        if whole is not None and whole(send, self.status, headers, body):
            return
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})

    def to_asgi_response(self, **_: Any) -> "Answer":
        """What Litestar asks of the value that an exception handler or a hook returns."""
        return self


def data_answer(call: Call, stamps: Headers, body: bytes, tag: bytes, extra: Sequence[Header] = ()) -> Answer:
    """Company data of one release: 200, or 304 when the caller has it already."""
    stamped = [*stamps, (b"etag", weak(tag)), *extra]
    asked = call.incoming.get(b"if-none-match")
    if asked is not None and matches(asked, tag):
        return Answer(304, stamped, b"")
    return Answer(200, [JSON, (b"content-length", b"%d" % len(body)), *stamped], body)


def public_answer(call: Call, body: bytes) -> Answer:
    """A document that needs no key and does not depend on who asks."""
    tag = digest(body)
    stamped = [_PUBLIC_CACHE, VARY, (b"etag", weak(tag))]
    asked = call.incoming.get(b"if-none-match")
    if asked is not None and matches(asked, tag):
        return Answer(304, stamped, b"")
    return Answer(200, [JSON, (b"content-length", b"%d" % len(body)), *stamped], body)


def plain_answer(status: int, body: bytes, extra: Sequence[Header] = ()) -> Answer:
    """A JSON answer that must not be kept (health, readiness, what is an account's own)."""
    return Answer(status, [JSON, (b"content-length", b"%d" % len(body)), NO_STORE, VARY, *extra], body)


def problem_answer(call: Call, trouble: Problem) -> Answer:
    """An error, with the headers that belong to it."""
    call.problem = trouble.kind.code
    body = render(trouble, call.request_id, call.service.settings.public_url)
    headers = [
        (b"content-type", MEDIA_TYPE),
        (b"content-length", b"%d" % len(body)),
        NO_STORE,
        VARY,
        *trouble.headers,
    ]
    return Answer(trouble.status, headers, body)
