"""Watchlists: create, list, get, rename, delete; their companies (docs/contract/contract.md 4.8b)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from litestar import delete, get, patch, post, put
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from api.common.clock import format_instant
from api.companies.lookup import number_from_path
from api.companies.path_parameters import CompanyId
from api.http.content_negotiation import MERGE_PATCH_TYPES
from api.http.context import SECRET_KEY, ApiRequest, PlainRequest, RequestContext
from api.http.idempotency import idempotent
from api.http.json_body import BodyPolicy
from api.http.pagination.cursors import CursorBinding, filter_hash
from api.http.pagination.responses import account_page_response, after_key
from api.http.query.fields import Cursor, Limit
from api.http.query.model import QueryModel
from api.http.response_headers import NO_STORE, VARY
from api.http.responses import Header, HttpResponse, json_response
from api.openapi.examples import watchlists as examples
from api.openapi.operation import FROM_WATCHLIST, Operation, RequestBody, id_parameter
from api.openapi.response_headers import OF_ACCOUNT, OF_ACCOUNT_PAGE, OF_SUBSCRIPTION
from api.watchlists.models import (
    ChangedMembership,
    MembershipChanges,
    NewWatchlist,
    WatchedCompany,
    Watchlist,
    WatchlistChanges,
    WatchlistCompany,
    WatchlistCompanyList,
    WatchlistList,
    WatchlistRecord,
    watchlist_json,
)
from warehouse.reader.reader import PinnedRelease
from warehouse.schema.identifiers import parse_company_id, parse_company_number

_ALL: Final = "/api/v1/watchlists"
_ONE: Final = f"{_ALL}/{{id:str}}"
_COMPANIES: Final = f"{_ONE}/companies"
_COMPANY: Final = f"{_COMPANIES}/{{company_id:str}}"
_LONGEST: Final = 41  # longer than any accepted spelling
_NO_CONTENT: Final = {name.decode(): value.decode() for name, value in (NO_STORE, VARY)}

WatchlistId: TypeAlias = Annotated[str, id_parameter("The watchlist.", "wl_01kaf3w9c8m2v7q4x1z6t5y0r2", "id")]


class WatchlistsParams(QueryModel):
    limit: Limit = 25
    cursor: Cursor = None


@post(
    _ALL,
    policy=replace(SECRET_KEY, body=BodyPolicy()),
    summary="Create a watchlist",
    description="An empty list of companies. The tier limits the companies on all watchlists of the account.",
    operation=Operation(
        Watchlist,
        (*OF_SUBSCRIPTION, "Location"),
        examples.WATCHLIST,
        FROM_WATCHLIST,
        body=RequestBody(NewWatchlist, examples.NEW_WATCHLIST),
    ),
)
@idempotent
async def create_watchlist(request: PlainRequest) -> HttpResponse:
    context = request.context
    record = await context.services.watchlist_service.create(context.account_id, context.required_json_body)
    return _watchlist_response(201, record, [(b"location", f"{_ALL}/{record.watchlist_id}".encode())])


@get(
    _ALL,
    policy=SECRET_KEY,
    summary="List watchlists",
    description="Newest first.",
    operation=Operation(WatchlistList, OF_ACCOUNT_PAGE, examples.WATCHLIST_LIST),
)
async def list_watchlists(request: ApiRequest[WatchlistsParams]) -> HttpResponse:
    context, values = request.context, request.values
    binding = CursorBinding(context.account_id, "watchlists", filter_hash(values.filters()), "desc")
    key = after_key(context, values.cursor, binding)
    before = None if key is None else str(key[0])
    found = await context.services.watchlist_service.page(context.account_id, before, values.limit + 1)
    page = found[: values.limit]
    following = _next_cursor(context, binding, page[-1].watchlist_id) if len(found) > values.limit else None
    return account_page_response(context, [msgspec.json.encode(watchlist_json(one)) for one in page], following)


@get(
    _ONE,
    policy=SECRET_KEY,
    summary="Get a watchlist",
    description="Name and number of companies. The ETag identifies the revision of both.",
    operation=Operation(Watchlist, OF_SUBSCRIPTION, examples.WATCHLIST),
)
async def get_watchlist(request: PlainRequest, watchlist_id: WatchlistId) -> HttpResponse:
    return _watchlist_response(
        200, await request.context.services.watchlist_service.get(request.context.account_id, watchlist_id)
    )


@patch(
    _ONE,
    policy=replace(SECRET_KEY, body=BodyPolicy(media_types=MERGE_PATCH_TYPES)),
    summary="Rename a watchlist",
    description="A merge patch of the name. Companies are changed below `/companies`.",
    operation=Operation(
        Watchlist, OF_SUBSCRIPTION, examples.WATCHLIST, body=RequestBody(WatchlistChanges, examples.NEW_WATCHLIST)
    ),
)
async def update_watchlist(request: PlainRequest, watchlist_id: WatchlistId) -> HttpResponse:
    context = request.context
    record = await context.services.watchlist_service.rename(
        context.account_id, watchlist_id, context.required_json_body, context.request_headers.get(b"if-match")
    )
    return _watchlist_response(200, record)


@delete(
    _ONE,
    policy=SECRET_KEY,
    summary="Delete a watchlist",
    description="Deletes the watchlist; its companies are unaffected. Refused with 409 `watchlist_in_use` while a "
    "webhook subscription filters by it.",
    response_description="Deleted.",
    response_headers=_NO_CONTENT,
    operation=Operation(None, OF_ACCOUNT, error_statuses=(409,)),
)
async def delete_watchlist(request: PlainRequest, watchlist_id: WatchlistId) -> None:
    context = request.context
    await context.services.watchlist_service.remove(
        context.account_id, watchlist_id, context.request_headers.get(b"if-match")
    )


@get(
    _COMPANIES,
    policy=SECRET_KEY,
    summary="List the companies of a watchlist",
    description="By company id, each with its name in the current release.",
    operation=Operation(WatchlistCompanyList, OF_ACCOUNT_PAGE, examples.WATCHLIST_COMPANIES),
)
async def list_watchlist_companies(request: ApiRequest[WatchlistsParams], watchlist_id: WatchlistId) -> HttpResponse:
    context, values = request.context, request.values
    binding = CursorBinding(context.account_id, f"watchlist {watchlist_id}", filter_hash(values.filters()), "asc")
    key = after_key(context, values.cursor, binding)
    after = None if key is None else str(key[0])
    service = context.services
    found = await service.watchlist_service.companies(context.account_id, watchlist_id, after, values.limit + 1)
    page = found[: values.limit]
    following = _next_cursor(context, binding, page[-1].company_id) if len(found) > values.limit else None
    with service.release_reader.pin_release() as release:
        rows = [msgspec.json.encode(_company_json(release, one)) for one in page]
    return account_page_response(context, rows, following)


@post(
    _COMPANIES,
    policy=replace(SECRET_KEY, body=BodyPolicy()),
    summary="Add and remove companies",
    description="Up to 1,000 of each, all or none. Companies that are on the list already, or not on it, change "
    "nothing. Acts on the next event.",
    status_code=HTTP_200_OK,
    operation=Operation(
        ChangedMembership,
        OF_ACCOUNT,
        examples.CHANGED_MEMBERSHIP,
        body=RequestBody(MembershipChanges, examples.MEMBERSHIP_CHANGES),
    ),
)
@idempotent
async def change_watchlist_companies(request: PlainRequest, watchlist_id: WatchlistId) -> HttpResponse:
    context = request.context
    change = await context.services.watchlist_service.change_companies(
        context.account_id, watchlist_id, context.required_json_body
    )
    told = ChangedMembership.members(change, id=watchlist_id, company_count=change.record.companies)
    return json_response(200, msgspec.json.encode(told))


@put(
    _COMPANY,
    policy=SECRET_KEY,
    summary="Add a company",
    description="Does nothing if the company is on the list already. A company may be added before it is known.",
    status_code=HTTP_204_NO_CONTENT,
    response_description="It is on the list.",
    response_headers=_NO_CONTENT,
    operation=Operation(None, OF_ACCOUNT),
)
async def add_watchlist_company(request: PlainRequest, watchlist_id: WatchlistId, company_id: CompanyId) -> None:
    await _change_one(request.context, watchlist_id, company_id, is_added=True)


@delete(
    _COMPANY,
    policy=SECRET_KEY,
    summary="Remove a company",
    description="Does nothing if the company is not on the list.",
    response_description="It is not on the list.",
    response_headers=_NO_CONTENT,
    operation=Operation(None, OF_ACCOUNT),
)
async def remove_watchlist_company(request: PlainRequest, watchlist_id: WatchlistId, company_id: CompanyId) -> None:
    await _change_one(request.context, watchlist_id, company_id, is_added=False)


async def _change_one(context: RequestContext, watchlist_id: str, text: str, *, is_added: bool) -> None:
    company = [(parse_company_number(text[:_LONGEST]) or number_from_path(text, "company_id")).company_id]
    add, remove = (company, []) if is_added else ([], company)
    await context.services.watchlist_service.change_membership(
        context.account_id, watchlist_id, add, remove, context.request_headers.get(b"if-match")
    )


def _next_cursor(context: RequestContext, binding: CursorBinding, last: str) -> str:
    return context.services.cursor_cipher.issue(binding, (last,))


def _company_json(release: PinnedRelease, watched: WatchedCompany) -> dict[str, Any]:
    number, head = parse_company_id(watched.company_id), release.company_header(watched.company_id)
    assert number is not None, f"{watched.company_id} was stored as an id"
    return WatchlistCompany.members(
        watched,
        org_number=number.org_number,
        name=None if head is None else head.name,
        added_at=format_instant(watched.added_at),
    )


def _watchlist_response(status: int, record: WatchlistRecord, extra: Sequence[Header] = ()) -> HttpResponse:
    """Response with a watchlist and its strong ETag."""
    body = msgspec.json.encode(watchlist_json(record))
    return json_response(status, body, [(b"etag", b'"%d"' % record.revision), *extra])
