"""Lists about one company: financials, filings, owners and holdings on a day, events.

See docs/contract/contract.md 4.3 to 4.5. Does not belong here: search (`api.companies.routes.search`).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from litestar import get

from api.companies.day_cursors import split_day_cursor, with_day_keys
from api.companies.lookup import content_location, number_from_path, require_head
from api.companies.past_states import AskedState
from api.companies.path_parameters import CompanyId, OrgNumber
from api.companies.query_params import (
    EventsParams,
    FilingsParams,
    FinancialsParams,
    HoldingsParams,
    OwnershipParams,
    build_event_query,
    build_filings_query,
    build_financials_query,
)
from api.companies.schemas.companies import FinancialsList, OwnershipList
from api.companies.schemas.events import EventList
from api.companies.schemas.filings import FilingList
from api.companies.schemas.groups import HoldingList
from api.http.context import ANY_KEY, CurrentContext, Query, RequestContext
from api.http.pagination.cursors import CursorBinding, filter_hash
from api.http.pagination.responses import (
    NO_MEMBERS,
    NextCursor,
    PageMembers,
    ReleaseResult,
    after_key,
    head_members,
    issue_cursor,
    issue_next_cursor,
    page_response,
    query_release,
)
from api.http.query.model import QueryModel
from api.http.response_headers import modified_on
from api.http.responses import HttpResponse
from api.openapi.examples import companies as examples
from api.openapi.operation import FROM_COMPANY_LIST, Operation
from api.openapi.response_headers import OF_PAGE
from warehouse.reader.reader import CompanyState, PinnedRelease
from warehouse.reader.types import CompanyHeader, Key, ResultPage
from warehouse.schema.identifiers import CompanyNumber

T = TypeVar("T")
_BEGINNING: Key = (0,)


@get(
    "/api/v1/companies/{org_number:str}/financials",
    policy=ANY_KEY,
    tags=["Financials"],
    summary="List financials of a company",
    description="One row per period, newest first. If an annual and a quarterly period end on "
    "the same day, the annual one comes first.",
    operation=Operation(FinancialsList, OF_PAGE, examples.FINANCIALS, links=FROM_COMPANY_LIST),
)
async def list_financials(
    context: CurrentContext, values: Query[FinancialsParams], org_number: OrgNumber
) -> HttpResponse:
    number, asked = number_from_path(org_number), AskedState.read(context, values)
    binding = _cursor_binding(context, "financials", number, values)
    key, query = after_key(context, values.cursor, binding), build_financials_query(values)

    result = await _query_company(
        context,
        number,
        lambda snapshot: snapshot.company_financials(number.company_id, query, key, values.limit),
        asked,
        lambda state: state.financials(query, key, values.limit),
    )
    _, page = result.value
    members = NO_MEMBERS if asked is None else asked.page_members(asked.day_member)
    return _list_response(context, number, result, page, issue_next_cursor(context, page, binding), members)


@get(
    "/api/v1/companies/{org_number:str}/ownership",
    policy=ANY_KEY,
    summary="List owners of a company",
    description="Owners merged from all sources, largest share first, unknown shares last.",
    operation=Operation(OwnershipList, OF_PAGE, examples.OWNERSHIP, links=FROM_COMPANY_LIST),
)
async def list_ownership(
    context: CurrentContext, values: Query[OwnershipParams], org_number: OrgNumber
) -> HttpResponse:
    number, asked = number_from_path(org_number), AskedState.read(context, values)
    binding = _cursor_binding(context, "ownership", number, values)
    first_day = context.services.clock.today() if asked is None else asked.day
    day, key = split_day_cursor(after_key(context, values.cursor, binding), first_day)

    result = await _query_company(
        context,
        number,
        lambda snapshot: snapshot.company_owners(number.company_id, day, values.min_pct, key, values.limit),
        asked,
        lambda state: state.owners(day, values.min_pct, key, values.limit),
    )
    _, (page, known) = result.value
    following = issue_next_cursor(context, with_day_keys(page, day), binding)
    named = f'"as_of":"{day.isoformat()}"'.encode() if asked is None else asked.day_member
    totals = named + f',"known_pct":{known or "null"}'.encode()
    members = PageMembers(totals) if asked is None else asked.page_members(totals)
    if asked is None and values.cursor is None:  # today's state, even where the release is older
        result = replace(result, stamps=modified_on(result.stamps, day))
    return _list_response(context, number, result, page, following, members)


@get(
    "/api/v1/companies/{company_id:str}/events",
    policy=ANY_KEY,
    tags=["Events"],
    summary="List events of a company",
    description="Newest first. With `order=asc` the list can be polled: store `next_cursor` and call again later.",
    operation=Operation(EventList, OF_PAGE, examples.EVENTS, links=FROM_COMPANY_LIST),
)
async def list_company_events(
    context: CurrentContext, values: Query[EventsParams], company_id: CompanyId
) -> HttpResponse:
    """Newest first, or ascending as a resumable tail."""
    number = number_from_path(company_id)
    binding = _cursor_binding(context, "events", number, values, values.order)
    key, asked = after_key(context, values.cursor, binding), build_event_query(values)

    result = await _query_company(
        context, number, lambda snapshot: snapshot.company_events(number.company_id, asked, key, values.limit)
    )
    _, page = result.value
    following = (
        issue_next_cursor(context, page, binding) if asked.is_descending else _tail_cursor(context, page, key, binding)
    )
    return _list_response(context, number, result, page, following)


@get(
    "/api/v1/companies/{org_number:str}/filings",
    policy=ANY_KEY,
    tags=["Financials"],
    summary="List filings of a company",
    description="Every filing known, newest first; filings whose date is not known come last.",
    operation=Operation(FilingList, OF_PAGE, examples.FILINGS, links=FROM_COMPANY_LIST),
)
async def list_filings(context: CurrentContext, values: Query[FilingsParams], org_number: OrgNumber) -> HttpResponse:
    number = number_from_path(org_number)
    binding = _cursor_binding(context, "filings", number, values)
    key, query = after_key(context, values.cursor, binding), build_filings_query(values)

    result = await _query_company(
        context, number, lambda snapshot: snapshot.company_filings(number.company_id, query, key, values.limit)
    )
    _, page = result.value
    return _list_response(context, number, result, page, issue_next_cursor(context, page, binding))


@get(
    "/api/v1/companies/{org_number:str}/holdings",
    policy=ANY_KEY,
    summary="List what a company owns in others",
    description="The inverse of ownership: the lines that name this company as holder, largest share first, unknown "
    "shares last.",
    operation=Operation(HoldingList, OF_PAGE, examples.HOLDINGS, links=FROM_COMPANY_LIST),
)
async def list_holdings(context: CurrentContext, values: Query[HoldingsParams], org_number: OrgNumber) -> HttpResponse:
    number = number_from_path(org_number)
    binding = _cursor_binding(context, "holdings", number, values)
    first_day = values.as_of or context.services.clock.today()
    day, key = split_day_cursor(after_key(context, values.cursor, binding), first_day)

    result = await _query_company(
        context,
        number,
        lambda snapshot: snapshot.company_holdings(number.company_id, day, values.min_pct, key, values.limit),
    )
    _, page = result.value
    if values.as_of is None and values.cursor is None:
        result = replace(result, stamps=modified_on(result.stamps, day))
    following = issue_next_cursor(context, with_day_keys(page, day), binding)
    members = PageMembers(f'"as_of":"{day.isoformat()}"'.encode())
    return _list_response(context, number, result, page, following, members)


def _cursor_binding(
    context: RequestContext, endpoint_name: str, number: CompanyNumber, values: QueryModel, order: str = "desc"
) -> CursorBinding:
    """Binds an ascending tail to company and filters only: it must outlive keys and weeks."""
    filters = filter_hash(number.company_id, values.filters())
    return CursorBinding(context.account_id, endpoint_name, filters, order, lasting=order == "asc")


async def _query_company(
    context: RequestContext,
    number: CompanyNumber,
    query: Callable[[PinnedRelease], T],
    asked: AskedState | None = None,
    query_state: Callable[[CompanyState], T] | None = None,
) -> ReleaseResult[tuple[CompanyHeader, T]]:
    """The company's head and the query's result; 404 if the release has no such company.

    asked, query_state: the state that the request names, and the query of it.
    """
    if asked is None or query_state is None:
        return await query_release(context, lambda snapshot: (require_head(snapshot, number), query(snapshot)))
    result = await query_release(
        context, lambda snapshot: asked.answer(snapshot, number, lambda state: (state.header, query_state(state)))
    )
    return replace(result, stamps=asked.stamps(result.stamps))


def _list_response(
    context: RequestContext,
    number: CompanyNumber,
    result: ReleaseResult[tuple[CompanyHeader, Any]],
    page: ResultPage,
    next_cursor: NextCursor | None,
    members: PageMembers = NO_MEMBERS,
) -> HttpResponse:
    """Response with one page about a company; members: further ones, after those of the company."""
    below = "/" + context.path_template.rpartition("/")[2]
    head = b",".join(filter(None, (head_members(result.value[0]), members.tagged)))
    extra = content_location(context, number, below)
    whole = members._replace(tagged=head)
    return page_response(context, result.stamps, page, next_cursor, members=whole, extra=extra)


def _tail_cursor(context: RequestContext, page: ResultPage, key: Key | None, binding: CursorBinding) -> NextCursor:
    """The cursor of a tail; it exists after the last row too, and for an empty list."""
    last = page.keys[-1] if page.keys else key or _BEGINNING
    return issue_cursor(context, last, binding)
