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
        installing, first_day, demo = Path(os.environ[SAID]).read_text().partition("2026-")
        assert all(line.endswith("(once) ...") for line in installing.splitlines()), installing
        return first_day + demo
    done = Inside(folder / "data").run("demo", "--no-serve", "--companies", "300", "--days", "2")
    assert done.exit_code == 0, done.err
    return done.out + done.err


@pytest.mark.slow
def test_what_changes_is_delivered_and_all_is_told_on_one_screen(tmp_path: Path) -> None:
    said = _said(tmp_path)
    lines = said.splitlines()
    assert len(lines) <= 15, said
    assert lines[-1] == "http://127.0.0.1:8000/"
    days = re.findall(r"^2026-\d\d-\d\d: (\d+) companies of 5 countries, (\d+) events \(\d+ s\)$", said, re.MULTILINE)
    assert len(days) >= 2
    assert int(days[0][0]) >= 300
    assert days[0][1] == "0"  # a first load is silent
    [(total, each)] = re.findall(r"received and verified (\d+) events: (.*)\.", said)
    received = {event_type: int(count) for count, event_type in re.findall(r"(\d+) ([a-z.]+)", each)}
    assert set(received) >= {"filing.added", "ownership.changed", "status.changed"}
    assert sum(received.values()) == int(total) == sum(int(events) for _, events in days) > 0
    key = re.search(r"^API key \(shown once\): (firm_live_\w{42})$", said, re.MULTILINE)
    assert key is not None
    assert f"curl -H 'Authorization: Bearer {key[1]}' 'http://127.0.0.1:8000/api/v1/companies/" in said
    assert re.search(r"/api/v1/webhooks/whs_\w+/deliveries\n", said)
    link = r"\nDashboard, as demo@firmdata\.example, once, within 1 hour: http://[^\n]*\?token=firm_link_[0-9a-f]{64}\n"
    assert re.search(link, said)


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
