"""Describes one operation of the OpenAPI document, in addition to what Litestar's decorators take.

Does not belong here: the operations themselves, which are declared in the decorators of their handlers, or their
serialisation (`api.openapi_document`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import GenericAlias, UnionType
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler
from litestar.openapi.spec import Example
from litestar.params import PathParameter

from api.http.query.model import NoParameters, QueryModel
from api.schemas.declare import RequestModel, ResponseModel
from api.schemas.json_schema import Schema


@dataclass(frozen=True, slots=True)
class OperationLink:
    """An operation that takes values of a response: parameters mapped to OpenAPI runtime expressions."""

    operation_id: str
    sources: Mapping[str, str]
    description: str


def _company_links(source: str) -> tuple[OperationLink, ...]:
    return (
        OperationLink("getCompany", {"org_number": source}, "Get the company's profile."),
        OperationLink("listFinancials", {"org_number": source}, "List its financials."),
        OperationLink("listFilings", {"org_number": source}, "List its filings."),
        OperationLink("listOwnership", {"org_number": source}, "List its owners."),
        OperationLink("getGroup", {"org_number": source}, "Get its group."),
        OperationLink("listHoldings", {"org_number": source}, "List what it owns in others."),
        OperationLink("listCompanyEvents", {"company_id": source}, "List its events."),
    )


def _subscription_links(source: str) -> tuple[OperationLink, ...]:
    place = {"id": source}
    return (
        OperationLink("getWebhook", place, "Get the subscription."),
        OperationLink("updateWebhook", place, "Update it."),
        OperationLink("rotateWebhookSecret", place, "Rotate its secret."),
        OperationLink("testWebhook", place, "Send a test event."),
        OperationLink("listWebhookDeliveries", place, "List its deliveries."),
        OperationLink("createWebhookReplay", place, "Create a replay."),
        OperationLink("deleteWebhook", place, "Delete it."),
    )


def _watchlist_links(source: str) -> tuple[OperationLink, ...]:
    place = {"id": source}
    return (
        OperationLink("getWatchlist", place, "Get the watchlist."),
        OperationLink("changeWatchlistCompanies", place, "Add and remove companies."),
        OperationLink("listWatchlistCompanies", place, "List its companies."),
        OperationLink("updateWatchlist", place, "Rename it."),
        OperationLink("deleteWatchlist", place, "Delete it."),
    )


def _delivery_links(subscription: str, delivery: str) -> tuple[OperationLink, ...]:
    place = {"id": subscription, "delivery_id": delivery}
    return (
        OperationLink("getWebhookDelivery", place, "Get the delivery with its attempts."),
        OperationLink("retryWebhookDelivery", place, "Make one more attempt."),
    )


# A search page has no links: it may be empty, and clients treat an unresolvable link as an error.
FROM_PROFILE: Final = _company_links("$response.body#/id")
FROM_COMPANY_LIST: Final = _company_links("$response.body#/company_id")
FROM_SUBSCRIPTION: Final = _subscription_links("$response.body#/id")
FROM_WATCHLIST: Final = _watchlist_links("$response.body#/id")
FROM_DELIVERY: Final = _delivery_links("$response.body#/subscription_id", "$response.body#/id")
FROM_REPLAY: Final = (
    OperationLink(
        "getWebhookReplay",
        {"id": "$response.body#/subscription_id", "replay_id": "$response.body#/id"},
        "Get the replay's progress.",
    ),
)


def link_objects(leads: Iterable[OperationLink]) -> dict[str, Schema]:
    return {
        lead.operation_id: {
            "operationId": lead.operation_id,
            "parameters": dict(lead.sources),
            "description": lead.description,
        }
        for lead in leads
    }


@dataclass(frozen=True, slots=True)
class RequestBody:
    """Texts of a request body; its media types and limit are the `body` of the route's policy."""

    model: type[RequestModel]
    description: str
    example: Any


@dataclass(frozen=True, slots=True)
class Operation:
    """What the document says of a route in addition to its decorator: the `operation` in a handler's `opt`."""

    response: type[ResponseModel] | GenericAlias | UnionType | Schema | None
    """A model, models by key, alternatives of these, or a schema; None for a response without a body (204)."""
    response_headers: tuple[str, ...]
    """Additional response headers."""
    example: Any = None
    links: tuple[OperationLink, ...] = ()
    query_params: type[QueryModel] = NoParameters
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
