"""Where an answer leads: `links` of the document, which clients and fuzzers follow.

Does not belong here: the `Link` header of pages (`api.pages`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from api.schemas.kinds import Schema


@dataclass(frozen=True, slots=True)
class Lead:
    """One operation that takes something of an answer: by parameter, a runtime expression of OpenAPI."""

    operation_id: str
    sources: Mapping[str, str]
    description: str


def _of_company(source: str) -> tuple[Lead, ...]:
    return (
        Lead("getCompany", {"org_number": source}, "The company's profile."),
        Lead("listFinancials", {"org_number": source}, "Its financials."),
        Lead("listOwnership", {"org_number": source}, "Its owners."),
        Lead("listCompanyEvents", {"company_id": source}, "Its events."),
    )


def _of_subscription(source: str) -> tuple[Lead, ...]:
    place = {"id": source}
    return (
        Lead("getWebhook", place, "The subscription."),
        Lead("updateWebhook", place, "Changes it."),
        Lead("rotateWebhookSecret", place, "Replaces its secret."),
        Lead("testWebhook", place, "Sends a test."),
        Lead("listWebhookDeliveries", place, "What was delivered."),
        Lead("createWebhookReplay", place, "Delivers again."),
        Lead("deleteWebhook", place, "Deletes it."),
    )


def _of_delivery(subscription: str, delivery: str) -> tuple[Lead, ...]:
    place = {"id": subscription, "delivery_id": delivery}
    return (
        Lead("getWebhookDelivery", place, "The delivery with its attempts."),
        Lead("retryWebhookDelivery", place, "One more attempt."),
    )


# A page of search leads nowhere: it may be empty, and a link that does not resolve is an error to those who follow.
FROM_PROFILE: Final = _of_company("$response.body#/id")
FROM_COMPANY_LIST: Final = _of_company("$response.body#/company_id")
FROM_SUBSCRIPTION: Final = _of_subscription("$response.body#/id")
FROM_DELIVERY: Final = _of_delivery("$response.body#/subscription_id", "$response.body#/id")
FROM_REPLAY: Final = (
    Lead(
        "getWebhookReplay",
        {"id": "$response.body#/subscription_id", "replay_id": "$response.body#/id"},
        "How far it has come.",
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
