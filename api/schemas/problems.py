"""Schema of problem+json, and one documented response per status (CONTRACT 4.10).

Does not belong here: the kinds themselves (`api.problem_kinds`).
"""

from typing import Any, Final

from api.problem_kinds import KINDS
from api.schemas.kinds import Schema, array, integer, record, ref, text

_REQUEST_ID: Final = text(64, "Quote it to support.", pattern="^[A-Za-z0-9_-]{8,64}$")
_ERROR: Final = {
    "code": text(60, "What is wrong with this input."),
    "detail": text(1000, "What it must be."),
    "parameter": text(100, "Query or path parameter."),
    "pointer": text(1000, "JSON pointer into the body."),
    "header": text(100, "Header."),
}
_PROBLEM: Final = {
    "type": {"type": "string", "format": "uri", "description": "A page that explains it.", "maxLength": 2048},
    "title": text(200, "Fixed per type."),
    "status": integer(400, 599, "The HTTP status."),
    "detail": text(9000, "About this occurrence; may change."),
    "instance": text(100, "This occurrence."),
    "code": {"type": "string", "enum": sorted(KINDS), "description": "The stable switch."},
    "request_id": _REQUEST_ID,
    "errors": array(ref("InputError"), 100, "For input errors."),
}
_NAMES: Final = {
    400: "BadRequest",
    401: "Unauthorized",
    402: "PaymentRequired",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    406: "NotAcceptable",
    413: "PayloadTooLarge",
    414: "UriTooLong",
    415: "UnsupportedMediaType",
    429: "TooManyRequests",
    431: "HeadersTooLarge",
    500: "InternalError",
    503: "ServiceUnavailable",
}


def components() -> dict[str, Any]:
    """Named schemas of errors."""
    return {
        "InputError": record("One input that is wrong.", _ERROR, "parameter", "pointer", "header"),
        "Problem": record("An error (RFC 9457).", _PROBLEM, "errors"),
    }


def responses(public_url: str) -> dict[str, Schema]:
    """`components.responses`: one per status, with an example of each of its codes."""
    return {name: _response(status, public_url) for status, name in _NAMES.items()}


def documented() -> dict[str, Schema]:
    """What an operation lists: every error it may answer."""
    return {str(status): {"$ref": f"#/components/responses/{name}"} for status, name in _NAMES.items()}


def _response(status: int, public_url: str) -> Schema:
    kinds = [kind for kind in KINDS.values() if status in (kind.status, *kind.other_statuses)]
    examples = {
        kind.code: {
            "summary": kind.explanation,
            "value": {
                "type": kind.type_url(public_url),
                "title": kind.title,
                "status": status,
                "detail": kind.explanation,
                "instance": "/requests/req_01kaf3v8b7n6m5k4j3h2g1f0e9",
                "code": kind.code,
                "request_id": "req_01kaf3v8b7n6m5k4j3h2g1f0e9",
            },
        }
        for kind in kinds
    }
    headers = {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}}
    if status in (429, 503):
        headers["Retry-After"] = {"$ref": "#/components/headers/RetryAfter"}
    if status == 401:  # noqa: PLR2004
        headers["WWW-Authenticate"] = {"$ref": "#/components/headers/WwwAuthenticate"}
    if status == 405:  # noqa: PLR2004
        headers["Allow"] = {"$ref": "#/components/headers/Allow"}
    return {
        "description": "; ".join(dict.fromkeys(kind.title for kind in kinds)) + ".",
        "headers": headers,
        "content": {"application/problem+json": {"schema": ref("Problem"), "examples": examples}},
    }
