"""Schema of problem+json, and one documented response per status, with the contract's example of every problem.

See docs/contract/contract.md 4.10. The examples are rendered as the service renders problems. Does not belong here:
the catalogue of types (`api.problems.catalogue`).
"""

from collections.abc import Collection
from typing import Any, Final

import msgspec

from api.openapi import response_headers
from api.openapi.examples.problems import PROBLEMS
from api.openapi.schema_types import (
    ECHO,
    Schema,
    array_schema,
    enum_schema,
    integer_schema,
    object_schema,
    schema_reference,
    text_schema,
)
from api.problems.catalogue import KINDS
from api.problems.problem import render_problem

REQUEST_ID: Final = "req_01kaf3v8b7n6m5k4j3h2g1f0e9"


def examples_of_status(status: int, public_url: str) -> dict[str, dict[str, Any]]:
    """The examples of one status, by code."""
    return {
        one.problem_type.code: msgspec.json.decode(render_problem(one, REQUEST_ID, public_url))
        for one in PROBLEMS
        if one.status == status
    }


_REQUEST_ID: Final = text_schema(64, "Quote it to support.", pattern="^[A-Za-z0-9_-]{8,64}$")
_ERROR: Final = {
    "code": enum_schema(("format", "out_of_range", "unknown_value"), "What is wrong with the input.", open_ended=True),
    "detail": text_schema(1000, "What the input must be.", pattern=ECHO),
    "parameter": text_schema(100, "Name of the query or path parameter.", pattern=ECHO),
    "pointer": text_schema(1000, "JSON Pointer into the body.", pattern="^(/[^/]*)*$"),
    "header": text_schema(100, "Header.", pattern="^[A-Za-z0-9-]+$"),
}
_ALWAYS: Final = {
    "type": {
        "type": "string",
        "format": "uri",
        "description": "URL of a page that explains the problem.",
        "maxLength": 2048,
    },
    "title": text_schema(200, "Title; the same for every problem of the type."),
    "status": integer_schema(400, 599, "The HTTP status."),
    "detail": text_schema(9000, "Human-readable description of this occurrence; may change.", pattern=ECHO),
    "instance": text_schema(100, "Identifier of this occurrence.", pattern="^/requests/[A-Za-z0-9_-]{8,64}$"),
    "code": enum_schema(sorted(KINDS), "Stable code for programs.", open_ended=True),
    "request_id": _REQUEST_ID,
}
_TIER: Final = text_schema(60, "Name of a tier.", pattern="^[a-z][a-z0-9_-]*$")
_REASONS: Final = ("not_found", "check_digit_mismatch", "wrong_market")
_SOMETIMES: Final = {
    "errors": array_schema(schema_reference("InputError"), 100, "With input errors: one entry per invalid input."),
    "reason": enum_schema(_REASONS, "With company_not_found.", open_ended=True),
    "limit": integer_schema(0, 2**53, "The limit that was exceeded: bytes or subscriptions."),
    "required_key_kind": enum_schema(("secret",), "With key_kind_not_allowed.", open_ended=True),
    "required_tiers": array_schema(_TIER, 20, "With tier_required."),
    "current_tier": _TIER,
    "current_status": enum_schema(("active", "paused", "canceled"), "With invalid_state.", open_ended=True),
    "violated-policies": array_schema(
        text_schema(60, "Name of a policy in RateLimit-Policy.", pattern="^[a-z-]+$"), 10, "With 429."
    ),
    "retry_after": integer_schema(0, 3_000_000, "Seconds to wait; the same as the Retry-After header."),
}
_NAMES: Final = {
    400: "BadRequest",
    401: "Unauthorized",
    402: "PaymentRequired",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    406: "NotAcceptable",
    409: "Conflict",
    412: "PreconditionFailed",
    413: "PayloadTooLarge",
    414: "UriTooLong",
    415: "UnsupportedMediaType",
    422: "UnprocessableContent",
    429: "TooManyRequests",
    431: "HeadersTooLarge",
    500: "InternalError",
    503: "ServiceUnavailable",
}


_OF_ALL: Final = (400, 405, 414, 431, 500)  # errors that public documents can have too
_OF_SOME: Final = (409, 412, 422)  # only for operations that change something


def schema_components() -> dict[str, Any]:
    """Named schemas of errors."""
    return {
        "InputError": object_schema("One invalid input.", _ERROR, "parameter", "pointer", "header"),
        "Problem": object_schema("An error (RFC 9457).", _ALWAYS | _SOMETIMES, *_SOMETIMES),
    }


def response_components(public_url: str) -> dict[str, Schema]:
    """`components.responses`: one per status, with the contract's example of each of its codes."""
    return {name: _response_object(status, public_url) for status, name in _NAMES.items()}


def response_references(error_statuses: Collection[int], *, is_public: bool) -> dict[str, Schema]:
    """The documented errors of an operation; `error_statuses` are those that only few operations have."""
    listed = set(_OF_ALL if is_public else _NAMES) - set(_OF_SOME) | set(error_statuses)
    return {
        str(status): {"$ref": f"#/components/responses/{name}"} for status, name in _NAMES.items() if status in listed
    }


def _response_object(status: int, public_url: str) -> Schema:
    values = examples_of_status(status, public_url)
    examples = {code: {"summary": KINDS[code].explanation, "value": value} for code, value in values.items()}
    return {
        "description": "; ".join(dict.fromkeys(KINDS[code].title for code in values)) + ".",
        "headers": response_headers.problem_headers(status),
        "content": {"application/problem+json": {"schema": schema_reference("Problem"), "examples": examples}},
    }
