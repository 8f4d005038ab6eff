"""Describes one operation of the OpenAPI document, in addition to what Litestar's decorators take.

Does not belong here: the operations themselves, which are declared in the decorators of their handlers, or their
serialisation (`api.openapi_document`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import GenericAlias, UnionType
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler
from litestar.openapi.spec import Example
from litestar.params import PathParameter

from api.schemas.declare import RequestModel, ResponseModel, id_pattern
from api.schemas.json_schema import Schema

Links = Mapping[str, Schema]
"""Link objects by operation: those that take values of a response."""


def _links(sources: Mapping[str, str], descriptions: Mapping[str, str]) -> Links:
    """Links to operations, each with its description, that take the same parameters (OpenAPI runtime expressions)."""
    return {
        operation_id: {"operationId": operation_id, "parameters": sources, "description": text}
        for operation_id, text in descriptions.items()
    }


_OF_COMPANY: Final = {
    "getCompany": "Get the company's profile.",
    "listFinancials": "List its financials.",
    "listFilings": "List its filings.",
    "listOwnership": "List its owners.",
    "getGroup": "Get its group.",
    "listHoldings": "List what it owns in others.",
}


def _company_links(source: str) -> Links:
    events = _links({"company_id": source}, {"listCompanyEvents": "List its events."})
    return {**_links({"org_number": source}, _OF_COMPANY), **events}


# A search page has no links: it may be empty, and clients treat an unresolvable link as an error.
FROM_PROFILE: Final = _company_links("$response.body#/id")
FROM_COMPANY_LIST: Final = _company_links("$response.body#/company_id")
FROM_SUBSCRIPTION: Final = _links(
    {"id": "$response.body#/id"},
    {
        "getWebhook": "Get the subscription.",
        "updateWebhook": "Update it.",
        "rotateWebhookSecret": "Rotate its secret.",
        "testWebhook": "Send a test event.",
        "listWebhookDeliveries": "List its deliveries.",
        "createWebhookReplay": "Create a replay.",
        "deleteWebhook": "Delete it.",
    },
)
FROM_WATCHLIST: Final = _links(
    {"id": "$response.body#/id"},
    {
        "getWatchlist": "Get the watchlist.",
        "changeWatchlistCompanies": "Add and remove companies.",
        "listWatchlistCompanies": "List its companies.",
        "updateWatchlist": "Rename it.",
        "deleteWatchlist": "Delete it.",
    },
)
FROM_DELIVERY: Final = _links(
    {"id": "$response.body#/subscription_id", "delivery_id": "$response.body#/id"},
    {"getWebhookDelivery": "Get the delivery with its attempts.", "retryWebhookDelivery": "Make one more attempt."},
)
FROM_REPLAY: Final = _links(
    {"id": "$response.body#/subscription_id", "replay_id": "$response.body#/id"},
    {"getWebhookReplay": "Get the replay's progress."},
)


@dataclass(frozen=True, slots=True)
class RequestBody:
    """What a request body is; its media types and limit are the `body` of the route's policy."""

    model: type[RequestModel]
    example: Any


@dataclass(frozen=True, slots=True)
class Operation:
    """What the document says of a route in addition to its decorator: the `operation` in a handler's `opt`."""

    response: type[ResponseModel] | GenericAlias | UnionType | Schema | None
    """A model, models by key, alternatives of these, or a schema; None for a response without a body (204)."""
    response_headers: tuple[str, ...]
    """Additional response headers."""
    example: Any = None
    links: Links = field(default_factory=dict)
    body: RequestBody | None = None
    request_headers: tuple[str, ...] = ()
    """Request headers beyond those of the method."""
    is_ranged: bool = False
    """Whether a range of the response may be asked for."""
    error_statuses: tuple[int, ...] = ()
    """Errors beyond those of the method."""
    is_read: bool = False
    """Whether a POST changes nothing: repeating it does no harm, so it takes no Idempotency-Key."""


def path_parameter(description: str, schema: Schema, example: str, name: str | None = None) -> PathParameter:
    """Describes a path parameter; the schema is published and not checked, as each handler has its own error."""
    return PathParameter(name=name, description=description, schema_extra=schema, examples=[Example(value=example)])


def id_parameter(description: str, example: str, name: str | None = None) -> PathParameter:
    """Describes a path parameter that is an id with the prefix of its example."""
    pattern = id_pattern(example.partition("_")[0])
    schema = {"type": "string", "description": description, "maxLength": 30, "pattern": pattern}
    return path_parameter(description, schema, example, name)


def path_of(handler: HTTPRouteHandler) -> str:
    """The path as published, with the names of its parameters."""
    (path,) = handler.paths
    return path.replace(":str}", "}")


def method_of(handler: HTTPRouteHandler) -> str:
    """The method in lower case."""
    (method,) = handler.http_methods
    return method.lower()


def path_parameters(handler: HTTPRouteHandler) -> dict[str, PathParameter]:
    """The path parameters by name, as declared in the handler's signature."""
    declared = {name: one.kwarg_definition for name, one in handler.parsed_fn_signature.parameters.items()}
    return {one.name or name: one for name, one in declared.items() if isinstance(one, PathParameter)}
