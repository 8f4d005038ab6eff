"""Builds the OpenAPI 3.1 document (docs/contract/contract.md 4.14) from the declarations that parse queries.

Litestar's own generator describes what it parses itself, but our queries are parsed by `api.http.query.params`; so
the document is built here, once per start. Does not belong here: operations and schemas, which lie beside the
routes (`api.companies.openapi`, `api.webhooks.openapi`, `api.accounts.openapi`).
"""

from typing import Any, Final

import msgspec

from api.accounts import openapi as usage
from api.companies.openapi import COMPANY_OPERATIONS
from api.companies.schemas import events, financials, markets, ownership, profile
from api.http.query.params import QueryParam
from api.openapi import description, problem_responses, request_headers, response_headers
from api.openapi.links import link_objects
from api.openapi.operation import Operation, PathParameter, RequestBody
from api.openapi.response_headers import OF_DOCUMENT
from api.openapi.schema_types import Schema
from api.webhooks.openapi import WEBHOOK_OPERATIONS
from api.webhooks.schemas import deliveries, payloads, subscriptions

VERSION: Final = "1.3.0"
_OWN_OPERATION: Final = Operation(
    path="/api/openapi.json",
    operation_id="getOpenApi",
    tag="Service",
    summary="Get the OpenAPI document",
    description="No key required; a key is accepted. Not counted against the quota.",
    response_schema={"type": "object", "description": "An OpenAPI 3.1 document."},
    response_description="The document.",
    response_headers=OF_DOCUMENT,
    is_public=True,
)
OPERATIONS: Final = (*COMPANY_OPERATIONS, *WEBHOOK_OPERATIONS, usage.USAGE_OPERATION, _OWN_OPERATION)
"""In the document's order; a test compares them with the existing routes."""


def openapi_document(public_url: str) -> bytes:
    """The document as served bytes."""
    return msgspec.json.format(msgspec.json.encode(_document_object(public_url)), indent=0)


def _document_object(public_url: str) -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Firmdata",
            "version": VERSION,
            "summary": description.SUMMARY,
            "description": description.DESCRIPTION,
            "contact": {"name": "Firmdata", "url": public_url},
            "license": {"name": "Proprietary", "identifier": "LicenseRef-Proprietary"},
        },
        "servers": [{"url": public_url, "description": "Production.", "x-internal": False}],
        "security": [{"bearer": []}],
        "tags": [{"name": name, "description": text} for name, text in description.TAGS.items()],
        "paths": _paths_object(),
        "webhooks": payloads.webhook_objects(),
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "description": description.BEARER}},
            "parameters": request_headers.header_parameters() | payloads.delivery_header_parameters(),
            "headers": response_headers.schema_components(),
            "responses": problem_responses.response_components(public_url),
            "schemas": {
                **profile.schema_components(),
                **financials.schema_components(),
                **ownership.schema_components(),
                **events.schema_components(),
                **subscriptions.schema_components(),
                **deliveries.schema_components(),
                **markets.schema_components(),
                **usage.schema_components(),
                **problem_responses.schema_components(),
            },
        },
    }


def _paths_object() -> Schema:
    paths: dict[str, Schema] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = _operation_object(operation)
    return paths


def _operation_object(operation: Operation) -> Schema:
    described: Schema = {
        "operationId": operation.operation_id,
        "summary": operation.summary,
        "description": operation.description,
        "tags": [operation.tag],
    }
    parameters = [_path_parameter(place) for place in operation.path_parameters]
    parameters += [_query_parameter(parameter) for parameter in operation.query_params.parameters]
    parameters += request_headers.header_references(operation.request_headers)
    if parameters:
        described["parameters"] = parameters
    if operation.body is not None:
        described["requestBody"] = _request_body(operation.body)
    if operation.is_public:
        described["security"] = [{}, {"bearer": []}]
    described["responses"] = _responses_object(operation)
    return described


def _request_body(body: RequestBody) -> Schema:
    content = {"schema": body.schema, "example": body.example}
    return {
        "description": body.description,
        "required": body.is_required,
        "content": dict.fromkeys(body.media_types, content),
    }


def _responses_object(operation: Operation) -> Schema:
    named = response_headers.success_headers(operation.response_headers, is_public=operation.is_public)
    success: Schema = {"description": operation.response_description, "headers": named}
    if operation.response_schema is not None:
        content: Schema = {"schema": operation.response_schema}
        if operation.example is not None:
            content["example"] = operation.example
        success["content"] = {"application/json": content}
    if operation.links:
        success["links"] = link_objects(operation.links)
    answers: Schema = {str(operation.status): success}
    if "ETag" in operation.response_headers:
        text = "Not modified since the ETag in If-None-Match."
        answers["304"] = {"description": text, "headers": named}
    return answers | problem_responses.response_references(operation.error_statuses, is_public=operation.is_public)


def _path_parameter(place: PathParameter) -> Schema:
    return {
        "name": place.name,
        "in": "path",
        "required": True,
        "description": place.description,
        "schema": place.schema,
        "example": place.example,
    }


def _query_parameter(parameter: QueryParam[Any]) -> Schema:
    described: Schema = {
        "name": parameter.name,
        "in": "query",
        "required": False,
        "description": parameter.description,
        "schema": dict(parameter.schema),
    }
    if parameter.is_list:
        described |= {"style": "form", "explode": False}
    if parameter.example is not None:
        described["example"] = parameter.example
    return described
