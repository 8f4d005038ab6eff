"""Verification of deliveries by the Python client, of what the service signs and of what it never signed."""

from __future__ import annotations

import base64
import hmac
from typing import Any

import pytest
from firmdata import webhooks

from api.webhooks.egress.signing import make_secret, signature_headers
from tests.tables import check_cases

NOW = 1_795_251_600
BODY = '{"event_type":"status.changed","name":"Ærø"}'.encode()
SECRET, FORMER = make_secret(), make_secret()


def signed(body: bytes = BODY, *secrets: str, at: int = NOW) -> dict[str, str]:
    return signature_headers(secrets or (SECRET,), "msg_1", at, body)


def test_what_the_service_signs_is_the_event() -> None:
    event = webhooks.verify(BODY, signed(), SECRET, now=NOW)
    assert event["name"] == "Ærø"
    assert webhooks.verify(BODY.decode(), signed(), [FORMER, SECRET], now=NOW) == event
    both = signed(BODY, SECRET, FORMER)
    assert webhooks.verify(BODY, both, SECRET, now=NOW) == webhooks.verify(BODY, both, FORMER, now=NOW) == event


@pytest.mark.parametrize("spelled", [str.title, str.upper, lambda name: "HTTP_" + name.upper().replace("-", "_")])
def test_headers_of_every_framework(spelled: Any) -> None:
    headers = {spelled(name): value for name, value in signed().items()}
    assert webhooks.verify(BODY, headers, SECRET, now=NOW)
    assert webhooks.verify(BODY, list(headers.items()), SECRET, now=NOW)
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    assert webhooks.verify(BODY, raw, SECRET, now=NOW)  # as ASGI has them
    several = {name: [value] for name, value in headers.items()}
    assert webhooks.verify(BODY, several, SECRET, now=NOW)  # as gateways have them
    assert webhooks.verify(BODY, headers | {"wsgi.version": (1, 0), "wsgi.input": object()}, SECRET, now=NOW)


@check_cases(
    "body, headers, secret, now, words",
    [
        (BODY + b" ", signed(), SECRET, NOW, "does not match"),
        (BODY, signed(), FORMER, NOW, "does not match"),
        (BODY, signed(BODY, FORMER), SECRET, NOW, "does not match"),
        (BODY, signed() | {"webhook-id": "msg_2"}, SECRET, NOW, "does not match"),
        (BODY, signed(), SECRET, NOW + 301, "301 s old"),
        (BODY, signed(), SECRET, NOW - 301, "301 s in the future"),
        (BODY, signed() | {"webhook-timestamp": "today"}, SECRET, NOW, "no Unix time"),
        (BODY, signed() | {"webhook-timestamp": "9" * 400}, SECRET, NOW, "no Unix time"),
        (BODY, signed() | {"webhook-signature": ""}, SECRET, NOW, "no header webhook-signature"),
        (BODY, signed() | {"webhook-signature": "v2,abc v1"}, SECRET, NOW, "does not match"),
        (BODY, {}, SECRET, NOW, "no header webhook-id"),
        (b"[1]", signed(b"[1]"), SECRET, NOW, "no JSON object"),
        (b"{", signed(b"{"), SECRET, NOW, "no JSON"),
    ],
)
def test_what_is_not_believed(body: bytes, headers: dict[str, str], secret: str, now: int, words: str) -> None:
    with pytest.raises(webhooks.SignatureError, match=words):
        webhooks.verify(body, headers, secret, now=now)


@pytest.mark.parametrize("secret", ["whsec_§", "whsec_", "", ["", SECRET]])
def test_a_secret_that_is_none_is_the_callers_mistake(secret: str | list[str]) -> None:
    """An empty one, as of a setting that is missing, is a key that anyone can sign with."""
    signature = base64.b64encode(hmac.digest(b"", b"msg_1.%d.%b" % (NOW, BODY), "sha256")).decode()
    forged = signed() | {"webhook-signature": f"v1,{signature}"}
    with pytest.raises(ValueError, match="begins with whsec_"):
        webhooks.verify(BODY, forged, secret, now=NOW)
