"""Builds the OpenAPI 3.1 document (docs/contract/contract.md 4.14) from the handlers' decorators and signatures.

Litestar's own generator describes what it parses itself, but our queries are parsed by `api.http.query.model`; so
the document is built here, once per start, with the texts that apply to all operations. Does not belong here:
texts of one operation, which are declared at its handler, or schemas (`api.companies.schemas`).
"""

import inspect
from collections.abc import Iterator
from functools import lru_cache
from types import UnionType
from typing import Any, Final, get_args, get_origin

import msgspec
from litestar.handlers import HTTPRouteHandler
from litestar.params import PathParameter
from pydantic import BaseModel

from api.companies.industry_notices import IndustryNotice
from api.companies.schemas import events
from api.http.context import RoutePolicy
from api.http.json_body import BodyPolicy
from api.http.query.model import NoParameters
from api.openapi import problem_responses, response_headers
from api.openapi.operation import Operation, RequestBody, method_of, path_of, path_parameters
from api.openapi.parameters import header_parameters, header_references, parameter_object, query_parameters
from api.openapi.response_headers import OF_POST
from api.openapi.setting_words import DEFAULT_SETTINGS, fill_words, setting_words
from api.reconcile.models import MatchingFeature
from api.routes import ROUTES
from api.schemas.json_schema import Schema, component_schemas, schema_reference
from api.settings.service import ApiSettings
from api.webhooks import payloads
from api.webhooks.filters.models import OwnershipFilter, RequestedFilters, RequestedOwnership, SubscriptionFilters
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
bodies. Only `_` and `utm_…` are ignored, which pages and links add.

**Compression.** Company data and this document are compressed if `Accept-Encoding` names `gzip`; tags are the same \
either way.

**Lists.** Pass `next_cursor` as `cursor` and leave all other parameters except `limit` unchanged; the `Link` \
header also gives the next page. Cursors are valid for 7 days, those of ascending events for good. Rows added or \
removed between two pages cause neither repeated nor skipped rows.

**Conditional requests.** Data responses have an `ETag`: send it in `If-None-Match` to get 304 if nothing has \
changed; such a 304 is not counted against the quota. `If-Modified-Since` with the `Last-Modified` works too, but \
counts like the data. Each response comes from one release of the data, named in \
`Firm-Release`.

**Webhooks.** A subscription has an endpoint, event types and companies. Every matching event published after \
its creation is sent to the endpoint until it is acknowledged by a 2xx within [[ack_window]]: immediately, then \
after [[retry_waits]]. If the last attempt fails, the subscription is \
paused, its owner is notified by e-mail, and later events are held until a replay. Events may be delivered more \
than once and in any order: deduplicate by `event_id`, order by `sequence`.

**Idempotency.** Every POST that changes something accepts an `Idempotency-Key`: a request repeated with the same \
key within 24 hours is executed once and returns the first response. `If-Match` with a subscription's `ETag` \
prevents lost updates.

**Limits.** Requests are limited by a burst per second and a quota per calendar month (UTC), both per account. \
`RateLimit-Policy`, `RateLimit` and `X-RateLimit-*` on every authenticated response give what remains. Above a \
limit the response is 429 with `Retry-After`.

**Keys.** Keep secret keys (`firm_live_…`, `firm_secret_…`) on servers. Publishable keys (`firm_public_…`) read \
company data from web pages on their domains; only they get CORS headers. Send keys in the Authorization header, \
never in a URL. A revoked key may still work for up to [[key_cache]].

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
    "Exports": "Bulk files of all data.",
    "Financials": "Annual and quarterly figures.",
    "Lookups": "Companies by identifiers and names in bulk, and suggestions.",
    "Ownership": "Owners of companies.",
    "Reconciliation": "Matching of tables with companies, by the Reconciliation Service API 0.2.",
    "Service": "The API itself: markets, usage and the OpenAPI document.",
    "Watchlists": "Named lists of companies.",
    "Webhooks": "Webhook subscriptions, delivery log and payloads.",
}
BEARER: Final = "An API key: `firm_live_…` on servers, `firm_public_…` on web pages."
BASIC: Final = "The API key as the password, with any user name; only where an operation says so."
VERSION: Final = "1.6.0"
INLINED: Final = (
    IndustryNotice,
    MatchingFeature,
    RequestedFilters,
    RequestedOwnership,
    SubscriptionFilters,
    OwnershipFilter,
)
"""Models that stand inside those that have them, as do models of a private name; every other one is a component."""
OPERATIONS: Final = tuple(one for one in ROUTES if one.operation_id)
"""Handlers that the document describes, in its order."""
_REQUEST_HEADERS: Final = {
    "post": ("Idempotency-Key",),
    "patch": ("If-Match",),
    "put": ("If-Match",),
    "delete": ("If-Match",),
}
_RESPONSE_HEADERS: Final = {"post": OF_POST}
_ERROR_STATUSES: Final = {"post": (409, 422), "patch": (412, 422), "put": (412,), "delete": (412,)}
"""What all operations of a method have in addition to those of GET."""
_OF_READ: Final = (422,)
"""The same of a POST that changes nothing."""


def openapi_document(public_url: str, settings: ApiSettings = DEFAULT_SETTINGS) -> bytes:
    """The document as served bytes, with the figures of the settings in its texts."""
    return fill_words(_document_without_figures(public_url), setting_words(settings))


@lru_cache(maxsize=8)
def _document_without_figures(public_url: str) -> bytes:
    """The same for every application of a process: models are described once."""
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
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": BEARER},
                "basic": {"type": "http", "scheme": "basic", "description": BASIC},
            },
            "parameters": header_parameters(response_headers.REQUEST_HEADERS)
            | header_parameters(payloads.DELIVERY_HEADERS, payloads.ALWAYS_SENT),
            "headers": response_headers.schema_components(),
            "responses": problem_responses.response_components(public_url),
            "schemas": component_schemas(_models(), INLINED),
        },
    }


def _paths_object() -> Schema:
    paths: dict[str, Schema] = {}
    for handler in OPERATIONS:
        paths.setdefault(path_of(handler), {})[method_of(handler)] = _operation_object(handler)
    return paths


def _operation_object(handler: HTTPRouteHandler) -> Schema:
    operation: Operation = handler.opt["operation"]
    policy: RoutePolicy = handler.opt["policy"]
    described: Schema = {
        "operationId": handler.operation_id,
        "summary": handler.summary,
        "description": handler.description,
        "tags": handler.tags,
    }
    parameters = [_path_parameter(name, one) for name, one in path_parameters(handler).items()]
    parameters += query_parameters(handler.opt["query"] or NoParameters)
    of_method = () if operation.is_read else _REQUEST_HEADERS.get(method_of(handler), ())
    parameters += header_references((*of_method, *operation.request_headers))
    if parameters:
        described["parameters"] = parameters
    if operation.body is not None and policy.body is not None:
        described["requestBody"] = _request_body(operation.body, policy.body)
    if not policy.requires_key:
        described["security"] = [{}, {"bearer": []}]
    elif policy.accepts_basic:
        described["security"] = [{"bearer": []}, {"basic": []}]
    described["responses"] = _responses_object(handler, operation, is_public=not policy.requires_key)
    return described


def _request_body(body: RequestBody, policy: BodyPolicy) -> Schema:
    content = {"schema": schema_reference(body.model), "example": body.example}
    return {
        "description": inspect.getdoc(body.model),
        "required": not policy.is_optional,
        "content": {media_type.decode(): content for media_type in policy.media_types},
    }


def _responses_object(handler: HTTPRouteHandler, operation: Operation, *, is_public: bool) -> Schema:
    method = method_of(handler)
    headers = (*operation.response_headers, *(() if operation.is_read else _RESPONSE_HEADERS.get(method, ())))
    named = response_headers.success_headers(headers, is_public=is_public)
    text = handler.response_description or inspect.getdoc(operation.response)
    success: Schema = {"description": text, "headers": named}
    if operation.response is not None:
        content: Schema = {"schema": _response_schema(operation.response)}
        if operation.example is not None:
            content["example"] = operation.example
        policy: RoutePolicy = handler.opt["policy"]
        success["content"] = {policy.media_type.decode(): content}
    if operation.links:
        success["links"] = operation.links
    answers: Schema = {str(handler.status_code): success}
    if "ETag" in operation.response_headers:
        text = "Not modified since the ETag in If-None-Match."
        answers["304"] = {"description": text, "headers": named}
    if operation.is_ranged:
        ranged = response_headers.success_headers(response_headers.OF_RANGE, is_public=is_public)
        answers["206"] = success | {"description": "A range of the file.", "headers": ranged}
    of_method = _OF_READ if operation.is_read else _ERROR_STATUSES.get(method, ())
    errors = (*of_method, *operation.error_statuses)
    return answers | problem_responses.response_references(errors, is_public=is_public)


def _response_schema(response: Any) -> Schema:
    """The schema of a model, of alternatives, or of models by key."""
    if isinstance(response, dict):
        return response
    if isinstance(response, UnionType):
        return {"anyOf": [_response_schema(one) for one in get_args(response)]}
    if get_origin(response) is dict:
        return {"type": "object", "additionalProperties": schema_reference(get_args(response)[1])}
    return schema_reference(response)


def _models() -> Iterator[type[BaseModel]]:
    """The models of all bodies, in the document's order; component schemas are made of these and of what they have."""
    for handler in OPERATIONS:
        operation: Operation = handler.opt["operation"]
        if operation.body is not None:
            yield operation.body.model
        yield from _models_in(operation.response)
    yield from (kind.webhook for kind in events.KINDS.values())
    yield problem_responses.Problem


def _models_in(response: Any) -> Iterator[type[BaseModel]]:
    if isinstance(response, type) and issubclass(response, BaseModel):
        yield response
    for one in get_args(response):
        yield from _models_in(one)


def _path_parameter(name: str, parameter: PathParameter) -> Schema:
    schema, example = parameter.schema_extra or {}, (parameter.examples or [])[0].value
    return parameter_object(name, "path", schema, parameter.description or "", required=True, example=example)
