"""Response headers as components of the OpenAPI document, and which of them a response carries.

Does not belong here: headers of deliveries (`api.webhooks.schemas.payloads`), or producing a header
(`api.http.release_headers`, `api.http.responses`, `api.rate_limits.limiter`).
"""

from collections.abc import Iterable
from typing import Any, Final

from api.openapi.schema_types import INT64, Schema, integer_schema, text_schema

_NAME: Final = '"[a-z-]+"'
_DATE: Final = "^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$"
_POLICY: Final = f"{_NAME};q=[0-9]+;w=[0-9]+"
_LIMIT: Final = f"{_NAME};r=[0-9]+;t=[0-9]+"

_HEADERS: Final[dict[str, Schema]] = {
    "X-Request-Id": text_schema(
        64, "The request's X-Request-Id if it has this format, otherwise a generated id.",
        pattern="^[A-Za-z0-9_-]{8,64}$",
    ),
    "X-Content-Type-Options": {"type": "string", "description": "Always nosniff.", "enum": ["nosniff"]},
    "Cache-Control": text_schema(100, "How long the response may be cached.", pattern="^[a-z0-9=, -]+$"),
    "Vary": text_schema(100, "Request headers the response depends on.", pattern="^[A-Za-z-]+(, [A-Za-z-]+)*$"),
    "ETag": text_schema(20, "Depends on the content only; the same for every key.", pattern='^W/"[0-9a-f]{16}"$'),
    "Revision": text_schema(21, "Revision of the subscription, for If-Match.", pattern='^"[0-9]+"$'),
    "Location": text_schema(2048, "Path of the created resource.", pattern="^/api/[!-~]+$"),
    "Idempotency-Replayed": {
        "type": "string",
        "description": "Sent if the response is the stored one of the first request with this "
                       "Idempotency-Key.",
        "enum": ["true"],
    },
    "Last-Modified": text_schema(29, "When the release was built.", pattern=_DATE),
    "Firm-Release": text_schema(19, "Number of the data release the response comes from.", pattern="^[0-9]+$"),
    "Link": text_schema(9000, 'The next page, rel="next".', pattern='^<[^<>]+>; rel="[a-z]+"$'),
    "Content-Location": text_schema(
        9000, "The canonical path, if the request used another form of the number.", pattern="^/api/[!-~]+$"
    ),
    "Retry-After": integer_schema(0, 3_000_000, "Seconds to wait; the same as `retry_after` in the body."),
    "Retry-Soon": integer_schema(1, 60, "With idempotency_in_progress: seconds to wait."),
    "WWW-Authenticate": text_schema(
        100, "How to authenticate.", pattern='^Bearer realm="firm"(, error="invalid_token")?$'
    ),
    "Allow": text_schema(100, "Methods supported by the resource.", pattern="^[A-Z]+(, [A-Z]+)*$"),
    "Access-Control-Allow-Origin": text_schema(
        2048,
        "With a publishable key the page's origin; `*` for operations without a key; absent with a "
        "secret key.",
        pattern=r"^(\*|https?://[!-~]+)$",
    ),
    "Access-Control-Expose-Headers": text_schema(
        500, "Response headers a page may read.", pattern="^[A-Za-z-]+(, [A-Za-z-]+)*$"
    ),
    "RateLimit-Policy": text_schema(
        500, "Quotas (q) and their windows in seconds (w).", pattern=f"^{_POLICY}(, {_POLICY})*$"
    ),
    "RateLimit": text_schema(
        500, "Remaining requests (r) and seconds until the reset (t).", pattern=f"^{_LIMIT}(, {_LIMIT})*$"
    ),
    "X-RateLimit-Limit": integer_schema(0, INT64, "Requests allowed per month."),
    "X-RateLimit-Remaining": integer_schema(0, INT64, "Requests remaining this month."),
    "X-RateLimit-Reset": integer_schema(0, INT64, "End of the month, as a Unix timestamp."),
}  # fmt: skip
# Components for a header of another name: the ETag of webhook resources is strong and a revision; Retry-After
# is optional on conflicts.
_SENT_AS: Final = {"Revision": "ETag", "Retry-Soon": "Retry-After"}
_EXAMPLES: Final[dict[str, Any]] = {
    "Revision": '"3"',
    "Location": "/api/v1/webhooks/whs_01kaf3w9c8m2v7q4x1z6t5y0r2",
    "X-Request-Id": "req_01kaf3v8b7n6m5k4j3h2g1f0e9",
    "ETag": 'W/"0f343b0931126a20"',
    "Last-Modified": "Fri, 20 Nov 2026 03:30:00 GMT",
    "RateLimit-Policy": '"burst";q=50;w=2, "month";q=60000;w=2592000',
    "RateLimit": '"burst";r=49;t=1, "month";r=58796;t=935269',
    "X-RateLimit-Limit": 60000,
    "X-RateLimit-Remaining": 58796,
    "X-RateLimit-Reset": 1796083200,
}
# On every response.
_EVERYWHERE: Final = ("X-Request-Id", "X-Content-Type-Options", "Cache-Control", "Vary")
_AUTHENTICATED: Final = (
    "RateLimit-Policy",
    "RateLimit",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
)
_SHARED: Final = ("Access-Control-Allow-Origin", "Access-Control-Expose-Headers")
_BY_STATUS: Final = {
    401: ("WWW-Authenticate",),
    405: ("Allow",),
    409: ("Retry-Soon",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}

# Response types, and the additional headers of each.
OF_DOCUMENT: Final = ("ETag",)
OF_DATA: Final = ("ETag", "Last-Modified", "Firm-Release")
OF_PAGE: Final = (*OF_DATA, "Link")
OF_ACCOUNT: Final = ()
OF_ACCOUNT_PAGE: Final = ("Link",)
OF_SUBSCRIPTION: Final = ("Revision",)
OF_POST: Final = ("Idempotency-Replayed",)


def schema_components() -> dict[str, Schema]:
    """`components.headers`. A header is required if every response that lists it has it."""
    always = (*_EVERYWHERE, *OF_DATA, "Revision", "Location", "Retry-After", "WWW-Authenticate", "Allow")
    return {name: _header_object(name, schema, required=name in always) for name, schema in _HEADERS.items()}


def success_headers(more: Iterable[str], *, is_public: bool) -> dict[str, Schema]:
    return _header_references(
        (*_EVERYWHERE, *more, "Content-Location", *(() if is_public else _AUTHENTICATED), *_SHARED)
    )


def problem_headers(status: int) -> dict[str, Schema]:
    """Headers of an error. Errors before authentication lack the rate limit headers, so those are not required."""
    return _header_references((*_EVERYWHERE, *_BY_STATUS.get(status, ()), *_AUTHENTICATED, *_SHARED))


def _header_references(names: Iterable[str]) -> dict[str, Schema]:
    return {_SENT_AS.get(name, name): {"$ref": f"#/components/headers/{name}"} for name in names}


def _header_object(name: str, schema: Schema, *, required: bool) -> Schema:
    bare = {key: value for key, value in schema.items() if key != "description"}
    described: Schema = {"description": schema["description"], "required": required, "schema": bare}
    return described | ({"example": _EXAMPLES[name]} if name in _EXAMPLES else {})
