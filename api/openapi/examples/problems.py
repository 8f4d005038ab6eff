"""The contract's example of every problem: its detail, and its additional members.

See docs/contract/contract.md 4.10. Does not belong here: titles and statuses (`api.problems.catalogue`),
examples of other responses (`api.openapi.examples.companies`).
"""

from typing import Any, Final

from api.problems.catalogue import KINDS

REQUEST_ID: Final = "req_01kaf3v8b7n6m5k4j3h2g1f0e9"
# (code, status): (detail, further members)
_EXAMPLES: Final[dict[tuple[str, int], tuple[str, dict[str, Any]]]] = {
    ("malformed_json", 400): ("Unexpected end of data at byte 17.", {}),
    ("invalid_parameter", 400): (
        "'limit' must be an integer from 1 to 100.",
        {"errors": [{"code": "out_of_range", "detail": "must be an integer from 1 to 100", "parameter": "limit"}]},
    ),
    ("unknown_parameter", 400): (
        "Unknown query parameter 'coutry'. Did you mean 'country'?",
        {"errors": [{"code": "unknown", "detail": "did you mean 'country'?", "parameter": "coutry"}]},
    ),
    ("duplicate_parameter", 400): (
        "'limit' may be given only once.",
        {"errors": [{"code": "duplicate", "detail": "given 2 times", "parameter": "limit"}]},
    ),
    ("api_key_in_url", 400): ("Send the key in the Authorization header and rotate it; URLs are logged.", {}),
    ("invalid_org_number", 400): (
        "'12ab' does not match the number format of any supported market.",
        {
            "errors": [
                {
                    "code": "format",
                    "detail": "see /problems/invalid-org-number for the formats",
                    "parameter": "org_number",
                }
            ]
        },
    ),
    ("invalid_cursor", 400): (
        "The cursor was not issued by this service or was altered.",
        {"errors": [{"code": "invalid", "detail": "start again without a cursor", "parameter": "cursor"}]},
    ),
    ("cursor_mismatch", 400): (
        "The cursor was issued for different filters. Only 'limit' may change between pages.",
        {"errors": [{"code": "mismatch", "detail": "filters differ", "parameter": "cursor"}]},
    ),
    ("cursor_expired", 400): (
        "Cursors are valid for 7 days.",
        {"errors": [{"code": "expired", "detail": "start again without a cursor", "parameter": "cursor"}]},
    ),
    ("market_not_available", 400): (
        "Denmark (DK) is announced but not served yet.",
        {"errors": [{"code": "market_not_available", "detail": "DK is not served yet", "parameter": "country"}]},
    ),
    ("invalid_idempotency_key", 400): (
        "The key must be 1 to 255 printable ASCII characters.",
        {"errors": [{"code": "format", "detail": "1 to 255 printable ASCII characters", "header": "Idempotency-Key"}]},
    ),
    ("missing_api_key", 401): ("Send 'Authorization: Bearer <API_KEY>'.", {}),
    ("invalid_api_key", 401): ("The key is unknown or mistyped.", {}),
    ("revoked_api_key", 401): ("This key was revoked on 2026-11-02. Use another key.", {}),
    ("expired_api_key", 401): ("This key expired on 2026-11-01.", {}),
    ("payment_required", 402): ("The trial ended on 2026-11-14 and no payment succeeded.", {}),
    ("key_kind_not_allowed", 403): ("Publishable keys may only read company data.", {"required_key_kind": "secret"}),
    ("origin_required", 403): (
        "Publishable keys work only from a browser page on an allowed domain. On a server use a secret key.",
        {},
    ),
    ("origin_not_allowed", 403): ("'https://evil.example' is not in this key's allowed domains.", {}),
    ("tier_required", 403): (
        "Webhooks need the Pro or Business tier; this account has 'starter'.",
        {"required_tiers": ["pro", "business"], "current_tier": "starter"},
    ),
    ("subscription_limit_reached", 403): ("This tier allows 10 subscriptions.", {"limit": 10}),
    ("account_suspended", 403): ("Contact support.", {}),
    ("route_not_found", 404): ("There is nothing at /api/v1/company/5599999991.", {}),
    ("company_not_found", 404): (
        "No company 5599999992 is known; its check digit is wrong.",
        {"reason": "check_digit_mismatch"},
    ),
    ("unknown_market", 404): ("'de' is not a market. Markets: us, se, no, fi, uk.", {}),
    ("market_not_available", 404): ("Denmark (dk) is announced but not served yet.", {}),
    ("webhook_not_found", 404): ("No subscription whs_01kaf3w9c8m2v7q4x1z6t5y0r2.", {}),
    ("delivery_not_found", 404): ("No such delivery, or it is older than 30 days.", {}),
    ("replay_not_found", 404): ("No such replay.", {}),
    ("method_not_allowed", 405): ("PUT is not allowed here. Allowed: GET, HEAD, OPTIONS, PATCH, DELETE.", {}),
    ("not_acceptable", 406): ("Only application/json is served.", {}),
    ("idempotency_in_progress", 409): ("A request with the same Idempotency-Key is being processed.", {}),
    ("invalid_state", 409): (
        "The subscription is paused; set status to active before replaying.",
        {"current_status": "paused"},
    ),
    ("precondition_failed", 412): ("The subscription changed since you read it.", {}),
    ("payload_too_large", 413): ("At most 65536 bytes.", {"limit": 65536}),
    ("uri_too_long", 414): ("At most 8192 bytes.", {"limit": 8192}),
    ("unsupported_media_type", 415): ("Send application/json.", {}),
    ("validation_failed", 422): (
        "2 fields are not valid.",
        {
            "errors": [
                {
                    "code": "unknown_event_type",
                    "detail": "'filing.addded' is not an event type; did you mean 'filing.added'?",
                    "pointer": "/event_types/0",
                },
                {"code": "empty_array", "detail": "omit entity_ids to receive all companies", "pointer": "/entity_ids"},
            ]
        },
    ),
    ("endpoint_not_allowed", 422): (
        "The host is not a public internet address.",
        {
            "errors": [
                {"code": "blocked_address", "detail": "must resolve to public addresses", "pointer": "/endpoint_url"}
            ]
        },
    ),
    ("idempotency_key_reused", 422): ("Use a new key for a different request.", {}),
    ("rate_limited", 429): (
        "More than 25 requests per second. Try again in 1 second.",
        {"violated-policies": ["burst"], "retry_after": 1},
    ),
    ("quota_exceeded", 429): (
        "All 60000 requests of November 2026 are used. The quota resets at 2026-12-01T00:00:00Z.",
        {"violated-policies": ["month"], "retry_after": 935269},
    ),
    ("headers_too_large", 431): ("At most 16384 bytes.", {"limit": 16384}),
    ("internal_error", 500): ("Internal error. Quote the request id to support.", {}),
    ("not_implemented", 501): ("The cross-company event stream is planned. Use per-company events or webhooks.", {}),
    ("service_unavailable", 503): (
        "Data is being switched to a new snapshot. Try again in 2 seconds.",
        {"retry_after": 2},
    ),
}


def examples_of_status(status: int, public_url: str) -> dict[str, dict[str, Any]]:
    """The examples of one status, by code."""
    return {
        code: _problem_example(code, status, public_url, *rest)
        for (code, its_status), rest in _EXAMPLES.items()
        if its_status == status
    }


def _problem_example(code: str, status: int, public_url: str, detail: str, more: dict[str, Any]) -> dict[str, Any]:
    kind = KINDS[code]
    return {
        "type": kind.type_url(public_url),
        "title": kind.title,
        "status": status,
        "detail": detail,
        "instance": f"/requests/{REQUEST_ID}",
        "code": code,
        "request_id": REQUEST_ID,
    } | more
