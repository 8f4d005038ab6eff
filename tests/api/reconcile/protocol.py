"""JSON schemas of the Reconciliation Service API 0.2, written from its text, for what clients read.

Does not belong here: the schemas of our document (`api.reconcile.models`), which say more.
"""

from typing import Any

from jsonschema import Draft202012Validator

TEXT = {"type": "string"}
URI = {"type": "string", "pattern": "^https?://[^ ]+$"}
TEMPLATE = {"type": "string", "pattern": r"^https?://.*\{\{id\}\}"}


def members(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    return {"type": "object", "properties": required | optional, "required": [*required]}


def rows(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


TYPE = members({"id": TEXT, "name": TEXT})  # 3.1
SERVICE = members({"service_url": URI, "service_path": {"type": "string", "pattern": "^/"}})
MANIFEST = members(  # 3.5
    {
        "versions": rows(TEXT) | {"contains": {"const": "0.2"}},
        "name": TEXT,
        "identifierSpace": URI,
        "schemaSpace": URI,
        "defaultTypes": rows(TYPE) | {"uniqueItems": True},
        "view": members({"url": TEMPLATE}),
        "preview": members({"url": TEMPLATE, "width": {"type": "integer"}, "height": {"type": "integer"}}),
        "suggest": members({"entity": SERVICE, "property": SERVICE, "type": SERVICE}),
        "extend": members({"propose_properties": SERVICE}),
        "batchSize": {"type": "integer", "minimum": 1},
        "authentication": members({"type": {"enum": ["basic", "apiKey", "oauth2"]}}),
        "documentation": URI,
    }
)
VALUE = {"type": ["string", "number", "boolean", "object"], "if": {"type": "object"}, "then": {"required": ["id"]}}
QUERIES = {  # 4.1
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "additionalProperties": False,
        "anyOf": [{"required": ["query"]}, {"required": ["properties"]}],
        "properties": {
            "query": TEXT,
            "type": {"anyOf": [TEXT, rows(TEXT)]},
            "limit": {"type": "number"},
            "type_strict": {"enum": ["any", "all", "should"]},
            "properties": rows(members({"pid": TEXT, "v": {"anyOf": [VALUE, rows(VALUE)]}})),
        },
    },
}
FEATURE = members({"id": TEXT, "value": {"type": ["boolean", "number"]}})
CANDIDATE = members(
    {"id": TEXT, "name": TEXT, "score": {"type": "number"}, "match": {"type": "boolean"}, "type": rows(TYPE)},
    features=rows(FEATURE),
    description=TEXT,
)
RESULTS = {"type": "object", "additionalProperties": members({"result": rows(CANDIDATE)})}  # 4.2
SUGGESTED = members({"result": rows(members({"id": TEXT, "name": TEXT}, description=TEXT, notable=rows(TYPE)))})  # 5
PROPOSED = members({"properties": rows(members({"id": TEXT, "name": TEXT}))}, type=TEXT)  # 7.1
EXTENSION = members({"ids": rows(TEXT), "properties": rows(members({"id": TEXT}, settings={"type": "object"}))})  # 7.2
ONE_VALUE = {
    "oneOf": [
        members({name: schema}) | {"additionalProperties": False}
        for name, schema in {
            "str": TEXT,
            "int": {"type": "integer"},
            "float": {"type": "number"},
            "date": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"},
        }.items()
    ]
}
VALUES = members(  # 7.3
    {
        "meta": rows(members({"id": TEXT, "name": TEXT})),
        "rows": {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": rows(ONE_VALUE)}},
    }
)


def check(schema: dict[str, Any], answer: Any) -> None:
    Draft202012Validator(schema).validate(answer)
