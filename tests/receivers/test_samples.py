"""The sample receivers of examples/, as processes, against deliveries that leave by the real egress."""

import asyncio
import http.client
import ipaddress
import json
import os
import re
import resource
import socket
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from api.common.clock import Clock
from api.settings.webhooks import WebhookSettings
from api.webhooks.egress.http_client import WebhookClient
from api.webhooks.egress.payload import EventPayload, build_request
from api.webhooks.egress.signing import make_secret

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "receivers"
SETTINGS = WebhookSettings(allow_networks=(ipaddress.ip_network("127.0.0.1/32"),), allow_http=True)
DATA = '{"name":"Bøørge & Søn <AS>","holder_name":"株式会社 🎉","previous_pct":8.2}'.encode()
KINDS = ("python", "node")


def event(number=0):
    return EventPayload(f"evt_{number:026d}", "ownership.changed", DATA)


class Sample:
    """A running receiver, and what it has stored."""

    def __init__(self, command, kind, inbox):
        self.kind, self.inbox, self.command = kind, inbox, command

    def start(self, *secrets):
        environment = os.environ | {"WEBHOOK_SECRET": ", ".join(secrets), "PORT": "0", "INBOX": str(self.inbox)}
        self.process = subprocess.Popen(
            self.command, env=environment, stdout=subprocess.PIPE, text=True, restore_signals=False
        )
        told = self.process.stdout.readline()
        self.port = int(re.search(r":(\d+)$", told.strip())[1])
        return self

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stored(self):
        if self.kind == "node":
            return [json.loads(line)["event_id"] for line in self.inbox.read_text().splitlines()]
        with sqlite3.connect(self.inbox) as database:
            rows = database.execute("SELECT event_id FROM events ORDER BY rowid").fetchall()
        database.close()
        return [row[0] for row in rows]

    def first_body(self):
        """The first stored event, as text."""
        if self.kind == "node":
            return self.inbox.read_text().splitlines()[0]
        with sqlite3.connect(self.inbox) as database:
            [body] = database.execute("SELECT body FROM events ORDER BY rowid LIMIT 1").fetchone()
        database.close()
        return body.decode() if isinstance(body, bytes) else body

    def answer(self, headers, body, method="POST"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, "/hook", body, headers)
        status = connection.getresponse().status
        connection.close()
        return status

    def deliver(self, *secrets, events=None, started=None):
        async def send():
            sender = WebhookClient(SETTINGS, Clock())
            url = f"http://127.0.0.1:{self.port}/hook"
            outcomes = [
                await sender.send(build_request(url, secrets, one, "dlv_x", 1, started or datetime.now(UTC)))
                for one in events or [event()]
            ]
            await sender.close()
            return [one.response_status for one in outcomes]

        return asyncio.run(send())


def made(*secrets, body=DATA, started=None):
    sent = build_request(
        "https://a/",
        secrets,
        EventPayload("evt_1", "ownership.changed", body),
        "dlv_x",
        1,
        started or datetime.now(UTC),
    )
    return sent.headers, sent.body


@pytest.fixture
def starting(request, tmp_path):
    running = []

    def start(kind, *secrets, stopped=None):
        file = "receiver.py" if kind == "python" else "receiver.mjs"
        command = [sys.executable if kind == "python" else request.getfixturevalue("node"), EXAMPLES / kind / file]
        sample = Sample(command, kind, tmp_path / "inbox").start(*secrets)
        running.append(sample)
        return sample

    yield start
    for sample in running:
        sample.stop()


@pytest.fixture(params=KINDS)
def sample(request, starting):
    secret = make_secret()
    running = starting(request.param, secret)
    running.secret = secret
    return running


def test_deliveries_are_kept_each_once(sample):
    events = [event(number) for number in (1, 2, 1, 3, 2, 1)]
    assert sample.deliver(sample.secret, events=events) == [204] * 6
    assert sample.stored() == [event(number).event_id for number in (1, 2, 3)]


def test_a_delivery_is_stored_with_every_digit(sample):
    amount = 2**53 + 1
    body = EventPayload("evt_big", "filing.added", b'{"revenue":%d}' % amount)
    assert sample.deliver(sample.secret, events=[body]) == [204]
    assert f'"revenue":{amount}' in sample.first_body()


def test_a_mismatch_is_401(sample):
    headers, body = made(sample.secret)
    without = {name: value for name, value in headers.items() if not name.startswith("webhook-")}
    refused = {
        "another secret": made(make_secret()),
        "changed body": (headers, body.replace(b"8.2", b"8.3")),
        "another id": (headers | {"webhook-id": "evt_2"}, body),
        "another time": (headers | {"webhook-timestamp": str(int(headers["webhook-timestamp"]) - 1)}, body),
        "too old": made(sample.secret, started=datetime.now(UTC) - timedelta(seconds=330)),
        "too new": made(sample.secret, started=datetime.now(UTC) + timedelta(seconds=330)),
        "no headers": (without, body),
        "no signature": (headers | {"webhook-signature": ""}, body),
        "half a signature": (headers | {"webhook-signature": headers["webhook-signature"][:20]}, body),
        "odd signature": (headers | {"webhook-signature": "v1,\xe9\xe9 v1, , v2,x"}, body),
        "no time": (headers | {"webhook-timestamp": "soon"}, body),
        "odd time": (headers | {"webhook-timestamp": "1" * 400}, body),
        "nothing": ({}, b""),
    }
    answers = {name: sample.answer(*case) for name, case in refused.items()}
    assert answers == dict.fromkeys(refused, 401)
    assert sample.stored() == []
    assert sample.answer(headers, body) == 204  # and it goes on


def test_clocks_may_differ_by_a_little(sample):
    for seconds in (-270, 270):
        assert sample.answer(*made(sample.secret, started=datetime.now(UTC) + timedelta(seconds=seconds))) == 204


@pytest.mark.parametrize("kind", KINDS)
def test_both_secrets_hold_during_a_rotation(starting, kind):
    old, new = make_secret(), make_secret()
    not_told_yet, told, later = starting(kind, old), starting(kind, new, old), starting(kind, new)
    assert not_told_yet.deliver(new, old) == [204]  # signed with both
    assert told.deliver(new, old) == told.deliver(old) == told.deliver(new) == [204]
    assert later.deliver(new) == [204]
    assert later.deliver(old) == [401]


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_stored_outlives_a_kill(starting, kind):
    secret = make_secret()
    sample = starting(kind, secret)
    assert sample.deliver(secret, events=[event(1)]) == [204]
    sample.stop()
    if kind == "node":  # a line that was being written
        with sample.inbox.open("a") as file:
            file.write('{"event_id":"evt_ha')
    again = starting(kind, secret)
    assert again.deliver(secret, events=[event(1), event(2)]) == [204, 204]
    assert again.stored() == [event(1).event_id, event(2).event_id]


def test_a_delivery_of_which_the_disk_takes_a_part_is_not_acknowledged(starting):
    secret = make_secret()
    sample = starting("node", secret)
    assert sample.deliver(secret, events=[event(1)]) == [204]
    unlimited = resource.prlimit(sample.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(sample.process.pid, resource.RLIMIT_FSIZE, (sample.inbox.stat().st_size + 20, unlimited[1]))
    assert sample.deliver(secret, events=[event(2)]) == [500]
    resource.prlimit(sample.process.pid, resource.RLIMIT_FSIZE, unlimited)
    assert sample.deliver(secret, events=[event(3), event(2)]) == [204, 204]
    assert sample.stored() == [event(number).event_id for number in (1, 3, 2)]


def test_other_requests(sample):
    headers, body = made(sample.secret)
    assert sample.answer({}, None, "GET") in (405, 501)
    assert sample.answer(headers, body + b" " * 65_536) == 413
    with socket.create_connection(("127.0.0.1", sample.port), 30) as raw:  # half a request holds nobody up
        raw.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
        assert sample.answer(headers, body) == 204


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("secret", ["", "whsec_"], ids=["none", "empty"])
def test_without_a_secret_it_says_so(request, kind, secret, tmp_path):
    command = sys.executable if kind == "python" else request.getfixturevalue("node")
    file = EXAMPLES / kind / ("receiver.py" if kind == "python" else "receiver.mjs")
    environment = os.environ | {"WEBHOOK_SECRET": secret, "INBOX": str(tmp_path / "inbox")}
    ended = subprocess.run([command, file], env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 2
    assert "WEBHOOK_SECRET" in ended.stderr


def test_the_products_own_header(tmp_path, node):
    """The second way that both samples show."""
    old, new = make_secret(), make_secret()
    headers, body = made(new, old)
    cases = [
        (headers, body, [new], True),
        (headers, body, [old], True),
        (headers, body, [make_secret()], False),
        (headers, body + b" ", [new], False),
        ({}, body, [new], False),
    ]
    script = """
        import {{ isSigned }} from {path};
        const told = JSON.parse(process.argv[1]).map(([headers, body, secrets]) =>
          isSigned(headers, Buffer.from(body), secrets));
        console.log(JSON.stringify(told));
    """.format(path=json.dumps(str(EXAMPLES / "node" / "receiver.mjs")))
    asked = [
        [{name.lower(): value for name, value in one.items()}, what.decode(), keys] for one, what, keys, _ in cases
    ]
    ended = subprocess.run([node, "--input-type=module", "-e", script, json.dumps(asked)], capture_output=True,
                           text=True, check=True, timeout=60)  # fmt: skip
    assert json.loads(ended.stdout) == [expected for *_, expected in cases]

    import importlib.util

    spec = importlib.util.spec_from_file_location("sample_receiver", EXAMPLES / "python" / "receiver.py")
    receiver = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(receiver)
    assert [receiver.is_signed(*case[:3]) for case in cases] == [expected for *_, expected in cases]


def test_samples_use_the_standard_library_alone():
    found = re.findall(r"^(?:import|from) ([\w.]+)", (EXAMPLES / "python" / "receiver.py").read_text(), re.MULTILINE)
    assert found
    assert {name.split(".")[0] for name in found} <= sys.stdlib_module_names
    found = re.findall(r'from "([^"]+)"', (EXAMPLES / "node" / "receiver.mjs").read_text())
    assert found
    assert all(name.startswith("node:") for name in found)
