"""Verification of deliveries to a webhook, given the body as it came, whatever the framework.

    event = firmdata.webhooks.verify(request.body, request.headers, secret)

The signature is that of Standard Webhooks: HMAC-SHA256 over id, time and body. The body must be the bytes that came: a
body that was parsed and written again has another signature.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import time
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Literal, Union, cast

from firmdata.errors import FirmdataError

TOLERANCE_SECONDS = 300
_PREFIX = "whsec_"
_VERSION = "v1,"


HeadersLike = Union["Mapping[str, str]", "Mapping[str, list[str]]", "Iterable[tuple[str | bytes, str | bytes]]"]
"""Headers as frameworks have them: by name, one value or several, or as pairs."""
SignatureFault = Literal["missing_header", "malformed_timestamp", "too_old", "in_the_future", "no_match", "not_json"]


class SignatureError(FirmdataError):
    """The delivery is not to be believed; `reason` and the message say why. Answer it with 400."""

    def __init__(self, reason: SignatureFault, message: str) -> None:
        super().__init__(message)
        self.reason: SignatureFault = reason


def verify(
    body: bytes | str,
    headers: HeadersLike,
    secret: str | Iterable[str],
    *,
    tolerance: float = TOLERANCE_SECONDS,
    now: float | None = None,
) -> dict[str, Any]:
    """The event in a delivery, if one of the secrets signed it; raises SignatureError.

    body: the bytes that came. headers: of the request, in any case. secret: of the subscription, `whsec_…`; several
    while it is being replaced. tolerance: seconds by which the clocks may differ. now: Unix time; default: the clock's.
    """
    content = body.encode() if isinstance(body, str) else body
    given = _lower_names(headers)
    identifier, sent_at, signatures = (_header(given, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    _check_time(sent_at, time.time() if now is None else now, tolerance)
    signed = b"%b.%b.%b" % (identifier.encode(), sent_at.encode(), content)
    secrets = [secret] if isinstance(secret, str) else list(secret)
    expected = [_signature(_key(one), signed) for one in secrets]
    given_signatures = [one.removeprefix(_VERSION) for one in signatures.split() if one.startswith(_VERSION)]
    # every pair is compared, so that the time taken tells nothing
    matches = [hmac.compare_digest(one.encode(), other.encode()) for one in given_signatures for other in expected]
    if not any(matches):
        raise SignatureError(
            "no_match", "the signature does not match: is it this subscription's secret, and the body as it came?"
        )
    try:
        event = json.loads(content)
    except ValueError as error:
        raise SignatureError("not_json", "the body is signed but no JSON") from error
    if not isinstance(event, dict):
        raise SignatureError("not_json", "the body is signed but no JSON object")
    return event


def _lower_names(headers: HeadersLike) -> dict[str, Any]:
    pairs = cast("Iterable[tuple[str | bytes, Any]]", getattr(headers, "items", lambda: headers)())
    return {_text(name).lower(): value for name, value in pairs}


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _header(headers: Mapping[str, Any], name: str) -> str:
    # environments of WSGI spell them HTTP_WEBHOOK_ID
    found = headers.get(name) or headers.get("http_" + name.replace("-", "_"))
    if not found:
        raise SignatureError("missing_header", f"there is no header {name}")
    # gateways give the values of a name as a list
    return " ".join(map(_text, found)) if isinstance(found, (list, tuple)) else _text(found)


def _check_time(sent_at: str, now: float, tolerance: float) -> None:
    if not sent_at.isdecimal() or len(sent_at) > 12:  # noqa: PLR2004 -- far beyond any year
        raise SignatureError("malformed_timestamp", "webhook-timestamp is no Unix time")
    apart = now - int(sent_at)
    if abs(apart) > tolerance:
        reason, side = ("too_old", "old") if apart > 0 else ("in_the_future", "in the future")
        raise SignatureError(reason, f"the delivery is {abs(apart):.0f} s {side}: it is a replay, or a clock is wrong")


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:  # with which anyone can sign
        raise ValueError("the secret is not one: it begins with whsec_")
    return key


def _signature(key: bytes, signed: bytes) -> str:
    return base64.b64encode(hmac.new(key, signed, sha256).digest()).decode()
