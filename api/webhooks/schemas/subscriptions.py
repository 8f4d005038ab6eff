"""Schemas of webhook subscriptions, event types, the delivery log and replays, for requests and responses.

See docs/contract/contract.md 4.8. Does not belong here: webhook payloads (`api.webhooks.schemas.payloads`,
`api.companies.schemas.events`).
"""

from typing import Any, Final

from api.companies.lookup import ANY_NUMBER
from api.openapi.schema_types import (
    COMPANY_ID,
    Schema,
    array_schema,
    boolean_schema,
    enum_schema,
    instant_schema,
    integer_schema,
    natural_id_schema,
    object_schema,
    page_schema,
    request_array,
    request_schema,
    schema_reference,
    text_schema,
    ulid_schema,
    url_schema,
)
from api.webhooks.deliveries.records import ATTEMPTS_SHOWN, DELIVERY_STATUSES, REPLAYABLE
from warehouse.schema.codes import EVENT_ALIASES, EVENT_TYPES

MOST_COMPANIES: Final = 10_000
"""Maximum per subscription, in the largest built-in tier."""
SECRET: Final = text_schema(50, "Store it securely: it is not shown again.", pattern="^whsec_[A-Za-z0-9+/]{43}=$")
_HINT: Final = text_schema(20, "The secret's last characters.", pattern="^whsec_….{4}$")
_PREVIOUS: Final = instant_schema("Until when the previous secret also signs; null if it does not.", null=True)
_COUNT: Final = 2**53
_REASONS: Final = ("manual", "retries_exhausted", "tier_downgraded")

_EVENT_TYPE: Final = enum_schema(EVENT_TYPES, "Event type.", open_ended=True)
ASKED_TYPE: Final = enum_schema((*EVENT_TYPES, *EVENT_ALIASES), "An event type, or a deprecated alias of one.")
_ENDPOINT: Final = url_schema(
    "URL that receives deliveries: https, a public host, port 443, 8443, or 1024 and above.", null=False
)
_ASKED_ENDPOINT: Final = _ENDPOINT | {"minLength": 9, "pattern": r"^https://[^/?#@\s]+([/?][^#\s]*)?$"}
_PER_SECOND: Final = integer_schema(1, 100, "Maximum deliveries per second; null means no limit.", null=True)
_DESCRIPTION: Final = text_schema(256, "Free text for your own use.", null=True)
_STATUS: Final = enum_schema(("active", "paused"), "While `paused`, events are held until a replay.")
_ASKED_COMPANIES: Final = request_array(
    text_schema(24, "A company's number or id.", pattern=ANY_NUMBER) | {"minLength": 4},
    MOST_COMPANIES,
    "Only these companies, including ones not known yet; null or omitted means all. The tier limits the number.",
    null=True,
)
_ASKED: Final = {
    "endpoint_url": _ASKED_ENDPOINT,
    "event_types": request_array(ASKED_TYPE, len(EVENT_TYPES), "Only these event types; there is no wildcard."),
    "entity_ids": _ASKED_COMPANIES,
    "description": _DESCRIPTION,
    "max_per_second": _PER_SECOND,
    "status": _STATUS,
}
_MEMBERS: Final = {
    "id": ulid_schema("whs", "The subscription."),
    "endpoint_url": _ENDPOINT,
    "event_types": array_schema(_EVENT_TYPE, 20, "Canonical names."),
    "entity_ids": {
        "type": ["array", "null"],
        "description": "Only these companies; null means all.",
        "items": COMPANY_ID,
        "maxItems": MOST_COMPANIES,
    },
    "description": _DESCRIPTION,
    "max_per_second": _PER_SECOND,
    "status": _STATUS,
    "status_reason": enum_schema(_REASONS, "Reason for the pause; null while active.", null=True),
    "status_changed_at": instant_schema("When the status last changed."),
    "created_at": instant_schema("When it was created."),
    "updated_at": instant_schema("When it was last changed."),
    "last_attempt_at": instant_schema(
        "Time of the last attempt. Tests and manual retries are not counted, here and below.", null=True
    ),
    "last_success_at": instant_schema("Time of the last successful attempt.", null=True),
    "last_failure_at": instant_schema("Time of the last failed attempt.", null=True),
    "consecutive_failures": integer_schema(0, _COUNT, "Failed attempts since the last success."),
    "held_deliveries": integer_schema(0, _COUNT, "Number of deliveries waiting for a replay."),
    "secret_hint": _HINT,
    "previous_secret_expires_at": _PREVIOUS,
}
_WARNINGS: Final = array_schema(schema_reference("Warning"), 100, "Accepted input that should be changed.")
_WARNING: Final = {
    "code": enum_schema(("event_type_alias",), "Code of the warning.", open_ended=True),
    "detail": text_schema(1000, "Human-readable description."),
    "pointer": text_schema(1000, "JSON Pointer into the body.", pattern="^(/[^/]*)*$"),
}
_ROTATED: Final = {
    "id": _MEMBERS["id"],
    "secret": SECRET,
    "secret_hint": _HINT,
    "previous_secret_expires_at": _PREVIOUS,
}
_KIND: Final = {
    "event_type": enum_schema(EVENT_TYPES, "Name used in subscriptions.", open_ended=True),
    "description": text_schema(300, "When it is sent."),
    "aliases": array_schema(
        text_schema(30, "A deprecated alias, still accepted.", pattern="^[a-z]+[.][a-z]+$"), 20, "Deprecated aliases."
    ),
    "schema_ref": text_schema(200, "Schema of the body in this document.", pattern="^/api/openapi[.]json#/[A-Za-z/]+$"),
}
_TRIGGERS: Final = ("schedule", "manual", "replay", "test")
_ERRORS: Final = (
    "timeout",
    "dns_error",
    "connection_refused",
    "connection_reset",
    "tls_error",
    "blocked_address",
    "invalid_url",
    "redirect",
    "http_status",
    "protocol_error",
)
_OUTCOMES: Final = ("succeeded", "failed")
_EVENT_ID: Final = natural_id_schema("evt", "The same for every attempt and replay.")
_ERROR: Final = enum_schema(_ERRORS, "Reason of the failure; null if it did not fail.", null=True, open_ended=True)
_RESPONSE_STATUS: Final = integer_schema(100, 999, "Status code returned by the endpoint.", null=True)
_DELIVERY: Final = {
    "id": ulid_schema("dlv", "The delivery."),
    "subscription_id": ulid_schema("whs", "The subscription."),
    "event_id": _EVENT_ID,
    "event_type": _EVENT_TYPE,
    "company_id": COMPANY_ID,
    "status": enum_schema(
        DELIVERY_STATUSES,
        "`held`: waiting for a replay. `failed`: every scheduled attempt failed. `canceled`: will not be sent.",
    ),
    "attempt_count": integer_schema(0, _COUNT, "Attempts so far, including manual retries."),
    "next_attempt_at": instant_schema("Time of the next scheduled attempt.", null=True),
    "last_outcome": enum_schema(_OUTCOMES, "From the last attempt.", null=True),
    "last_error": _ERROR,
    "last_response_status": _RESPONSE_STATUS,
    "created_at": instant_schema("When the event was matched to the subscription."),
    "completed_at": instant_schema("When it succeeded, failed or was canceled.", null=True),
    "replay_id": ulid_schema("rpl", "The latest replay that included it.", null=True),
}
_SENT_HEADERS: Final[Schema] = {
    "type": ["object", "null"],
    "description": "Response headers of the endpoint, names in lower case.",
    "additionalProperties": text_schema(8192, "Value of the header."),
    "maxProperties": 200,
}
_ATTEMPT: Final = {
    "id": ulid_schema("att", "The attempt."),
    "delivery_id": ulid_schema("dlv", "Null for test sends.", null=True),
    "number": integer_schema(1, 6, "Number of the attempt in its schedule."),
    "trigger": enum_schema(_TRIGGERS, "What triggered it."),
    "started_at": instant_schema("Start time, before the DNS lookup of the endpoint."),
    "duration_ms": integer_schema(0, 2**31 - 1, "Time until the outcome was known."),
    "outcome": enum_schema(_OUTCOMES, "`succeeded` means a 2xx response within 10 seconds."),
    "error": _ERROR,
    "error_detail": text_schema(500, "Human-readable; may change.", null=True),
    "request_url": url_schema("URL it was sent to, without the query string.", null=False),
    "remote_ip": text_schema(45, "IP address connected to; given for public addresses only.",
                      pattern="^[0-9A-Fa-f:.]+$", null=True),
    "response_status": _RESPONSE_STATUS,
    "response_headers": _SENT_HEADERS,
    "response_body": text_schema(8192, "At most the first 2 KiB.", null=True),
    "response_body_truncated": boolean_schema("Whether the stored body is truncated."),
}  # fmt: skip
_PAYLOAD: Final = {
    "event_id": _EVENT_ID,
    "event_type": _EVENT_TYPE,
    "delivered_at": instant_schema("Start of the last attempt; null before the first one.", null=True),
    "data": {
        "type": "object",
        "description": "The event's `data`, as returned by listCompanyEvents.",
        "additionalProperties": {},
        "maxProperties": 100,
    },
}
_SINCE: Final = instant_schema("Events matched at or after this time; at most 30 days ago.")
_UNTIL: Final = instant_schema("Events matched before this time.")
_STATUSES: Final = enum_schema(REPLAYABLE, "A delivery status.")
_TYPES: Final = "Only these event types; null means all."
_ASKED_REPLAY: Final = {
    "since": _SINCE,
    "until": _UNTIL | {"description": "Events matched before this time; default: now."},
    "statuses": request_array(
        _STATUSES, len(REPLAYABLE), "Only deliveries with these statuses; default: failed and held."
    ),
    "event_types": request_array(ASKED_TYPE, len(EVENT_TYPES), _TYPES, null=True),
}
_REPLAY: Final = {
    "id": ulid_schema("rpl", "The replay."),
    "subscription_id": ulid_schema("whs", "The subscription."),
    "since": _SINCE,
    "until": _UNTIL,
    "statuses": array_schema(_STATUSES, len(REPLAYABLE), "Delivery statuses included."),
    "event_types": {"type": ["array", "null"], "description": _TYPES, "items": _EVENT_TYPE, "maxItems": 20},
    "status": enum_schema(("running", "completed"), "`completed` means that no delivery of it is pending."),
    "matched": integer_schema(0, _COUNT, "Deliveries included in the replay."),
    "succeeded": integer_schema(0, _COUNT, "Of these, the number that succeeded."),
    "failed": integer_schema(0, _COUNT, "Of these, the number that failed, or were held or canceled in the meantime."),
    "pending": integer_schema(0, _COUNT, "Of these, the number not completed yet."),
    "created_at": instant_schema("When it was requested."),
    "completed_at": instant_schema("When the last delivery completed.", null=True),
}


def _subscription_schema(description: str, *more: str) -> Schema:
    """A subscription, with the members that only create and update return."""
    further = {"secret": SECRET, "warnings": _WARNINGS}
    return object_schema(description, _MEMBERS | {name: further[name] for name in more})


def schema_components() -> dict[str, Any]:
    """Named schemas of these resources."""
    whole = {
        "payload": schema_reference("Payload"),
        "attempts": array_schema(schema_reference("Attempt"), ATTEMPTS_SHOWN, "The latest attempts, oldest first."),
    }
    grace = integer_schema(0, 604_800, "How long the previous secret also signs, in seconds.") | {"default": 86_400}
    return {
        "NewSubscription": request_schema("A subscription to create.", _ASKED, "endpoint_url", "event_types"),
        "SubscriptionChanges": request_schema(
            "The members to change; omitted members keep their value (RFC 7396).", _ASKED
        ),
        "Subscription": _subscription_schema("A webhook subscription."),
        "CreatedSubscription": _subscription_schema(
            "A subscription with its secret, returned only once.", "secret", "warnings"
        ),
        "UpdatedSubscription": _subscription_schema("An updated subscription.", "warnings"),
        "SubscriptionList": page_schema("The account's subscriptions.", schema_reference("Subscription")),
        "Warning": object_schema("One warning.", _WARNING),
        "SecretRotation": request_schema("Options of a secret rotation.", {"grace_period_seconds": grace}),
        "RotatedSecret": object_schema("The new secret, returned only once.", _ROTATED),
        "TestSend": request_schema("The event type to send as a test.", {"event_type": ASKED_TYPE}),
        "EventType": object_schema("One event type.", _KIND),
        "EventTypeList": page_schema("All event types.", schema_reference("EventType")),
        "Attempt": object_schema("One request to an endpoint.", _ATTEMPT),
        "Delivery": object_schema("One event for one subscription.", _DELIVERY),
        "DeliveryList": page_schema("Deliveries of a subscription.", schema_reference("Delivery")),
        "Payload": object_schema("The body as last sent.", _PAYLOAD),
        "DeliveryDetail": object_schema("A delivery with its attempts.", _DELIVERY | whole),
        "NewReplay": request_schema("The deliveries to repeat.", _ASKED_REPLAY, "since"),
        "Replay": object_schema("A replay and its progress.", _REPLAY),
    }
