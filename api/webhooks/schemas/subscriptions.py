"""Schemas of webhook subscriptions and event types, for requests and responses.

See docs/contract/contract.md 4.8. Does not belong here: deliveries (`api.webhooks.schemas.deliveries`), or webhook
payloads (`api.webhooks.schemas.payloads`).
"""

from typing import Any, Final

from api.openapi.company_number_patterns import ANY_NUMBER
from api.openapi.schema_types import (
    COMPANY_ID,
    Schema,
    array_schema,
    enum_schema,
    instant_schema,
    integer_schema,
    object_schema,
    page_schema,
    request_array,
    request_schema,
    schema_reference,
    text_schema,
    ulid_schema,
    url_schema,
)
from warehouse.schema.codes import EVENT_ALIASES, EVENT_TYPES

MOST_COMPANIES: Final = 10_000
"""Maximum per subscription, in the largest built-in tier."""
SECRET: Final = text_schema(50, "Store it securely: it is not shown again.", pattern="^whsec_[A-Za-z0-9+/]{43}=$")
_HINT: Final = text_schema(20, "The secret's last characters.", pattern="^whsec_….{4}$")
_PREVIOUS: Final = instant_schema("Until when the previous secret also signs; null if it does not.", null=True)
_COUNT: Final = 2**53
_REASONS: Final = ("manual", "retries_exhausted", "tier_downgraded")

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
    "event_types": array_schema(enum_schema(EVENT_TYPES, "Event type.", open_ended=True), 20, "Canonical names."),
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


def _subscription_schema(description: str, *more: str) -> Schema:
    """A subscription, with the members that only create and update return."""
    further = {"secret": SECRET, "warnings": _WARNINGS}
    return object_schema(description, _MEMBERS | {name: further[name] for name in more})


def schema_components() -> dict[str, Any]:
    """Named schemas of these resources."""
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
    }
