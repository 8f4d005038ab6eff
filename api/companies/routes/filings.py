"""Filings of a company, with and without a market in the path (docs/contract/contract.md 4.3a).

Does not belong here: the periods and figures of filings (`api.companies.routes.company_lists`).
"""

from litestar import get

from api.companies.lookup import content_location, market_from_path, number_from_path, number_in_market, require_head
from api.companies.path_parameters import MarketCode, OrgNumber, OrgNumberInMarket
from api.companies.query_params import FilingsParams
from api.companies.schemas.filings import FilingList
from api.http.context import ANY_KEY, ApiRequest, RequestContext
from api.http.pagination.cursors import CursorBinding, filter_hash
from api.http.pagination.responses import after_key, head_members, issue_next_cursor, page_response, query_release
from api.http.responses import HttpResponse
from api.openapi.examples import companies as examples
from api.openapi.operation import FROM_COMPANY_LIST, Operation
from api.openapi.response_headers import OF_PAGE
from warehouse.reader.reader import PinnedRelease
from warehouse.reader.types import CompanyHeader, FilingsQuery, ResultPage
from warehouse.schema.identifiers import CompanyNumber

_TEXT = "Every filing known, newest first; filings whose date is not known come last."
_OPERATION = Operation(FilingList, OF_PAGE, examples.FILINGS, links=FROM_COMPANY_LIST, query_params=FilingsParams)


@get(
    "/api/v1/companies/{org_number:str}/filings",
    policy=ANY_KEY,
    operation_id="listFilings",
    tags=["Financials"],
    summary="List filings of a company",
    description=_TEXT,
    response_description="One page of filings.",
    operation=_OPERATION,
)
async def list_filings(request: ApiRequest, org_number: OrgNumber) -> HttpResponse:
    context = request.context
    values = FilingsParams.read(context.query_string)
    return await _filings_response(context, number_from_path(org_number), values)


@get(
    "/api/v1/{market:str}/companies/{org_number:str}/filings",
    policy=ANY_KEY,
    operation_id="listFilingsInMarket",
    tags=["Financials"],
    summary="List filings of a company by market",
    description=f"The same response as without the market. {_TEXT}",
    response_description="One page of filings.",
    operation=_OPERATION,
)
async def list_filings_in_market(
    request: ApiRequest, market: MarketCode, org_number: OrgNumberInMarket
) -> HttpResponse:
    context = request.context
    code = market_from_path(market)
    values = FilingsParams.read(context.query_string)
    return await _filings_response(context, number_in_market(code, org_number), values)


async def _filings_response(context: RequestContext, number: CompanyNumber, values: FilingsParams) -> HttpResponse:
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
    return page_response(context, result.stamps, page, following, members=head_members(head), extra=extra)
