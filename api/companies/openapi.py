"""OpenAPI texts of the operations on companies and markets: path, id, texts, parameters, response.

Does not belong here: what a route does (`api.companies.routes`).
"""

from dataclasses import replace
from typing import Final

from api.companies import query_params
from api.companies.lookup import ANY_NUMBER, NUMBER_IN_MARKET
from api.companies.schemas import companies as models
from api.companies.schemas import events, markets
from api.openapi.examples import companies
from api.openapi.operation import FROM_COMPANY_LIST, FROM_PROFILE, Operation, PathParameter
from api.openapi.response_headers import OF_DATA, OF_PAGE
from api.openapi.schema_types import schema_reference
from warehouse.schema.codes import ALIASES, SERVED

COMPANY_MODELS: Final = (
    models.Company,
    models.CompanySelection,
    models.CompanyList,
    models.ProfileSource,
    models.PostalAddress,
    models.FinancialPeriod,
    models.FigureSource,
    models.FinancialsList,
    models.Owner,
    models.HoldingSource,
    models.OwnershipList,
    events.EventSource,
    events.ChangedFigure,
    *(model for kind in events.KINDS.values() for model in (kind.happened, kind.data, kind.webhook)),
    events.Event,
    events.EventList,
)
MARKET_MODELS: Final = (markets.Dataset, markets.RuleWithoutData, markets.Market, markets.MarketList)
_NUMBER: Final = PathParameter(
    "org_number",
    "Registry number or full id. Accepted formats: /problems/invalid-org-number.",
    {"type": "string", "minLength": 4, "maxLength": 24, "pattern": ANY_NUMBER},
    "5599999991",
)
_ID: Final = PathParameter("company_id", _NUMBER.description, _NUMBER.schema, "firm:SE:5599999991")
_IN_MARKET: Final = PathParameter(
    "org_number",
    "Registry number in the market's format. Also accepted: a CIK alone, UK digits without leading "
    "zeros, a Finnish id without its hyphen.",
    {"type": "string", "minLength": 1, "maxLength": 24, "pattern": NUMBER_IN_MARKET},
    "5599999991",
)
_MARKET: Final = PathParameter(
    "market",
    "; ".join(
        (
            "Market code in lower case",
            *(f"`{alias.lower()}` is an alias of `{code.lower()}`" for alias, code in ALIASES.items()),
        )
    )
    + ".",
    {"type": "string", "enum": [code.lower() for code in (*SERVED, *ALIASES)]},
    "se",
)
_PROFILE_TEXT: Final = (
    "Returns exactly 14 keys; `include` adds keys, `fields` selects keys. If the number was not "
    "sent in its canonical form, `Content-Location` names the canonical path."
)
_SEARCH_TEXT: Final = (
    "Searches by name or number, in some or all countries. With `q` the best matches come first, "
    "otherwise results are ordered by id. Different parameters are combined with AND, several "
    "values of one parameter with OR. A company without a value for a filtered field does not "
    "match. `revenue_min` and `revenue_max` require `currency`: amounts are not converted. "
    "`industry` requires `industry_scheme` if the countries searched use different schemes. A "
    "range that ends before it begins matches nothing."
)

_GET_COMPANY: Final = Operation(
    path="/api/v1/companies/{org_number}",
    operation_id="getCompany",
    tag="Companies",
    summary="Get a company profile",
    description=_PROFILE_TEXT,
    response_schema={"anyOf": [schema_reference("Company"), schema_reference("CompanySelection")]},
    response_description="The profile.",
    response_headers=OF_DATA,
    path_parameters=(_NUMBER,),
    query_params=query_params.ProfileParams,
    example=companies.PROFILE,
    links=FROM_PROFILE,
)

COMPANY_OPERATIONS: Final = (
    _GET_COMPANY,
    replace(
        _GET_COMPANY,
        path="/api/v1/{market}/companies/{org_number}",
        operation_id="getCompanyInMarket",
        summary="Get a company profile by market",
        description="The same response as without the market. " + _PROFILE_TEXT,
        path_parameters=(_MARKET, _IN_MARKET),
    ),
    Operation(
        path="/api/v1/companies",
        operation_id="searchCompanies",
        tag="Companies",
        summary="Search companies",
        description=_SEARCH_TEXT,
        response_schema=schema_reference("CompanyList"),
        response_description="One page of profiles.",
        response_headers=OF_PAGE,
        query_params=query_params.SearchParams,
        example=companies.COMPANY_LIST,
    ),
    Operation(
        path="/api/v1/companies/{org_number}/financials",
        operation_id="listFinancials",
        tag="Financials",
        summary="List financials of a company",
        description="One row per period, newest first. If an annual and a quarterly period end on "
        "the same day, the annual one comes first.",
        response_schema=schema_reference("FinancialsList"),
        response_description="One page of periods.",
        response_headers=OF_PAGE,
        path_parameters=(_NUMBER,),
        query_params=query_params.FinancialsParams,
        example=companies.FINANCIALS,
        links=FROM_COMPANY_LIST,
    ),
    Operation(
        path="/api/v1/companies/{org_number}/ownership",
        operation_id="listOwnership",
        tag="Ownership",
        summary="List owners of a company",
        description="Owners merged from all sources, largest share first, unknown shares last.",
        response_schema=schema_reference("OwnershipList"),
        response_description="One page of owners.",
        response_headers=OF_PAGE,
        path_parameters=(_NUMBER,),
        query_params=query_params.OwnershipParams,
        example=companies.OWNERSHIP,
        links=FROM_COMPANY_LIST,
    ),
    Operation(
        path="/api/v1/companies/{company_id}/events",
        operation_id="listCompanyEvents",
        tag="Events",
        summary="List events of a company",
        description="Newest first. With `order=asc` the list can be polled: store `next_cursor` and call again later.",
        response_schema=schema_reference("EventList"),
        response_description="One page of events.",
        response_headers=OF_PAGE,
        path_parameters=(_ID,),
        query_params=query_params.EventsParams,
        example=companies.EVENTS,
        links=FROM_COMPANY_LIST,
    ),
    Operation(
        path="/api/v1/markets",
        operation_id="listMarkets",
        tag="Service",
        summary="List markets and data freshness",
        description="Lists every market with its datasets, their age and licence. Not counted against the quota. "
        "`include=reconciliation` adds what the release cannot account for.",
        response_schema=schema_reference("MarketList"),
        response_description="All markets.",
        response_headers=OF_DATA,
        query_params=query_params.MarketsParams,
        example=companies.MARKETS,
    ),
)
