"""Builds the request of one attempt: body and signed headers (docs/contract/contract.md 4.6 and 4.7); makes secrets.

The body carries the time of the attempt, so bytes and signature differ between attempts while the event id
stays; every attempt, also a test or a replay, carries the full set of headers. Two schemes sign the same body: the
product's own header (hex over the body, keyed with the secret's text) and Standard Webhooks (base64 over id, timestamp
and body, keyed with the bytes the secret encodes). Does not belong here: sending (`api.webhooks.egress.http_client`),
selecting attempts, or storage of secrets (`api.auth.encryption`).
"""

import base64
import hmac
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

PREFIX: Final = "whsec_"
_BYTES: Final = 32
_KEYED: Final = 1_024  # two for each endpoint a worker is busy with


def make_secret() -> str:
    """Generates a secret: 50 characters, valid for Standard Webhooks libraries and for our own scheme."""
    return PREFIX + base64.b64encode(os.urandom(_BYTES)).decode()


def signature_headers(secrets: Sequence[str], message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Signature headers of one attempt; `secrets`: the current and, in an overlap, the previous one."""
    if not 1 <= len(secrets) <= 2:  # noqa: PLR2004
        raise ValueError(f"sign with the current secret and at most one before it, not with {len(secrets)}")
    signed = b"%b.%d.%b" % (message_id.encode(), timestamp, body)
    headers = {
        "X-Service-Signature": hex_signature(secrets[0], body),
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join([_standard_signature(secret, signed) for secret in secrets]),
    }
    if len(secrets) > 1:
        headers["X-Service-Signature-Previous"] = hex_signature(secrets[1], body)
    return headers


def hex_signature(secret: str, body: bytes) -> str:
    """Own signature scheme; the key is the secret's full text, prefix included: `secret.encode()`."""
    return "sha256=" + _hmac_digest(secret.encode(), body).hex()


def _standard_signature(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    return "v1," + base64.b64encode(_hmac_digest(key, signed)).decode()


def _hmac_digest(key: bytes, message: bytes) -> bytes:
    code = _keyed_hmac(key).copy()
    code.update(message)
    return code.digest()


@lru_cache(maxsize=_KEYED)
def _keyed_hmac(key: bytes) -> hmac.HMAC:
    """Keyed HMAC, cached: keying takes longer than hashing a typical body."""
    return hmac.new(key, digestmod="sha256")


MOST_BYTES: Final = 32 * 1024
"""A longer body is not sent (docs/contract/contract.md 4.6)."""

_CONSTANT: Final = {
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
    """A request to send."""

    url: str
    headers: dict[str, str]
    body: bytes


def build_request(
    url: str, secrets: Sequence[str], event: EventPayload, delivery_id: str, number: int, started: datetime
) -> OutgoingRequest:
    """Builds the request of attempt `number`; `started` has a time zone, `secrets` as for `signature_headers`."""
    written = encode_body(event, started)
    if len(written) > MOST_BYTES:
        raise WebhookBodyTooLargeError(event.event_id, len(written))
    headers = _CONSTANT | signature_headers(secrets, event.event_id, int(started.timestamp()), written)
    headers["X-Service-Event"] = event.event_type
    headers["X-Service-Delivery"] = delivery_id
    headers["X-Service-Attempt"] = str(number)
    return OutgoingRequest(url, headers, written)


def encode_body(event: EventPayload, started: datetime) -> bytes:
    """Encodes the four members of docs/contract/contract.md 4.6 in order, without whitespace."""
    if started.tzinfo is None:
        raise ValueError("the start of an attempt needs a time zone")
    at = started.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
    start = f'{{"event_id":"{event.event_id}","event_type":"{event.event_type}","delivered_at":"{at}Z","data":'
    return b"%b%b}" % (start.encode(), event.data)
