"""Replays over HTTP: what may be asked for, what is taken up, how far it has come.

See docs/contract/contract.md 4.8.
"""

import json
from datetime import timedelta

import pytest
from jsonschema import Draft202012Validator
from sqlalchemy import update

from api.database.engine import Database
from api.database.models.webhooks import Replay
from api.openapi.examples import webhooks
from api.openapi_document import openapi_document
from tests.api.fixtures import delivery_log as stored
from tests.tables import check_cases

NOW, MINUTE, DAY = stored.NOW, stored.MINUTE, stored.DAY
DOCUMENT = json.loads(openapi_document("https://api.example.com"))
TODAY = {"since": "2026-11-21T00:00:00Z"}
KEYS = list(webhooks.REPLAY)


class Scene:
    """A service with one subscription of its account, and the log of it."""

    def __init__(self, service, database):
        self.service = service
        self.database = database
        self.log = stored.Log(database)
        self.account = service.accounts.account("owner@example.com").account_id
        self.chosen(self.log.subscription(self.account))

    def chosen(self, subscription):
        self.subscription = subscription
        self.path = f"/api/v1/webhooks/{subscription}/replays"

    def delivered(self, status="failed", event_type="status.changed", at=NOW - MINUTE):
        self.log.at = at
        return self.log.deliver(self.subscription, self.log.event(event_type), status)

    def ask(self, body, **headers):
        return self.service.client.post(self.path, headers=self.service.headers | headers, json=body)


@pytest.fixture
def scene(service, tmp_path):
    database = Database(f"sqlite:///{tmp_path / 'control.sqlite'}")
    yield Scene(service, database)
    database.close()


def fits(value):
    schema = {"$ref": "#/components/schemas/Replay", "components": DOCUMENT["components"]}
    Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(value)


def test_replay_window(scene):
    made = {status: scene.delivered(status) for status in ("failed", "held", "succeeded", "pending")}
    scene.delivered("failed", at=NOW - 2 * DAY)
    answer = scene.ask(TODAY)
    assert answer.status_code == 202, answer.text
    body = answer.json()
    fits(body)
    assert list(body) == KEYS
    assert body | {"id": ""} == {
        "id": "",
        "subscription_id": scene.subscription,
        "since": "2026-11-21T00:00:00Z",
        "until": "2026-11-21T09:00:00Z",
        "statuses": ["failed", "held"],
        "event_types": None,
        "status": "running",
        "matched": 2,
        "succeeded": 0,
        "failed": 0,
        "pending": 2,
        "created_at": "2026-11-21T09:00:00Z",
        "completed_at": None,
    }
    assert answer.headers["location"] == f"{scene.path}/{body['id']}"
    queued = {delivery for delivery, trigger, *_ in scene.log.queue(scene.subscription) if trigger == "replay"}
    assert queued == {made["failed"], made["held"]}
    row = scene.service.get(f"/api/v1/webhooks/{scene.subscription}/deliveries/{made['held']}").json()
    assert (row["status"], row["replay_id"]) == ("pending", body["id"])


def test_a_replay_chooses_statuses_and_types_also_by_their_old_names(scene):
    filing = scene.delivered("succeeded", "filing.added")
    scene.delivered("succeeded", "status.changed")
    body = scene.ask(TODAY | {"statuses": ["succeeded"], "event_types": ["filing.published"]}).json()
    assert (body["matched"], body["statuses"], body["event_types"]) == (1, ["succeeded"], ["filing.added"])
    assert [delivery for delivery, *_ in scene.log.queue(scene.subscription)] == [filing]


def test_progress_is_told_until_it_is_complete(scene):
    scene.delivered()
    scene.delivered()
    location = scene.ask(TODAY).headers["location"]
    with scene.database.writing() as session:
        session.execute(update(Replay).values(succeeded=1))
    body = scene.service.get(location).json()
    assert (body["status"], body["succeeded"], body["pending"]) == ("running", 1, 1)
    with scene.database.writing() as session:
        session.execute(update(Replay).values(failed=1, completed_at=NOW + MINUTE))
    body = scene.service.get(location).json()
    fits(body)
    assert (body["status"], body["failed"], body["pending"]) == ("completed", 1, 0)
    assert body["completed_at"] == "2026-11-21T09:01:00Z"


def test_a_replay_of_nothing_is_complete_at_once(scene):
    body = scene.ask(TODAY).json()
    assert (body["status"], body["matched"], body["completed_at"]) == ("completed", 0, "2026-11-21T09:00:00Z")


def test_a_paused_subscription_answers_409(scene):
    scene.chosen(scene.log.subscription(scene.account, status="paused", status_reason="retries_exhausted"))
    held = scene.delivered("held")
    answer = scene.ask(TODAY)
    assert (answer.status_code, answer.json()["code"]) == (409, "invalid_state")
    assert answer.json()["detail"] == "The subscription is paused; set status to active before replaying."
    assert answer.json()["current_status"] == "paused"
    assert scene.log.delivery(held).status == "held"


@check_cases(
    ("body", "expected"),
    [
        ({}, [("missing", "/since")]),
        ({"since": None}, [("type", "/since")]),
        ({"since": "2026-11-21"}, [("format", "/since")]),
        ({"since": "2026-13-21T00:00:00Z"}, [("format", "/since")]),
        ({"since": "2026-10-22T08:59:59Z"}, [("out_of_range", "/since")]),
        ({"since": "2026-11-21T09:00:00Z"}, [("out_of_range", "/since")]),
        (TODAY | {"until": "2026-11-21T00:00:00Z"}, [("out_of_range", "/until")]),
        (TODAY | {"statuses": []}, [("empty_array", "/statuses")]),
        (TODAY | {"statuses": ["pending"]}, [("unknown_value", "/statuses/0")]),
        (TODAY | {"event_types": []}, [("empty_array", "/event_types")]),
        (TODAY | {"event_types": ["filing.addded"]}, [("unknown_event_type", "/event_types/0")]),
        (
            {"since": 1, "untill": 2, "statuses": "failed"},
            [("unknown_member", "/untill"), ("type", "/since"), ("type", "/statuses")],
        ),
    ],
)
def test_everything_wrong_is_told(scene, body, expected):
    answer = scene.ask(body)
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed"), answer.text
    assert [(error["code"], error["pointer"]) for error in answer.json()["errors"]] == expected
    assert scene.log.replays(scene.subscription) == []


def test_thirty_days_back_and_offsets_are_taken(scene):
    assert scene.ask({"since": "2026-10-22T09:00:00Z"}).status_code == 202
    body = scene.ask({"since": "2026-11-21T08:00:00.5+02:00", "until": "2027-01-01T00:00:00Z"}).json()
    assert (body["since"], body["until"]) == ("2026-11-21T06:00:00Z", "2027-01-01T00:00:00Z")


def test_a_replay_with_one_key_is_one_replay(scene):
    scene.delivered()
    first = scene.ask(TODAY, **{"Idempotency-Key": "once"})
    again = scene.ask(TODAY, **{"Idempotency-Key": "once"})
    assert again.json()["id"] == first.json()["id"]
    assert again.headers["idempotency-replayed"] == "true"
    assert again.headers["location"] == first.headers["location"]
    assert len(scene.log.replays(scene.subscription)) == 1
    other = scene.ask(TODAY | {"statuses": ["held"]}, **{"Idempotency-Key": "once"})
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")


def test_other_account_has_no_such_replay(scene):
    location = scene.ask(TODAY).headers["location"]
    scene.service.accounts.create_account("other@example.com", "pro")
    key = scene.service.accounts.create_key("other@example.com", "live").key
    headers = {"Authorization": f"Bearer {key}"}
    client = scene.service.client
    for answer in (client.get(location, headers=headers), client.post(scene.path, headers=headers, json=TODAY)):
        assert (answer.status_code, answer.json()["code"]) == (404, "webhook_not_found")
    second = scene.log.subscription(scene.account)
    moved = location.replace(scene.subscription, second)
    assert scene.service.get(moved).json()["code"] == "replay_not_found"
    assert scene.service.get(f"{scene.path}/rpl_{'0' * 26}").json()["code"] == "replay_not_found"


def test_a_replay_needs_a_tier_with_webhooks(scene):
    location = scene.ask(TODAY).headers["location"]
    scene.service.accounts.set_tier("owner@example.com", "starter")
    scene.service.hands.seconds += timedelta(seconds=31).total_seconds()
    refused = scene.ask(TODAY)
    assert (refused.status_code, refused.json()["code"]) == (403, "tier_required")
    assert scene.service.get(location).status_code == 200
