"""The OpenAPI document: valid, equal to the snapshot, equal to the routes, true of real answers."""

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from api.openapi import document
from api.operations import OPERATIONS
from api.problem_kinds import KINDS
from api.routes import ROUTES
from api.schemas.company import INCLUDED
from api.schemas.company import PROFILE as PROFILE_SCHEMAS
from api.schemas.events import KINDS as EVENT_KINDS
from warehouse.schema.codes import EVENT_TYPES

SNAPSHOT = Path(__file__).resolve().parents[1] / "architecture" / "openapi.json"
PUBLIC_URL = "https://api.example.com"
UNDOCUMENTED = {"/api/v1/events", "/healthz", "/readyz", "/metrics", "/problems/{slug}"}


@pytest.fixture(scope="module")
def described():
    return json.loads(document(PUBLIC_URL))


def validator(described, schema):
    whole = schema | {"components": described["components"]}
    return Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER)


def answer_schema(described, path):
    return described["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]


def test_the_committed_document_is_the_generated_one():
    generated = json.dumps(json.loads(document(PUBLIC_URL)), indent=1, ensure_ascii=False) + "\n"
    hint = "the document changed: python -m api.openapi > tests/architecture/openapi.json, and look at the difference"
    assert SNAPSHOT.read_text() == generated, hint


def test_it_is_valid_openapi_3_1(described):
    assert described["openapi"] == "3.1.0"
    validate(described)


def test_it_is_public_and_a_key_is_tolerated(service):
    plain = service.client.get("/api/openapi.json")
    assert plain.status_code == 200
    assert plain.headers["content-type"] == "application/json"
    assert plain.content == service.get("/api/openapi.json").content == document(PUBLIC_URL)
    again = service.client.get("/api/openapi.json", headers={"If-None-Match": plain.headers["etag"]})
    assert again.status_code == 304


def test_every_route_is_described_or_meant_not_to_be(described):
    routed = {path.replace(":str", "") for route in ROUTES for path in route.paths}
    assert routed - UNDOCUMENTED == set(described["paths"])
    public = {path.replace(":str", "") for route in ROUTES for path in route.paths if route.opt["public"]}
    assert {operation.path for operation in OPERATIONS if operation.public} == public - UNDOCUMENTED


def test_only_these_routes_are_without_admission():
    public = {path for route in ROUTES for path in route.paths if route.opt["public"]}
    assert public == {"/api/openapi.json", "/healthz", "/readyz", "/metrics", "/problems/{slug:str}"}


def test_examples_of_the_contract_fit_their_schemas(described):
    for operation in OPERATIONS:
        if operation.example is not None:
            validator(described, answer_schema(described, operation.path)).validate(operation.example)


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/api/v1/companies/{org_number}", "/api/v1/companies/5599999991"),
        (
            "/api/v1/companies/{org_number}",
            "/api/v1/companies/5599999991?include=detail,identifiers,address,sources",
        ),
        ("/api/v1/companies/{org_number}", "/api/v1/companies/5599999991?fields=name"),
        ("/api/v1/{market}/companies/{org_number}", "/api/v1/us/companies/9999999999"),
        ("/api/v1/companies", "/api/v1/companies"),
        ("/api/v1/companies", "/api/v1/companies?limit=1&fields=name"),
        (
            "/api/v1/companies/{org_number}/financials",
            "/api/v1/companies/999999999/financials?include=sources",
        ),
        ("/api/v1/companies/{org_number}/ownership", "/api/v1/companies/5599999991/ownership"),
        ("/api/v1/companies/{org_number}/ownership", "/api/v1/companies/99999999/ownership"),
        ("/api/v1/companies/{company_id}/events", "/api/v1/companies/999999999/events?order=asc"),
        ("/api/v1/markets", "/api/v1/markets"),
        ("/api/v1/usage", "/api/v1/usage"),
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
    later = {code for code, kind in KINDS.items() if kind.status in (409, 412, 422, 501)}
    assert named == set(KINDS) - later


def test_profile_and_event_schemas_are_whole(described):
    assert list(PROFILE_SCHEMAS) == described["components"]["schemas"]["Company"]["required"]
    assert set(EVENT_KINDS) == set(EVENT_TYPES)
    assert set(INCLUDED) == {"detail", "identifiers", "address", "sources"}


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


def whole(described, answer):
    """A response, also where only a reference to it stands."""
    if "$ref" not in answer:
        return answer
    return described["components"]["responses"][answer["$ref"].rpartition("/")[2]]


EXPECTED_OPERATIONS = (
    "listMarkets getCompany getCompanyInMarket searchCompanies listFinancials listOwnership listCompanyEvents "
    "getUsage getOpenApi"
)


def test_every_operation_says_what_reviewers_look_for(described):
    seen = set()
    for path, methods in described["paths"].items():
        for operation in methods.values():
            assert {"operationId", "summary", "description", "tags", "responses"} <= set(operation), path
            assert operation["operationId"] not in seen
            seen.add(operation["operationId"])
            told = {"200", "400", "405", "414", "431", "500"}
            if operation.get("security") is None:  # needs a key
                told |= {"401", "402", "403", "404", "406", "413", "415", "429", "503"}
            assert told | {"304"} == set(operation["responses"]) | {"304"}, path
    assert seen == set(EXPECTED_OPERATIONS.split())


def test_every_answer_tells_its_headers(described):
    """Of operations that need a key every 2XX and 4XX names the limits, in both spellings."""
    limits = {"RateLimit-Policy", "RateLimit"} | {
        f"X-RateLimit-{name}" for name in ("Limit", "Remaining", "Reset")
    }
    everywhere = {"X-Request-Id", "Cache-Control", "Vary", "X-Content-Type-Options"}
    for path, methods in described["paths"].items():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                told = set(whole(described, answer)["headers"])
                assert everywhere <= told, (path, status)
                assert "security" in operation or limits <= told, (path, status)
                assert ("Retry-After" in told) == (status in ("429", "503")), (path, status)
                assert ("WWW-Authenticate" in told) == (status == "401"), (path, status)
                assert ("Allow" in told) == (status == "405"), (path, status)


def test_the_answers_carry_the_headers_that_are_required(service, described):
    required = {name for name, header in described["components"]["headers"].items() if header["required"]}
    for path, asked in (
        ("/api/v1/companies/{org_number}", "/api/v1/companies/5599999991"),
        ("/api/v1/companies", "/api/v1/companies?limit=1"),
        ("/api/v1/companies", "/api/v1/companies?limit=0"),
        ("/api/v1/markets", "/api/v1/markets"),
        ("/api/openapi.json", "/api/openapi.json"),
    ):
        answer = service.get(asked)
        told = described["paths"][path]["get"]["responses"][str(answer.status_code)]
        for name in whole(described, told)["headers"]:
            header = described["components"]["headers"][name]
            value = answer.headers.get(name)
            assert value is not None or name not in required, (asked, name)
            if value is not None:
                sent = int(value) if header["schema"]["type"] == "integer" else value
                validator(described, header["schema"]).validate(sent)


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


def test_examples_are_those_of_the_contract(described):
    """Where the contract lies beside the project: every example of an answer or a body is one of its own."""
    contract = Path(__file__).resolve().parents[3] / "shared" / "contract" / "CONTRACT.md"
    if not contract.is_file():
        pytest.skip("no contract beside the project (../shared/contract)")
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
        operation.example
        for operation in OPERATIONS
        if operation.example is not None and operation.operation_id != "listMarkets"  # 4.8a shows none
    ]
    assert [one for one in shown if json.dumps(one, sort_keys=True) not in written] == []


def test_where_an_answer_leads_there_is_an_operation(described):
    by_id = {methods["get"]["operationId"]: methods["get"] for methods in described["paths"].values()}
    for operation in by_id.values():
        for link in operation["responses"]["200"].get("links", {}).values():
            names = {parameter["name"] for parameter in by_id[link["operationId"]]["parameters"]}
            assert set(link["parameters"]) <= names


def test_search_has_every_parameter_of_the_contract(described):
    names = {parameter["name"] for parameter in described["paths"]["/api/v1/companies"]["get"]["parameters"]}
    told = (
        "q country industry industry_scheme region size employees_min employees_max revenue_min revenue_max "
        "currency status is_listed registered_from registered_to sort fields limit cursor"
    )
    assert names == set(told.split())


def test_paths_take_every_spelling_of_the_contract(described):
    bare = "5560125790 556012-5790 923609016 0923609016 0112038-9 00445790 sc123456 IP12345R R0000012 US0000320193"
    bare += " US320193 US-320193 CIK0000320193 firm:NO:923609016 firm:GB:00445790 firm:US:US0000320193 firm:DK:24256790"
    in_market = bare + " 01120389 445790 SC1234 320193"
    refused = "12ab firm:XX:1 firm:NO firm:SE:12 US12345678901 1234567890123"
    for path, taken in (("{org_number}", bare), ("{org_number}/ownership", bare), ("", in_market)):
        place = f"/api/v1/companies/{path}" if path else "/api/v1/{market}/companies/{org_number}"
        schema = next(
            one["schema"]
            for one in described["paths"][place]["get"]["parameters"]
            if one["name"] == "org_number"
        )
        assert [one for one in taken.split() if not validator(described, schema).is_valid(one)] == []
        assert [one for one in refused.split() if validator(described, schema).is_valid(one)] == []
