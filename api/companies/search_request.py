"""Converts query values to a search, with the rules between parameters (docs/contract/contract.md 4.2).

Contradictory bounds are no error: they match nothing. Does not belong here: single values
(`api.companies.query_params`), or finding companies (`warehouse.reader.queries`).
"""

from typing import Any

from api.companies.query_params import (
    COUNTRY,
    CURRENCY,
    EMPLOYEES_MAX,
    EMPLOYEES_MIN,
    INDUSTRY,
    INDUSTRY_SCHEME,
    IS_LISTED,
    REGION,
    REGISTERED_FROM,
    REGISTERED_TO,
    REVENUE_MAX,
    REVENUE_MIN,
    SIZE,
    SORT,
    STATUS,
    Q,
)
from api.http.query.params import ParsedQuery, QueryParam
from api.problems.problem import ProblemError, parameter_problem
from warehouse.reader.types import CompanyQuery
from warehouse.schema.codes import CLASSIFICATIONS, SERVED


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
