"""CORS: which pages may read a response (docs/contract/keys-and-limits.md 3.2).

A preflight carries no key, so it is answered for any origin and the real request decides. Responses to a
publishable key are readable on its domains, whatever their status. Refusals that tell nothing of an account are
readable on every page, so that developers see why a request failed: those before the key is known, and those that say
that a publishable key does not work there. Responses to secret keys are never readable. Does not belong here: whether
the key works on that page (`api.http.access_control`, `api.auth.allowed_origins`).
"""

import re
from functools import lru_cache
from typing import Final

from api.auth.allowed_origins import Origin, is_allowed_origin, parse_origin
from api.http.authenticator import Caller
from api.http.context import CorsPolicy, RequestContext
from api.http.response_headers import NO_STORE, VARY

Header = tuple[bytes, bytes]

METHODS: Final = "GET, HEAD, OPTIONS"
EXPOSED: Final = (
    "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, "
    "X-RateLimit-Reset, X-Request-Id, Content-Location, Allow, Firm-Release, WWW-Authenticate"
)

_ORIGIN: Final = re.compile(rb"[\x21-\x7e]{1,512}")  # safe to send back as a header
_ASKED: Final = b"access-control-request-method"
_ANYONE: Final = (b"access-control-allow-origin", b"*")
_EXPOSE: Final = (b"access-control-expose-headers", EXPOSED.encode())
_PREFLIGHT: Final = (
    (b"access-control-allow-methods", METHODS.encode()),
    (b"access-control-allow-headers", b"Authorization, If-Modified-Since, If-None-Match, X-Request-Id"),
    (b"access-control-max-age", b"600"),
)
_VARY_ORIGIN: Final = (b"vary", b"Origin")
_KEY_REFUSALS: Final = ("origin_not_allowed", "key_kind_not_allowed")
_CACHED: Final = 4096


def is_preflight(context: RequestContext) -> bool:
    """True if a browser asks whether a page may send a request."""
    headers = context.request_headers
    return context.method == "OPTIONS" and b"origin" in headers and _ASKED in headers


def options_headers(context: RequestContext, allow: str) -> list[Header]:
    """Headers of an OPTIONS response; includes permission if it is a preflight of a route whose answers pages read."""
    told = [(b"allow", allow.encode()), NO_STORE]
    if context.route_policy.cors_policy is CorsPolicy.NO_ORIGIN or not is_preflight(context):
        return [*told, VARY]
    origin = context.request_headers[b"origin"]
    if context.route_policy.cors_policy is CorsPolicy.ANYONE:
        return [*told, VARY, _ANYONE, *_PREFLIGHT]
    if _ORIGIN.fullmatch(origin) is None:
        return [*told, VARY]
    return [*told, _VARY_ORIGIN, (b"access-control-allow-origin", origin), *_PREFLIGHT]


def cors_headers(context: RequestContext) -> tuple[Header, ...]:
    """CORS headers of a response; empty if the page may not read it."""
    if context.method == "OPTIONS":
        return ()  # `options_headers` has already set them
    policy = context.route_policy.cors_policy
    if policy is CorsPolicy.ANYONE:
        return (_ANYONE, _EXPOSE)
    caller, origin = context.caller, context.request_headers.get(b"origin")
    if policy is CorsPolicy.NO_ORIGIN or origin is None:
        return ()
    if caller is None:
        return (_ANYONE, _EXPOSE) if context.problem_code is not None else ()
    return _headers_for_page(context, caller, origin) if caller.kind == "public" else ()


def _headers_for_page(context: RequestContext, caller: Caller, origin: bytes) -> tuple[Header, ...]:
    """CORS headers of a response to a publishable key."""
    if context.route_policy.cors_policy is CorsPolicy.PAGES and _may_read(origin, caller.domains):
        return ((b"access-control-allow-origin", origin), _EXPOSE)
    # the refusal tells nothing of the account; its limits in the headers would, so no headers are exposed
    is_told = context.problem_code in _KEY_REFUSALS and _page_origin(origin) is not None
    return ((b"access-control-allow-origin", origin),) if is_told else ()


@lru_cache(_CACHED)
def _may_read(origin: bytes, domains: tuple[str, ...]) -> bool:
    page = _page_origin(origin)
    return page is not None and is_allowed_origin(page, domains)


def _page_origin(origin: bytes) -> Origin | None:
    """The origin of a page; None if it is not one (as `null`) or cannot be sent back."""
    return parse_origin(origin.decode()) if _ORIGIN.fullmatch(origin) else None
