"""Responses: ready bytes with ready headers, sent without another encoding step.

Litestar's own `Response` builds cookies, encoders and header objects for every call; company data is already
stored as JSON, so an `HttpResponse` is just the two ASGI messages. Does not belong here: the content of a body
(`api.routes`), or headers that every response gets (`api.http.middleware`).
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from litestar.types import Receive, Scope, Send

from api.http.compression import GZIP, LEAST_COMPRESSED, MOST_COMPRESSED, accepts_gzip, gzip_body, gzip_document
from api.http.context import RequestContext
from api.http.cors import Header
from api.http.response_headers import (
    JSON,
    LAST_MODIFIED,
    NO_STORE,
    VARY,
    Headers,
    document_digest,
    is_unmodified_since,
    names_tag,
    weak_etag,
    weakly_matches,
)
from api.problems.problem import MEDIA_TYPE, ProblemError, render_problem

PUBLIC_CACHE: Final = (b"cache-control", b"public, max-age=300")
_FOREVER: Final = (b"cache-control", b"public, max-age=31536000, immutable")


class HttpResponse:
    """One complete response: an ASGI application, which Litestar sends as it is."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: Sequence[Header], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 -- ASGI's signature
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": False})

    def to_asgi_response(self, **_: Any) -> "HttpResponse":
        """Satisfies Litestar's protocol for values returned by an exception handler."""
        return self


def data_response(
    context: RequestContext,
    release_headers: Headers,
    body: bytes,
    tag: bytes,
    extra: Sequence[Header] = (),
    compress: Callable[[bytes], bytes] = gzip_body,
) -> HttpResponse:
    """Response with company data of one release: 200, or 304 if the caller's copy is current.

    A 304 says nothing that the copy does not: it has no Link to a next page. `If-None-Match: *` and a date name no
    copy, so their 304 is counted like the data.
    """
    stamped = [*release_headers, (b"etag", weak_etag(tag))]
    headers = context.request_headers
    asked = headers.get(b"if-none-match")
    if asked is None:
        is_current = b"if-modified-since" in headers and _is_unmodified(context, release_headers)
    else:  # a date is ignored then (RFC 9110 13.1.3)
        is_current = weakly_matches(asked, tag)
    if is_current:
        context.counts_as = None if asked is not None and names_tag(asked, tag) else 200
        return HttpResponse(304, [*stamped, *(header for header in extra if header[0] != b"link")], b"")
    if LEAST_COMPRESSED <= len(body) <= MOST_COMPRESSED and accepts_gzip(headers.get(b"accept-encoding", b"")):
        body = compress(body)
        stamped.append(GZIP)
    return HttpResponse(200, [JSON, (b"content-length", b"%d" % len(body)), *stamped, *extra], body)


def _is_unmodified(context: RequestContext, release_headers: Headers) -> bool:
    since, modified = context.request_headers[b"if-modified-since"], dict(release_headers).get(LAST_MODIFIED)
    return modified is not None and is_unmodified_since(since, modified, context.services.clock.now())


def public_response(context: RequestContext, body: bytes) -> HttpResponse:
    """Response with a document that needs no key and is the same for all callers."""
    return data_response(context, (PUBLIC_CACHE, VARY), body, document_digest(body), compress=gzip_document)


def file_cache(*, is_named_by_content: bool) -> Header:
    """How long a static file may be kept: for ever if its address changes with its content."""
    return _FOREVER if is_named_by_content else PUBLIC_CACHE


def json_response(status: int, body: bytes, extra: Sequence[Header] = ()) -> HttpResponse:
    """JSON response that must not be cached (health, readiness, account data)."""
    return HttpResponse(status, [JSON, (b"content-length", b"%d" % len(body)), NO_STORE, VARY, *extra], body)


def problem_response(context: RequestContext, problem: ProblemError) -> HttpResponse:
    """Problem response with the headers of the problem."""
    context.problem_code = problem.problem_type.code
    body = render_problem(problem, context.request_id, context.services.settings.public_url)
    headers = [(b"content-type", MEDIA_TYPE), (b"content-length", b"%d" % len(body)), NO_STORE, VARY, *problem.headers]
    return HttpResponse(problem.status, headers, body)
