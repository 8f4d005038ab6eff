"""`firm demo`, which is `make run`: changes reach a subscriber on this machine, verified, and are told."""

import hashlib
import hmac
import json
import os
import re
from email.message import Message
from pathlib import Path

import httpx
import pytest

from firm.demo.webhook_receiver import WebhookReceiver, run_receiver
from tests.firm.inside import Inside

SAID = "DEMO_SAID"  # a file with what `make run SERVE=0` printed just before, as .ci/run has it: one demo is enough


def _said(folder: Path) -> str:
    if SAID in os.environ:
        return Path(os.environ[SAID]).read_text()
    done = Inside(folder / "data").run("demo", "--no-serve", "--companies", "300", "--days", "2")
    assert done.exit_code == 0, done.err
    return done.out


@pytest.mark.slow
def test_what_changes_is_delivered_to_the_subscriber(tmp_path: Path) -> None:
    said = _said(tmp_path)
    lines = [line.split("\t") for line in said.splitlines()]
    happened = [int(line[5]) for line in lines if len(line) == 7 and line[0].startswith("2026-")]
    head = next(place for place, line in enumerate(lines) if line == ["event", "received and verified"])
    received = {line[0]: int(line[1]) for line in lines[head + 1 : head + 8] if len(line) == 2}
    assert set(received) >= {"filing.added", "ownership.changed", "status.changed"}
    assert sum(received.values()) == sum(happened) > 0
    assert "/api/v1/webhooks/whs_" in said
    assert re.search(
        r"\nSigned in as demo@firmdata\.example, once, within 1 hour: http://[^\n]*\?token=firm_link_[0-9a-f]{64}\n",
        said,
    )


def message(**headers: str) -> Message:
    made = Message()
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    return made


def test_the_subscriber_counts_an_event_once_and_what_is_forged_never() -> None:
    receiver = WebhookReceiver("http://127.0.0.1:1/hooks", "whsec_secret")
    body = json.dumps({"event_id": "evt_1", "event_type": "status.changed"}).encode()
    signed = "sha256=" + hmac.new(b"whsec_secret", body, hashlib.sha256).hexdigest()
    assert receiver.take(message(X_Service_Signature=signed), body) == 204
    assert receiver.take(message(X_Service_Signature=signed), body) == 204
    assert receiver.take(message(X_Service_Signature=signed), body + b" ") == 401
    assert receiver.take(message(), body) == 401
    assert (dict(receiver.by_type), receiver.repeated, receiver.refused) == ({"status.changed": 1}, 1, 2)
    assert WebhookReceiver("http://127.0.0.1:1/hooks").take(message(X_Service_Signature=signed), body) == 401


def test_the_subscriber_reads_no_more_than_an_event_can_have() -> None:
    with run_receiver() as receiver, httpx.Client(trust_env=False) as client:
        answer = client.post(receiver.url, content=b"x" * 33_000)
        assert answer.status_code == 413
        assert client.post(receiver.url, content=b"{}").status_code == 401
