"""Deliveries over HTTP: the list and its filters, one with its attempts, a retry by hand.

See docs/contract/contract.md 4.8.
"""

import json
from datetime import timedelta

import pytest
from jsonschema import Draft202012Validator

from api.database.engine import Database
from api.openapi.examples import webhooks
from api.openapi_document import openapi_document
from tests.api.fixtures import delivery_log as stored

NOW, MINUTE = stored.NOW, stored.MINUTE
DOCUMENT = json.loads(openapi_document("https://api.example.com"))
KEYS = list(webhooks.DELIVERY_EXAMPLE)
ATTEMPT_KEYS = list(webhooks.TEST_ATTEMPT)


class Scene:
    """A service with one subscription of its account, and the log of it."""

    def __init__(self, service, database):
        self.service = service
        self.log = stored.Log(database)
        self.account = service.accounts.account("owner@example.com").account_id
        self.subscription = self.log.subscription(self.account)
        self.path = f"/api/v1/webhooks/{self.subscription}/deliveries"

    def delivered(self, status="failed", event_type="status.changed", **more):
        self.log.at += MINUTE
        return self.log.deliver(self.subscription, self.log.event(event_type), status, **more)

    def get(self, below="", **headers):
        return self.service.get(self.path + below, **headers)

    def post(self, below, **headers):
        return self.service.client.post(self.path + below, headers=self.service.headers | headers)

    def ids(self, query=""):
        answer = self.get(query)
        assert answer.status_code == 200, answer.text
        return [row["id"] for row in answer.json()["data"]]


@pytest.fixture
def scene(service, tmp_path):
    database = Database(f"sqlite:///{tmp_path / 'control.sqlite'}")
    yield Scene(service, database)
    database.close()


def fits(name, value):
    schema = {"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]}
    Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(value)


def test_the_list_tells_what_became_of_every_delivery(scene):
    pending = scene.delivered("pending", next_attempt_at=NOW + 2 * MINUTE)
    done = scene.delivered(
        "succeeded",
        "filing.added",
        attempt_count=2,
        last_outcome="succeeded",
        last_response_status=204,
        completed_at=NOW + 3 * MINUTE,
    )
    answer = scene.get()
    assert answer.status_code == 200
    body = answer.json()
    fits("DeliveryList", body)
    assert (body["next_cursor"], body["has_more"]) == (None, False)
    first, second = body["data"]
    assert (list(first), list(second)) == (KEYS, KEYS)
    assert (first["id"], second["id"]) == (done, pending)
    assert first["event_type"] == "filing.added"
    assert first["completed_at"] == "2026-11-21T09:03:00Z"
    assert (first["last_outcome"], first["last_response_status"]) == ("succeeded", 204)
    assert second["next_attempt_at"] == "2026-11-21T09:02:00Z"
    assert second["created_at"] == "2026-11-21T09:01:00Z"
    assert (second["last_error"], second["replay_id"]) == (None, None)
    assert answer.headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in answer.headers
    assert "ratelimit" in answer.headers


def test_filters(scene):
    made = {status: scene.delivered(status) for status in ("pending", "failed", "held", "succeeded")}
    news = scene.delivered("failed", "news.published")
    assert scene.ids("?status=failed") == [news, made["failed"]]
    assert scene.ids("?status=held,pending") == [made["held"], made["pending"]]
    assert scene.ids("?event_type=news.published") == [news]
    assert scene.ids("?event_type=news.published&status=held") == []
    event = scene.get("?status=held").json()["data"][0]["event_id"]
    assert scene.ids(f"?event_id={event}") == [made["held"]]
    assert scene.ids("?since=2026-11-21T09:02:00Z&until=2026-11-21T09:04:00Z") == [made["held"], made["failed"]]


@pytest.mark.parametrize(
    ("query", "code", "parameter"),
    [
        ("status=lost", "unknown_value", "status"),
        ("event_type=filing.published", "unknown_value", "event_type"),
        ("event_id=evt_1", "format", "event_id"),
        ("since=yesterday", "format", "since"),
        ("limit=0", "out_of_range", "limit"),
    ],
)
def test_filters_are_strict(scene, query, code, parameter):
    answer = scene.get(f"?{query}")
    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert (error["code"], error["parameter"]) == (code, parameter)
    assert scene.get("?statsu=failed").json()["errors"][0]["detail"] == "did you mean 'status'?"


def test_pages_neither_repeat_nor_hide_what_others_add_meanwhile(scene):
    made = [scene.delivered() for _ in range(7)]
    first = scene.get("?limit=3&status=failed")
    assert first.json()["has_more"]
    scene.delivered()
    read, answer = first.json()["data"], first
    while cursor := answer.json()["next_cursor"]:
        assert f'cursor={cursor}>; rel="next"' in answer.headers["link"]
        answer = scene.get(f"?limit=2&status=failed&cursor={cursor}")
        read += answer.json()["data"]
    assert [row["id"] for row in read] == made[::-1]
    assert "link" not in answer.headers


def test_a_cursor_is_of_one_log_and_one_query(scene):
    for _ in range(3):
        scene.delivered()
    cursor = scene.get("?limit=1").json()["next_cursor"]
    other = scene.log.subscription(scene.account)
    answer = scene.service.get(f"/api/v1/webhooks/{other}/deliveries?cursor={cursor}")
    assert (answer.status_code, answer.json()["code"]) == (400, "cursor_mismatch")
    assert scene.get(f"?status=failed&cursor={cursor}").json()["code"] == "cursor_mismatch"
    assert scene.get(f"?cursor={cursor[:-2]}").json()["code"] == "invalid_cursor"
    scene.service.hands.seconds += timedelta(days=8).total_seconds()
    assert scene.get(f"?limit=1&cursor={cursor}").json()["code"] == "cursor_expired"


def test_a_delivery_shows_its_attempts_and_what_was_sent_last(scene):
    scene.log.at += MINUTE
    sequence = scene.log.event(name="Exempel Förvaltning AB")
    delivery = scene.log.deliver(scene.subscription, sequence, "succeeded", attempt_count=2)
    first = scene.log.attempt(
        delivery,
        error="timeout",
        error_detail="No 2xx response within 10 s.",
        response_status=None,
        response_headers=None,
        response_body=None,
    )
    scene.log.at += timedelta(seconds=71, milliseconds=10)
    good = {"outcome": "succeeded", "error": None, "error_detail": None, "response_status": 204}
    second = scene.log.attempt(delivery, number=2, response_body="", response_headers="{}", **good)
    answer = scene.get(f"/{delivery}")
    body = answer.json()
    fits("DeliveryDetail", body)
    assert list(body) == [*KEYS, "payload", "attempts"]
    assert body["payload"] == {
        "event_id": body["event_id"],
        "event_type": "status.changed",
        "delivered_at": "2026-11-21T09:02:11.010Z",
        "data": {"sequence": sequence, "name": "Exempel Förvaltning AB"},
    }
    assert "Förvaltning" in answer.text
    assert [list(attempt) for attempt in body["attempts"]] == [ATTEMPT_KEYS, ATTEMPT_KEYS]
    assert [attempt["id"] for attempt in body["attempts"]] == [first, second]
    told = body["attempts"][0]
    assert (told["error"], told["response_status"], told["response_headers"]) == ("timeout", None, None)
    assert told["started_at"] == "2026-11-21T09:01:00Z"
    assert body["attempts"][1]["response_headers"] == {}


def test_before_its_first_attempt_nothing_was_sent(scene):
    delivery = scene.delivered("pending")
    body = scene.get(f"/{delivery}").json()
    fits("DeliveryDetail", body)
    assert body["payload"]["delivered_at"] is None
    assert body["attempts"] == []


def test_retry_while_paused(scene):
    scene.subscription = scene.log.subscription(scene.account, status="paused", status_reason="manual")
    scene.path = f"/api/v1/webhooks/{scene.subscription}/deliveries"
    delivery = scene.delivered("held")
    answer = scene.post(f"/{delivery}/retry")
    assert answer.status_code == 202, answer.text
    fits("Delivery", answer.json())
    assert (answer.json()["id"], answer.json()["status"]) == (delivery, "held")
    (queued,) = scene.log.queue(scene.subscription)
    assert queued[:2] == (delivery, "manual")
    assert queued[2].startswith("att_")
    assert scene.log.next_due(scene.subscription) == NOW


def test_a_retry_with_one_key_is_one_attempt(scene):
    delivery = scene.delivered()
    first = scene.post(f"/{delivery}/retry", **{"Idempotency-Key": "once"})
    again = scene.post(f"/{delivery}/retry", **{"Idempotency-Key": "once"})
    assert (first.status_code, again.status_code) == (202, 202)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.content == first.content
    assert len(scene.log.queue(scene.subscription)) == 1
    scene.post(f"/{delivery}/retry")
    assert len(scene.log.queue(scene.subscription)) == 2, "each retry without it is an attempt of its own"


def test_what_was_canceled_answers_409(scene):
    answer = scene.post(f"/{scene.delivered('canceled')}/retry")
    assert (answer.status_code, answer.json()["code"]) == (409, "invalid_state")
    assert answer.json()["current_status"] == "canceled"


def test_other_account_sees_no_log(scene):
    delivery = scene.delivered()
    scene.service.accounts.create_account("other@example.com", "pro")
    key = scene.service.accounts.create_key("other@example.com", "live").key
    headers = {"Authorization": f"Bearer {key}"}
    client = scene.service.client
    for answer in (
        client.get(scene.path, headers=headers),
        client.get(f"{scene.path}/{delivery}", headers=headers),
        client.post(f"{scene.path}/{delivery}/retry", headers=headers),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "webhook_not_found")
    assert scene.log.queue(scene.subscription) == []


def test_what_is_unknown_or_too_old_is_404(scene):
    delivery = scene.delivered()
    for asked in ("dlv_" + "0" * 26, "nothing", "%00", delivery.upper()):
        for answer in (scene.get(f"/{asked}"), scene.post(f"/{asked}/retry")):
            assert (answer.status_code, answer.json()["code"]) == (404, "delivery_not_found"), asked
            assert answer.json()["detail"] == "No such delivery, or it is older than 30 days."
    scene.service.hands.seconds += timedelta(days=31).total_seconds()
    assert scene.get(f"/{delivery}").status_code == 404
    assert scene.ids() == []


def test_a_tier_without_webhooks_reads_its_log_and_retries_nothing(scene):
    delivery = scene.delivered()
    scene.service.accounts.set_tier("owner@example.com", "starter")
    scene.service.hands.seconds += 31  # keys are kept for 30 seconds
    refused = scene.post(f"/{delivery}/retry")
    assert (refused.status_code, refused.json()["code"]) == (403, "tier_required")
    assert scene.ids() == [delivery]
    assert scene.get(f"/{delivery}").status_code == 200


def test_publishable_keys_and_pages_stay_outside(scene):
    made = scene.service.accounts.create_key("owner@example.com", "public", domains=["app.example.com"])
    headers = {"Authorization": f"Bearer {made.key}", "Origin": "https://app.example.com"}
    answer = scene.service.client.get(scene.path, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "key_kind_not_allowed")
    told = {name: value for name, value in answer.headers.items() if name.startswith("access-control")}
    assert told == {"access-control-allow-origin": "https://app.example.com"}, "why, and no header of the account"
    asked = {"Origin": "https://app.example.com", "Access-Control-Request-Method": "GET"}
    preflight = scene.service.client.options(scene.path, headers=asked)
    assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (204, asked["Origin"])


def test_each_path_knows_its_methods(scene):
    delivery = scene.delivered()
    for below, method, allow in (
        ("", "post", "GET, HEAD, OPTIONS"),
        (f"/{delivery}", "delete", "GET, HEAD, OPTIONS"),
        (f"/{delivery}/retry", "get", "OPTIONS, POST"),
    ):
        answer = scene.service.client.request(method, scene.path + below, headers=scene.service.headers)
        assert (answer.status_code, answer.headers["allow"]) == (405, allow), below
