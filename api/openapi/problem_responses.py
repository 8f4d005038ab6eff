"""Model of problem+json, and one documented response per status, with the contract's example of every problem.

See docs/contract/contract.md 4.10. The examples are rendered as the service renders problems. Does not belong here:
the catalogue of types (`api.problems.problem`).
"""

from collections.abc import Collection
from typing import Annotated, Any, Final

import msgspec

from api.openapi import response_headers
from api.openapi.examples.problems import PROBLEMS
from api.problems.problem import KINDS, render_problem
from api.schemas import declare
from api.schemas.declare import ECHO, OMITTED, ResponseModel
from api.schemas.json_schema import Schema, schema_reference

REQUEST_ID: Final = "req_01kaf3v8b7n6m5k4j3h2g1f0e9"


def examples_of_status(status: int, public_url: str) -> dict[str, dict[str, Any]]:
    """The examples of one status, by code."""
    return {
        one.problem_type.code: msgspec.json.decode(render_problem(one, REQUEST_ID, public_url))
        for one in PROBLEMS
        if one.status == status
    }


_TierName = Annotated[str, declare.text(60, "Name of a tier.", pattern="^[a-z][a-z0-9_-]*$")]


class InputError(ResponseModel):
    """One invalid input."""

    code: str = declare.open_word(("format", "out_of_range", "unknown_value"), "What is wrong with the input.")
    detail: str = declare.text(1000, "What the input must be.", pattern=ECHO)
    parameter: str = declare.text(100, "Name of the query or path parameter.", pattern=ECHO, default=None)
    pointer: str = declare.text(1000, "JSON Pointer into the body.", pattern="^(/[^/]*)*$", default=None)
    header: str = declare.text(100, "Header.", pattern="^[A-Za-z0-9-]+$", default=None)


class Problem(ResponseModel):
    """An error (RFC 9457)."""

    type: str = declare.url("URL of a page that explains the problem.")
    title: str = declare.text(200, "Title; the same for every problem of the type.")
    status: int = declare.integer(400, 599, "The HTTP status.")
    detail: str = declare.text(9000, "Human-readable description of this occurrence; may change.", pattern=ECHO)
    instance: str = declare.text(100, "Identifier of this occurrence.", pattern="^/requests/[A-Za-z0-9_-]{8,64}$")
    code: str = declare.open_word(sorted(KINDS), "Stable code for programs.")
    request_id: str = declare.text(64, "Quote it to support.", pattern="^[A-Za-z0-9_-]{8,64}$")
    errors: list[InputError] = declare.array(100, "With input errors: one entry per invalid input.", default=None)
    reason: str = declare.open_word(
        ("not_found", "check_digit_mismatch", "wrong_market", "not_known_yet", "before_history"),
        "With company_not_found and company_not_known_then.",
        default=None,
    )
    limit: int = declare.integer(0, 2**53, "The limit that was exceeded: bytes, values, subscriptions.", default=None)
    required_key_kind: str = declare.open_word(("secret",), "With key_kind_not_allowed.", default=None)
    required_tiers: list[_TierName] = declare.array(20, "With tier_required.", default=None)
    current_tier: _TierName = OMITTED
    current_status: str = declare.open_word(("active", "paused", "canceled"), "With invalid_state.", default=None)
    subscription_ids: list[Annotated[str, declare.natural_id("whs", "A subscription.")]] = declare.array(
        100, "With watchlist_in_use: the subscriptions that filter by it.", default=None
    )
    violated_policies: list[
        Annotated[str, declare.text(60, "Name of a policy in RateLimit-Policy.", pattern="^[a-z-]+$")]
    ] = declare.array(10, "With 429.", alias="violated-policies", default=None)
    retry_after: int = declare.integer(
        0, 3_000_000, "Seconds to wait; the same as the Retry-After header.", default=None
    )


_NAMES: Final = {
    400: "BadRequest",
    401: "Unauthorized",
    402: "PaymentRequired",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    406: "NotAcceptable",
    408: "RequestTimeout",
    409: "Conflict",
    412: "PreconditionFailed",
    413: "PayloadTooLarge",
    414: "UriTooLong",
    415: "UnsupportedMediaType",
    416: "RangeNotSatisfiable",
    422: "UnprocessableContent",
    429: "TooManyRequests",
    431: "HeadersTooLarge",
    500: "InternalError",
    503: "ServiceUnavailable",
}


_OF_ALL: Final = (400, 405, 408, 414, 431, 500)  # errors that public documents can have too
_OF_SOME: Final = (409, 412, 416, 422)  # only for operations that change something, or that send ranges of files


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
        "content": {"application/problem+json": {"schema": schema_reference(Problem), "examples": examples}},
    }
