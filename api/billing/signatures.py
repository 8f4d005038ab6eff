"""Whether a body comes from Stripe, and just now: its scheme `v1` (https://docs.stripe.com/webhooks/signature).

The header is `t=<seconds>,v1=<hex>[,v1=<hex>…]`; the digest is HMAC-SHA256 over seconds, a dot and the body as it
came. While a secret is being replaced there are several digests, one of each. Does not belong here: our own
signatures on deliveries (`api.webhooks.signing`).
"""

import hmac
import re
from hashlib import sha256
from typing import Final

from api.billing.errors import Forged

TOLERANCE_SECONDS: Final = 300
"""What lies further off, before or behind, was kept for later or comes from a clock that is wrong."""

_SECONDS: Final = re.compile(rb"t=([0-9]{1,12})")
_DIGEST: Final = re.compile(rb"v1=([0-9a-f]{64})")
_MOST_PARTS: Final = 20


def check_signature(body: bytes, header: bytes | None, secret: str, now: float) -> None:
    """Forged, unless the body was signed with `secret` within the tolerance around `now` (seconds since 1970)."""
    parts = [part.strip() for part in (header or b"").split(b",")]
    stamps = [found[1] for part in parts if (found := _SECONDS.fullmatch(part))]
    given = [found[1] for part in parts if (found := _DIGEST.fullmatch(part))]
    if len(stamps) != 1 or not given or len(parts) > _MOST_PARTS:
        raise Forged("The Stripe-Signature header is missing or malformed.")
    expected = hmac.new(secret.encode(), stamps[0] + b"." + body, sha256).hexdigest().encode()
    if not any(hmac.compare_digest(expected, one) for one in given):
        raise Forged("The signature does not fit the body.")
    if abs(now - int(stamps[0])) > TOLERANCE_SECONDS:
        raise Forged(f"The signature is further than {TOLERANCE_SECONDS} seconds from this service's clock.")
