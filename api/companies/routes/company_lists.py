"""Lists about one company: financials, filings, owners and holdings on a day, the group, events.

See docs/contract/contract.md 4.3 to 4.5. Does not belong here: search (`api.companies.routes.search`).
"""

from collections.abc import Callable
from datetime import date
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from litestar import get

from api.companies.lookup import content_location, number_from_path, require_head
from api.companies.past_states import AskedState, check_day_has_come
from api.companies.path_parameters import CompanyId, OrgNumber
from api.companies.query_params import (
    EventsParams,
    FilingsParams,
    FinancialsParams,
    GroupParams,
    HoldingsParams,
    OwnershipParams,
    StateParams,
    build_event_query,
    build_filings_query,
    build_financials_query,
)
from api.companies.schemas import groups
from api.companies.schemas.companies import FinancialsList, OwnershipList
from api.companies.schemas.events import EventList
from api.companies.schemas.filings import FilingList
from api.companies.schemas.groups import HoldingList
from api.http.context import ANY_KEY, ApiRequest
from api.http.pagination.cursors import CursorBinding, filter_hash, invalid_cursor
from api.http.pagination.responses import (
    PageFrame,
    PageMembers,
    after_key,
    framed_page_response,
    head_members,
    issue_cursor,
    issue_next_cursor,
    page_response,
    query_release,
)
from api.http.response_headers import Headers, modified_on
from api.http.responses import Header, HttpResponse
from api.openapi.examples import companies as examples
from api.openapi.operation import FROM_COMPANY_LIST, Operation
from api.openapi.response_headers import OF_PAGE
from warehouse.reader.reader import CompanyState, PinnedRelease
from warehouse.reader.types import CompanyGroup, CompanyHeader, Key, ResultPage
from warehouse.schema.identifiers import CompanyNumber

T = TypeVar("T")
_BEGINNING: Key = (0,)
_ListParams = EventsParams | FilingsParams | FinancialsParams | GroupParams | HoldingsParams | OwnershipParams


class _Answer(NamedTuple, Generic[T]):
    """What a query has found about a company, with the company's head and the headers of the release."""

    head: CompanyHeader
    found: T
    stamps: Headers


class _ListRequest:
    """A request for a list about one company: the company, the state that is named, and the key in its cursor."""

    def __init__(
        self,
        request: ApiRequest[_ListParams],
        name: str,
        number: CompanyNumber,
        order: str = "desc",
        *,
        is_tail: bool = False,
    ) -> None:
        """Binds the cursors of an ascending tail to company and filters only: they must outlive keys and weeks."""
        self.context, self.is_tail = request.context, is_tail
        context, values = request.context, request.values
        self.number = number
        self.asked = AskedState.read(context, values) if isinstance(values, StateParams) else None
        self.named_day = self.asked.day if self.asked else None
        if isinstance(values, HoldingsParams):
            check_day_has_come(values.as_of, context.services.clock.today())
            self.named_day = values.as_of
        filters = filter_hash(self.number.company_id, values.filters())
        self.binding = CursorBinding(context.account_id, name, filters, order, lasting=is_tail)
        self.key = after_key(context, values.cursor, self.binding)

    def day_and_key(self) -> tuple[date, Key | None]:
        """The day of a list of one day, and the key on it: one that was begun before midnight keeps its day."""
        if self.key is None:
            return self.named_day or self.context.services.clock.today(), None
        first, *rest = self.key or (None,)
        try:
            return date.fromisoformat(str(first)), tuple(rest)
        except ValueError:  # a cursor of an older version, which had no day
            raise invalid_cursor() from None

    async def query(
        self,
        query: Callable[[PinnedRelease, str], T],
        query_state: Callable[[PinnedRelease, CompanyState], T] | None = None,
    ) -> _Answer[T]:
        """The answer of the newest state, or of the state that is named; 404 if the release has no such company."""
        asked, number = self.asked, self.number

        def answer(snapshot: PinnedRelease) -> tuple[CompanyHeader, T]:
            of_state = query_state
            if asked is None or of_state is None:
                return require_head(snapshot, number), query(snapshot, number.company_id)
            return asked.answer(snapshot, number, lambda state: (state.header, of_state(snapshot, state)))

        result = await query_release(self.context, answer)
        return _Answer(*result.value, result.stamps if asked is None else asked.stamps(result.stamps))

    def day_response(self, answer: _Answer[Any], page: ResultPage, day: date, more: bytes = b"") -> HttpResponse:
        """One page of a list of this day; more: members after the day."""
        named = f'"as_of":"{day.isoformat()}"'.encode() if self.asked is None else self.asked.day_member
        stamped = answer._replace(stamps=self.day_stamps(answer, day))
        return self.response(stamped, _with_day_keys(page, day), named + more)

    def day_stamps(self, answer: _Answer[Any], day: date) -> Headers:
        """The headers of a list of a day: one that is not named is today, even where the release is older."""
        return answer.stamps if self.named_day or self.key is not None else modified_on(answer.stamps, day)

    def response(self, answer: _Answer[Any], page: ResultPage, members: bytes = b"") -> HttpResponse:
        """One page; members: further ones of the page, after those of the company."""
        if self.is_tail:  # its cursor exists after the last row too, and for an empty list
            last = page.keys[-1] if page.keys else self.key or _BEGINNING
            following = issue_cursor(self.context, last, self.binding)
        else:
            following = issue_next_cursor(self.context, page, self.binding)
        whole = PageMembers(members) if self.asked is None else self.asked.page_members(members)
        whole = whole._replace(tagged=b",".join(filter(None, (head_members(answer.head), whole.tagged))))
        return page_response(self.context, answer.stamps, page, following, members=whole, extra=self.location())

    def location(self) -> list[Header]:
        """The header that names the canonical path."""
        return content_location(self.context, self.number, "/" + self.context.path_template.rpartition("/")[2])


@get(
    "/api/v1/companies/{org_number:str}/financials",
    policy=ANY_KEY,
    tags=["Financials"],
    summary="List financials of a company",
    description="One row per period, newest first. If an annual and a quarterly period end on "
    "the same day, the annual one comes first.",
    operation=Operation(FinancialsList, OF_PAGE, examples.FINANCIALS, links=FROM_COMPANY_LIST),
)
async def list_financials(request: ApiRequest[FinancialsParams], org_number: OrgNumber) -> HttpResponse:
    listed, values = _ListRequest(request, "financials", number_from_path(org_number)), request.values
    query = build_financials_query(values)
    answer = await listed.query(
        lambda snapshot, company_id: snapshot.company_financials(company_id, query, listed.key, values.limit),
        lambda _, state: state.financials(query, listed.key, values.limit),
    )
    return listed.response(answer, answer.found, listed.asked.day_member if listed.asked else b"")


@get(
    "/api/v1/companies/{org_number:str}/ownership",
    policy=ANY_KEY,
    summary="List owners of a company",
    description="Owners merged from all sources, largest share first, unknown shares last.",
    operation=Operation(OwnershipList, OF_PAGE, examples.OWNERSHIP, links=FROM_COMPANY_LIST),
)
async def list_ownership(request: ApiRequest[OwnershipParams], org_number: OrgNumber) -> HttpResponse:
    listed, values = _ListRequest(request, "ownership", number_from_path(org_number)), request.values
    day, key = listed.day_and_key()
    answer = await listed.query(
        lambda snapshot, company_id: snapshot.company_owners(company_id, day, values.min_pct, key, values.limit),
        lambda _, state: state.owners(day, values.min_pct, key, values.limit),
    )
    page, known = answer.found
    return listed.day_response(answer, page, day, f',"known_pct":{known or "null"}'.encode())


@get(
    "/api/v1/companies/{company_id:str}/events",
    policy=ANY_KEY,
    tags=["Events"],
    summary="List events of a company",
    description="Newest first. With `order=asc` the list can be polled: store `next_cursor` and call again later.",
    operation=Operation(EventList, OF_PAGE, examples.EVENTS, links=FROM_COMPANY_LIST),
)
async def list_company_events(request: ApiRequest[EventsParams], company_id: CompanyId) -> HttpResponse:
    """Newest first, or ascending as a resumable tail."""
    values = request.values
    is_tail, query = values.order == "asc", build_event_query(values)
    number = number_from_path(company_id, "company_id")
    listed = _ListRequest(request, "events", number, values.order, is_tail=is_tail)
    answer = await listed.query(lambda snapshot, one: snapshot.company_events(one, query, listed.key, values.limit))
    return listed.response(answer, answer.found)


@get(
    "/api/v1/companies/{org_number:str}/filings",
    policy=ANY_KEY,
    tags=["Financials"],
    summary="List filings of a company",
    description="Every filing known, newest first; filings whose date is not known come last.",
    operation=Operation(FilingList, OF_PAGE, examples.FILINGS, links=FROM_COMPANY_LIST),
)
async def list_filings(request: ApiRequest[FilingsParams], org_number: OrgNumber) -> HttpResponse:
    listed, values = _ListRequest(request, "filings", number_from_path(org_number)), request.values
    query = build_filings_query(values)
    answer = await listed.query(lambda snapshot, one: snapshot.company_filings(one, query, listed.key, values.limit))
    return listed.response(answer, answer.found)


@get(
    "/api/v1/companies/{org_number:str}/holdings",
    policy=ANY_KEY,
    summary="List what a company owns in others",
    description="The inverse of ownership: the lines that name this company as holder, largest share first, unknown "
    "shares last.",
    operation=Operation(HoldingList, OF_PAGE, examples.HOLDINGS, links=FROM_COMPANY_LIST),
)
async def list_holdings(request: ApiRequest[HoldingsParams], org_number: OrgNumber) -> HttpResponse:
    listed, values = _ListRequest(request, "holdings", number_from_path(org_number)), request.values
    day, key = listed.day_and_key()
    answer = await listed.query(
        lambda snapshot, company_id: snapshot.company_holdings(company_id, day, values.min_pct, key, values.limit)
    )
    return listed.day_response(answer, answer.found, day)


@get(
    "/api/v1/companies/{org_number:str}/group",
    policy=ANY_KEY,
    summary="Get the group of a company",
    description="Its parents, the ultimate parents above them, and what it holds, down to `depth` levels. Each line is "
    "one relation as its sources state it today, or stated it then; natural persons are left out.",
    operation=Operation(groups.CompanyGroup, OF_PAGE, examples.GROUP, links=FROM_COMPANY_LIST),
)
async def get_group(request: ApiRequest[GroupParams], org_number: OrgNumber) -> HttpResponse:
    listed, values = _ListRequest(request, "group", number_from_path(org_number), "asc"), request.values
    day, key = listed.day_and_key()
    answer = await listed.query(
        lambda snapshot, company_id: snapshot.company_group(company_id, day, values.depth, key, values.limit),
        lambda snapshot, state: snapshot.past_group(state, day, values.depth, key, values.limit),
    )
    children, frame = answer.found.children, _frame_children(answer.head, answer.found, listed.asked)
    following = issue_next_cursor(listed.context, _with_day_keys(children, day), listed.binding)
    stamps = listed.day_stamps(answer, day)
    return framed_page_response(listed.context, stamps, children, following, frame, extra=listed.location())


def _with_day_keys(page: ResultPage, day: date) -> ResultPage:
    """The page with keys for `_ListRequest.day_and_key`."""
    return ResultPage(page.rows, tuple((day.isoformat(), *key) for key in page.keys), page.has_more)


def _frame_children(head: CompanyHeader, group: CompanyGroup, asked: AskedState | None) -> PageFrame:
    """The text of the response around the members of `children`; a state that was asked for is named at the end."""
    before = b'{%b,"ultimate_parents":[%b],"parents":[%b],"has_more_parents":%b,"children":{' % (
        head_members(head),
        b",".join(group.ultimate_parents),
        b",".join(group.parents),
        msgspec.json.encode(group.has_more_parents),
    )
    after = {"circles": group.circles, "visited_companies": group.visited_companies, "is_complete": group.is_complete}
    rest = b"}," + msgspec.json.encode(after)[1:]
    if asked is None:
        return PageFrame(before, rest)
    state = asked.page_members(asked.day_member)
    untagged = b"," + state.untagged if state.untagged else b""
    return PageFrame(before, rest[:-1] + b"," + state.tagged, untagged_end=untagged + b"}")
