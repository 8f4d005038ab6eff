"""Describes one operation of the OpenAPI document: method, path, texts, parameters, body, response.

Does not belong here: the operations themselves (`api.companies.openapi`, `api.webhooks.openapi`), or their
serialisation (`api.openapi_document`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from api.http.query.model import NoParameters, QueryModel
from api.openapi.schema_types import Schema


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
        OperationLink("listOwnership", {"org_number": source}, "List its owners."),
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


JSON: Final = ("application/json",)
MERGE_PATCH: Final = ("application/json", "application/merge-patch+json")


@dataclass(frozen=True, slots=True)
class PathParameter:
    name: str
    description: str
    schema: Schema
    example: str


@dataclass(frozen=True, slots=True)
class RequestBody:
    """A request body: one JSON object."""

    schema: Schema
    description: str
    example: Any
    media_types: tuple[str, ...] = JSON
    is_required: bool = True


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation. A GET operation also answers HEAD, without a body."""

    path: str
    operation_id: str
    tag: str
    summary: str
    description: str
    response_schema: Schema | None
    """None for a response without a body (204)."""
    response_description: str
    response_headers: tuple[str, ...]
    """Additional response headers."""
    method: str = "get"
    status: int = 200
    path_parameters: tuple[PathParameter, ...] = ()
    query_params: type[QueryModel] = NoParameters
    request_headers: tuple[str, ...] = ()
    """Names of request headers it reads (`api.openapi.response_headers`)."""
    body: RequestBody | None = None
    example: Any = None
    error_statuses: tuple[int, ...] = ()
    """Additional error statuses."""
    links: tuple[OperationLink, ...] = ()
    is_public: bool = False
