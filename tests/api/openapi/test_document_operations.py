"""Operations of the OpenAPI document: those that exist, with what reviewers look for in each."""

import json
from typing import Final

import pytest
from jsonschema import Draft202012Validator

from api.openapi.operation import method_of, path_of
from api.openapi_document import OPERATIONS, openapi_document
from api.routes import ROUTES

UNDOCUMENTED = {"/healthz", "/readyz", "/metrics", "/billing/stripe", "/mcp"}


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


@pytest.fixture(scope="module")
def described():
    return json.loads(openapi_document("https://api.example.com"))


def validator(described, schema):
    whole = schema | {"components": described["components"]}
    return Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER)


def operations(described):
    """(path, method, operation) of each."""
    return [(path, *item) for path, methods in described["paths"].items() for item in methods.items()]


def needs_key(operation):
    return {} not in operation.get("security", ())


def test_every_route_is_described_or_meant_not_to_be(described):
    routed = {(path_of(one), method_of(one)): one.opt["policy"] for one in ROUTES}
    documented = {(path, method): operation for path, method, operation in operations(described)}
    assert {place for place in routed if place[0] not in UNDOCUMENTED} == set(documented)
    for place, operation in documented.items():
        policy = routed[place]
        assert policy.requires_key == needs_key(operation), place
        assert (policy.body is not None) == ("requestBody" in operation), place
        if policy.body is not None:
            assert policy.body.is_optional != operation["requestBody"]["required"], place
            assert [kind.decode() for kind in policy.body.media_types] == list(operation["requestBody"]["content"])


def test_every_post_of_the_api_that_changes_is_executed_once_for_a_key():
    """The decorator that stores responses stands at each; a signed callback has no key."""
    posts = [one for one in OPERATIONS if method_of(one) == "post" and one.operation_id not in READING]
    assert [one.operation_id for one in posts if not hasattr(one.fn, "__wrapped__")] == []


def whole(described, answer):
    """A response, also where only a reference to it stands."""
    if "$ref" not in answer:
        return answer
    return described["components"]["responses"][answer["$ref"].rpartition("/")[2]]


# docs/contract/contract.md 4.14
EXPECTED_OPERATIONS = (
    "listMarkets getCompany getCompanyInMarket searchCompanies listFinancials listFilings "
    "listOwnership getGroup listHoldings listCompanyEvents listEvents streamEvents "
    "createWatchlist listWatchlists getWatchlist updateWatchlist deleteWatchlist listWatchlistCompanies "
    "changeWatchlistCompanies addWatchlistCompany removeWatchlistCompany listExports downloadExport "
    "lookupCompanies suggestCompanies "
    "getReconciliation reconcile suggestReconciliationEntities suggestReconciliationTypes "
    "suggestReconciliationProperties proposeReconciliationProperties previewReconciliationEntity "
    "createWebhook listWebhooks getWebhook updateWebhook deleteWebhook rotateWebhookSecret testWebhook "
    "listWebhookDeliveries getWebhookDelivery retryWebhookDelivery createWebhookReplay getWebhookReplay "
    "listEventTypes getUsage getOpenApi"
)


READING: Final = {"lookupCompanies", "reconcile"}
"""POSTs that change nothing."""


def test_every_operation_says_what_reviewers_look_for(described):
    seen = set()
    for path, method, operation in operations(described):
        assert {"operationId", "summary", "description", "tags", "responses"} <= set(operation), path
        assert operation["operationId"] not in seen
        seen.add(operation["operationId"])
        told = {"400", "405", "408", "414", "431", "500"}
        if needs_key(operation):
            told |= {"401", "402", "403", "404", "406", "413", "415", "429", "503"}
        told |= {"post": {"409", "422"}, "patch": {"412", "422"}, "put": {"412"}, "delete": {"412"}}.get(method, set())
        is_ranged = operation["operationId"] == "downloadExport"
        told |= {"404", "416"} if is_ranged else set()
        told |= {"409"} if operation["operationId"] == "deleteWatchlist" else set()
        told -= {"409"} if operation["operationId"] in READING else set()
        told |= {"422"} if operation["operationId"] == "getReconciliation" else set()
        errors = {status for status in operation["responses"] if int(status) >= 400}
        assert errors == told, (path, method)
        done = [status for status in operation["responses"] if int(status) < 300]
        assert done == ["200", "206"] if is_ranged else len(done) == 1, (path, method)
    assert seen == set(EXPECTED_OPERATIONS.split())


def test_every_post_that_changes_takes_an_idempotency_key_and_every_change_a_revision(described):
    asked = {
        "post": {"Idempotency-Key"},
        "patch": {"If-Match"},
        "put": {"If-Match"},
        "delete": {"If-Match"},
        "get": set(),
    }
    for path, method, operation in operations(described):
        references = [one["$ref"] for one in operation.get("parameters", ()) if "$ref" in one]
        resumed = {"streamEvents": {"Last-Event-ID"}, "downloadExport": {"Range", "If-Range"}}.get(
            operation["operationId"], set()
        )
        is_read = operation["operationId"] in READING
        due = set() if is_read else asked[method] | resumed
        assert {reference.rpartition("/")[2] for reference in references} == due, path
        assert ("409" in operation["responses"]) == (
            (method == "post" and not is_read) or operation["operationId"] == "deleteWatchlist"
        ), path
        if method == "post" and not is_read:
            answer = next(iter(operation["responses"].values()))
            assert "Idempotency-Replayed" in answer["headers"], path


MAKING = {"createWatchlist", "createWebhook", "createWebhookReplay"}


def test_every_answer_tells_its_headers(described):
    """Of operations that need a key every 2XX and 4XX names the limits, in both spellings."""
    limits = {"RateLimit-Policy", "RateLimit"} | {f"X-RateLimit-{name}" for name in ("Limit", "Remaining", "Reset")}
    everywhere = {"X-Request-Id", "Cache-Control", "Vary", "X-Content-Type-Options"}
    for path, _, operation in operations(described):
        for status, answer in operation["responses"].items():
            told = set(whole(described, answer)["headers"])
            assert everywhere <= told, (path, status)
            assert not needs_key(operation) or limits <= told, (path, status)
            assert ("Retry-After" in told) == (status in ("409", "429", "503")), (path, status)
            assert ("WWW-Authenticate" in told) == (status == "401"), (path, status)
            assert ("Allow" in told) == (status == "405"), (path, status)
            assert ("Location" in told) == (operation["operationId"] in MAKING and status < "3"), path


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


def test_where_an_answer_leads_there_is_an_operation(described):
    by_id = {operation["operationId"]: operation for _, _, operation in operations(described)}
    for operation in by_id.values():
        for answer in operation["responses"].values():
            for link in answer.get("links", {}).values():
                parameters = by_id[link["operationId"]]["parameters"]
                places = {one["name"] for one in parameters if one.get("in") == "path"}
                assert set(link["parameters"]) == places


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
            one["schema"] for one in described["paths"][place]["get"]["parameters"] if one["name"] == "org_number"
        )
        assert [one for one in taken.split() if not validator(described, schema).is_valid(one)] == []
        assert [one for one in refused.split() if validator(described, schema).is_valid(one)] == []
