"""Query parameters of each operation (docs/contract/contract.md 4.1 to 4.5, 4.8), and the queries they select.

Each operation's model serves both parsing (`api.http.query.model`) and documentation (`api.openapi_document`). Rules
between parameters are checked when a query is built; contradictory bounds are no error, they match nothing. Does
not belong here: what a route does with a query (`api.companies.routes`), or finding rows
(`warehouse.reader.queries`).
"""

from collections.abc import Collection
from datetime import date, datetime
from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, ValidationInfo

from api.companies.schemas.companies import PROFILE_FIELDS
from api.companies.schemas.filings import FILING_TYPES
from api.http.query.fields import (
    Cursor,
    Limit,
    code_field,
    codes_field,
    free_text_field,
    percent_text_field,
    query_instant_field,
    words_field,
)
from api.http.query.model import QueryModel
from api.problems.problem import ProblemDetail, ProblemError, new_problem, parameter_problem
from api.schemas import declare
from warehouse.reader.company_query import CompanyQuery
from warehouse.reader.types import EventQuery, FilingsQuery, FinancialsQuery
from warehouse.schema.codes import (
    ALIASES,
    CLASSIFICATIONS,
    EVENT_TYPES,
    INDUSTRY_SCHEMES,
    MARKET_NAMES,
    SERVED,
    STATUSES,
)
from warehouse.schema.types import LARGEST_INTEGER, LEAST_INTEGER

PROFILE_PARTS: Final = ("detail", "identifiers", "address", "sources")
RECONCILIATION: Final = "reconciliation"
YEARS: Final = (1900, 2200)
SIZES: Final = ("micro", "small", "medium", "large")  # the EU's size classes
SORTS: Final = ("relevance", "id", "name", "-latest_revenue", "-registered_date")
INDUSTRY_CODE: Final = r"[0-9]{1,2}(\.?[0-9]{1,4})?"
INDUSTRY_REQUIREMENT: Final = "must be 1 to 6 digits of an industry code, for example 62 or 62.01"
_MOST_EMPLOYEES: Final = 10_000_000
_INTEGERS: Final = (LEAST_INTEGER, LARGEST_INTEGER)

EventTypes = Annotated[tuple[str, ...], words_field(EVENT_TYPES, "Only events of these types.")]
Fields = Annotated[
    tuple[str, ...],
    words_field(PROFILE_FIELDS, "Return only these keys, and those added by `include`; `id` is always returned."),
]


def _check_served(given: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    """Announced markets have their own error."""
    for code in given:
        if code in MARKET_NAMES and code not in SERVED:
            raise new_problem(
                "market_not_available",
                f"{MARKET_NAMES[code]} ({code}) is announced but not served yet.",
                ProblemDetail("market_not_available", f"{code} is not served yet", parameter=info.field_name),
            )
    return given


Countries = Annotated[
    tuple[str, ...],
    BeforeValidator(_check_served),
    words_field(
        (*SERVED, *ALIASES),
        "; ".join(("Market codes", *(f"{alias} is an alias of {code}" for alias, code in ALIASES.items()))) + ".",
        canonical=lambda code: ALIASES.get(code, code),
    ),
]
Industries = Annotated[
    tuple[str, ...],
    codes_field(
        INDUSTRY_CODE,
        7,
        INDUSTRY_REQUIREMENT,
        "Prefixes of industry codes: 62 matches 62.010. Countries with different classifications "
        "(the US and the others) require `industry_scheme` too; without `country`, all countries "
        "are searched.",
        max_items=50,
        canonical=lambda given: given.replace(".", ""),
    ),
]
IndustryScheme = Annotated[
    str | None, declare.word(INDUSTRY_SCHEMES, "Match only codes of this version of a classification.")
]
IsListed = Annotated[
    bool | None, declare.boolean("true: only listed companies; false: only companies without evidence of a listing.")
]


class StateParams(QueryModel):
    """Which state of a company is asked for (docs/contract/contract.md 4.4a)."""

    as_of: date | None = declare.date("As the world was on this date; default: today.", default=None)
    known_at: datetime | None = query_instant_field("As we knew it at this time: what was served then; default: now.")


class ProfileParams(StateParams):
    include: tuple[str, ...] = words_field(PROFILE_PARTS, "Additional top-level keys.")
    fields: Fields = ()


class MarketsParams(QueryModel):
    include: tuple[str, ...] = words_field((RECONCILIATION,), "Additional keys of markets and datasets.")


class SearchParams(QueryModel):
    q: str | None = free_text_field(
        200,
        "Name, or the beginning of any word of it: case- and accent-insensitive, typo-tolerant. An "
        "exact match of a number, id, LEI, ISIN, symbol (`AAPL` or `XNAS:AAPL`), VAT number, EUID or "
        "CIK comes first.",
    )
    country: Countries = ()
    industry: Industries = ()
    industry_scheme: IndustryScheme = None
    region: str | None = free_text_field(
        100, "Municipality or county: its name, national code or ISO 3166-2 code; case- and accent-insensitive."
    )
    size: tuple[str, ...] = words_field(
        SIZES, "Size by number of employees: micro below 10, small below 50, medium below 250, large from 250."
    )
    employees_min: int | None = declare.integer(0, _MOST_EMPLOYEES, "Minimum number of employees.", default=None)
    employees_max: int | None = declare.integer(0, _MOST_EMPLOYEES, "Maximum number of employees.", default=None)
    revenue_min: int | None = declare.integer(
        *_INTEGERS, "Minimum of `latest_revenue`; requires `currency`.", default=None
    )
    revenue_max: int | None = declare.integer(
        *_INTEGERS, "Maximum of `latest_revenue`; requires `currency`.", default=None
    )
    currency: str | None = code_field(
        "[A-Z]{3}",
        3,
        "must be an ISO 4217 code, for example SEK",
        "Only companies with this `latest_currency`; amounts are never converted.",
    )
    status: tuple[str, ...] = words_field(STATUSES, "Only companies with one of these statuses.")
    is_listed: IsListed = None
    registered_from: date | None = declare.date("Registered on or after this date.", default=None)
    registered_to: date | None = declare.date("Registered on or before this date.", default=None)
    sort: str | None = declare.word(
        SORTS,
        "Sort order; default: relevance with `q`, otherwise id. A leading minus sorts in descending "
        "order. Companies without the value come last; ties are ordered by id.",
        default=None,
    )
    fields: Fields = ()
    limit: Limit = 25
    cursor: Cursor = None


class FinancialsParams(StateParams):
    period_type: Literal["annual", "quarterly", "all"] = declare.word(
        ("annual", "quarterly", "all"), "Type of period.", default="all"
    )
    years: int | None = declare.integer(1, 30, "Only the newest fiscal years; the number of years.", default=None)
    from_year: int | None = declare.integer(*YEARS, "First fiscal year.", default=None)
    to_year: int | None = declare.integer(*YEARS, "Last fiscal year.", default=None)
    consolidated: bool | None = declare.boolean(
        "true: consolidated figures; false: the company's own. Default: consolidated if available.", default=None
    )
    include: tuple[str, ...] = words_field(
        ("sources", "history"), "`history` adds superseded versions; `sources` adds the origin of the figures."
    )
    limit: Limit = 25
    cursor: Cursor = None


class FilingsParams(QueryModel):
    filing_type: tuple[str, ...] = words_field(FILING_TYPES, "Only filings of these types.")
    since: date | None = declare.date("Filed on or after this date.", default=None, alias="from")
    until: date | None = declare.date("Filed on or before this date.", default=None, alias="to")
    limit: Limit = 25
    cursor: Cursor = None


class OwnershipParams(StateParams):
    min_pct: str | None = percent_text_field("Only owners with at least this share, in percent.")
    limit: Limit = 25
    cursor: Cursor = None


class GroupParams(StateParams):
    depth: int = declare.integer(
        1, 10, "Levels of `children`. Above 1, at most 2,000 of them, and what at most 400 companies hold.", default=1
    )
    limit: Limit = 25
    cursor: Cursor = None


class HoldingsParams(QueryModel):
    as_of: date | None = declare.date("Holdings as of this date; default: today.", default=None)
    min_pct: str | None = percent_text_field("Only holdings of at least this share, in percent.")
    limit: Limit = 25
    cursor: Cursor = None


class EventsParams(QueryModel):
    event_type: EventTypes = ()
    since: datetime | None = query_instant_field("Recorded at or after this time.")
    until: datetime | None = query_instant_field("Recorded before this time.")
    order: str = declare.word(
        ("desc", "asc"),
        "With `asc`, `next_cursor` is never null: store it and call again later to poll for new events.",
        default="desc",
    )
    limit: Limit = 25
    cursor: Cursor = None


def build_search(query: SearchParams) -> CompanyQuery:
    """The search for a query, or a 400 with the missing parameter."""
    _check_combinations(query)
    return query.select(
        CompanyQuery,
        countries=query.country,
        industries=query.industry,
        sizes=query.size,
        statuses=query.status,
        sort=query.sort or ("id" if query.q is None else "relevance"),
    )


def _check_combinations(query: SearchParams) -> None:
    has_range = query.revenue_min is not None or query.revenue_max is not None
    if has_range and query.currency is None:
        raise _required_problem("currency", "with revenue_min and revenue_max: amounts are not converted")
    if query.sort == "relevance" and query.q is None:
        raise _required_problem("q", "with sort=relevance")
    check_classification(query.industry, query.industry_scheme, query.country)


def check_classification(industries: tuple[str, ...], scheme: str | None, countries: tuple[str, ...]) -> None:
    """400 if codes of industries mean different things in the requested countries, of which none is all."""
    if industries and scheme is None and not has_one_classification(countries):
        raise _required_problem(
            "industry_scheme",
            "with industry over countries of more than one classification (the US and others), or name the countries",
        )


def has_one_classification(countries: Collection[str]) -> bool:
    """Whether codes of industries mean the same in all of these countries; none is all."""
    return len({CLASSIFICATIONS[country] for country in countries or SERVED}) == 1


def _required_problem(parameter: str, why: str) -> ProblemError:
    return parameter_problem(parameter, "required", f"is required {why}")


def build_financials_query(query: FinancialsParams) -> FinancialsQuery:
    """The financials that a query selects."""
    return query.select(
        FinancialsQuery,
        is_consolidated=query.consolidated,
        include_history="history" in query.include,
        include_sources="sources" in query.include,
    )


def build_filings_query(query: FilingsParams) -> FilingsQuery:
    """The filings that a query selects."""
    return FilingsQuery(types=query.filing_type, since=query.since, until=query.until)


def build_event_query(query: EventsParams) -> EventQuery:
    """The events that a query selects."""
    return EventQuery(types=query.event_type, since=query.since, until=query.until, is_descending=query.order == "desc")
