"""Signatures against published vectors and libraries that others wrote.

See docs/contract/contract.md 4.7, 4.16 «Signing».
"""

import base64
import json
import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
import standardwebhooks
import svix

from api.webhooks.egress import signing
from api.webhooks.egress.payload import MOST_BYTES, EventPayload, WebhookBodyTooLargeError, build_request, encode_body
from api.webhooks.egress.signing import make_secret, signature_headers

SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
PREVIOUS = "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8="
EVENT_ID = "evt_c4cthsej3686j9zsejemb8n4gb"
DATA = (
    '{"company_id":"firm:SE:5599999991","org_nr":"5599999991","name":"Exempelbolaget AB",'
    '"change":{"holder_name":"Exempel Förvaltning AB","previous_pct":8.2,"current_pct":10.7}}'
).encode()
EVENT = EventPayload(EVENT_ID, "ownership.changed", DATA)
STARTED = datetime(2026, 11, 20, 4, 12, 11, 482_913, tzinfo=UTC)
TIMESTAMP = 1795147931
DELIVERY = "dlv_01kaf49n6m7p8q9r0s1t2v3w4x"
HEX = "sha256=b71e11f82a4fd82a2349145912f3ef041c10fe3bee734dcb6b5a6819b60311a8"
HEX_PREVIOUS = "sha256=2a16160dd85802dbe3ddd5e7be06f764fcfbfc0e408d4618be4c3660eec34ea0"
V1 = "v1,XcE1TyyA0S+K8JZLutzSD1AXwk8toqkF1/VqCon7kwk="
V1_PREVIOUS = "v1,CkAHEUoxsZNohByACgM7NsC8P9jLdjrgjSQ4jAVVJnw="


def made(secrets=(SECRET,), started=None, event=EVENT, number=1):
    return build_request("https://hooks.example.com/x", secrets, event, DELIVERY, number, started or datetime.now(UTC))


def test_github_vector():
    told = signing.hex_signature("It's a Secret to Everybody", b"Hello, World!")
    assert told == "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"


def test_standard_webhooks_vector():
    secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]
    headers = signature_headers(secrets, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert (headers["webhook-id"], headers["webhook-timestamp"]) == ("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330")


def test_own_dual_vector():
    sent = made((SECRET, PREVIOUS), STARTED)
    assert len(sent.body) == 301
    assert sent.headers == {
        "Content-Type": "application/json",
        "User-Agent": "firm-webhooks/1",
        "Accept": "*/*",
        "Accept-Encoding": "identity",
        "X-Service-Signature": HEX,
        "X-Service-Signature-Previous": HEX_PREVIOUS,
        "webhook-id": EVENT_ID,
        "webhook-timestamp": str(TIMESTAMP),
        "webhook-signature": f"{V1} {V1_PREVIOUS}",
        "X-Service-Event": "ownership.changed",
        "X-Service-Delivery": DELIVERY,
        "X-Service-Attempt": "1",
    }


def test_non_ascii_body():
    sent = made(event=EventPayload(EVENT_ID, "news.published", '{"title":"Ærlig påstand – 株式会社 🎉"}'.encode()))
    assert "株式会社 🎉".encode() in sent.body  # as it is written, not as \u escapes
    assert standardwebhooks.Webhook(SECRET).verify(sent.body, sent.headers)["data"]["title"].endswith("🎉")
    assert svix.Webhook(SECRET).verify(sent.body, sent.headers) is None


def test_rotation_both_headers():
    sent = made((SECRET, PREVIOUS))
    for secret in (SECRET, PREVIOUS):
        standardwebhooks.Webhook(secret).verify(sent.body, sent.headers)
        svix.Webhook(secret).verify(sent.body, sent.headers)
    with pytest.raises(standardwebhooks.webhooks.WebhookVerificationError):
        standardwebhooks.Webhook(make_secret()).verify(sent.body, sent.headers)


def test_rotation_expires():
    sent = made((SECRET,))
    assert "X-Service-Signature-Previous" not in sent.headers
    assert sent.headers["webhook-signature"].count("v1,") == 1
    with pytest.raises(standardwebhooks.webhooks.WebhookVerificationError):
        standardwebhooks.Webhook(PREVIOUS).verify(sent.body, sent.headers)


def test_hex_is_lowercase():
    for number in range(50):
        headers = signature_headers([make_secret(), make_secret()], EVENT_ID, TIMESTAMP, str(number).encode())
        for name in ("X-Service-Signature", "X-Service-Signature-Previous"):
            assert re.fullmatch(r"sha256=[0-9a-f]{64}", headers[name])


@pytest.mark.parametrize("secrets", [(), (SECRET, PREVIOUS, SECRET)], ids=["none", "three"])
def test_only_a_secret_and_the_one_before_sign(secrets):
    with pytest.raises(ValueError, match="current secret"):
        signature_headers(secrets, EVENT_ID, TIMESTAMP, b"{}")


def test_a_secret_that_is_no_base64_signs_nothing():
    with pytest.raises(ValueError, match=r"base64|padding"):
        signature_headers(["whsec_*not base64*"], EVENT_ID, TIMESTAMP, b"{}")


def test_secrets_are_made_for_every_verifier():
    secrets = {make_secret() for _ in range(100)}
    assert len(secrets) == 100
    for secret in secrets:
        assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", secret)
        assert len(secret) == 50
        assert len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32


def test_body_has_four_members_and_nothing_between():
    told = json.loads(encode_body(EVENT, STARTED), object_pairs_hook=list)
    assert [name for name, _ in told] == ["event_id", "event_type", "delivered_at", "data"]
    assert encode_body(EVENT, STARTED) == (
        b'{"event_id":"evt_c4cthsej3686j9zsejemb8n4gb","event_type":"ownership.changed",'
        b'"delivered_at":"2026-11-20T04:12:11.482Z","data":' + DATA + b"}"
    )


def test_every_attempt_has_its_own_instant_and_signature():
    first, second = made(started=STARTED), made(started=STARTED + timedelta(minutes=1), number=2)
    assert first.headers.keys() == second.headers.keys()
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    for name in ("webhook-timestamp", "webhook-signature", "X-Service-Signature", "X-Service-Attempt"):
        assert first.headers[name] != second.headers[name]


@pytest.mark.parametrize("hours", [-11, -3.5, 0, 5.75, 14])
def test_instants_of_other_zones_are_told_in_utc(hours):
    there = STARTED.astimezone(timezone(timedelta(hours=hours)))
    assert made(started=there) == made(started=STARTED)


@pytest.mark.parametrize(("microsecond", "told"), [(0, "000"), (999, "000"), (1_000, "001"), (999_999, "999")], ids=str)
def test_the_timestamp_is_the_instant_floored(microsecond, told):
    sent = made(started=STARTED.replace(microsecond=microsecond))
    assert sent.headers["webhook-timestamp"] == str(TIMESTAMP)
    assert f'"delivered_at":"2026-11-20T04:12:11.{told}Z"'.encode() in sent.body


def test_an_instant_without_a_zone_is_refused():
    with pytest.raises(ValueError, match="time zone"):
        made(started=STARTED.replace(tzinfo=None))


def test_a_body_beyond_32_kib_is_not_sent():
    room = MOST_BYTES - len(encode_body(EventPayload(EVENT_ID, "news.published", b'""'), STARTED))
    fits = EventPayload(EVENT_ID, "news.published", b'"' + b"x" * room + b'"')
    assert len(made(event=fits, started=STARTED).body) == MOST_BYTES == 32_768
    with pytest.raises(WebhookBodyTooLargeError) as raised:
        made(event=EventPayload(EVENT_ID, "news.published", b'"' + b"x" * (room + 1) + b'"'), started=STARTED)
    assert (raised.value.event_id, raised.value.size) == (EVENT_ID, MOST_BYTES + 1)
