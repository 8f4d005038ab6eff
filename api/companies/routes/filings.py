"""Filings of a company (docs/contract/contract.md 4.3a).

Does not belong here: the periods and figures of filings (`api.companies.routes.company_lists`).
"""

from litestar import get

from api.companies.lookup import content_location, number_from_path, require_head
from api.companies.path_parameters import OrgNumber
from api.companies.query_params import FilingsParams
from api.companies.schemas.filings import FilingList
from api.http.context import ANY_KEY, ApiRequest
from api.http.pagination.cursors import CursorBinding, filter_hash
from api.http.pagination.responses import (
    PageMembers,
    after_key,
    head_members,
    issue_next_cursor,
    page_response,
    query_release,
)
from api.http.responses import HttpResponse
from api.openapi.examples import companies as examples
from api.openapi.operation import FROM_COMPANY_LIST, Operation
from api.openapi.response_headers import OF_PAGE
from warehouse.reader.reader import PinnedRelease
from warehouse.reader.types import CompanyHeader, FilingsQuery, ResultPage


@get(
    "/api/v1/companies/{org_number:str}/filings",
    policy=ANY_KEY,
    operation_id="listFilings",
    tags=["Financials"],
    summary="List filings of a company",
    description="Every filing known, newest first; filings whose date is not known come last.",
    response_description="One page of filings.",
    operation=Operation(FilingList, OF_PAGE, examples.FILINGS, links=FROM_COMPANY_LIST, query_params=FilingsParams),
)
async def list_filings(request: ApiRequest, org_number: OrgNumber) -> HttpResponse:
    context = request.context
    values = FilingsParams.read(context.query_string)
    number = number_from_path(org_number)
    binding = CursorBinding(context.account_id, "filings", filter_hash(number.company_id, values.filters()), "desc")
    key = after_key(context, values.cursor, binding)
    query = FilingsQuery(values.filing_type, values.since, values.until)

    def query_filings(snapshot: PinnedRelease) -> tuple[CompanyHeader, ResultPage]:
        head = require_head(snapshot, number)
        return head, snapshot.company_filings(number.company_id, query, key, values.limit)

    result = await query_release(context, query_filings)
    head, page = result.value
    following = issue_next_cursor(context, page, binding)
    extra = content_location(context, number, "/filings")
    members = PageMembers(head_members(head))
    return page_response(context, result.stamps, page, following, members=members, extra=extra)
