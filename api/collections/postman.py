"""Writes the collection for Postman: one JSON file, format 2.1.

Does not belong here: the list of requests (`api.collections.scenario`), or their scripts
(`api.collections.scripts`).
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from api.collections.requests import (
    ABOUT,
    JSON,
    VARIABLES,
    CollectionRequest,
    QueryParameter,
    Schema,
    collection_requests,
    folder_descriptions,
)
from api.collections.scripts import ClientDialect, post_response_lines, pre_request_lines

FILE: Final = "firmdata.postman_collection.json"
_FORMAT: Final = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
_DIALECT: Final = ClientDialect(
    value="const value = (name) => pm.variables.get(name);",
    keep='const keep = (name, kept) => pm.collectionVariables.set(name, kept ?? "");',
    skip="pm.execution.skipRequest()",
    response_expressions=(
        "const test = (name, run) => pm.test(name, run);",
        "const expect = (one) => pm.expect(one);",
        "const header = (name) => pm.response.headers.get(name);",
        "const status = pm.response.code;",
    ),
    body="pm.response.json()",
)
_BEARER: Final = {"type": "bearer", "bearer": [{"key": "token", "value": "{{key}}", "type": "string"}]}


def build_files(document: Schema) -> Mapping[str, str]:
    """Relative paths and contents of the files; here only one."""
    made = collection_requests(document)
    collection = {
        "info": {"name": document["info"]["title"], "description": ABOUT, "schema": _FORMAT},
        "auth": _BEARER,
        "variable": [
            {"key": one.name, "value": one.value, "type": "string", "description": one.description} for one in VARIABLES
        ],
        "item": [
            {
                "name": name,
                "description": text,
                "item": [_request_item(request) for request in made if request.folder == name],
            }
            for name, text in folder_descriptions(document).items()
        ],
    }
    return {FILE: json.dumps(collection, indent=2, ensure_ascii=False) + "\n"}


def _request_item(request: CollectionRequest) -> dict[str, Any]:
    skipping = pre_request_lines(request, _DIALECT)
    events = [_script_event("prerequest", skipping)] if skipping else []
    return {
        "name": request.name,
        "event": [*events, _script_event("test", post_response_lines(request, _DIALECT))],
        "request": _request_object(request) | {"description": request.description},
        "response": [] if request.example is None else [_example_response(request)],
    }


def _script_event(listen: str, lines: list[str]) -> dict[str, Any]:
    return {"listen": listen, "script": {"type": "text/javascript", "exec": lines}}


def _request_object(request: CollectionRequest) -> dict[str, Any]:
    headers = [{"key": name, "value": value} for name, value in request.headers.items()]
    sent: dict[str, Any] = {"method": request.method, "header": headers, "url": _request_url(request)}
    if request.body is not None:
        sent["header"] = [{"key": "Content-Type", "value": JSON}, *headers]
        sent["body"] = {"mode": "raw", "raw": request.body, "options": {"raw": {"language": "json"}}}
    if request.form:
        fields = [{"key": name, "value": value, "type": "text"} for name, value in request.form.items()]
        sent["body"] = {"mode": "urlencoded", "urlencoded": fields}
    if request.is_public:
        sent["auth"] = {"type": "noauth"}
    return sent


def _request_url(request: CollectionRequest) -> dict[str, Any]:
    url: dict[str, Any] = {"raw": request.url, "host": ["{{base_url}}"], "path": request.path.strip("/").split("/")}
    if request.query:
        url["query"] = [_query_entry(one) for one in request.query]
    return url


def _query_entry(one: QueryParameter) -> dict[str, Any]:
    described = {"key": one.name, "value": one.value, "description": one.description}
    return described if one.is_sent else described | {"disabled": True}


def _example_response(request: CollectionRequest) -> dict[str, Any]:
    """The document's example as a saved response."""
    return {
        "name": f"Example: {request.status}",
        "originalRequest": _request_object(request),
        "code": request.status,
        "_postman_previewlanguage": "json",
        "header": [{"key": "Content-Type", "value": JSON}],
        "body": json.dumps(request.example, indent=2, ensure_ascii=False),
    }
