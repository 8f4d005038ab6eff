"""Within v1 nothing breaks: the shape of today's document against the last published one, and planted breaks.

`openapi_frozen` says how the published document is kept, and how to publish.
"""

import copy
import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

from tests.architecture import openapi_frozen

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROFILE = "/api/v1/companies/{org_number}"
SEARCH = "/api/v1/companies"
EVENTS = "/api/v1/companies/{company_id}/events"


def _load(name):
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


schemas = _load("openapi_diff_schemas")
breaks = _load("openapi_diff").breaks

COMMITTED = openapi_frozen.DOCUMENT.read_text()
KEPT = json.loads(openapi_frozen.PUBLISHED.read_text())
PUBLISHED = json.loads(openapi_frozen.published(COMMITTED, KEPT))
TODAY = openapi_frozen.shape(json.loads(openapi_frozen.generated()))


def version(document):
    return tuple(int(part) for part in document["info"]["version"].split("."))


def test_todays_document_breaks_nothing_that_was_published():
    assert breaks(PUBLISHED, TODAY) == []


def test_another_document_has_another_version_and_the_changelog_names_it():
    assert re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+", TODAY["info"]["version"])
    if TODAY != PUBLISHED:
        assert version(TODAY) > version(PUBLISHED), (
            "the document changed: give api.openapi_document.VERSION its next number"
        )
    assert f"\n## {TODAY['info']['version']}\n" in (ROOT / "CHANGELOG.md").read_text()


def test_published_document_where_the_committed_one_changes_alone_is_missed_at_once():
    """Nobody can take away from both documents by editing one."""
    narrowed = COMMITTED.replace('"country"', '"market"', 1)
    assert narrowed != COMMITTED
    with pytest.raises(ValueError, match="make generate"):
        openapi_frozen.published(narrowed, KEPT)


def test_published_document_is_found_again_after_changes():
    before = openapi_frozen.published(COMMITTED, KEPT)
    today = openapi_frozen.written(changed(ADDITIONS["operation"]))
    assert openapi_frozen.published(today, openapi_frozen.kept_of(today, before)) == before
    assert openapi_frozen.kept_of(before, before)["undo"] == []


def test_shape_has_no_texts_and_every_property():
    texts = {"title": "T", "summary": "S", "description": "D", "example": {"a": 1}, "examples": [1]}
    properties = {name: {"type": "string", **texts} for name in (*texts, "properties")}
    document = {"info": {**texts, "version": "1"}, "schema": {"properties": properties, **texts}}
    assert openapi_frozen.shape(document) == {
        "info": {"version": "1"},
        "schema": {"properties": {name: {"type": "string"} for name in properties}},
    }


def test_texts_of_the_document_leave_no_trace_in_what_is_kept():
    reworded = json.loads(COMMITTED)
    reworded["info"]["description"] = "Other words."
    get(reworded, SEARCH).update(summary="Find companies")
    assert (
        openapi_frozen.published(openapi_frozen.written(reworded), KEPT)
        == json.dumps(PUBLISHED, indent=1, ensure_ascii=False) + "\n"
    )


def get(document, path):
    return document["paths"][path]["get"]


def parameter(document, name, path=SEARCH):
    return next(one for one in get(document, path)["parameters"] if one["name"] == name)


def schema(document, name):
    return document["components"]["schemas"][name]


def member(document, name, key):
    return schema(document, name)["properties"][key]


def delivery(document):
    return document["webhooks"]["status.changed"]["post"]


def without(mapping, key):
    del mapping[key]


def renamed(document, name, other):
    document["components"]["schemas"][other] = document["components"]["schemas"].pop(name)
    text = json.dumps(document).replace(f'schemas/{name}"', f'schemas/{other}"')
    document.update(json.loads(text))


BREAKS = {
    "path removed": lambda d: without(d["paths"], SEARCH),
    "operation removed": lambda d: without(d["paths"][SEARCH], "get"),
    "operation renamed": lambda d: get(d, SEARCH).update(operationId="findCompanies"),
    "key needed where none was": lambda d: without(get(d, "/api/openapi.json"), "security"),
    "parameter removed": lambda d: get(d, SEARCH)["parameters"].remove(parameter(d, "country")),
    "parameter renamed": lambda d: parameter(d, "country").update(name="market"),
    "parameter required": lambda d: parameter(d, "q").update(required=True),
    "required parameter added": lambda d: get(d, SEARCH)["parameters"].append(
        {"name": "new", "in": "query", "required": True, "schema": {"type": "string"}}
    ),
    "parameter written otherwise": lambda d: parameter(d, "country").update(explode=True),
    "upper bound of an input lowered": lambda d: parameter(d, "limit")["schema"].update(maximum=50),
    "lower bound of an input raised": lambda d: parameter(d, "limit")["schema"].update(minimum=2),
    "bound added to an input": lambda d: parameter(d, "since", EVENTS)["schema"].update(minLength=20),
    "default changed": lambda d: parameter(d, "limit")["schema"].update(default=10),
    "word of an input removed": lambda d: parameter(d, "fields")["schema"]["items"]["enum"].remove("name"),
    "input closed to some words": lambda d: parameter(d, "q")["schema"].update(enum=["a"]),
    "input of another type": lambda d: parameter(d, "limit")["schema"].update(type="string"),
    "pattern of an input changed": lambda d: parameter(d, "q")["schema"].update(pattern="^a$"),
    "pattern of a path changed": lambda d: get(d, PROFILE)["parameters"][0]["schema"].update(pattern="^[0-9]+$"),
    "body required": lambda d: get(d, SEARCH).update(
        requestBody={"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}
    ),
    "status removed": lambda d: without(get(d, PROFILE)["responses"], "404"),
    "success of another status": lambda d: get(d, PROFILE)["responses"].update({"202": {"description": "Later."}}),
    "media type removed": lambda d: without(get(d, PROFILE)["responses"]["200"]["content"], "application/json"),
    "header removed": lambda d: without(get(d, PROFILE)["responses"]["200"]["headers"], "ETag"),
    "header of an error removed": lambda d: without(
        d["components"]["responses"]["TooManyRequests"]["headers"], "Retry-After"
    ),
    "header no longer always there": lambda d: d["components"]["headers"]["ETag"].update(required=False),
    "header of another form": lambda d: d["components"]["headers"]["ETag"]["schema"].update(pattern='^"'),
    "link removed": lambda d: without(get(d, PROFILE)["responses"]["200"]["links"], "listFinancials"),
    "component renamed": lambda d: renamed(d, "Usage", "Use"),
    "key of an answer removed": lambda d: without(schema(d, "Company")["properties"], "name"),
    "key of a problem removed": lambda d: without(schema(d, "Problem")["properties"], "code"),
    "key no longer always there": lambda d: schema(d, "Owner")["required"].remove("pct"),
    "fifteenth key of the profile": lambda d: (
        schema(d, "Company")["properties"].update(new={"type": "string"}),
        schema(d, "Company")["required"].append("new"),
    ),
    "key that may be null now": lambda d: member(d, "Company", "name").update(type=["string", "null"]),
    "key of another type": lambda d: member(d, "Company", "latest_revenue").update(type=["number", "null"]),
    "key of another format": lambda d: member(d, "Company", "registered_date").update(format="date-time"),
    "bound of an answer loosened": lambda d: member(d, "Company", "name").update(maxLength=5000),
    "bound of an answer dropped": lambda d: without(member(d, "FinancialPeriod", "version"), "minimum"),
    "longer pages": lambda d: member(d, "CompanyList", "data").update(maxItems=1000),
    "pattern of an answer changed": lambda d: member(d, "Company", "id").update(pattern="^.*$"),
    "word added to a closed list": lambda d: member(d, "Company", "status")["enum"].append("sleeping"),
    "word removed from a closed list": lambda d: member(d, "Company", "status")["enum"].remove("dormant"),
    "closed list opened": lambda d: without(member(d, "Company", "status"), "enum"),
    "branch added to a closed choice": lambda d: get(d, PROFILE)["responses"]["200"]["content"]["application/json"][
        "schema"
    ]["anyOf"].append({"$ref": "#/components/schemas/Usage"}),
    "branch removed": lambda d: member(d, "Event", "data")["anyOf"].pop(),
    "webhook removed": lambda d: without(d["webhooks"], "status.changed"),
    "key of a delivery removed": lambda d: without(schema(d, "StatusChangedWebhook")["properties"], "event_id"),
    "fifth key of a delivery": lambda d: (
        schema(d, "StatusChangedWebhook")["properties"].update(new={"type": "string"}),
        schema(d, "StatusChangedWebhook")["required"].append("new"),
    ),
    "header of a delivery removed": lambda d: delivery(d)["parameters"].pop(0),
    "header of a delivery optional": lambda d: d["components"]["parameters"]["webhook-id"].update(required=False),
    "body of a delivery optional": lambda d: delivery(d)["requestBody"].update(required=False),
    "answer of a receiver not taken": lambda d: without(delivery(d)["responses"], "2XX"),
    "other signature": lambda d: d["components"]["parameters"]["X-Service-Signature"]["schema"].update(pattern="^v2"),
    "other authentication": lambda d: d["components"]["securitySchemes"]["bearer"].update(scheme="basic"),
    "another major version": lambda d: d["info"].update(version="2.0.0"),
}
ADDITIONS = {
    "nothing": lambda d: None,
    "operation": lambda d: d["paths"].update({"/api/v1/new": copy.deepcopy(d["paths"][SEARCH])}),
    "method": lambda d: d["paths"][SEARCH].update(post=copy.deepcopy(get(d, SEARCH))),
    "optional parameter": lambda d: get(d, SEARCH)["parameters"].append(
        {"name": "new", "in": "query", "required": False, "schema": {"type": "string"}}
    ),
    "wider input": lambda d: parameter(d, "limit")["schema"].update(minimum=0, maximum=1000),
    "word of an input": lambda d: parameter(d, "sort")["schema"]["enum"].append("-employees"),
    "pattern of an input dropped": lambda d: without(parameter(d, "q")["schema"], "pattern"),
    "key behind include": lambda d: schema(d, "Company")["properties"].update(new={"type": "string"}),
    "key of an event's data": lambda d: (
        schema(d, "StatusChange")["properties"].update(new={"type": "string"}),
        schema(d, "StatusChange")["required"].append("new"),
    ),
    "word of an open list": lambda d: member(d, "Owner", "holder_type")["x-extensible-enum"].append("trust"),
    "problem code": lambda d: member(d, "Problem", "code")["x-extensible-enum"].append("new_code"),
    "event type": lambda d: (
        d["webhooks"].update({"new.type": copy.deepcopy(d["webhooks"]["status.changed"])}),
        member(d, "Event", "data")["anyOf"].append({"$ref": "#/components/schemas/StatusChangedWebhook"}),
    ),
    "documented error": lambda d: get(d, SEARCH)["responses"].update({"410": {"description": "Gone."}}),
    "header of an answer": lambda d: get(d, SEARCH)["responses"]["200"]["headers"].update(
        New={"schema": {"type": "string"}}
    ),
    "header of a delivery": lambda d: delivery(d)["parameters"].append(
        {"name": "new", "in": "header", "required": True, "schema": {"type": "string"}}
    ),
    "narrower answer": lambda d: member(d, "Company", "name").update(maxLength=500, minLength=1),
    "never null any more": lambda d: member(d, "Company", "county").update(type="string"),
    "key that is always there now": lambda d: schema(d, "InputError")["required"].append("parameter"),
    "deprecation": lambda d: get(d, SEARCH).update(deprecated=True),
    "other words": lambda d: get(d, SEARCH).update(summary="Find companies", description="Find them."),
    "component": lambda d: d["components"]["schemas"].update(New={"type": "object"}),
}


def changed(change):
    document = copy.deepcopy(PUBLISHED)
    change(document)
    return document


@pytest.mark.parametrize("name", BREAKS)
def test_a_planted_break_is_refused(name):
    found = breaks(PUBLISHED, changed(BREAKS[name]))
    assert found
    assert all(": " in line for line in found)


@pytest.mark.parametrize("name", ADDITIONS)
def test_an_addition_is_accepted(name):
    assert breaks(PUBLISHED, changed(ADDITIONS[name])) == []


def test_a_break_names_its_place():
    document = changed(BREAKS["word added to a closed list"])
    assert any(
        "GET /api/v1/companies/{org_number} 200" in line and ".status: closed words" in line
        for line in breaks(PUBLISHED, document)
    )


@pytest.mark.parametrize(
    ("way", "old", "new"),
    [
        ("SENT", {"type": "array"}, {"type": "array", "uniqueItems": True}),
        ("RECEIVED", {"type": "array", "uniqueItems": True}, {"type": "array"}),
        ("SENT", {"type": "object"}, {"type": "object", "additionalProperties": False}),
        ("SENT", {"properties": {"a": {}}}, {"properties": {"a": {}}, "required": ["a"]}),
        ("SENT", {"type": "number"}, {"type": "integer"}),
        ("RECEIVED", {"type": "integer"}, {"type": "number"}),
        ("SENT", {"anyOf": [{"type": "string"}, {"type": "null"}]}, {"anyOf": [{"type": "string"}]}),
    ],
)
def test_rules_that_v1_does_not_use_yet(way, old, new):
    """What is a break one way is none the other way round."""
    sides, chosen = schemas.Sides({}, {}), schemas.Way[way]
    assert list(schemas.schema_breaks(sides, "here", old, new, chosen))
    assert list(schemas.schema_breaks(sides, "here", new, old, chosen)) == []
