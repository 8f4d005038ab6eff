"""Schemas of webhook subscriptions and event types, for requests and responses.

See docs/contract/contract.md 4.8. Does not belong here: deliveries (`api.schemas.deliveries`), or webhook
payloads (`api.schemas.webhooks`).
"""

from typing import Any, Final

from api.schemas.kinds import (
    COMPANY_ID,
    Schema,
    address,
    array,
    chosen,
    form,
    instant,
    integer,
    page,
    record,
    ref,
    text,
    ulid,
    word,
)
from api.schemas.numbers import ANY_NUMBER
from warehouse.schema.codes import EVENT_ALIASES, EVENT_TYPES

MOST_COMPANIES: Final = 10_000
"""Maximum per subscription, in the largest built-in tier."""
SECRET: Final = text(50, "Store it securely: it is not shown again.", pattern="^whsec_[A-Za-z0-9+/]{43}=$")
_HINT: Final = text(20, "The secret's last characters.", pattern="^whsec_….{4}$")
_PREVIOUS: Final = instant("Until when the previous secret also signs; null if it does not.", null=True)
_COUNT: Final = 2**53
_REASONS: Final = ("manual", "retries_exhausted", "tier_downgraded")

ASKED_TYPE: Final = word((*EVENT_TYPES, *EVENT_ALIASES), "An event type, or a deprecated alias of one.")
_ENDPOINT: Final = address(
    "URL that receives deliveries: https, a public host, port 443, 8443, or 1024 and above.", null=False
)
_ASKED_ENDPOINT: Final = _ENDPOINT | {"minLength": 9, "pattern": r"^https://[^/?#@\s]+([/?][^#\s]*)?$"}
_PER_SECOND: Final = integer(1, 100, "Maximum deliveries per second; null means no limit.", null=True)
_DESCRIPTION: Final = text(256, "Free text for your own use.", null=True)
_STATUS: Final = word(("active", "paused"), "While `paused`, events are held until a replay.")
_ASKED_COMPANIES: Final = chosen(
    text(24, "A company's number or id.", pattern=ANY_NUMBER) | {"minLength": 4},
    MOST_COMPANIES,
    "Only these companies, including ones not known yet; null or omitted means all. The tier "
    "limits the number.",
    null=True,
)
_ASKED: Final = {
    "endpoint_url": _ASKED_ENDPOINT,
    "event_types": chosen(ASKED_TYPE, len(EVENT_TYPES), "Only these event types; there is no wildcard."),
    "entity_ids": _ASKED_COMPANIES,
    "description": _DESCRIPTION,
    "max_per_second": _PER_SECOND,
    "status": _STATUS,
}
_MEMBERS: Final = {
    "id": ulid("whs", "The subscription."),
    "endpoint_url": _ENDPOINT,
    "event_types": array(word(EVENT_TYPES, "Event type.", open_ended=True), 20, "Canonical names."),
    "entity_ids": {
        "type": ["array", "null"],
        "description": "Only these companies; null means all.",
        "items": COMPANY_ID,
        "maxItems": MOST_COMPANIES,
    },
    "description": _DESCRIPTION,
    "max_per_second": _PER_SECOND,
    "status": _STATUS,
    "status_reason": word(_REASONS, "Reason for the pause; null while active.", null=True),
    "status_changed_at": instant("When the status last changed."),
    "created_at": instant("When it was created."),
    "updated_at": instant("When it was last changed."),
    "last_attempt_at": instant(
        "Time of the last attempt. Tests and manual retries are not counted, here and below.", null=True
    ),
    "last_success_at": instant("Time of the last successful attempt.", null=True),
    "last_failure_at": instant("Time of the last failed attempt.", null=True),
    "consecutive_failures": integer(0, _COUNT, "Failed attempts since the last success."),
    "held_deliveries": integer(0, _COUNT, "Number of deliveries waiting for a replay."),
    "secret_hint": _HINT,
    "previous_secret_expires_at": _PREVIOUS,
}
_WARNINGS: Final = array(ref("Warning"), 100, "Accepted input that should be changed.")
_WARNING: Final = {
    "code": word(("event_type_alias",), "Code of the warning.", open_ended=True),
    "detail": text(1000, "Human-readable description."),
    "pointer": text(1000, "JSON Pointer into the body.", pattern="^(/[^/]*)*$"),
}
_ROTATED: Final = {
    "id": _MEMBERS["id"],
    "secret": SECRET,
    "secret_hint": _HINT,
    "previous_secret_expires_at": _PREVIOUS,
}
_KIND: Final = {
    "event_type": word(EVENT_TYPES, "Name used in subscriptions.", open_ended=True),
    "description": text(300, "When it is sent."),
    "aliases": array(
        text(30, "A deprecated alias, still accepted.", pattern="^[a-z]+[.][a-z]+$"),
        20,
        "Deprecated aliases.",
    ),
    "schema_ref": text(
        200, "Schema of the body in this document.", pattern="^/api/openapi[.]json#/[A-Za-z/]+$"
    ),
}


def _shown(description: str, *more: str) -> Schema:
    """A subscription, with the members that only create and update return."""
    further = {"secret": SECRET, "warnings": _WARNINGS}
    return record(description, _MEMBERS | {name: further[name] for name in more})


def components() -> dict[str, Any]:
    """Named schemas of these resources."""
    grace = integer(0, 604_800, "How long the previous secret also signs, in seconds.") | {"default": 86_400}
    return {
        "NewSubscription": form("A subscription to create.", _ASKED, "endpoint_url", "event_types"),
        "SubscriptionChanges": form(
            "The members to change; omitted members keep their value (RFC 7396).", _ASKED
        ),
        "Subscription": _shown("A webhook subscription."),
        "CreatedSubscription": _shown(
            "A subscription with its secret, returned only once.", "secret", "warnings"
        ),
        "UpdatedSubscription": _shown("An updated subscription.", "warnings"),
        "SubscriptionList": page("The account's subscriptions.", ref("Subscription")),
        "Warning": record("One warning.", _WARNING),
        "SecretRotation": form("Options of a secret rotation.", {"grace_period_seconds": grace}),
        "RotatedSecret": record("The new secret, returned only once.", _ROTATED),
        "TestSend": form("The event type to send as a test.", {"event_type": ASKED_TYPE}),
        "EventType": record("One event type.", _KIND),
        "EventTypeList": page("All event types.", ref("EventType")),
    }
