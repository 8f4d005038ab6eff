"""The OpenAPI document: valid, equal to the snapshot, equal to the routes, true of real answers."""

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from api.companies.query_params import PROFILE_PARTS
from api.companies.schemas.companies import PROFILE_FIELDS
from api.companies.schemas.events import KINDS as EVENT_KINDS
from api.openapi.examples import webhooks
from api.openapi.operation import method_of, path_of
from api.openapi_document import OPERATIONS, openapi_document
from api.problems.problem import KINDS
from api.routes import ROUTES
from tests.architecture import openapi_frozen
from tests.tables import check_cases
from warehouse.schema.codes import EVENT_TYPES

PUBLIC_URL = "https://api.example.com"
UNDOCUMENTED = {"/healthz", "/readyz", "/metrics", "/billing/stripe"}


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


@pytest.fixture(scope="module")
def described():
    return json.loads(openapi_document(PUBLIC_URL))


def validator(described, schema):
    whole = schema | {"components": described["components"]}
    return Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER)


def answer_schema(described, path, method="get", status=200):
    answer = described["paths"][path][method]["responses"][str(status)]
    (content,) = answer["content"].values()
    return content["schema"]


def operations(described):
    """(path, method, operation) of each."""
    return [(path, *item) for path, methods in described["paths"].items() for item in methods.items()]


def test_the_committed_document_is_the_generated_one():
    hint = "the document changed: python -m tests.architecture.openapi_frozen, and look at the difference"
    assert openapi_frozen.DOCUMENT.read_text() == openapi_frozen.generated(), hint


def test_it_is_valid_openapi_3_1(described):
    assert described["openapi"] == "3.1.0"
    validate(described)


def test_it_is_public_and_a_key_is_tolerated(service):
    plain = service.client.get("/api/openapi.json")
    assert plain.status_code == 200
    assert plain.headers["content-type"] == "application/json"
    assert plain.content == service.get("/api/openapi.json").content == openapi_document(PUBLIC_URL)
    again = service.client.get("/api/openapi.json", headers={"If-None-Match": plain.headers["etag"]})
    assert again.status_code == 304


def test_only_these_routes_are_without_admission():
    public = {path for route in ROUTES for path in route.paths if not route.opt["policy"].requires_key}
    unkeyed = {"/api/openapi.json", "/healthz", "/readyz", "/metrics"}
    signed = {"/billing/stripe", "/api/v1/exports/files/{link:str}"}  # what is sent there only we or Stripe can make
    assert public == unkeyed | signed


def test_examples_of_the_contract_fit_their_schemas(described):
    for handler in OPERATIONS:
        operation = handler.opt["operation"]
        if operation.example is not None:
            schema = answer_schema(described, path_of(handler), method_of(handler), handler.status_code)
            validator(described, schema).validate(operation.example)
        if operation.body is not None:
            schema = described["components"]["schemas"][operation.body.model.__name__]
            validator(described, schema).validate(operation.body.example)


def test_what_is_sent_may_hold_nothing_unknown(described):
    for handler in OPERATIONS:
        operation = handler.opt["operation"]
        if operation.body is not None:
            schema = described["components"]["schemas"][operation.body.model.__name__]
            assert schema["additionalProperties"] is False, handler.operation_id
            assert not validator(described, schema).is_valid(operation.body.example | {"unknown": 1})


@check_cases(
    ("path", "asked"),
    [
        ("/api/v1/companies/{org_number}", "/api/v1/companies/5599999991"),
        ("/api/v1/companies/{org_number}", "/api/v1/companies/5599999991?include=detail,identifiers,address,sources"),
        ("/api/v1/companies/{org_number}", "/api/v1/companies/5599999991?fields=name"),
        ("/api/v1/{market}/companies/{org_number}", "/api/v1/us/companies/9999999999"),
        ("/api/v1/companies", "/api/v1/companies"),
        ("/api/v1/companies", "/api/v1/companies?limit=1&fields=name"),
        ("/api/v1/companies/{org_number}/financials", "/api/v1/companies/999999999/financials?include=sources"),
        ("/api/v1/companies/{org_number}/ownership", "/api/v1/companies/5599999991/ownership"),
        ("/api/v1/companies/{org_number}/ownership", "/api/v1/companies/99999999/ownership"),
        ("/api/v1/companies/{company_id}/events", "/api/v1/companies/999999999/events?order=asc"),
        ("/api/v1/companies/{org_number}/filings", "/api/v1/companies/999999999/filings"),
        ("/api/v1/companies/{org_number}/group", "/api/v1/companies/5599999991/group?depth=3"),
        ("/api/v1/companies/{org_number}/holdings", "/api/v1/companies/999999999/holdings"),
        ("/api/v1/events", "/api/v1/events"),
        ("/api/v1/events", "/api/v1/events?is_listed=true&limit=1"),
        ("/api/v1/markets", "/api/v1/markets"),
        ("/api/v1/usage", "/api/v1/usage"),
        ("/api/v1/webhooks", "/api/v1/webhooks"),
        ("/api/v1/event-types", "/api/v1/event-types"),
    ],
)
def test_real_answers_fit_their_schemas(service, described, path, asked):
    validator(described, answer_schema(described, path)).validate(service.get(asked).json())


def test_real_problems_fit_their_schema(service, described):
    schema = described["components"]["schemas"]["Problem"]
    for path in (
        "/api/v1/companies?limit=0&x=1",
        "/api/v1/companies/1",
        "/nothing",
        "/api/v1/companies/5599999992",
        "/api/v1/companies/%00",
        "/api/v1/companies?%00=1",
        "/api/v1/companies?q=%00",
    ):
        validator(described, schema).validate(service.get(path).json())


def test_every_kind_of_problem_is_in_the_document(described):
    named = {
        code
        for answer in described["components"]["responses"].values()
        for code in answer["content"]["application/problem+json"]["examples"]
    }
    assert named == set(KINDS)


def test_profile_and_event_schemas_are_whole(described):
    assert list(PROFILE_FIELDS) == described["components"]["schemas"]["Company"]["required"]
    assert set(EVENT_KINDS) == set(EVENT_TYPES)
    assert set(PROFILE_PARTS) == {"detail", "identifiers", "address", "sources"}


def walk(node, path=""):
    if isinstance(node, dict):
        yield path, node
        for key, value in node.items():
            if key not in ("example", "examples"):
                yield from walk(value, f"{path}/{key}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from walk(value, f"{path}/{index}")


def test_everything_has_bounds(described):
    for path, node in walk(described):
        kind = node.get("type")
        kinds = kind if isinstance(kind, list) else [kind]
        if "string" in kinds and "schemes" not in path.lower():
            assert "maxLength" in node or "enum" in node, path
        if "integer" in kinds and "enum" not in node and "string" not in kinds:
            assert {"format", "minimum", "maximum"} <= set(node), path
        if "array" in kinds:
            assert "maxItems" in node, path


def test_every_delivery_is_described(described):
    assert list(described["webhooks"]) == list(EVENT_TYPES)
    for event_type, methods in described["webhooks"].items():
        content = methods["post"]["requestBody"]["content"]["application/json"]
        validator(described, content["schema"]).validate(content["example"])
        assert list(content["example"]) == ["event_id", "event_type", "delivered_at", "data"]
        assert content["example"]["event_type"] == event_type
    for parameter in described["components"]["parameters"].values():
        if "example" in parameter:
            validator(described, parameter["schema"]).validate(parameter["example"])


def test_examples_of_problems_fit_their_schema(described):
    schema = described["components"]["schemas"]["Problem"]
    for name, answer in described["components"]["responses"].items():
        for code, example in answer["content"]["application/problem+json"]["examples"].items():
            validator(described, schema).validate(example["value"])
            assert example["value"]["code"] == code, name
            assert example["value"]["title"] == KINDS[code].title


# The contract says these in words, or shows them as a part: 4.8a, one subscription, a change, a delivery.
SHOWN_IN_WORDS = {"listMarkets", "streamEvents", "getWebhook", "updateWebhook", "retryWebhookDelivery"}


def test_what_is_shown_in_part_is_a_part_of_the_contracts_examples():
    assert webhooks.SUBSCRIPTION in webhooks.SUBSCRIPTION_LIST["data"]
    assert webhooks.DELIVERY_EXAMPLE in webhooks.DELIVERY_LIST["data"]
    asked = webhooks.NEW_REPLAY
    assert asked == {name: webhooks.REPLAY[name] for name in asked}


def test_examples_are_those_of_the_contract(described):
    """Every example of an answer or a body is one of the contract."""
    contract = Path(__file__).resolve().parents[3] / "docs" / "contract" / "contract.md"
    blocks = re.findall(r"```json\n(.*?)\n```", contract.read_text(), re.DOTALL)
    written = [json.dumps(json.loads(block), sort_keys=True) for block in blocks]
    responses = described["components"]["responses"].values()
    shown = [
        example["value"]
        for answer in responses
        for example in answer["content"]["application/problem+json"]["examples"].values()
    ]
    shown += [
        methods["post"]["requestBody"]["content"]["application/json"]["example"]
        for methods in described["webhooks"].values()
    ]
    shown += [
        handler.opt["operation"].example
        for handler in OPERATIONS
        if handler.opt["operation"].example is not None and handler.operation_id not in SHOWN_IN_WORDS
    ]
    shown.append(webhooks.NEW_SUBSCRIPTION)
    assert [one for one in shown if json.dumps(one, sort_keys=True) not in written] == []
