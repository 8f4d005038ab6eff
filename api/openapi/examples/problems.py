"""The contract's example of every problem (docs/contract/contract.md 4.10).

Does not belong here: how the document renders them (`api.openapi.problem_responses`).
"""

from typing import Final

from api.problems.problem import ProblemDetail, new_problem

PROBLEMS: Final = (
    new_problem("malformed_json", "Unexpected end of data at byte 17."),
    new_problem(
        "invalid_parameter",
        "'limit' must be an integer from 1 to 100.",
        ProblemDetail("out_of_range", "must be an integer from 1 to 100", parameter="limit"),
    ),
    new_problem(
        "unknown_parameter",
        "Unknown query parameter 'coutry'. Did you mean 'country'?",
        ProblemDetail("unknown", "did you mean 'country'?", parameter="coutry"),
    ),
    new_problem(
        "duplicate_parameter",
        "'limit' may be given only once.",
        ProblemDetail("duplicate", "given 2 times", parameter="limit"),
    ),
    new_problem("api_key_in_url", "Send the key in the Authorization header and rotate it; URLs are logged."),
    new_problem(
        "invalid_org_number",
        "'12ab' does not match the number format of any supported market.",
        ProblemDetail("format", "see /problems/invalid-org-number for the formats", parameter="org_number"),
    ),
    new_problem(
        "invalid_cursor",
        "The cursor was not issued by this service or was altered.",
        ProblemDetail("invalid", "start again without a cursor", parameter="cursor"),
    ),
    new_problem(
        "cursor_mismatch",
        "The cursor was issued for different filters. Only 'limit' may change between pages.",
        ProblemDetail("mismatch", "filters differ", parameter="cursor"),
    ),
    new_problem(
        "cursor_expired",
        "Cursors are valid for 7 days.",
        ProblemDetail("expired", "start again without a cursor", parameter="cursor"),
    ),
    new_problem(
        "market_not_available",
        "Denmark (DK) is announced but not served yet.",
        ProblemDetail("market_not_available", "DK is not served yet", parameter="country"),
    ),
    new_problem(
        "invalid_idempotency_key",
        "The key must be 1 to 255 printable ASCII characters.",
        ProblemDetail("format", "1 to 255 printable ASCII characters", header="Idempotency-Key"),
    ),
    new_problem("missing_api_key", "Send 'Authorization: Bearer <API_KEY>'."),
    new_problem("invalid_api_key", "The key is unknown or mistyped."),
    new_problem("revoked_api_key", "This key was revoked on 2026-11-02. Use another key."),
    new_problem("expired_api_key", "This key expired on 2026-11-01."),
    new_problem("payment_required", "The trial ended on 2026-11-14 and no payment succeeded."),
    new_problem("key_kind_not_allowed", "Publishable keys may only read company data.", required_key_kind="secret"),
    new_problem(
        "origin_required",
        "Publishable keys work only from a browser page on an allowed domain. On a server use a secret key.",
    ),
    new_problem("origin_not_allowed", "'https://evil.example' is not in this key's allowed domains."),
    new_problem(
        "tier_required",
        "Webhooks need the Pro or Business tier; this account has 'starter'.",
        required_tiers=["pro", "business"],
        current_tier="starter",
    ),
    new_problem("subscription_limit_reached", "This tier allows 10 subscriptions.", limit=10),
    new_problem("account_suspended", "Contact support."),
    new_problem("route_not_found", "There is nothing at /api/v1/company/5599999991."),
    new_problem(
        "company_not_found", "No company 5599999992 is known; its check digit is wrong.", reason="check_digit_mismatch"
    ),
    new_problem("unknown_market", "'de' is not a market. Markets: us, se, no, fi, uk."),
    new_problem("market_not_available", "Denmark (dk) is announced but not served yet.", status=404),
    new_problem("webhook_not_found", "No subscription whs_01kaf3w9c8m2v7q4x1z6t5y0r2."),
    new_problem("delivery_not_found", "No such delivery, or it is older than 30 days."),
    new_problem("replay_not_found", "No such replay."),
    new_problem("method_not_allowed", "PUT is not allowed here. Allowed: GET, HEAD, OPTIONS, PATCH, DELETE."),
    new_problem("not_acceptable", "Only application/json is served."),
    new_problem("idempotency_in_progress", "A request with the same Idempotency-Key is being processed."),
    new_problem(
        "invalid_state", "The subscription is paused; set status to active before replaying.", current_status="paused"
    ),
    new_problem("precondition_failed", "The subscription changed since you read it."),
    new_problem("payload_too_large", "At most 65536 bytes.", limit=65536),
    new_problem("uri_too_long", "At most 8192 bytes.", limit=8192),
    new_problem("unsupported_media_type", "Send application/json."),
    new_problem(
        "validation_failed",
        "2 fields are not valid.",
        ProblemDetail(
            "unknown_event_type",
            "'filing.addded' is not an event type; did you mean 'filing.added'?",
            pointer="/event_types/0",
        ),
        ProblemDetail("empty_array", "omit entity_ids to receive all companies", pointer="/entity_ids"),
    ),
    new_problem(
        "endpoint_not_allowed",
        "The host is not a public internet address.",
        ProblemDetail("blocked_address", "must resolve to public addresses", pointer="/endpoint_url"),
    ),
    new_problem("idempotency_key_reused", "Use a new key for a different request."),
    new_problem(
        "rate_limited",
        "More than 25 requests per second. Try again in 1 second.",
        **{"violated-policies": ["burst"], "retry_after": 1},
    ),
    new_problem(
        "quota_exceeded",
        "All 60000 requests of November 2026 are used. The quota resets at 2026-12-01T00:00:00Z.",
        **{"violated-policies": ["month"], "retry_after": 935269},
    ),
    new_problem("headers_too_large", "At most 16384 bytes.", limit=16384),
    new_problem("internal_error", "Internal error. Quote the request id to support."),
    new_problem("not_implemented", "The cross-company event stream is planned. Use per-company events or webhooks."),
    new_problem(
        "service_unavailable", "Data is being switched to a new snapshot. Try again in 2 seconds.", retry_after=2
    ),
)
