"""Financials of a company (docs/contract/contract.md 4.3), newest period first."""

from typing import Literal, cast

from api.companies.lookup import content_location, number_from_path, require_head
from api.companies.query_params import (
    CONSOLIDATED,
    FINANCIALS,
    FROM_YEAR,
    NEWEST_YEARS,
    PERIOD_INCLUDE,
    PERIOD_TYPE,
    TO_YEAR,
)
from api.http.context import RequestContext
from api.http.pagination.cursors import CursorBinding, filter_hash
from api.http.pagination.query_params import LIMIT
from api.http.pagination.responses import after_key, head_members, issue_next_cursor, page_response, query_release
from api.http.query.params import ParsedQuery
from api.http.responses import HttpResponse
from api.http.routing import endpoint
from warehouse.reader.types import FinancialsQuery


@endpoint("/api/v1/companies/{org_number:str}/financials")
async def list_financials(context: RequestContext) -> HttpResponse:
    values = FINANCIALS.read(context.query_string)
    number = number_from_path(context.path_parameters["org_number"])
    binding = CursorBinding(context.account_id, "financials", filter_hash(number.company_id, values.filters()), "desc")
    key, asked = after_key(context, values, binding), _period_query(values)

    told = await query_release(
        context,
        lambda snapshot: (
            require_head(snapshot, number),
            snapshot.company_financials(number.company_id, asked, key, values[LIMIT]),
        ),
    )
    head, page = told.value
    return page_response(
        context,
        told.stamps,
        page,
        issue_next_cursor(context, page, binding),
        members=head_members(head),
        extra=content_location(context, number, "/financials"),
    )


def _period_query(values: ParsedQuery) -> FinancialsQuery:
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
