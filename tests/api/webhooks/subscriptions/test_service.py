"""Subscriptions over HTTP: made, listed, read, changed, deleted, on both engines.

See docs/contract/contract.md 4.8.
"""

import json
import re

import pytest

from api.openapi.examples import webhooks as examples
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


def test_create_list_get_patch_delete(service):
    answer = send(service, "POST", ALL, examples.NEW_SUBSCRIPTION)
    made = answer.json()
    path = f"{ALL}/{made['id']}"
    assert answer.status_code == 201
    assert answer.headers["location"] == path
    assert answer.headers["etag"] == '"1"'
    assert answer.headers["cache-control"] == "no-store"
    assert list(made) == list(examples.CREATED_SUBSCRIPTION)
    own = {"id", "secret", "secret_hint", "created_at", "updated_at", "status_changed_at"}
    for name in examples.CREATED_SUBSCRIPTION.keys() - own:
        assert made[name] == examples.CREATED_SUBSCRIPTION[name], name
    assert re.fullmatch(r"whs_[0-9a-hjkmnp-tv-z]{26}", made["id"])
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", made["secret"])
    assert made["secret_hint"] == f"whsec_…{made['secret'][-4:]}"
    assert made["created_at"] == made["updated_at"] == made["status_changed_at"] == "2026-11-21T09:00:00Z"

    read = service.get(path)
    told = {name: made[name] for name in made if name not in ("secret", "warnings")}
    assert (read.status_code, read.json(), read.headers["etag"]) == (200, told, '"1"')
    assert list(read.json()) == list(examples.SUBSCRIPTION)
    assert service.get(ALL).json() == {"data": [told], "next_cursor": None, "has_more": False}

    service.hands.seconds += 60
    changed = send(service, "PATCH", path, {"description": "CRM sync", "max_per_second": 10})
    assert changed.status_code == 200
    assert changed.headers["etag"] == '"2"'
    assert changed.json() == told | {
        "description": "CRM sync",
        "max_per_second": 10,
        "updated_at": "2026-11-21T09:01:00Z",
        "warnings": [],
    }

    gone = send(service, "DELETE", path)
    assert (gone.status_code, gone.content) == (204, b"")
    for method in ("GET", "PATCH", "DELETE"):
        after = send(service, method, path, {} if method == "PATCH" else None)
        assert (after.status_code, after.json()["code"]) == (404, "webhook_not_found")
    assert service.get(ALL).json()["data"] == []


def test_secret_never_in_get(service):
    made = make(service)
    rotated = send(service, "POST", f"{ALL}/{made['id']}/secret/rotate").json()
    for answer in (
        service.get(ALL),
        service.get(f"{ALL}/{made['id']}"),
        send(service, "PATCH", f"{ALL}/{made['id']}", {"description": "x"}),
    ):
        for secret in (made["secret"], rotated["secret"]):
            assert secret not in answer.text
        assert "secret" not in json.dumps(answer.json()).replace("secret_hint", "").replace(
            "previous_secret_expires_at", ""
        )


def test_a_subscription_may_be_made_paused(service):
    made = make(service, status="paused")
    assert (made["status"], made["status_reason"]) == ("paused", "manual")


def test_types_and_companies_come_out_in_their_one_spelling(service):
    made = make(
        service,
        event_types=["status.changed", "filing.added", "financials.new"],
        entity_ids=["556000-0000", "0999999999", "firm:GB:SC1234", "CIK320193", "FIRM:se:5599999991"],
    )
    assert made["event_types"] == ["filing.added", "status.changed"]
    assert made["entity_ids"] == [
        "firm:SE:5560000000",
        "firm:NO:999999999",
        "firm:UK:SC001234",
        "firm:US:US0000320193",
        "firm:SE:5599999991",
    ]
    assert make(service, event_types=list(reversed(EVENT_TYPES)))["event_types"] == list(EVENT_TYPES)


def test_aliases(service):
    answer = make(service, event_types=["financials.new", "filing.published"])
    assert answer["event_types"] == ["filing.added"]
    assert answer["warnings"] == [
        {
            "code": "event_type_alias",
            "detail": "'financials.new' is a deprecated alias of 'filing.added'.",
            "pointer": "/event_types/0",
        },
        {
            "code": "event_type_alias",
            "detail": "'filing.published' is a deprecated alias of 'filing.added'.",
            "pointer": "/event_types/1",
        },
    ]
    path = f"{ALL}/{answer['id']}"
    changed = send(service, "PATCH", path, {"event_types": ["news.published", "filing.published"]}).json()
    assert changed["event_types"] == ["filing.added", "news.published"]
    assert [warned["pointer"] for warned in changed["warnings"]] == ["/event_types/1"]
    assert "warnings" not in service.get(path).json()


def test_dk_entity_accepted(service):
    made = make(service, entity_ids=["firm:DK:24256790", "firm:dk:12345678"])
    assert made["entity_ids"] == ["firm:DK:24256790", "firm:DK:12345678"]  # unknown, and of a wrong check digit
    assert make(service, entity_ids=["24256790"])["entity_ids"] == ["firm:UK:24256790"]


def test_10_000_entity_ids(serve, world, control_url):
    service = serve(world, database_url=control_url)
    service.accounts.set_tier("owner@example.com", "business")
    companies = [f"firm:US:US{number:010d}" for number in range(10_000)]
    companies.reverse()
    made = make(service, entity_ids=companies)
    assert made["entity_ids"] == companies
    path = f"{ALL}/{made['id']}"
    assert service.get(path).json()["entity_ids"] == companies
    same = send(service, "PATCH", path, {"entity_ids": companies})
    assert same.headers["etag"] == '"1"'
    fewer = send(service, "PATCH", path, {"entity_ids": companies[5_000:]})
    assert fewer.json()["entity_ids"] == companies[5_000:]
    assert fewer.headers["etag"] == '"2"'
    more = send(service, "PATCH", path, {"entity_ids": [*companies, "firm:US:US9999999999"]})
    assert (more.status_code, more.json()["errors"][0]["code"]) == (422, "too_many")
    everything = send(service, "PATCH", path, {"entity_ids": None})
    assert everything.json()["entity_ids"] is None
    assert service.get(path).json()["entity_ids"] is None


def test_what_is_as_it_was_makes_no_revision(service):
    made = make(service, entity_ids=["firm:SE:5599999991"], description="x")
    path = f"{ALL}/{made['id']}"
    service.hands.seconds += 60
    same = send(
        service,
        "PATCH",
        path,
        {
            "description": "x",
            "entity_ids": ["5599999991"],
            "event_types": ["status.changed"],
            "status": "active",
            "endpoint_url": URL,
            "max_per_second": None,
        },
    )
    assert same.headers["etag"] == '"1"'
    assert same.json()["updated_at"] == made["updated_at"]
    assert send(service, "PATCH", path, {}).headers["etag"] == '"1"'
    merge = service.client.patch(
        path,
        headers=service.headers | {"Content-Type": "application/merge-patch+json"},
        content=b'{"description":null}',
    )
    assert (merge.status_code, merge.json()["description"]) == (200, None)


def test_if_match_412(service):
    made = make(service)
    path = f"{ALL}/{made['id']}"
    for wrong in ('"2"', 'W/"1"', "1", '"1x"', ""):
        for method, body in (("PATCH", {"description": "x"}), ("DELETE", None)):
            answer = send(service, method, path, body, **{"If-Match": wrong})
            assert (answer.status_code, answer.json()["code"]) == (412, "precondition_failed"), wrong
    assert service.get(path).headers["etag"] == '"1"'
    assert send(service, "PATCH", path, {"description": "x"}, **{"If-Match": '"1"'}).status_code == 200
    assert send(service, "PATCH", path, {"description": "y"}, **{"If-Match": '"1"'}).status_code == 412
    assert send(service, "PATCH", path, {"status": "paused"}, **{"If-Match": '"9", "2"'}).status_code == 200
    assert send(service, "DELETE", path, **{"If-Match": "*"}).status_code == 204


def test_if_match_goes_before_state_and_after_validation(service):
    made = make(service, status="paused")
    path = f"{ALL}/{made['id']}"
    wrong = {"If-Match": '"7"'}
    assert send(service, "PATCH", path, {"status": "active"}, **wrong).status_code == 412
    assert send(service, "PATCH", path, {"status": "x"}, **wrong).status_code == 422
    unknown = f"{ALL}/whs_{'0' * 26}"
    assert send(service, "PATCH", unknown, {"status": "active"}, **wrong).status_code == 404


def test_list_is_newest_first_in_pages(service):
    service.accounts.set_tier("owner@example.com", "business")
    made = []
    for number in range(7):
        service.hands.seconds += 1
        made.append(make(service, status="paused" if number % 2 else "active")["id"])
    newest = list(reversed(made))
    read, path = [], f"{ALL}?limit=3"
    while path:
        answer = service.get(path)
        page = answer.json()
        read += [one["id"] for one in page["data"]]
        assert page["has_more"] == (page["next_cursor"] is not None) == ("link" in answer.headers)
        path = page["next_cursor"] and f"{ALL}?limit=3&cursor={page['next_cursor']}"
        if len(read) == 3:  # one that goes and one that comes hide nothing
            assert send(service, "DELETE", f"{ALL}/{newest[0]}").status_code == 204
            service.hands.seconds += 1
            make(service)
    assert read == newest
    paused = service.get(f"{ALL}?status=paused").json()["data"]
    assert [one["id"] for one in paused] == [one for one in newest if made.index(one) % 2]
    cursor = service.get(f"{ALL}?limit=1&status=paused").json()["next_cursor"]
    assert service.get(f"{ALL}?cursor={cursor}").json()["code"] == "cursor_mismatch"
    assert service.get(f"{ALL}?status=gone").json()["code"] == "invalid_parameter"


def test_other_account_404(service):
    made = make(service)["id"]
    service.accounts.create_account("other@example.com", "business")
    key = service.accounts.create_key("other@example.com", "live").key
    headers = {"Authorization": f"Bearer {key}"}
    for named in (made, f"whs_{'0' * 26}", "whs_1", "whs_%00" + "0" * 25, "whs_" + "i" * 26):
        for method, path in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/secret/rotate"), ("POST", "/test")):
            body = {} if method in ("PATCH", "POST") else None
            answer = service.client.request(method, f"{ALL}/{named}{path}", headers=headers, json=body)
            assert (answer.status_code, answer.json()["code"]) == (404, "webhook_not_found"), (named, path)
    assert service.client.get(ALL, headers=headers).json()["data"] == []
    assert service.get(f"{ALL}/{made}").headers["etag"] == '"1"'
