"""What operations on webhooks really answer is what the document says: bodies, statuses, headers."""

import json
from ipaddress import ip_network

import pytest
from jsonschema import Draft202012Validator

from api.database.engine import Database
from api.openapi.operation import method_of, path_of
from api.openapi_document import OPERATIONS, openapi_document
from api.settings.webhooks import WebhookSettings
from tests.api.fixtures import delivery_log as stored

WEBHOOK_OPERATIONS = {one.operation_id: one for one in OPERATIONS if one.tags == ["Webhooks"]}
DOCUMENT = json.loads(openapi_document("https://api.example.com"))
CLOSED = "http://127.0.0.1:9/company-events"
NEW = {"endpoint_url": CLOSED, "event_types": ["filing.published"], "entity_ids": ["923609016"]}
TRIALS = WebhookSettings(allow_http=True, allow_networks=(ip_network("127.0.0.0/8"),))


def validate(schema, value):
    whole = schema | {"components": DOCUMENT["components"]}
    Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(value)


@pytest.fixture
def service(serve, world):
    return serve(world, webhooks=TRIALS)


@pytest.fixture
def log(service, tmp_path):
    database = Database(f"sqlite:///{tmp_path / 'control.sqlite'}")
    yield stored.Log(database)
    database.close()


def journey(service, log):
    """(operation id, answer) of every operation on webhooks, in an order in which each succeeds."""

    def asked(method, path, body=None, **headers):
        return service.client.request(method, path, headers=service.headers | headers, json=body)

    created = asked("POST", "/api/v1/webhooks", NEW, **{"Idempotency-Key": "one"})
    path = created.headers["location"]
    delivery = log.deliver(path.rpartition("/")[2], log.event(), "failed")
    log.attempt(delivery)
    one = f"{path}/deliveries/{delivery}"
    yield "createWebhook", created
    yield "createWebhook", asked("POST", "/api/v1/webhooks", NEW, **{"Idempotency-Key": "one"})
    yield "listWebhooks", asked("GET", "/api/v1/webhooks")
    yield "getWebhook", asked("GET", path)
    yield "updateWebhook", asked("PATCH", path, {"max_per_second": 5, "event_types": ["financials.new"]})
    yield "rotateWebhookSecret", asked("POST", f"{path}/secret/rotate")
    yield "testWebhook", asked("POST", f"{path}/test", {"event_type": "status.changed"})
    yield "retryWebhookDelivery", asked("POST", f"{one}/retry")
    replay = asked("POST", f"{path}/replays", {"since": "2026-11-20T00:00:00Z", "until": "2026-11-22T00:00:00Z"})
    yield "createWebhookReplay", replay
    yield "getWebhookReplay", asked("GET", replay.headers["location"])
    yield "listWebhookDeliveries", asked("GET", f"{path}/deliveries")
    yield "getWebhookDelivery", asked("GET", one)
    yield "listEventTypes", asked("GET", "/api/v1/event-types")
    yield "deleteWebhook", asked("DELETE", path)


def test_every_operation_keeps_the_documents_word(service, log):
    seen = set()
    for operation_id, answer in journey(service, log):
        handler = WEBHOOK_OPERATIONS[operation_id]
        assert answer.status_code == handler.status_code, (operation_id, answer.text)
        operation = DOCUMENT["paths"][path_of(handler)][method_of(handler)]
        described = operation["responses"][str(handler.status_code)]
        if "content" in described:
            validate(described["content"]["application/json"]["schema"], answer.json())
        else:
            assert answer.content == b""
        for name, reference in described["headers"].items():
            header = DOCUMENT["components"]["headers"][reference["$ref"].rpartition("/")[2]]
            value = answer.headers.get(name)
            assert value is not None or not header["required"], (operation_id, name)
            if value is not None:
                validate(header["schema"], int(value) if header["schema"]["type"] == "integer" else value)
        seen.add(operation_id)
    assert seen == set(WEBHOOK_OPERATIONS)


def test_keys_come_in_the_contracts_order(service, log):
    examples = {name: one.opt["operation"].example for name, one in WEBHOOK_OPERATIONS.items()}
    for operation_id, answer in journey(service, log):
        if examples[operation_id] is not None:
            assert list(answer.json()) == list(examples[operation_id]), operation_id


@pytest.mark.parametrize("name", ["NewSubscription", "SubscriptionChanges"])
def test_what_the_service_takes_the_document_allows(name, service):
    """Every member by itself, at its bounds, both ways."""
    path = "/api/v1/webhooks"
    validator = Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]})
    made = {"endpoint_url": "https://hooks.example.com/", "event_types": ["status.changed"]}
    if name == "SubscriptionChanges":
        path = service.client.post(path, headers=service.headers, json=made).headers["location"]
    for members in (
        {"event_types": ["financials.new", "news.published"]},
        {"event_types": []},
        {"event_types": ["filing.addded"]},
        {"entity_ids": None},
        {"entity_ids": []},
        {"entity_ids": ["firm:DK:24256790", "SC123456", "0112038-9", "923609016", "US320193", "556012-5790"]},
        {"entity_ids": ["12ab"]},
        {"description": "x" * 256},
        {"description": "x" * 257},
        {"description": "\0"},
        {"max_per_second": 100},
        {"max_per_second": 0},
        {"status": "paused"},
        {"status": "deleted"},
        {"status": None},
        {"id": "whs_1"},
        {"endpoint_url": "http://hooks.example.com/"},
        {"endpoint_url": "https://hooks.example.com:8443/a?b=c"},
        {"endpoint_url": "https://user@hooks.example.com/"},
        {"endpoint_url": "https://hooks.example.com/#fragment"},
    ):
        method = "PATCH" if name == "SubscriptionChanges" else "POST"
        body = members if method == "PATCH" else made | members
        if "endpoint_url" in members:
            body = body | {"endpoint_url": members["endpoint_url"]}
        answer = service.client.request(method, path, headers=service.headers, json=body)
        if members.get("endpoint_url", "").startswith("http://"):
            continue  # this service takes trials; the document is the true one's
        assert (answer.status_code < 300) == validator.is_valid(body), (members, answer.text)
