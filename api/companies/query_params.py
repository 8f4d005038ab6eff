"""Query parameters of each operation (docs/contract/contract.md 4.1 to 4.5, 4.8), and the queries they select.

The declarations serve both parsing (`api.http.query.params`) and documentation (`api.openapi_document`). Rules
between parameters are checked when a query is built; contradictory bounds are no error, they match nothing. Does
not belong here: what a route does with a query (`api.companies.routes`), or finding rows
(`warehouse.reader.queries`).
"""

from typing import Any, Final, Literal, cast

from api.http.pagination.responses import CURSOR, LIMIT
from api.http.query.params import ParsedQuery, QueryParam, QueryParams
from api.http.query.types import (
    boolean_param,
    code_list_param,
    code_param,
    date_param,
    instant_param,
    integer_param,
    list_param,
    one_of_param,
    percent_param,
    text_param,
)
from api.problems.problem import ProblemDetail, ProblemError, new_problem, parameter_problem
from warehouse.reader.types import CompanyQuery, EventQuery, FinancialsQuery
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

PROFILE_FIELDS: Final = (
    "id",
    "org_number",
    "name",
    "country",
    "sni_code",
    "sni_label",
    "municipality",
    "county",
    "registered_date",
    "status",
    "is_listed",
    "latest_revenue",
    "latest_currency",
    "latest_year",
)  # docs/contract/contract.md 4.1, in its order
PROFILE_PARTS: Final = ("detail", "identifiers", "address", "sources")
YEARS: Final = (1900, 2200)
SIZES: Final = ("micro", "small", "medium", "large")  # the EU's size classes
SORTS: Final = ("relevance", "id", "name", "-latest_revenue", "-registered_date")
_MOST_EMPLOYEES: Final = 10_000_000
_INTEGERS: Final = (LEAST_INTEGER, LARGEST_INTEGER)

INCLUDE: Final = list_param("include", PROFILE_PARTS, "Additional top-level keys.")
FIELDS: Final = list_param(
    "fields", PROFILE_FIELDS, "Return only these keys, and those added by `include`; `id` is always returned."
)
PROFILE: Final = QueryParams(INCLUDE, FIELDS)
RECONCILIATION: Final = "reconciliation"
MARKETS_INCLUDE: Final = list_param("include", (RECONCILIATION,), "Additional keys of markets and datasets.")
MARKETS: Final = QueryParams(MARKETS_INCLUDE)


def _parse_countries(given: str) -> tuple[str, ...]:
    """Like other word lists, but announced markets have their own error."""
    for code in given.split(","):
        if code in MARKET_NAMES and code not in SERVED:
            raise new_problem(
                "market_not_available",
                f"{MARKET_NAMES[code]} ({code}) is announced but not served yet.",
                ProblemDetail("market_not_available", f"{code} is not served yet", parameter="country"),
            )
    return _countries.parse(given)


_countries: Final = list_param(
    "country",
    (*SERVED, *ALIASES),
    "; ".join(("Market codes", *(f"{alias} is an alias of {code}" for alias, code in ALIASES.items()))) + ".",
    canonical=lambda code: ALIASES.get(code, code),
)
COUNTRY: Final = QueryParam("country", _parse_countries, (), _countries.description, _countries.schema, is_list=True)
_PRINTABLE: Final = r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"
Q: Final = text_param(
    "q",
    200,
    "Name, or the beginning of any word of it: case- and accent-insensitive, typo-tolerant. An "
    "exact match of a number, id, LEI, ISIN, symbol (`AAPL` or `XNAS:AAPL`), VAT number, EUID or "
    "CIK comes first.",
    _PRINTABLE,
)
INDUSTRY: Final = code_list_param(
    code_param(
        "industry",
        r"[0-9]{1,2}(\.?[0-9]{1,4})?",
        7,
        "1 to 6 digits of an industry code, for example 62 or 62.01",
        "Prefixes of industry codes: 62 matches 62.010. Countries with different classifications "
        "(the US and the others) require `industry_scheme` too; without `country`, all countries "
        "are searched.",
    ),
    max_items=50,
    canonical=lambda given: given.replace(".", ""),
)
INDUSTRY_SCHEME: Final = one_of_param(
    "industry_scheme", INDUSTRY_SCHEMES, None, "Match only codes of this version of a classification."
)
REGION: Final = text_param(
    "region",
    100,
    "Municipality or county: its name, national code or ISO 3166-2 code; case- and accent-insensitive.",
    _PRINTABLE,
)
SIZE: Final = list_param(
    "size", SIZES, "Size by number of employees: micro below 10, small below 50, medium below 250, large from 250."
)
EMPLOYEES_MIN: Final = integer_param("employees_min", 0, _MOST_EMPLOYEES, None, "Minimum number of employees.")
EMPLOYEES_MAX: Final = integer_param("employees_max", 0, _MOST_EMPLOYEES, None, "Maximum number of employees.")
REVENUE_MIN: Final = integer_param("revenue_min", *_INTEGERS, None, "Minimum of `latest_revenue`; requires `currency`.")
REVENUE_MAX: Final = integer_param("revenue_max", *_INTEGERS, None, "Maximum of `latest_revenue`; requires `currency`.")
CURRENCY: Final = code_param(
    "currency",
    "[A-Z]{3}",
    3,
    "an ISO 4217 code, for example SEK",
    "Only companies with this `latest_currency`; amounts are never converted.",
)
STATUS: Final = list_param("status", STATUSES, "Only companies with one of these statuses.")
IS_LISTED: Final = boolean_param(
    "is_listed", "true: only listed companies; false: only companies without evidence of a listing."
)
REGISTERED_FROM: Final = date_param("registered_from", "Registered on or after this date.")
REGISTERED_TO: Final = date_param("registered_to", "Registered on or before this date.")
SORT: Final = one_of_param(
    "sort",
    SORTS,
    None,
    "Sort order; default: relevance with `q`, otherwise id. A leading minus sorts in descending "
    "order. Companies without the value come last; ties are ordered by id.",
)
SEARCH: Final = QueryParams(
    Q,
    COUNTRY,
    INDUSTRY,
    INDUSTRY_SCHEME,
    REGION,
    SIZE,
    EMPLOYEES_MIN,
    EMPLOYEES_MAX,
    REVENUE_MIN,
    REVENUE_MAX,
    CURRENCY,
    STATUS,
    IS_LISTED,
    REGISTERED_FROM,
    REGISTERED_TO,
    SORT,
    FIELDS,
    LIMIT,
    CURSOR,
)

PERIOD_TYPE: Final = one_of_param("period_type", ("annual", "quarterly", "all"), "all", "Type of period.")
NEWEST_YEARS: Final = integer_param("years", 1, 30, None, "Only the newest fiscal years; the number of years.")
FROM_YEAR: Final = integer_param("from_year", *YEARS, None, "First fiscal year.")
TO_YEAR: Final = integer_param("to_year", *YEARS, None, "Last fiscal year.")
CONSOLIDATED: Final = boolean_param(
    "consolidated", "true: consolidated figures; false: the company's own. Default: consolidated if available."
)
PERIOD_INCLUDE: Final = list_param(
    "include", ("sources", "history"), "`history` adds superseded versions; `sources` adds the origin of the figures."
)
FINANCIALS: Final = QueryParams(
    PERIOD_TYPE, NEWEST_YEARS, FROM_YEAR, TO_YEAR, CONSOLIDATED, PERIOD_INCLUDE, LIMIT, CURSOR
)

AS_OF: Final = date_param("as_of", "Owners as of this date; default: today.")
MIN_PCT: Final = percent_param("min_pct", "Only owners with at least this share, in percent.")
OWNERSHIP: Final = QueryParams(AS_OF, MIN_PCT, LIMIT, CURSOR)

EVENT_TYPE: Final = list_param("event_type", EVENT_TYPES, "Only events of these types.")
SINCE: Final = instant_param("since", "Recorded at or after this time.")
UNTIL: Final = instant_param("until", "Recorded before this time.")
ORDER: Final = one_of_param(
    "order",
    ("desc", "asc"),
    "desc",
    "With `asc`, `next_cursor` is never null: store it and call again later to poll for new events.",
)
EVENTS: Final = QueryParams(EVENT_TYPE, SINCE, UNTIL, ORDER, LIMIT, CURSOR)


def build_search(values: ParsedQuery) -> CompanyQuery:
    """The search for a query, or a 400 with the missing parameter."""
    _check_combinations(values)
    return CompanyQuery(
        q=values[Q],
        countries=values[COUNTRY],
        industries=values[INDUSTRY],
        industry_scheme=values[INDUSTRY_SCHEME],
        region=values[REGION],
        sizes=values[SIZE],
        employees_min=values[EMPLOYEES_MIN],
        employees_max=values[EMPLOYEES_MAX],
        revenue_min=values[REVENUE_MIN],
        revenue_max=values[REVENUE_MAX],
        currency=values[CURRENCY],
        statuses=values[STATUS],
        is_listed=values[IS_LISTED],
        registered_from=values[REGISTERED_FROM],
        registered_to=values[REGISTERED_TO],
        sort=values[SORT] or ("id" if values[Q] is None else "relevance"),
    )


def _check_combinations(values: ParsedQuery) -> None:
    has_range = values[REVENUE_MIN] is not None or values[REVENUE_MAX] is not None
    if has_range and values[CURRENCY] is None:
        raise _required_problem(CURRENCY, "with revenue_min and revenue_max: amounts are not converted")
    if values[SORT] == "relevance" and values[Q] is None:
        raise _required_problem(Q, "with sort=relevance")
    if values[INDUSTRY] and values[INDUSTRY_SCHEME] is None and _count_classifications(values) > 1:
        raise _required_problem(
            INDUSTRY_SCHEME,
            "with industry over countries of more than one classification (the US and others), or name the countries",
        )


def _count_classifications(values: ParsedQuery) -> int:
    """Number of industry classifications among the requested countries."""
    return len({CLASSIFICATIONS[country] for country in values[COUNTRY] or SERVED})


def _required_problem(parameter: QueryParam[Any], why: str) -> ProblemError:
    return parameter_problem(parameter.name, "required", f"is required {why}")


def build_financials_query(values: ParsedQuery) -> FinancialsQuery:
    """The financials that a query selects."""
    include = values[PERIOD_INCLUDE]
    return FinancialsQuery(
        period_type=cast("Literal['annual', 'quarterly', 'all']", values[PERIOD_TYPE]),
        years=values[NEWEST_YEARS],
        from_year=values[FROM_YEAR],
        to_year=values[TO_YEAR],
        is_consolidated=values[CONSOLIDATED],
        include_history="history" in include,
        include_sources="sources" in include,
    )


def build_event_query(values: ParsedQuery) -> EventQuery:
    """The events that a query selects."""
    return EventQuery(
        types=values[EVENT_TYPE], since=values[SINCE], until=values[UNTIL], is_descending=values[ORDER] == "desc"
    )
