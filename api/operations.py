"""The operations as callers see them: path, id, texts, parameters, answer.

A test holds the table to the routes that exist. Does not belong here: what a route does (`api.routes`).
"""

from dataclasses import dataclass
from typing import Any, Final

from api import queries
from api.parameters import Query
from api.schemas import examples
from api.schemas.company import any_company
from api.schemas.kinds import Schema, ref


@dataclass(frozen=True, slots=True)
class PathParameter:
    name: str
    description: str
    schema: Schema
    example: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One GET operation (HEAD is the same without a body)."""

    path: str
    operation_id: str
    tag: str
    summary: str
    description: str
    answer: Schema
    answer_description: str
    places: tuple[PathParameter, ...] = ()
    query: Query | None = None
    example: Any = None
    public: bool = False


# Every spelling that is accepted without a market (CONTRACT, «Company identifiers»), and the full id.
_NUMBER_PATTERN: Final = (
    r"^([1-9][0-9]{5}-?[0-9]{4}|0?[0-9]{9}|[0-9]{7}-[0-9]|[A-TV-Za-tv-z][A-Za-z][0-9A-Za-z]{6}"
    r"|[Uu][A-RT-Za-rt-z][0-9A-Za-z]{6}|[0-9]{8}|[A-Za-z][0-9]{7}|([Uu][Ss]-?|[Cc][Ii][Kk])[0-9]{1,10}"
    r"|firm:(SE|NO|FI|UK|US):[0-9A-Z-]{1,13})$"
)
_NUMBER: Final = PathParameter(
    "org_number",
    "Registry number, or full id. Accepted spellings: /problems/invalid-org-number.",
    {"type": "string", "minLength": 4, "maxLength": 40, "pattern": _NUMBER_PATTERN},
    "5599999991",
)
_ID: Final = PathParameter("company_id", _NUMBER.description, _NUMBER.schema, "firm:SE:5599999991")
_IN_MARKET: Final = PathParameter(
    "org_number",
    "Registry number as the market writes it; also a bare CIK, short UK digits, a Finnish id without hyphen.",
    {"type": "string", "minLength": 1, "maxLength": 40, "pattern": "^[0-9A-Za-z:-]+$"},
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

OPERATIONS: Final = (
    Operation(
        "/api/v1/companies/{org_number}",
        "getCompany",
        "Companies",
        "Profile of a company",
        _PROFILE_TEXT,
        any_company(),
        "The profile.",
        (_NUMBER,),
        queries.PROFILE,
        examples.PROFILE,
    ),
    Operation(
        "/api/v1/{market}/companies/{org_number}",
        "getCompanyInMarket",
        "Companies",
        "Profile of a company, by market",
        "The same answer as without the market. " + _PROFILE_TEXT,
        any_company(),
        "The profile.",
        (_MARKET, _IN_MARKET),
        queries.PROFILE,
        examples.PROFILE,
    ),
    Operation(
        "/api/v1/companies",
        "searchCompanies",
        "Companies",
        "Search companies",
        "By name or number, in some or all countries. With `q` best matches first, else by id.",
        ref("CompanyList"),
        "One page of profiles.",
        (),
        queries.SEARCH,
        examples.COMPANY_LIST,
    ),
    Operation(
        "/api/v1/companies/{org_number}/financials",
        "listFinancials",
        "Financials",
        "Financials of a company",
        "One row per period, newest first: annual before quarterly where both end on one day.",
        ref("FinancialsList"),
        "One page of periods.",
        (_NUMBER,),
        queries.FINANCIALS,
        examples.FINANCIALS,
    ),
    Operation(
        "/api/v1/companies/{org_number}/ownership",
        "listOwnership",
        "Ownership",
        "Owners of a company",
        "Reconciled over sources, largest share first, unknown shares last.",
        ref("OwnershipList"),
        "One page of owners.",
        (_NUMBER,),
        queries.OWNERSHIP,
        examples.OWNERSHIP,
    ),
    Operation(
        "/api/v1/companies/{company_id}/events",
        "listCompanyEvents",
        "Events",
        "Events of a company",
        "Newest first; with `order=asc` a tail: keep `next_cursor` and call again later.",
        ref("EventList"),
        "One page of events.",
        (_ID,),
        queries.EVENTS,
        examples.EVENTS,
    ),
    Operation(
        "/api/openapi.json",
        "getOpenApi",
        "Service",
        "This document",
        "Needs no key; one is tolerated.",
        {"type": "object", "description": "An OpenAPI 3.1 document."},
        "The document.",
        public=True,
    ),
)
