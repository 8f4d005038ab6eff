"""Schemas of webhook subscriptions and event types: what is sent, and what is answered.

See docs/contract/contract.md 4.8.

Does not belong here: what was delivered (`api.schemas.deliveries`), or the bodies that receivers get
(`api.schemas.webhooks`).
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
"""Of one subscription, in the largest of the built-in tiers."""
SECRET: Final = text(50, "Keep it: it is not shown again.", pattern="^whsec_[A-Za-z0-9+/]{43}=$")
_HINT: Final = text(20, "The secret's last characters.", pattern="^whsec_….{4}$")
_PREVIOUS: Final = instant("Until when the secret before signs too; null when it does not.", null=True)
_COUNT: Final = 2**53
_REASONS: Final = ("manual", "retries_exhausted", "tier_downgraded")

ASKED_TYPE: Final = word((*EVENT_TYPES, *EVENT_ALIASES), "An event type, or a deprecated alias of one.")
_ENDPOINT: Final = address(
    "Where deliveries go: https, a public host, port 443, 8443 or 1024 and above.", null=False
)
_ASKED_ENDPOINT: Final = _ENDPOINT | {"minLength": 9, "pattern": r"^https://[^/?#@\s]+([/?][^#\s]*)?$"}
_PER_SECOND: Final = integer(1, 100, "At most so many deliveries a second; null: as they come.", null=True)
_DESCRIPTION: Final = text(256, "The client's own words.", null=True)
_STATUS: Final = word(("active", "paused"), "Paused: events are held until a replay.")
_ASKED_COMPANIES: Final = chosen(
    text(24, "A company's number or id.", pattern=ANY_NUMBER) | {"minLength": 4},
    MOST_COMPANIES,
    "Only these companies, also ones not known yet; null or left out: all. Tiers limit how many.",
    null=True,
)
_ASKED: Final = {
    "endpoint_url": _ASKED_ENDPOINT,
    "event_types": chosen(ASKED_TYPE, len(EVENT_TYPES), "Only these; there is no wildcard."),
    "entity_ids": _ASKED_COMPANIES,
    "description": _DESCRIPTION,
    "max_per_second": _PER_SECOND,
    "status": _STATUS,
}
_MEMBERS: Final = {
    "id": ulid("whs", "The subscription."),
    "endpoint_url": _ENDPOINT,
    "event_types": array(word(EVENT_TYPES, "Kind of event.", open_ended=True), 20, "Canonical names."),
    "entity_ids": {
        "type": ["array", "null"],
        "description": "Only these companies; null: all.",
        "items": COMPANY_ID,
        "maxItems": MOST_COMPANIES,
    },
    "description": _DESCRIPTION,
    "max_per_second": _PER_SECOND,
    "status": _STATUS,
    "status_reason": word(_REASONS, "Why it is paused; null while it is active.", null=True),
    "status_changed_at": instant("Since when."),
    "created_at": instant("When it was made."),
    "updated_at": instant("When it was last changed."),
    "last_attempt_at": instant("Tests and retries by hand left out, here and below.", null=True),
    "last_success_at": instant("The last attempt that succeeded.", null=True),
    "last_failure_at": instant("The last attempt that failed.", null=True),
    "consecutive_failures": integer(0, _COUNT, "Failed attempts since the last success."),
    "held_deliveries": integer(0, _COUNT, "Deliveries that wait for a replay."),
    "secret_hint": _HINT,
    "previous_secret_expires_at": _PREVIOUS,
}
_WARNINGS: Final = array(ref("Warning"), 100, "What was accepted, but should be written otherwise.")
_WARNING: Final = {
    "code": word(("event_type_alias",), "What it is about.", open_ended=True),
    "detail": text(1000, "For people."),
    "pointer": text(1000, "JSON pointer into the body.", pattern="^(/[^/]*)*$"),
}
_ROTATED: Final = {
    "id": _MEMBERS["id"],
    "secret": SECRET,
    "secret_hint": _HINT,
    "previous_secret_expires_at": _PREVIOUS,
}
_KIND: Final = {
    "event_type": word(EVENT_TYPES, "What subscriptions name.", open_ended=True),
    "description": text(300, "When it is sent."),
    "aliases": array(text(30, "Accepted, but deprecated.", pattern="^[a-z]+[.][a-z]+$"), 20, "Other names."),
    "schema_ref": text(
        200, "Schema of its body in this document.", pattern="^/api/openapi[.]json#/[A-Za-z/]+$"
    ),
}


def _shown(description: str, *more: str) -> Schema:
    """A subscription, with what only the answer that made or changed it tells."""
    further = {"secret": SECRET, "warnings": _WARNINGS}
    return record(description, _MEMBERS | {name: further[name] for name in more})


def components() -> dict[str, Any]:
    """Named schemas of these resources."""
    grace = integer(0, 604_800, "How long the secret before goes on signing beside the new one.") | {
        "default": 86_400
    }
    return {
        "NewSubscription": form("A subscription to be made.", _ASKED, "endpoint_url", "event_types"),
        "SubscriptionChanges": form("What is to change; what is left out stays (RFC 7396).", _ASKED),
        "Subscription": _shown("A webhook subscription."),
        "CreatedSubscription": _shown(
            "A subscription with its secret, told this once.", "secret", "warnings"
        ),
        "UpdatedSubscription": _shown("A subscription after a change.", "warnings"),
        "SubscriptionList": page("The account's subscriptions.", ref("Subscription")),
        "Warning": record("One warning.", _WARNING),
        "SecretRotation": form("How a secret is replaced.", {"grace_period_seconds": grace}),
        "RotatedSecret": record("The new secret, told this once.", _ROTATED),
        "TestSend": form("What is sent as a test.", {"event_type": ASKED_TYPE}),
        "EventType": record("One event type.", _KIND),
        "EventTypeList": page("All event types.", ref("EventType")),
    }
