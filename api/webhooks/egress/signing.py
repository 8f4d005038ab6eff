"""Signatures of deliveries, and generation of their secrets (docs/contract/contract.md 4.7).

Two schemes over the same body: the product's own header (hex over the body, keyed with the secret's text) and
Standard Webhooks (base64 over id, timestamp and body, keyed with the bytes the secret encodes). Does not belong
here: the other headers and the body (`api.webhooks.egress.payload`), or storage of secrets
(`api.auth.encryption`).
"""

import base64
import hmac
import os
from collections.abc import Sequence
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
