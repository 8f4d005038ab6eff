"""The OpenAPI document: valid, equal to the snapshot, equal to the routes, true of real answers."""

import json
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
UNDOCUMENTED = {"/api/v1/events", "/healthz", "/readyz", "/problems/{slug}"}


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
    assert public == {"/api/openapi.json", "/healthz", "/readyz", "/problems/{slug:str}"}


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


def test_every_operation_says_what_reviewers_look_for(described):
    seen = set()
    for path, methods in described["paths"].items():
        for operation in methods.values():
            assert {"operationId", "summary", "description", "tags", "responses"} <= set(operation), path
            assert operation["operationId"] not in seen
            seen.add(operation["operationId"])
            assert {"200", "400", "401", "403", "404", "429", "500"} <= set(operation["responses"])
    expected = "getCompany getCompanyInMarket searchCompanies listFinancials listOwnership listCompanyEvents getOpenApi"
    assert seen == set(expected.split())


def test_parameters_of_later_are_not_there(described):
    names = {parameter["name"] for parameter in described["paths"]["/api/v1/companies"]["get"]["parameters"]}
    assert names == {"q", "country", "fields", "limit", "cursor"}
