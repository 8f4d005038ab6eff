"""Subscriptions over HTTP: rotation, methods, kinds of keys, health, event types; on both engines.

See docs/contract/contract.md 4.8.
"""

import json
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from api.database.engine import Database
from api.database.models.webhooks import Delivery, EndpointState
from warehouse.schema.codes import EVENT_TYPES

ALL = "/api/v1/webhooks"
URL = "https://hooks.example.com/company-events"


@pytest.fixture
def service(serve, world, control_url):
    return serve(world, database_url=control_url)


def send(service, method, path, body=None, **headers):
    return service.client.request(method, path, headers=service.headers | headers, json=body)


def make(service, **members):
    answer = send(service, "POST", ALL, {"endpoint_url": URL, "event_types": ["status.changed"]} | members)
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_rotation(service):
    made = make(service)
    path = f"{ALL}/{made['id']}"
    answer = send(service, "POST", f"{path}/secret/rotate", {"grace_period_seconds": 600})
    rotated = answer.json()
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    assert list(rotated) == ["id", "secret", "secret_hint", "previous_secret_expires_at"]
    assert rotated["secret"] != made["secret"]
    assert rotated["secret_hint"] == f"whsec_…{rotated['secret'][-4:]}"
    assert rotated["previous_secret_expires_at"] == "2026-11-21T09:10:00Z"
    read = service.get(path)
    assert read.headers["etag"] == '"2"'
    assert read.json()["previous_secret_expires_at"] == "2026-11-21T09:10:00Z"

    again = send(service, "POST", f"{path}/secret/rotate", {})
    assert (again.status_code, again.json()["code"]) == (409, "invalid_state")
    assert again.json()["current_status"] == "active"
    assert "2026-11-21T09:10:00Z" in again.json()["detail"]

    service.hands.seconds += 599
    assert send(service, "POST", f"{path}/secret/rotate").status_code == 409
    service.hands.seconds += 1
    assert service.get(path).json()["previous_secret_expires_at"] is None
    default = send(service, "POST", f"{path}/secret/rotate").json()
    assert default["previous_secret_expires_at"] == "2026-11-22T09:10:00Z"
    # a secret that has leaked is ended at once, whatever else still signs
    ended = send(service, "POST", f"{path}/secret/rotate", {"grace_period_seconds": 0})
    assert (ended.status_code, ended.json()["previous_secret_expires_at"]) == (200, None)
    assert service.get(path).json()["previous_secret_expires_at"] is None


def test_grace_is_checked(service):
    path = f"{ALL}/{make(service)['id']}/secret/rotate"
    for grace in (-1, 604_801, "1", True, None, 1.5):
        answer = send(service, "POST", path, {"grace_period_seconds": grace})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["pointer"] == "/grace_period_seconds"
    assert send(service, "POST", path, {"grace": 5}).json()["errors"][0]["code"] == "unknown_member"


def test_methods_of_each_path(service):
    made = make(service)["id"]
    for path, allow in (
        (ALL, "GET, HEAD, OPTIONS, POST"),
        (f"{ALL}/{made}", "GET, HEAD, OPTIONS, PATCH, DELETE"),
        (f"{ALL}/{made}/test", "OPTIONS, POST"),
        (f"{ALL}/{made}/secret/rotate", "OPTIONS, POST"),
        ("/api/v1/event-types", "GET, HEAD, OPTIONS"),
    ):
        refused = service.client.put(path, headers=service.headers)
        assert (refused.status_code, refused.headers["allow"]) == (405, allow)
        assert refused.json()["detail"] == f"PUT is not allowed here. Allowed: {allow}."
        told = service.client.options(path, headers={"Origin": "https://a.example"})
        assert (told.status_code, told.headers["allow"]) == (204, allow)
        assert not any(name.startswith("access-control") for name in told.headers)
    head = service.client.head(f"{ALL}/{made}", headers=service.headers)
    assert (head.status_code, head.headers["etag"], head.content) == (200, '"1"', b"")


def test_publishable_keys_and_pages_are_kept_out(service):
    made = make(service)["id"]
    key = service.accounts.create_key("owner@example.com", "public", domains=["good.example"]).key
    for method, path in (("GET", ALL), ("POST", ALL), ("DELETE", f"{ALL}/{made}"), ("GET", "/api/v1/event-types")):
        headers = {"Authorization": f"Bearer {key}", "Origin": "https://good.example"}
        answer = service.client.request(method, path, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "key_kind_not_allowed")
        told = {name: value for name, value in answer.headers.items() if name.startswith("access-control")}
        assert told == {"access-control-allow-origin": "https://good.example"}, "why, and no header of the account"
    assert (
        service.get(f"{ALL}/{made}", Origin="https://good.example").headers.get("access-control-allow-origin") is None
    )


def test_health_and_held_deliveries_are_read_from_where_the_engine_keeps_them(service):
    made = make(service)["id"]
    now = datetime(2026, 11, 20, 18, 48, 12, 500_000, tzinfo=UTC)
    database = Database(service.parts.settings.control_database_url)
    with database.writing() as session:
        session.execute(
            update(EndpointState)
            .where(EndpointState.subscription_id == made)
            .values(
                last_attempt_at=now,
                last_success_at=now - timedelta(hours=14),
                last_failure_at=now,
                consecutive_failures=41,
            )
        )
        for place, status in enumerate(("held", "held", "failed", "succeeded", "pending")):
            session.add(
                Delivery(
                    subscription_id=made,
                    delivery_id=f"dlv_{place:026d}",
                    sequence=place,
                    status=status,
                    tries=0,
                    attempt_count=0,
                    created_at=now,
                )
            )
    database.close()
    told = service.get(f"{ALL}/{made}").json()
    assert told["last_attempt_at"] == told["last_failure_at"] == "2026-11-20T18:48:12Z"
    assert told["last_success_at"] == "2026-11-20T04:48:12Z"
    assert (told["consecutive_failures"], told["held_deliveries"]) == (41, 2)


def test_event_types(service):
    answer = service.get("/api/v1/event-types")
    assert answer.status_code == 200
    body = answer.json()
    assert [one["event_type"] for one in body["data"]] == list(EVENT_TYPES)
    assert body["data"][0]["aliases"] == ["filing.published", "financials.new"]
    document = json.loads(service.client.get("/api/openapi.json").content)
    for one in body["data"]:
        name = one["schema_ref"].removeprefix("/api/openapi.json#/components/schemas/")
        assert document["components"]["schemas"][name]
    assert service.get("/api/v1/event-types", **{"If-None-Match": answer.headers["etag"]}).status_code == 304
    service.accounts.set_tier("owner@example.com", "basic")
    service.hands.seconds += 31
    assert service.get("/api/v1/event-types").status_code == 200
