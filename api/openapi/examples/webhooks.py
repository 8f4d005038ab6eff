"""The contract's examples of everything under /api/v1/webhooks (docs/contract/contract.md 4.8).

Examples that the contract only describes (one subscription, changes, a requested replay) are derived from its
own. Does not belong here: examples of webhook payloads (`api.openapi.examples.events`).
"""

from typing import Any, Final

from api.openapi.examples.companies import last_page

NEW_SUBSCRIPTION: Final[dict[str, Any]] = {
    "endpoint_url": "https://hooks.example.com/company-events",
    "event_types": ["ownership.changed", "filing.published"],
    "entity_ids": ["firm:SE:5599999991", "firm:NO:999999999"],
}
SUBSCRIPTION: Final[dict[str, Any]] = {
    "id": "whs_01kaf3w9c8m2v7q4x1z6t5y0r2",
    "endpoint_url": "https://hooks.example.com/company-events",
    "event_types": ["filing.added", "ownership.changed"],
    "entity_ids": None,
    "description": "CRM sync",
    "max_per_second": 10,
    "status": "paused",
    "status_reason": "retries_exhausted",
    "status_changed_at": "2026-11-20T18:48:12Z",
    "created_at": "2026-11-01T09:00:00Z",
    "updated_at": "2026-11-20T18:48:12Z",
    "last_attempt_at": "2026-11-20T18:48:12Z",
    "last_success_at": "2026-11-20T03:59:41Z",
    "last_failure_at": "2026-11-20T18:48:12Z",
    "consecutive_failures": 41,
    "held_deliveries": 7,
    "secret_hint": "whsec_…Hh8=",
    "previous_secret_expires_at": None,
}
SUBSCRIPTION_LIST: Final[dict[str, Any]] = last_page(SUBSCRIPTION)
UPDATED_SUBSCRIPTION: Final[dict[str, Any]] = SUBSCRIPTION | {"warnings": []}
CREATED_SUBSCRIPTION: Final[dict[str, Any]] = SUBSCRIPTION | {
    "entity_ids": ["firm:SE:5599999991", "firm:NO:999999999"],
    "description": None,
    "max_per_second": None,
    "status": "active",
    "status_reason": None,
    "status_changed_at": "2026-11-20T04:00:00Z",
    "created_at": "2026-11-20T04:00:00Z",
    "updated_at": "2026-11-20T04:00:00Z",
    "last_attempt_at": None,
    "last_success_at": None,
    "last_failure_at": None,
    "consecutive_failures": 0,
    "held_deliveries": 0,
    "secret": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    "warnings": [
        {
            "code": "event_type_alias",
            "detail": "'filing.published' is a deprecated alias of 'filing.added'.",
            "pointer": "/event_types/1",
        }
    ],
}
ROTATED_SECRET: Final[dict[str, Any]] = {
    "id": SUBSCRIPTION["id"],
    "secret": CREATED_SUBSCRIPTION["secret"],
    "secret_hint": SUBSCRIPTION["secret_hint"],
    "previous_secret_expires_at": "2026-11-21T04:12:00Z",
}
TEST_ATTEMPT: Final[dict[str, Any]] = {
    "id": "att_01kaf4a1b2c3d4e5f6g7h8j9k0",
    "delivery_id": None,
    "number": 1,
    "trigger": "test",
    "started_at": "2026-11-20T04:05:00Z",
    "duration_ms": 84,
    "outcome": "failed",
    "error": "http_status",
    "error_detail": "Endpoint returned 500.",
    "request_url": "https://hooks.example.com/company-events",
    "remote_ip": "203.0.113.9",
    "response_status": 500,
    "response_headers": {"content-type": "text/plain"},
    "response_body": "boom",
    "response_body_truncated": False,
}
DELIVERY_EXAMPLE: Final[dict[str, Any]] = {
    "id": "dlv_01kaf49n6m7p8q9r0s1t2v3w4x",
    "subscription_id": "whs_01kaf3w9c8m2v7q4x1z6t5y0r2",
    "event_id": "evt_c4cthsej3686j9zsejemb8n4gb",
    "event_type": "ownership.changed",
    "company_id": "firm:SE:5599999991",
    "status": "retrying",
    "attempt_count": 2,
    "next_attempt_at": "2026-11-20T04:18:12Z",
    "last_outcome": "failed",
    "last_error": "timeout",
    "last_response_status": None,
    "created_at": "2026-11-20T04:12:10Z",
    "completed_at": None,
    "replay_id": None,
}
DELIVERY_LIST: Final[dict[str, Any]] = last_page(DELIVERY_EXAMPLE)
_FAILED_ATTEMPT: Final[dict[str, Any]] = TEST_ATTEMPT | {
    "id": "att_01kaf49p0000000000000000aa",
    "delivery_id": "dlv_01kaf49n6m7p8q9r0s1t2v3w4x",
    "trigger": "schedule",
    "started_at": "2026-11-20T04:12:11Z",
    "duration_ms": 10000,
    "error": "timeout",
    "error_detail": "No 2xx response within 10 s.",
    "response_status": None,
    "response_headers": None,
    "response_body": None,
}
DELIVERY_DETAIL: Final[dict[str, Any]] = DELIVERY_EXAMPLE | {
    "status": "succeeded",
    "next_attempt_at": None,
    "last_outcome": "succeeded",
    "last_error": None,
    "last_response_status": 204,
    "completed_at": "2026-11-20T04:13:22Z",
    "payload": {
        "event_id": "evt_c4cthsej3686j9zsejemb8n4gb",
        "event_type": "ownership.changed",
        "delivered_at": "2026-11-20T04:13:22.010Z",
        "data": {"org_nr": "5599999991"},
    },
    "attempts": [
        _FAILED_ATTEMPT,
        _FAILED_ATTEMPT
        | {
            "id": "att_01kaf4bq0000000000000000bb",
            "number": 2,
            "started_at": "2026-11-20T04:13:22Z",
            "duration_ms": 61,
            "outcome": "succeeded",
            "error": None,
            "error_detail": None,
            "response_status": 204,
            "response_headers": {},
            "response_body": "",
        },
    ],
}
NEW_REPLAY: Final[dict[str, Any]] = {
    "since": "2026-11-20T00:00:00Z",
    "until": "2026-11-20T20:00:00Z",
    "statuses": ["failed", "held"],
    "event_types": None,
}
REPLAY: Final[dict[str, Any]] = {
    "id": "rpl_01kaf5m0n1p2q3r4s5t6v7w8x9",
    "subscription_id": "whs_01kaf3w9c8m2v7q4x1z6t5y0r2",
    **NEW_REPLAY,
    "status": "running",
    "matched": 8,
    "succeeded": 3,
    "failed": 0,
    "pending": 5,
    "created_at": "2026-11-20T20:01:00Z",
    "completed_at": None,
}
EVENT_TYPES: Final[dict[str, Any]] = last_page(
    {
        "event_type": "status.changed",
        "description": "Company status changed between active, dormant and dissolved.",
        "aliases": [],
        "schema_ref": "/api/openapi.json#/components/schemas/StatusChangedWebhook",
    }
)
CHANGES: Final[dict[str, Any]] = {"status": "paused", "entity_ids": None}
ROTATION: Final[dict[str, Any]] = {"grace_period_seconds": 86400}
TEST: Final[dict[str, Any]] = {"event_type": "status.changed"}
