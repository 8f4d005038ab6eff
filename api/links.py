"""Where an answer leads: `links` of the document, which clients and fuzzers follow.

Does not belong here: the `Link` header of pages (`api.pages`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from api.schemas.kinds import Schema


@dataclass(frozen=True, slots=True)
class Lead:
    """One operation that takes something of an answer; `source` is a runtime expression of OpenAPI."""

    operation_id: str
    parameter: str
    source: str
    description: str


def _of_company(source: str) -> tuple[Lead, ...]:
    return (
        Lead("getCompany", "org_number", source, "The company's profile."),
        Lead("listFinancials", "org_number", source, "Its financials."),
        Lead("listOwnership", "org_number", source, "Its owners."),
        Lead("listCompanyEvents", "company_id", source, "Its events."),
    )


# A page of search leads nowhere: it may be empty, and a link that does not resolve is an error to those who follow.
FROM_PROFILE: Final = _of_company("$response.body#/id")
FROM_COMPANY_LIST: Final = _of_company("$response.body#/company_id")


def links(leads: Iterable[Lead]) -> dict[str, Schema]:
    return {
        lead.operation_id: {
            "operationId": lead.operation_id,
            "parameters": {lead.parameter: lead.source},
            "description": lead.description,
        }
        for lead in leads
    }
