"""`webhook_objects` of the OpenAPI document: the payloads sent to receivers, and their signatures.

See docs/contract/contract.md 4.6 and 4.7. Does not belong here: the schemas of payloads
(`api.companies.schemas.events`), or sending.
"""

from typing import Any, Final

from api.companies.schemas.events import KINDS
from api.openapi.examples import DELIVERIES
from api.openapi.parameters import header_parameters, header_references
from api.schemas import declare
from api.schemas.json_schema import Schema, schema_reference
from warehouse.schema.codes import EVENT_TYPES

FIRST_TYPES: Final = EVENT_TYPES[:6]  # of 1.0.0: their header's words are published, and closed
_HEX: Final = "^sha256=[0-9a-f]{64}$"
_BASE64: Final = "v1,[A-Za-z0-9+/]{43}="
# By header: its field, an example.
DELIVERY_HEADERS: Final[dict[str, Any]] = {
    "X-Service-Signature": (
        declare.text(71, "`sha256=` and the HMAC-SHA256 of the raw body in hex; the key is the whole secret, "
             "`whsec_` included, as UTF-8.", pattern=_HEX),
        "sha256=b71e11f82a4fd82a2349145912f3ef041c10fe3bee734dcb6b5a6819b60311a8",
    ),
    "X-Service-Signature-Previous": (
        declare.text(71, "The same with the previous secret, while both are valid after a rotation.", pattern=_HEX),
        "sha256=2a16160dd85802dbe3ddd5e7be06f764fcfbfc0e408d4618be4c3660eec34ea0",
    ),
    "webhook-id": (
        declare.natural_id("evt", "The event's id: the same on every attempt and replay."),
        "evt_c4cthsej3686j9zsejemb8n4gb",
    ),
    "webhook-timestamp": (
        declare.integer(0, 253_402_300_799, "Unix timestamp of this attempt, in seconds."),
        1795147931,
    ),
    "webhook-signature": (
        declare.text(200, "Standard Webhooks signature: `v1,` and the HMAC-SHA256 of `id.timestamp.body` "
                  "in base64; the key is the secret after `whsec_`, base64-decoded. During a "
                  "rotation there are two entries, separated by a space.",
             pattern=f"^{_BASE64}( {_BASE64})*$"),
        "v1,XcE1TyyA0S+K8JZLutzSD1AXwk8toqkF1/VqCon7kwk=",
    ),
    "X-Service-Event": (declare.word(FIRST_TYPES, "Event type; not signed."), None),
    "X-Service-Delivery": (
        declare.text(30, "Id of the delivery; not signed.", pattern="^dlv_[0-9a-z]{26}$"),
        "dlv_01kaf49n6m7p8q9r0s1t2v3w4x",
    ),
    "X-Service-Attempt": (declare.integer(1, 6, "Number of this attempt; not signed."), 1),
}  # fmt: skip
ALWAYS_SENT: Final = DELIVERY_HEADERS.keys() - {"X-Service-Signature-Previous"}
_TYPE_HEADER: Final = "X-Service-Event"
_TEXT: Final = (
    "Sent to the endpoint of every subscription to this event type. Verify a signature over the "
    "raw body before parsing it, reject a `webhook-timestamp` more than 5 minutes off, and store "
    "`webhook-id`: the same event may be delivered more than once."
)


def _type_parameter(event_type: str) -> Schema:
    """The header with the type, of a type that came later: a new word would change the header of the first ones."""
    field = declare.word((event_type,), "Event type; not signed.")
    return header_parameters({_TYPE_HEADER: (field, None)}, ALWAYS_SENT)[_TYPE_HEADER]


def webhook_objects() -> dict[str, Schema]:
    return {event_type: {"post": _post_operation(event_type)} for event_type in KINDS}


def _post_operation(event_type: str) -> Schema:
    name, model = KINDS[event_type].name, KINDS[event_type].webhook
    body = {"schema": schema_reference(model), "example": DELIVERIES[event_type]}
    return {
        "operationId": f"receive{name}",
        "summary": f"{event_type} happened",
        "description": _TEXT,
        "tags": ["Webhooks"],
        "security": [],
        "parameters": [
            _type_parameter(event_type) if header == _TYPE_HEADER and event_type not in FIRST_TYPES else reference
            for header, reference in zip(DELIVERY_HEADERS, header_references(DELIVERY_HEADERS), strict=True)
        ],
        "requestBody": {"required": True, "description": "At most 32 KiB.", "content": {"application/json": body}},
        "responses": {
            "2XX": {
                "description": "Acknowledged: any 2xx response within [[ack_window]]. The response body is not read."
            },
            "default": {
                "description": "Any other response, including redirects, is a failure: the "
                "delivery is retried after [[retry_waits]]; then the subscription is paused."
            },
        },
    }
