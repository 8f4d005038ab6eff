"""CORS: which pages may read a response (docs/contract/keys-and-limits.md 3.2).

A preflight carries no key, so it is answered for any origin and the real request decides. Responses to a
publishable key are readable on its domains, whatever their status. On other pages only the error
`origin_not_allowed` is readable, so that developers see why the request failed. Responses to secret keys are never
readable. Does not belong here: whether the key works on that page (`api.http.access_control`,
`api.auth.allowed_origins`).
"""

import re
from functools import lru_cache
from typing import Final

from api.auth.allowed_origins import Origin, is_allowed_origin, parse_origin
from api.http.context import CorsPolicy, RequestContext
from api.http.response_headers import NO_STORE, VARY

Header = tuple[bytes, bytes]

METHODS: Final = "GET, HEAD, OPTIONS"
EXPOSED: Final = (
    "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, "
    "X-RateLimit-Reset, X-Request-Id, Content-Location"
)

_ORIGIN: Final = re.compile(rb"[\x21-\x7e]{1,512}")  # safe to send back as a header
_ASKED: Final = b"access-control-request-method"
_ANYONE: Final = (b"access-control-allow-origin", b"*")
_EXPOSE: Final = (b"access-control-expose-headers", EXPOSED.encode())
_PREFLIGHT: Final = (
    (b"access-control-allow-methods", METHODS.encode()),
    (b"access-control-allow-headers", b"Authorization, If-None-Match, X-Request-Id"),
    (b"access-control-max-age", b"600"),
)
_VARY_ORIGIN: Final = (b"vary", b"Origin")
_REFUSAL: Final = "origin_not_allowed"
_CACHED: Final = 4096


def options_headers(context: RequestContext, allow: str) -> list[Header]:
    """Headers of an OPTIONS response; includes permission if it is a preflight of a route open to pages."""
    told = [(b"allow", allow.encode()), NO_STORE]
    origin = context.request_headers.get(b"origin")
    if (
        context.route_policy.cors_policy is CorsPolicy.NO_ORIGIN
        or origin is None
        or _ASKED not in context.request_headers
    ):
        return [*told, VARY]
    if context.route_policy.cors_policy is CorsPolicy.ANYONE:
        return [*told, VARY, _ANYONE, *_PREFLIGHT]
    if _ORIGIN.fullmatch(origin) is None:
        return [*told, VARY]
    return [*told, _VARY_ORIGIN, (b"access-control-allow-origin", origin), *_PREFLIGHT]


def cors_headers(context: RequestContext) -> tuple[Header, ...]:
    """CORS headers of a response; empty if the page may not read it."""
    if context.method == "OPTIONS":
        return ()  # `options_headers` has already set them
    if context.route_policy.cors_policy is CorsPolicy.ANYONE:
        return (_ANYONE, _EXPOSE)
    caller, origin = context.caller, context.request_headers.get(b"origin")
    if (
        context.route_policy.cors_policy is CorsPolicy.NO_ORIGIN
        or caller is None
        or caller.kind != "public"
        or origin is None
    ):
        return ()
    if _may_read(origin, caller.domains):
        return ((b"access-control-allow-origin", origin), _EXPOSE)
    # the refusal exposes only the requesting origin and nothing of the account, so no headers are exposed
    is_told = context.problem_code == _REFUSAL and _page_origin(origin) is not None
    return ((b"access-control-allow-origin", origin),) if is_told else ()


@lru_cache(_CACHED)
def _may_read(origin: bytes, domains: tuple[str, ...]) -> bool:
    page = _page_origin(origin)
    return page is not None and is_allowed_origin(page, domains)


def _page_origin(origin: bytes) -> Origin | None:
    """The origin of a page; None if it is not one (as `null`) or cannot be sent back."""
    return parse_origin(origin.decode()) if _ORIGIN.fullmatch(origin) else None
