"""OpenAPI `links`: which operations follow from a response, used by clients and fuzzers.

Does not belong here: the `Link` header of pages (`api.pages`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from api.schemas.kinds import Schema


@dataclass(frozen=True, slots=True)
class Lead:
    """An operation that takes values of a response: parameters mapped to OpenAPI runtime expressions."""

    operation_id: str
    sources: Mapping[str, str]
    description: str


def _of_company(source: str) -> tuple[Lead, ...]:
    return (
        Lead("getCompany", {"org_number": source}, "Get the company's profile."),
        Lead("listFinancials", {"org_number": source}, "List its financials."),
        Lead("listOwnership", {"org_number": source}, "List its owners."),
        Lead("listCompanyEvents", {"company_id": source}, "List its events."),
    )


def _of_subscription(source: str) -> tuple[Lead, ...]:
    place = {"id": source}
    return (
        Lead("getWebhook", place, "Get the subscription."),
        Lead("updateWebhook", place, "Update it."),
        Lead("rotateWebhookSecret", place, "Rotate its secret."),
        Lead("testWebhook", place, "Send a test event."),
        Lead("listWebhookDeliveries", place, "List its deliveries."),
        Lead("createWebhookReplay", place, "Create a replay."),
        Lead("deleteWebhook", place, "Delete it."),
    )


def _of_delivery(subscription: str, delivery: str) -> tuple[Lead, ...]:
    place = {"id": subscription, "delivery_id": delivery}
    return (
        Lead("getWebhookDelivery", place, "Get the delivery with its attempts."),
        Lead("retryWebhookDelivery", place, "Make one more attempt."),
    )


# A search page has no links: it may be empty, and clients treat an unresolvable link as an error.
FROM_PROFILE: Final = _of_company("$response.body#/id")
FROM_COMPANY_LIST: Final = _of_company("$response.body#/company_id")
FROM_SUBSCRIPTION: Final = _of_subscription("$response.body#/id")
FROM_DELIVERY: Final = _of_delivery("$response.body#/subscription_id", "$response.body#/id")
FROM_REPLAY: Final = (
    Lead(
        "getWebhookReplay",
        {"id": "$response.body#/subscription_id", "replay_id": "$response.body#/id"},
        "Get the replay's progress.",
    ),
)


def links(leads: Iterable[Lead]) -> dict[str, Schema]:
    return {
        lead.operation_id: {
            "operationId": lead.operation_id,
            "parameters": dict(lead.sources),
            "description": lead.description,
        }
        for lead in leads
    }
