"""The OpenAPI 3.1 document (CONTRACT 4.14), made from the same declarations that read queries.

Litestar's own generator describes what it parses itself, and our queries are read by `api.parameters`; so the
document is put together here, once per start. Does not belong here: schemas (`api.schemas`).
"""

import json
from typing import Any, Final

import msgspec

from api import queries
from api.operations import OPERATIONS, Operation, PathParameter
from api.parameters import Parameter
from api.schemas import company, events, financials, ownership, problems
from api.schemas.kinds import Schema

VERSION: Final = "1.0.0"

_HEADERS: Final = {
    "RequestId": ("The caller's X-Request-Id, else one of ours.", {"pattern": "^[A-Za-z0-9_-]{8,64}$"}),
    "ETag": ("Depends on content only.", {"pattern": '^W/"[0-9a-f]{16}"$'}),
    "LastModified": ("When the release was built.", {}),
    "CacheControl": ("How long the answer may be kept.", {}),
    "FirmRelease": ("Number of the release that answered.", {"pattern": "^[0-9]+$"}),
    "Link": ('The next page, rel="next".', {}),
    "ContentLocation": ("The canonical path, where another spelling was asked.", {}),
    "RetryAfter": ("Seconds to wait.", {"pattern": "^[0-9]+$"}),
    "WwwAuthenticate": ("How to authenticate.", {}),
    "Allow": ("Methods that the resource knows.", {}),
}
_TAGS: Final = {
    "Companies": "Profiles and search.",
    "Financials": "Annual and quarterly figures.",
    "Ownership": "Who holds a company.",
    "Events": "What changed.",
    "Service": "The interface itself.",
}
_PAGED: Final = {"Link": "Link"}
_DATA_HEADERS: Final = {
    "X-Request-Id": "RequestId",
    "ETag": "ETag",
    "Last-Modified": "LastModified",
    "Cache-Control": "CacheControl",
    "Firm-Release": "FirmRelease",
    "Content-Location": "ContentLocation",
}


def document(public_url: str) -> bytes:
    """The document as it is served."""
    return msgspec.json.format(msgspec.json.encode(_document(public_url)), indent=0)


def _document(public_url: str) -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Firmdata",
            "version": VERSION,
            "summary": "Company data of five countries, and what changes in it.",
            "description": "Profiles, financials, ownership and events of companies in the US, Sweden, "
            "Norway, Finland and the United Kingdom, from their registers. Null means unknown, never zero. "
            "Clients ignore keys they do not know.",
            "contact": {"name": "Firmdata", "url": public_url},
            "license": {"name": "Proprietary", "url": f"{public_url}/terms"},
        },
        "servers": [{"url": public_url}],
        "security": [{"bearer": []}],
        "tags": [{"name": name, "description": text} for name, text in _TAGS.items()],
        "paths": {operation.path: {"get": _operation(operation)} for operation in OPERATIONS},
        "components": {
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An API key: `firm_live_…` on servers, `firm_public_…` on web pages.",
                }
            },
            "headers": {name: _header(text, more) for name, (text, more) in _HEADERS.items()},
            "responses": problems.responses(public_url),
            "schemas": {
                **company.components(),
                **financials.components(),
                **ownership.components(),
                **events.components(),
                **problems.components(),
            },
        },
    }


def _header(description: str, more: Schema) -> Schema:
    return {"description": description, "schema": {"type": "string", "maxLength": 9000} | more}


def _operation(operation: Operation) -> Schema:
    described: Schema = {
        "operationId": operation.operation_id,
        "summary": operation.summary,
        "description": operation.description,
        "tags": [operation.tag],
    }
    parameters = [_path_parameter(place) for place in operation.places]
    if operation.query is not None:
        parameters += [_query_parameter(parameter) for parameter in operation.query.parameters]
    if parameters:
        described["parameters"] = parameters
    if operation.public:
        described["security"] = [{}, {"bearer": []}]
    described["responses"] = _responses(operation)
    return described


def _responses(operation: Operation) -> Schema:
    named = dict(_DATA_HEADERS)
    if operation.public:
        named = {name: named[name] for name in ("X-Request-Id", "ETag", "Cache-Control")}
    elif operation.query is not None and queries.CURSOR in operation.query.parameters:
        named |= _PAGED
    headers = {name: {"$ref": f"#/components/headers/{target}"} for name, target in named.items()}
    content: Schema = {"schema": operation.answer}
    if operation.example is not None:
        content["example"] = operation.example
    success = {
        "description": operation.answer_description,
        "headers": headers,
        "content": {"application/json": content},
    }
    unchanged = {"description": "Unchanged since the ETag in If-None-Match.", "headers": headers}
    return {"200": success, "304": unchanged} | problems.documented()


def _path_parameter(place: PathParameter) -> Schema:
    return {
        "name": place.name,
        "in": "path",
        "required": True,
        "description": place.description,
        "schema": place.schema,
        "example": place.example,
    }


def _query_parameter(parameter: Parameter[Any]) -> Schema:
    described: Schema = {
        "name": parameter.name,
        "in": "query",
        "required": False,
        "description": parameter.description,
        "schema": dict(parameter.schema),
    }
    if parameter.listed:
        described |= {"style": "form", "explode": False}
    if parameter.example is not None:
        described["example"] = parameter.example
    return described


if __name__ == "__main__":
    # how the committed snapshot is made
    print(json.dumps(json.loads(document("https://api.example.com")), indent=1, ensure_ascii=False))  # noqa: T201
