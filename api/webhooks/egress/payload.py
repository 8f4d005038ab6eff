"""Builds the request of one attempt: body and signed headers (docs/contract/contract.md 4.6 and 4.7).

The body carries the time of the attempt, so bytes and signature differ between attempts while the event id
stays; every attempt, also a test or a replay, carries the full set of headers. Does not belong here: sending it
(`api.webhooks.egress.http_client`), or selecting attempts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import msgspec

from api.webhooks.egress.signing import signature_headers

MOST_BYTES: Final = 32 * 1024
"""A longer body is not sent (docs/contract/contract.md 4.6)."""

CONSTANT_HEADERS: Final = {
    "Content-Type": "application/json",
    "User-Agent": "firm-webhooks/1",
    "Accept": "*/*",
    "Accept-Encoding": "identity",  # responses are not decompressed: the bytes read are the bytes sent
}


class WebhookBodyTooLargeError(ValueError):
    """An event body over the documented limit; permanent, as every attempt would exceed it."""

    def __init__(self, event_id: str, size: int) -> None:
        super().__init__(f"the body of {event_id} has {size} bytes; at most {MOST_BYTES} are sent")
        self.event_id = event_id
        self.size = size


@dataclass(frozen=True, slots=True)
class EventPayload:
    """An event to send. `data` is its JSON; a test send's has `"test":true` as last member."""

    event_id: str
    event_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    url: str
    headers: dict[str, str]
    body: bytes
    method: str = "POST"


class EventPlace(msgspec.Struct):
    """Whom an event is about, and its place among all events, as its `data` says."""

    company_id: str
    sequence: int


_PLACES: Final = msgspec.json.Decoder(EventPlace)


def event_place(event: EventPayload) -> EventPlace:
    return _PLACES.decode(event.data)


def build_request(
    url: str, secrets: Sequence[str], event: EventPayload, delivery_id: str, number: int, started: datetime
) -> OutgoingRequest:
    """Builds the request of attempt `number`; `started` has a time zone, `secrets` as for `signature_headers`."""
    written = checked_body(event, started)
    headers = CONSTANT_HEADERS | signature_headers(secrets, event.event_id, int(started.timestamp()), written)
    headers["X-Service-Event"] = event.event_type
    headers["X-Service-Delivery"] = delivery_id
    headers["X-Service-Attempt"] = str(number)
    return OutgoingRequest(url, headers, written)


def checked_body(event: EventPayload, started: datetime) -> bytes:
    """The body of an event; raises WebhookBodyTooLargeError."""
    written = encode_body(event, started)
    if len(written) > MOST_BYTES:
        raise WebhookBodyTooLargeError(event.event_id, len(written))
    return written


def encode_body(event: EventPayload, started: datetime) -> bytes:
    """Encodes the four members of docs/contract/contract.md 4.6 in order, without whitespace."""
    if started.tzinfo is None:
        raise ValueError("the start of an attempt needs a time zone")
    at = started.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
    start = f'{{"event_id":"{event.event_id}","event_type":"{event.event_type}","delivered_at":"{at}Z","data":'
    return b"%b%b}" % (start.encode(), event.data)
