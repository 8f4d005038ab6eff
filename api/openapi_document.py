"""Builds the OpenAPI 3.1 document (docs/contract/contract.md 4.14) from the declarations that parse queries.

Litestar's own generator describes what it parses itself, but our queries are parsed by `api.http.query.model`; so
the document is built here, once per start, with the texts that apply to all operations. Does not belong here:
operations and schemas, which lie beside the routes (`api.companies.openapi`, `api.webhooks.openapi`,
`api.accounts.openapi`).
"""

from typing import Any, Final

import msgspec

from api.accounts import openapi as usage
from api.companies.openapi import COMPANY_MODELS, COMPANY_OPERATIONS, MARKET_MODELS
from api.openapi import problem_responses, response_headers
from api.openapi.operation import Operation, PathParameter, RequestBody, link_objects
from api.openapi.query_parameters import query_parameters
from api.openapi.response_headers import OF_DOCUMENT
from api.openapi.schema_types import Schema
from api.schemas.json_schema import component_schemas
from api.webhooks import payloads
from api.webhooks.openapi import WEBHOOK_MODELS, WEBHOOK_OPERATIONS
from warehouse.schema.codes import SERVED
from warehouse.schema.markets import MARKETS

_COUNTS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNTRIES: Final = [MARKETS[code].in_text or MARKETS[code].name for code in SERVED]
SUMMARY: Final = f"Company data of {_COUNTS[len(SERVED)]} countries and its change events."
DESCRIPTION: Final = f"""\
Profiles, financials, ownership and events of companies in {", ".join(_COUNTRIES[:-1])} and {_COUNTRIES[-1]}, \
taken from public registers.

**Values.** Every key is always present; null means unknown, never zero. Amounts of money are in whole units of \
the accompanying currency. Dates are ISO 8601, times are RFC 3339 in UTC.

**Methods.** Every GET operation also supports HEAD, every path supports OPTIONS and returns `Allow`. Unknown, \
repeated and malformed parameters are rejected, never ignored; so are unknown and repeated members of request \
bodies.

**Lists.** Pass `next_cursor` as `cursor` and leave all other parameters except `limit` unchanged; the `Link` \
header also gives the next page. Rows added or removed between two pages cause neither repeated nor skipped \
rows.

**Conditional requests.** Data responses have an `ETag`: send it in `If-None-Match` to get 304 if nothing has \
changed; a 304 is not counted against the quota. Each response comes from one release of the data, named in \
`Firm-Release`.

**Webhooks.** A subscription has an endpoint, event types and companies. Every matching event published after \
its creation is sent to the endpoint until it is acknowledged by a 2xx within 10 seconds: immediately, then \
after 1 minute, 5 minutes, 30 minutes, 2 hours and 12 hours. If the last attempt fails, the subscription is \
paused, its owner is notified by e-mail, and later events are held until a replay. Events may be delivered more \
than once and in any order: deduplicate by `event_id`, order by `sequence`.

**Idempotency.** Every POST accepts an `Idempotency-Key`: a request repeated with the same key within 24 hours \
is executed once and returns the first response. `If-Match` with a subscription's `ETag` prevents lost updates.

**Limits.** Requests are limited by a burst per second and a quota per calendar month (UTC), both per account. \
`RateLimit-Policy`, `RateLimit` and `X-RateLimit-*` on every authenticated response give what remains. Above a \
limit the response is 429 with `Retry-After`.

**Keys.** Keep secret keys (`firm_live_…`, `firm_secret_…`) on servers. Publishable keys (`firm_public_…`) read \
company data from web pages on their domains; only they get CORS headers. Send keys in the Authorization header, \
never in a URL. A revoked key may still work for up to 30 seconds.

**Errors.** `application/problem+json` (RFC 9457). Programs should use `code`; `detail` is meant for people and \
may change. Quote `request_id` to support.

**Versions.** The major version is in the path. The following may be added within v1: operations, optional \
parameters, keys, event types, problem codes, values of enumerations marked `x-extensible-enum`, and higher \
limits. Clients must ignore unknown keys and accept new values of these enumerations. Any other change requires \
a new major version; v1 is then supported for at least 12 more months.

**Deprecation.** Deprecated operations and parameters are marked `deprecated` here and respond with \
`Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `Link` to an explanation. Accounts that used them in the \
last 30 days are notified by e-mail.\
"""
TAGS: Final = {
    "Companies": "Profiles and search.",
    "Events": "Change events.",
    "Financials": "Annual and quarterly figures.",
    "Ownership": "Owners of companies.",
    "Service": "The API itself: markets, usage and the OpenAPI document.",
    "Webhooks": "Webhook subscriptions, delivery log and payloads.",
}
BEARER: Final = "An API key: `firm_live_…` on servers, `firm_public_…` on web pages."


VERSION: Final = "1.4.0"
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
MODELS: Final = (
    *COMPANY_MODELS,
    *WEBHOOK_MODELS,
    *MARKET_MODELS,
    usage.Usage,
    problem_responses.InputError,
    problem_responses.Problem,
)
"""Components, in the document's order."""
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
            "summary": SUMMARY,
            "description": DESCRIPTION,
            "contact": {"name": "Firmdata", "url": public_url},
            "license": {"name": "Proprietary", "identifier": "LicenseRef-Proprietary"},
        },
        "servers": [{"url": public_url, "description": "Production.", "x-internal": False}],
        "security": [{"bearer": []}],
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": _paths_object(),
        "webhooks": payloads.webhook_objects(),
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "description": BEARER}},
            "parameters": response_headers.header_parameters() | payloads.delivery_header_parameters(),
            "headers": response_headers.schema_components(),
            "responses": problem_responses.response_components(public_url),
            "schemas": component_schemas(MODELS),
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
    parameters += query_parameters(operation.query_params)
    parameters += response_headers.header_references(operation.request_headers)
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
