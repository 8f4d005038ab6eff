"""Test sends: through the same egress, answered at once, without any trace in log or health.

See docs/contract/contract.md 4.8.
"""

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network

import pytest
from sqlalchemy import func, select

from api.database.engine import Database
from api.database.models.webhooks import Attempt, Delivery, MatchedEvent, QueuedAttempt
from api.openapi.examples import DELIVERIES
from api.openapi.examples import webhooks as examples
from api.settings.webhooks import WebhookSettings
from warehouse.schema.codes import EVENT_TYPES

ALL = "/api/v1/webhooks"
TRIAL = WebhookSettings(allow_http=True, allow_networks=(ip_network("127.0.0.0/8"),))


@dataclass
class Receiver:
    """An endpoint that keeps what it is sent, and answers as it was told."""

    url: str
    status: int = 200
    body: bytes = b""
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            kept.got.append((dict(self.headers), body))
            self.send_response(kept.status)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(kept.body)))
            self.end_headers()
            self.wfile.write(kept.body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    kept = Receiver(f"http://127.0.0.1:{server.server_port}/hook?token=secret")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield kept
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def service(serve, world):
    return serve(world, webhooks=TRIAL)


def send(service, path, body):
    return service.client.post(path, headers=service.headers, json=body)


def make(service, url, **more):
    members = {"endpoint_url": url, "event_types": ["news.published", "status.changed"]} | more
    answer = send(service, ALL, members)
    assert answer.status_code == 201, answer.text
    return answer.json()


def verified(headers, body, secret):
    """What a receiver of either kind computes."""
    own = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    standard = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return own, standard


def test_a_test_arrives_as_a_delivery_does(service, receiver):
    made = make(service, receiver.url)
    receiver.body = b"thanks"
    for event_type in EVENT_TYPES:
        answer = send(service, f"{ALL}/{made['id']}/test", {"event_type": event_type})
        assert answer.status_code == 200
        told = answer.json()
        assert list(told) == list(examples.TEST_ATTEMPT)
        assert told | {"id": ""} == {
            "id": "",
            "delivery_id": None,
            "number": 1,
            "trigger": "test",
            "started_at": "2026-11-21T09:00:00Z",
            "duration_ms": 0,
            "outcome": "succeeded",
            "error": None,
            "error_detail": None,
            "request_url": receiver.url.partition("?")[0],
            "remote_ip": "127.0.0.1",
            "response_status": 200,
            "response_headers": told["response_headers"],
            "response_body": "thanks",
            "response_body_truncated": False,
        }
        headers, body = receiver.got[-1]
        sent = json.loads(body)
        assert list(sent) == ["event_id", "event_type", "delivered_at", "data"]
        assert sent["event_type"] == headers["X-Service-Event"] == event_type
        assert sent["event_id"] == headers["webhook-id"]
        assert sent["delivered_at"] == "2026-11-21T09:00:00.000Z"
        assert sent["data"] == DELIVERIES[event_type]["data"] | {"test": True}
        assert list(sent["data"])[-1] == "test"
        assert headers["X-Service-Attempt"] == "1"
        own, standard = verified(headers, body, made["secret"])
        assert headers["X-Service-Signature"] == own
        assert headers["webhook-signature"] == standard
    ids = {json.loads(body)["event_id"] for _, body in receiver.got}
    assert len(ids) == len(EVENT_TYPES)  # a receiver drops what it has seen


def test_a_type_need_not_be_named(service, receiver):
    made = make(service, receiver.url)
    assert send(service, f"{ALL}/{made['id']}/test", {}).status_code == 200
    assert json.loads(receiver.got[0][1])["event_type"] == "status.changed"
    alias = send(service, f"{ALL}/{made['id']}/test", {"event_type": "filing.published"})
    assert alias.status_code == 200
    assert json.loads(receiver.got[1][1])["event_type"] == "filing.added"
    wrong = send(service, f"{ALL}/{made['id']}/test", {"event_type": "filing.addded"})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "validation_failed")


def test_nothing_need_be_sent(service, receiver):
    """As the mails say it: POST …/test, nothing else."""
    made = make(service, receiver.url)
    answer = service.client.post(f"{ALL}/{made['id']}/test", headers=service.headers)
    assert (answer.status_code, answer.json()["outcome"]) == (200, "succeeded")
    assert json.loads(receiver.got[0][1])["event_type"] == "status.changed"


def test_rotation_both_headers(service, receiver):
    """Until the time of grace is over both secrets sign, then only the new one (rotation_expires)."""
    made = make(service, receiver.url)
    path = f"{ALL}/{made['id']}"
    new = send(service, f"{path}/secret/rotate", {"grace_period_seconds": 60}).json()["secret"]
    send(service, f"{path}/test", {})
    headers, body = receiver.got[-1]
    before, after = verified(headers, body, made["secret"]), verified(headers, body, new)
    assert headers["X-Service-Signature"] == after[0]
    assert headers["X-Service-Signature-Previous"] == before[0]
    assert headers["webhook-signature"] == f"{after[1]} {before[1]}"
    service.hands.seconds += 60
    send(service, f"{path}/test", {})
    headers, body = receiver.got[-1]
    assert "X-Service-Signature-Previous" not in headers
    assert headers["webhook-signature"] == verified(headers, body, new)[1]


def test_a_failure_leaves_no_trace(service, receiver):
    made = make(service, receiver.url, status="paused")
    receiver.status, receiver.body = 500, b"boom"
    told = send(service, f"{ALL}/{made['id']}/test", {}).json()
    assert (told["outcome"], told["error"], told["error_detail"]) == ("failed", "http_status", "Endpoint returned 500.")
    assert (told["response_status"], told["response_body"]) == (500, "boom")
    read = service.get(f"{ALL}/{made['id']}")
    assert read.json() == {name: made[name] for name in read.json()}
    assert read.headers["etag"] == '"1"'
    database = Database(service.parts.settings.control_database_url)
    with database.reading() as session:
        for table in (Attempt, Delivery, MatchedEvent, QueuedAttempt):
            assert session.scalar(select(func.count()).select_from(table)) == 0
    database.close()


def test_ten_a_minute(service, receiver):
    first, other = make(service, receiver.url)["id"], make(service, receiver.url)["id"]
    for _ in range(10):
        assert send(service, f"{ALL}/{first}/test", {}).status_code == 200
    refused = send(service, f"{ALL}/{first}/test", {})
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert (refused.headers["retry-after"], refused.json()["retry_after"]) == ("6", 6)
    assert refused.json()["violated-policies"] == ["test"]
    assert len(receiver.got) == 10
    assert send(service, f"{ALL}/{other}/test", {}).status_code == 200
    service.hands.seconds += 6
    assert send(service, f"{ALL}/{first}/test", {}).status_code == 200
    assert send(service, f"{ALL}/{first}/test", {}).status_code == 429


def test_test_route_uses_same_guard(serve, world):
    """The name meant a public address when the subscription was made; what is judged is where the test goes."""
    names = {"hooks.example.com": ["93.184.215.14"]}

    async def resolver(host):
        return names[host]

    service = serve(world, resolver=resolver)
    made = make(service, "https://hooks.example.com/x?token=1")
    for addresses in (["169.254.169.254"], ["93.184.215.14", "10.0.0.1"], ["::ffff:127.0.0.1"]):
        names["hooks.example.com"] = addresses
        told = send(service, f"{ALL}/{made['id']}/test", {}).json()
        assert (told["outcome"], told["error"]) == ("failed", "blocked_address")
        assert told["request_url"] == "https://hooks.example.com/x"
        for name in ("remote_ip", "response_status", "response_headers", "response_body"):
            assert told[name] is None
