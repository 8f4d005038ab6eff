"""Schemas of the delivery log and of replays (docs/contract/contract.md 4.8).

Does not belong here: subscriptions (`api.webhooks.schemas.subscriptions`), or webhook payloads
(`api.companies.schemas.events`).
"""

from typing import Any, Final

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
from api.webhooks.schemas.subscriptions import ASKED_TYPE
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
_EVENT_TYPE: Final = enum_schema(EVENT_TYPES, "Event type.", open_ended=True)
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
_ASKED: Final = {
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


def schema_components() -> dict[str, Any]:
    """Named schemas of these resources."""
    whole = {
        "payload": schema_reference("Payload"),
        "attempts": array_schema(schema_reference("Attempt"), ATTEMPTS_SHOWN, "The latest attempts, oldest first."),
    }
    return {
        "Attempt": object_schema("One request to an endpoint.", _ATTEMPT),
        "Delivery": object_schema("One event for one subscription.", _DELIVERY),
        "DeliveryList": page_schema("Deliveries of a subscription.", schema_reference("Delivery")),
        "Payload": object_schema("The body as last sent.", _PAYLOAD),
        "DeliveryDetail": object_schema("A delivery with its attempts.", _DELIVERY | whole),
        "NewReplay": request_schema("The deliveries to repeat.", _ASKED, "since"),
        "Replay": object_schema("A replay and its progress.", _REPLAY),
    }
