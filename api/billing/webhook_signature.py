"""Verifies Stripe-Signature headers, scheme `v1` (https://docs.stripe.com/webhooks/signature).

The header is `t=<seconds>,v1=<hex>[,v1=<hex>…]`; the digest is HMAC-SHA256 over the seconds, a dot and the raw
body. While a secret is being rolled there is one digest per secret. Does not belong here: our own signatures on
deliveries (`api.webhooks.egress.signing`).
"""

import hmac
import re
from hashlib import sha256
from typing import Final

from api.billing.errors import ForgedEventError

TOLERANCE_SECONDS: Final = 300
"""A timestamp further off, past or future, is a replay or comes from a wrong clock."""

_SECONDS: Final = re.compile(rb"t=([0-9]{1,12})")
_DIGEST: Final = re.compile(rb"v1=([0-9a-f]{64})")
_MOST_PARTS: Final = 20


def check_signature(body: bytes, header: bytes | None, secret: str, now: float) -> None:
    """Raises ForgedEventError unless the body was signed with `secret` about the time `now` (Unix seconds)."""
    parts = [part.strip() for part in (header or b"").split(b",")]
    stamps = [found[1] for part in parts if (found := _SECONDS.fullmatch(part))]
    given = [found[1] for part in parts if (found := _DIGEST.fullmatch(part))]
    if len(stamps) != 1 or not given or len(parts) > _MOST_PARTS:
        raise ForgedEventError("The Stripe-Signature header is missing or malformed.")
    expected = hmac.new(secret.encode(), stamps[0] + b"." + body, sha256).hexdigest().encode()
    if not any(hmac.compare_digest(expected, one) for one in given):
        raise ForgedEventError("The signature does not match the body.")
    if abs(now - int(stamps[0])) > TOLERANCE_SECONDS:
        raise ForgedEventError(
            f"The signature's time differs by more than {TOLERANCE_SECONDS} seconds from this service's clock."
        )
