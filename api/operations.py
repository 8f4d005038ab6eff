"""The operations as callers see them: path, id, texts, parameters, answer.

A test holds the table to the routes that exist. Those on webhooks stand in `api.webhook_operations`. Does not
belong here: what a route does (`api.routes`).
"""

from typing import Final

from api import queries
from api.links import FROM_COMPANY_LIST, FROM_PROFILE
from api.operation import Operation, PathParameter
from api.schemas import examples
from api.schemas.company import any_company
from api.schemas.headers import (
    OF_ACCOUNT,
    OF_DATA,
    OF_DOCUMENT,
    OF_PAGE,
)
from api.schemas.kinds import ref
from api.schemas.numbers import ANY_NUMBER, NUMBER_IN_MARKET
from api.webhook_operations import WEBHOOK_OPERATIONS

_NUMBER: Final = PathParameter(
    "org_number",
    "Registry number, or full id. Accepted spellings: /problems/invalid-org-number.",
    {
        "type": "string",
        "minLength": 4,
        "maxLength": 24,
        "pattern": ANY_NUMBER,
    },
    "5599999991",
)
_ID: Final = PathParameter("company_id", _NUMBER.description, _NUMBER.schema, "firm:SE:5599999991")
_IN_MARKET: Final = PathParameter(
    "org_number",
    "Registry number as the market writes it; also a bare CIK, short UK digits, a Finnish id without hyphen.",
    {
        "type": "string",
        "minLength": 1,
        "maxLength": 24,
        "pattern": NUMBER_IN_MARKET,
    },
    "5599999991",
)
_MARKET: Final = PathParameter(
    "market",
    "Lower-case market code; gb is read as uk.",
    {"type": "string", "enum": ["us", "se", "no", "fi", "uk", "gb"]},
    "se",
)
_PROFILE_TEXT: Final = (
    "Exactly 14 keys; `include` adds some, `fields` selects some. Another spelling of the number is answered "
    "with Content-Location."
)
_SEARCH_TEXT: Final = (
    "By name or number, in some or all countries. With `q` best matches first, else by id. Different parameters "
    "narrow, values of one widen; a company that lacks what is filtered by is left out. `revenue_min` and "
    "`revenue_max` need `currency`: amounts are not converted. `industry` needs `industry_scheme` where countries "
    "of different schemes are searched. A range that ends before it begins matches nothing."
)

OPERATIONS: Final = (
    Operation(
        path="/api/v1/companies/{org_number}",
        operation_id="getCompany",
        tag="Companies",
        summary="Profile of a company",
        description=_PROFILE_TEXT,
        answer=any_company(),
        answer_description="The profile.",
        headers=OF_DATA,
        places=(_NUMBER,),
        query=queries.PROFILE,
        example=examples.PROFILE,
        leads_to=FROM_PROFILE,
    ),
    Operation(
        path="/api/v1/{market}/companies/{org_number}",
        operation_id="getCompanyInMarket",
        tag="Companies",
        summary="Profile of a company, by market",
        description="The same answer as without the market. " + _PROFILE_TEXT,
        answer=any_company(),
        answer_description="The profile.",
        headers=OF_DATA,
        places=(_MARKET, _IN_MARKET),
        query=queries.PROFILE,
        example=examples.PROFILE,
        leads_to=FROM_PROFILE,
    ),
    Operation(
        path="/api/v1/companies",
        operation_id="searchCompanies",
        tag="Companies",
        summary="Search companies",
        description=_SEARCH_TEXT,
        answer=ref("CompanyList"),
        answer_description="One page of profiles.",
        headers=OF_PAGE,
        query=queries.SEARCH,
        example=examples.COMPANY_LIST,
    ),
    Operation(
        path="/api/v1/companies/{org_number}/financials",
        operation_id="listFinancials",
        tag="Financials",
        summary="Financials of a company",
        description="One row per period, newest first: annual before quarterly where both end on one day.",
        answer=ref("FinancialsList"),
        answer_description="One page of periods.",
        headers=OF_PAGE,
        places=(_NUMBER,),
        query=queries.FINANCIALS,
        example=examples.FINANCIALS,
        leads_to=FROM_COMPANY_LIST,
    ),
    Operation(
        path="/api/v1/companies/{org_number}/ownership",
        operation_id="listOwnership",
        tag="Ownership",
        summary="Owners of a company",
        description="Reconciled over sources, largest share first, unknown shares last.",
        answer=ref("OwnershipList"),
        answer_description="One page of owners.",
        headers=OF_PAGE,
        places=(_NUMBER,),
        query=queries.OWNERSHIP,
        example=examples.OWNERSHIP,
        leads_to=FROM_COMPANY_LIST,
    ),
    Operation(
        path="/api/v1/companies/{company_id}/events",
        operation_id="listCompanyEvents",
        tag="Events",
        summary="Events of a company",
        description="Newest first; with `order=asc` a tail: keep `next_cursor` and call again later.",
        answer=ref("EventList"),
        answer_description="One page of events.",
        headers=OF_PAGE,
        places=(_ID,),
        query=queries.EVENTS,
        example=examples.EVENTS,
        leads_to=FROM_COMPANY_LIST,
    ),
    Operation(
        path="/api/v1/markets",
        operation_id="listMarkets",
        tag="Service",
        summary="Markets, and how fresh each is",
        description="Every market with its datasets: how old they are, their licence. Not counted.",
        answer=ref("MarketList"),
        answer_description="All markets.",
        headers=OF_DATA,
        example=examples.MARKETS,
    ),
    *WEBHOOK_OPERATIONS,
    Operation(
        path="/api/v1/usage",
        operation_id="getUsage",
        tag="Service",
        summary="Use of the month",
        description="What the account has used and may use. Secret keys only; not counted.",
        answer=ref("Usage"),
        answer_description="Use and limits.",
        headers=OF_ACCOUNT,
        example=examples.USAGE,
    ),
    Operation(
        path="/api/openapi.json",
        operation_id="getOpenApi",
        tag="Service",
        summary="This document",
        description="Needs no key; one is tolerated. Not counted.",
        answer={"type": "object", "description": "An OpenAPI 3.1 document."},
        answer_description="The document.",
        headers=OF_DOCUMENT,
        public=True,
    ),
)
