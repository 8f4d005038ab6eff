"""Schemas of the deliveries' log and of replays (docs/contract/contract.md 4.8).

Does not belong here: subscriptions (`api.schemas.subscriptions`), or the bodies that receivers get
(`api.schemas.events`).
"""

from typing import Any, Final

from api.db.delivery_records import ATTEMPTS_SHOWN, DELIVERY_STATUSES, REPLAYABLE
from api.schemas.kinds import (
    COMPANY_ID,
    Schema,
    address,
    array,
    chosen,
    flag,
    form,
    instant,
    integer,
    natural_id,
    page,
    record,
    ref,
    text,
    ulid,
    word,
)
from api.schemas.subscriptions import ASKED_TYPE
from warehouse.schema.codes import EVENT_TYPES

_COUNT: Final = 2**53
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
_EVENT_TYPE: Final = word(EVENT_TYPES, "Kind of event.", open_ended=True)
_EVENT_ID: Final = natural_id("evt", "The same for every attempt and replay.")
_ERROR: Final = word(_ERRORS, "Why it failed; null where it did not.", null=True, open_ended=True)
_RESPONSE_STATUS: Final = integer(100, 999, "What the endpoint answered.", null=True)
_DELIVERY: Final = {
    "id": ulid("dlv", "The delivery."),
    "subscription_id": ulid("whs", "The subscription."),
    "event_id": _EVENT_ID,
    "event_type": _EVENT_TYPE,
    "company_id": COMPANY_ID,
    "status": word(
        DELIVERY_STATUSES,
        "Held: waits for a replay. Failed: no attempt of its schedule succeeded. Canceled: not wanted any more.",
    ),
    "attempt_count": integer(0, _COUNT, "Attempts so far, retries by hand included."),
    "next_attempt_at": instant("The next attempt of its schedule.", null=True),
    "last_outcome": word(_OUTCOMES, "Of the last attempt.", null=True),
    "last_error": _ERROR,
    "last_response_status": _RESPONSE_STATUS,
    "created_at": instant("When the event was matched."),
    "completed_at": instant("When it succeeded, failed or was canceled.", null=True),
    "replay_id": ulid("rpl", "The replay that took it up last.", null=True),
}
_SENT_HEADERS: Final[Schema] = {
    "type": ["object", "null"],
    "description": "What the endpoint answered, names in lower case.",
    "additionalProperties": text(8192, "Value of the header."),
    "maxProperties": 200,
}
_ATTEMPT: Final = {
    "id": ulid("att", "The attempt."),
    "delivery_id": ulid("dlv", "Null for test sends.", null=True),
    "number": integer(1, 6, "Which attempt of its schedule."),
    "trigger": word(_TRIGGERS, "What made it."),
    "started_at": instant("Before the endpoint's name was looked up."),
    "duration_ms": integer(0, 2**31 - 1, "Until it was decided."),
    "outcome": word(_OUTCOMES, "Succeeded: 2xx within 10 seconds."),
    "error": _ERROR,
    "error_detail": text(500, "For people; may change.", null=True),
    "request_url": address("Where it was sent, without its query.", null=False),
    "remote_ip": text(45, "The address connected to; never told of one that is not public.",
                      pattern="^[0-9A-Fa-f:.]+$", null=True),
    "response_status": _RESPONSE_STATUS,
    "response_headers": _SENT_HEADERS,
    "response_body": text(8192, "At most its first 2 KiB.", null=True),
    "response_body_truncated": flag("Whether more was answered than is kept."),
}  # fmt: skip
_PAYLOAD: Final = {
    "event_id": _EVENT_ID,
    "event_type": _EVENT_TYPE,
    "delivered_at": instant("Start of the last attempt; null before the first.", null=True),
    "data": {
        "type": "object",
        "description": "The event's `data`, as in listCompanyEvents.",
        "additionalProperties": {},
        "maxProperties": 100,
    },
}
_SINCE: Final = instant("Events matched at this instant or later; at most 30 days ago.")
_UNTIL: Final = instant("And before this instant.")
_STATUSES: Final = word(REPLAYABLE, "A state of deliveries.")
_TYPES: Final = "Only these event types; null: all."
_ASKED: Final = {
    "since": _SINCE,
    "until": _UNTIL | {"description": "And before this instant; left out: until now."},
    "statuses": chosen(
        _STATUSES, len(REPLAYABLE), "Only deliveries in these states; left out: failed and held."
    ),
    "event_types": chosen(ASKED_TYPE, len(EVENT_TYPES), _TYPES, null=True),
}
_REPLAY: Final = {
    "id": ulid("rpl", "The replay."),
    "subscription_id": ulid("whs", "The subscription."),
    "since": _SINCE,
    "until": _UNTIL,
    "statuses": array(_STATUSES, len(REPLAYABLE), "States that deliveries were in."),
    "event_types": {"type": ["array", "null"], "description": _TYPES, "items": _EVENT_TYPE, "maxItems": 20},
    "status": word(("running", "completed"), "Completed: nothing of it is pending."),
    "matched": integer(0, _COUNT, "Deliveries taken up."),
    "succeeded": integer(0, _COUNT, "Of these."),
    "failed": integer(0, _COUNT, "Of these; also those that were held or canceled meanwhile."),
    "pending": integer(0, _COUNT, "Of these, not ended yet."),
    "created_at": instant("When it was asked for."),
    "completed_at": instant("When the last of them ended.", null=True),
}


def components() -> dict[str, Any]:
    """Named schemas of these resources."""
    whole = {
        "payload": ref("Payload"),
        "attempts": array(ref("Attempt"), ATTEMPTS_SHOWN, "Its latest attempts, oldest first."),
    }
    return {
        "Attempt": record("One request to an endpoint.", _ATTEMPT),
        "Delivery": record("One event for one subscription.", _DELIVERY),
        "DeliveryList": page("Deliveries of a subscription.", ref("Delivery")),
        "Payload": record("The body as it was sent last.", _PAYLOAD),
        "DeliveryDetail": record("A delivery with its attempts.", _DELIVERY | whole),
        "NewReplay": form("What is to be delivered again.", _ASKED, "since"),
        "Replay": record("How far a replay has come.", _REPLAY),
    }
