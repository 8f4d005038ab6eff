"""Error responses as problem+json (RFC 9457), and the catalogue of their types (docs/contract/contract.md 4.10).

The catalogue has one row per code: status, fixed title, and text of the help page; clients switch on the stable `code`.
Exception tree: `ProblemError` (carries a `ProblemType` of `KINDS`). Code anywhere in `api` raises `new_problem(code,
detail, …)`; `render_problem` builds the body, `api.http.middleware` and the exception handlers of `api.app` send it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from api.common.redaction import redact
from warehouse.schema.codes import SERVED
from warehouse.schema.identifiers import BY_FORM

# The two 429s use the problem type that IANA registered for the RateLimit fields.
QUOTA_TYPE: Final = "https://iana.org/assignments/http-problem-types#quota-exceeded"
_QUOTA_TITLE: Final = "Request cannot be satisfied as assigned quota has been exceeded"
_FORMATS: Final = " ".join(
    f"{market.name}: {market.number.in_words}." for market in BY_FORM if market.state == "served"
)
_QUOTA_CODES: Final = ("rate_limited", "quota_exceeded")


@dataclass(frozen=True, slots=True)
class ProblemType:
    """One type of error; `fix` is the advice to clients. `[[…]]` is a figure of the settings.

    See `api.openapi.setting_words`.
    """

    code: str
    status: int
    title: str
    explanation: str
    fix: str
    other_statuses: tuple[int, ...] = ()

    @property
    def slug(self) -> str:
        return self.code.replace("_", "-")

    def type_url(self, public_url: str) -> str:
        return QUOTA_TYPE if self.code in _QUOTA_CODES else f"{public_url}/problems/{self.slug}"


_ALL: Final = (
    ProblemType("malformed_request", 400, "Request is not valid HTTP", "The request could not be parsed as HTTP/1.1.",
         "Use an HTTP library; send at most 16 requests before reading a response."),
    ProblemType("malformed_json", 400, "Request body is not valid JSON", "The body could not be parsed.",
         "Send one JSON object in UTF-8."),
    ProblemType("invalid_parameter", 400, "A parameter is invalid",
         "A parameter or header has a value that is not allowed.",
         "See errors[]: each entry names a parameter and what it must be."),
    ProblemType("unknown_parameter", 400, "Unknown parameter", "The operation has no such query parameter.",
         "Check the spelling against /api/openapi.json."),
    ProblemType("duplicate_parameter", 400, "A parameter was given twice", "Each parameter may be given only once.",
         "Separate several values by commas where they are allowed."),
    ProblemType("api_key_in_url", 400, "API key in the URL", "The URL contains an API key, and URLs are logged.",
         "Revoke the key, create a new one and send it in the Authorization header."),
    ProblemType("invalid_org_number", 400, "Not a company number",
                "The number does not match the format of any supported "
                                                            "market.",
         f"{_FORMATS} Or a full id, as firm:SE:5599999991."),
    ProblemType("invalid_cursor", 400, "Cursor is not valid",
         "The cursor was not issued by this service or was altered.",
         "Start again without a cursor."),
    ProblemType("cursor_mismatch", 400, "Cursor belongs to another query",
         "A cursor is valid only for the query that returned it.",
         "Repeat all parameters of the first request; only 'limit' may change."),
    ProblemType("cursor_expired", 400, "Cursor has expired", "Cursors are valid for 7 days.",
         "Start again without a cursor."),
    ProblemType("market_not_available", 400, "Market is not served yet",
         "The market is announced but not served yet.",
         f"Use one of the served markets: {', '.join(SERVED).lower()}.", other_statuses=(404,)),
    ProblemType("invalid_idempotency_key", 400, "Idempotency-Key is not valid",
                "The header's value is not allowed.",
         "Send 1 to 255 printable ASCII characters."),
    ProblemType("missing_api_key", 401, "API key required", "The request carries no API key.",
         "Send 'Authorization: Bearer <API_KEY>'."),
    ProblemType("invalid_api_key", 401, "API key is not valid", "The key is unknown or mistyped.",
         "Check the key; it begins with firm_live_, firm_secret_ or firm_public_."),
    ProblemType("revoked_api_key", 401, "API key was revoked",
         "The key was revoked by its owner.", "Use another key."),
    ProblemType("expired_api_key", 401, "API key has expired", "The key's expiry date has passed.",
         "Create a new key."),
    ProblemType("payment_required", 402, "Subscription is not active", "The trial ended or a payment failed.",
         "Choose a plan or complete the payment on the dashboard page /dashboard/plan."),
    ProblemType("key_kind_not_allowed", 403, "Not allowed with this type of key",
         "Publishable keys may only read company data.", "Use a secret key, on a server."),
    ProblemType("origin_required", 403, "Origin required", "Publishable keys work only from a browser page.",
         "Call from a page on an allowed domain, or use a secret key on a server."),
    ProblemType("origin_not_allowed", 403, "Origin is not allowed",
         "The page's domain is not among the key's domains.",
         "Add the domain to the key, or use another key."),
    ProblemType("tier_required", 403, "Not included in your tier",
                "The account's tier does not include this feature.",
         "Change to one of required_tiers."),
    ProblemType("subscription_limit_reached", 403, "Too many webhook subscriptions",
         "The tier's limit of subscriptions is reached.",
         "Delete a subscription or change the tier."),
    ProblemType("watchlist_limit_reached", 403, "Too many watchlists or companies on them",
         "The limit of watchlists, or the tier's limit of companies on all of them, is reached.",
         "Remove companies, delete a watchlist or change the tier."),
    ProblemType("account_suspended", 403, "Account is suspended", "The account may not use the service.",
         "Contact support."),
    ProblemType("route_not_found", 404, "No such resource", "There is nothing at this path.",
         "Check the path against /api/openapi.json."),
    ProblemType("company_not_found", 404, "Company not found",
         "The number is well-formed, but no such company is known.",
         "Read reason: not_found, check_digit_mismatch or wrong_market."),
    ProblemType("company_not_known_then", 404, "Nothing was known of the company then",
         "The day or instant is before the first known state of the company, or before the history that is kept.",
         "Read reason: not_known_yet or before_history; ask for a later as_of or known_at."),
    ProblemType("unknown_market", 404, "No such market", "The path names a market that does not exist.",
         "Use one of us, se, no, fi, uk."),
    ProblemType("webhook_not_found", 404, "Webhook subscription not found", "The account has no such subscription.",
         "List the subscriptions."),
    ProblemType("watchlist_not_found", 404, "Watchlist not found", "The account has no such watchlist.",
         "List the watchlists."),
    ProblemType("delivery_not_found", 404, "Delivery not found",
         "There is no such delivery, or it is older than [[retention]].",
         "List the deliveries."),
    ProblemType("replay_not_found", 404, "Replay not found", "The account has no such replay.", "Check the id."),
    ProblemType("export_not_available", 404, "No such export",
         "The link leads to no export: it has expired, or was never issued.",
         "List the exports again; links are valid for 15 minutes."),
    ProblemType("method_not_allowed", 405, "Method not allowed", "The resource does not support this method.",
         "Use one of the methods in the Allow header."),
    ProblemType("not_acceptable", 406, "Not acceptable", "Only application/json is served.",
         "Send 'Accept: application/json', or no Accept header."),
    ProblemType("request_timeout", 408, "Request took too long to arrive",
         "The request line, the headers or the body arrived too slowly.",
         "Send the whole request at once; repeat it on a new connection."),
    ProblemType("idempotency_in_progress", 409, "Idempotency-Key is in use",
         "A request with the same Idempotency-Key is being processed.", "Repeat after Retry-After."),
    ProblemType("watchlist_in_use", 409, "Watchlist is in use",
         "A webhook subscription filters by the watchlist; without it, it would match all companies or none.",
         "Change the filter of the subscriptions in subscription_ids, or delete them; then delete the watchlist."),
    ProblemType("invalid_state", 409, "Not possible in the current state",
                "The object's state does not allow this.",
         "Change the state first."),
    ProblemType("precondition_failed", 412, "Precondition failed", "The object changed since it was read.",
         "Read it again and repeat the request."),
    ProblemType("payload_too_large", 413, "Request body is too large", "The body is larger than limit bytes.",
         "Send less data."),
    ProblemType("uri_too_long", 414, "URL is too long", "The URL is longer than limit bytes.", "Send less data."),
    ProblemType("unsupported_media_type", 415, "Unsupported media type", "Bodies are application/json.",
         "Send 'Content-Type: application/json'."),
    ProblemType("range_not_satisfiable", 416, "Range is not in the file",
         "The file has no byte of the requested range.",
         "Ask for bytes within the size that Content-Range names; a complete download needs nothing more."),
    ProblemType("validation_failed", 422, "Request is not valid",
         "The body was read, but its content is not allowed.",
         "See errors[]."),
    ProblemType("endpoint_not_allowed", 422, "Endpoint URL is not allowed",
         "Deliveries cannot be sent to this address.",
         "Use a public https address."),
    ProblemType("idempotency_key_reused", 422, "Idempotency-Key was used for another request",
         "The key belongs to a request with another body.", "Use a new key."),
    ProblemType("rate_limited", 429, _QUOTA_TITLE, "Too many requests within a second.", "Wait for Retry-After."),
    ProblemType("quota_exceeded", 429, _QUOTA_TITLE, "All requests of the month are used.",
         "Wait for the next month or change the tier."),
    ProblemType("headers_too_large", 431, "Request headers are too large",
         "The headers are larger than limit bytes.",
         "Send less data."),
    ProblemType("internal_error", 500, "Internal error", "The service failed to process the request.",
         "Try again later; quote the request id to support."),
    ProblemType("service_unavailable", 503, "Temporarily unavailable", "The service cannot respond at the moment.",
         "Repeat after Retry-After."),
)  # fmt: skip

KINDS: Final = {kind.code: kind for kind in _ALL}
BY_SLUG: Final = {kind.slug: kind for kind in _ALL}


MEDIA_TYPE: Final = b"application/problem+json"
_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class ProblemDetail:
    """One entry of `errors[]`: the error in one parameter, header or body member."""

    code: str
    detail: str
    parameter: str | None = None
    pointer: str | None = None
    header: str | None = None

    def members(self) -> dict[str, str]:
        places = {"pointer": self.pointer, "parameter": self.parameter, "header": self.header}
        named = {name: place for name, place in places.items() if place is not None}
        return {"code": self.code, "detail": self.detail} | named


@dataclass(eq=False, slots=True)
class ProblemError(Exception):
    """An error response. `extra`: further members of the body; `headers`: further response headers."""

    problem_type: ProblemType
    status: int
    detail: str
    errors: Sequence[ProblemDetail] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    headers: Sequence[tuple[bytes, bytes]] = ()

    def __str__(self) -> str:
        return f"{self.status} {self.problem_type.code}: {self.detail}"


def new_problem(
    code: str,
    detail: str,
    *errors: ProblemDetail,
    status: int | None = None,
    headers: Sequence[tuple[bytes, bytes]] = (),
    **extra: Any,
) -> ProblemError:
    """Creates a `ProblemError` by code; `status` overrides the type's own."""
    kind = KINDS[code]
    return ProblemError(kind, status or kind.status, detail, errors, extra, headers)


def not_found_problem(path: str) -> ProblemError:
    """404 for an unknown path; secrets in the path are redacted."""
    return new_problem("route_not_found", f"There is nothing at {redact(path)[:_SHOWN]}.")


def service_unavailable_problem(reason: str, retry_after: int) -> ProblemError:
    """503 for failures on our side; `retry_after` in seconds, in body and header."""
    detail = f"{reason} Try again in {retry_after} seconds."
    headers = [(b"retry-after", b"%d" % retry_after)]
    return new_problem("service_unavailable", detail, headers=headers, retry_after=retry_after)


def parameter_problem(parameter: str, code: str, requirement: str) -> ProblemError:
    """400 for an invalid query parameter; `requirement` continues «'limit' …»."""
    return new_problem(
        "invalid_parameter", f"'{parameter}' {requirement}.", ProblemDetail(code, requirement, parameter=parameter)
    )


def render_problem(problem: ProblemError, request_id: str, public_url: str) -> bytes:
    """The JSON body: the mandatory members in the contract's order, then the others."""
    body: dict[str, Any] = {
        "type": problem.problem_type.type_url(public_url),
        "title": problem.problem_type.title,
        "status": problem.status,
        "detail": problem.detail,
        "instance": f"/requests/{request_id}",
        "code": problem.problem_type.code,
        "request_id": request_id,
    }
    if problem.errors:
        body["errors"] = [error.members() for error in problem.errors]
    return msgspec.json.encode(body | dict(problem.extra))
