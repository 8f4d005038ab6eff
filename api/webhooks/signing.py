"""Signatures of deliveries and the secrets they are made with (docs/contract/contract.md 4.7).

Two schemes over the same body: the product's own header (hex over the body, keyed with the secret as it is
written) and Standard Webhooks (base64 over id, timestamp and body, keyed with the bytes that the secret encodes).
Does not belong here: the other headers and the body (`api.webhooks.posts`), or how secrets are kept
(`api.webhooks.sealing`).
"""

import base64
import hmac
import os
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

PREFIX: Final = "whsec_"
_BYTES: Final = 32
_KEYED: Final = 1_024  # two for each endpoint that a worker is busy with


def make_secret() -> str:
    """A new secret: 50 characters that every Standard Webhooks library and a receiver of ours both take."""
    return PREFIX + base64.b64encode(os.urandom(_BYTES)).decode()


def sign(secrets: Sequence[str], message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The signature headers of one attempt; `secrets` is the current one and, in an overlap, the one before."""
    # The current secret and the one before (docs/contract/contract.md 4.8)
    if not 1 <= len(secrets) <= 2:  # noqa: PLR2004
        raise ValueError(f"sign with the current secret and at most one before it, not with {len(secrets)}")
    signed = b"%b.%d.%b" % (message_id.encode(), timestamp, body)
    headers = {
        "X-Service-Signature": hex_signature(secrets[0], body),
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join([_versioned(secret, signed) for secret in secrets]),
    }
    if len(secrets) > 1:
        headers["X-Service-Signature-Previous"] = hex_signature(secrets[1], body)
    return headers


def hex_signature(secret: str, body: bytes) -> str:
    """The key is the whole text of the secret, its prefix included, as receivers take it: `secret.encode()`."""
    return "sha256=" + _digest(secret.encode(), body).hex()


def _versioned(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    return "v1," + base64.b64encode(_digest(key, signed)).decode()


def _digest(key: bytes, message: bytes) -> bytes:
    code = _keyed(key).copy()
    code.update(message)
    return code.digest()


@lru_cache(maxsize=_KEYED)
def _keyed(key: bytes) -> hmac.HMAC:
    """To key a code takes longer than to finish it over a body of ours."""
    return hmac.new(key, digestmod="sha256")
