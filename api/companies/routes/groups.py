"""The group of a company (docs/contract/contract.md 4.4b).

Does not belong here: its owners, and what it owns in others (`api.companies.routes.company_lists`).
"""

from dataclasses import replace

import msgspec
from litestar import get

from api.companies.day_cursors import split_day_cursor, with_day_keys
from api.companies.lookup import content_location, number_from_path, require_head
from api.companies.past_states import AskedState
from api.companies.path_parameters import OrgNumber
from api.companies.query_params import GroupParams
from api.companies.schemas import groups as schemas
from api.http.context import ANY_KEY, CurrentContext, Query
from api.http.pagination.cursors import CursorBinding, filter_hash
from api.http.pagination.responses import (
    PageFrame,
    after_key,
    framed_page_response,
    head_members,
    issue_next_cursor,
    query_release,
)
from api.http.response_headers import modified_on
from api.http.responses import HttpResponse
from api.openapi.examples import companies as examples
from api.openapi.operation import FROM_COMPANY_LIST, Operation
from api.openapi.response_headers import OF_PAGE
from warehouse.reader.reader import CompanyState, PinnedRelease
from warehouse.reader.types import CompanyGroup, CompanyHeader


@get(
    "/api/v1/companies/{org_number:str}/group",
    policy=ANY_KEY,
    summary="Get the group of a company",
    description="Its parents, the ultimate parents above them, and what it holds, down to `depth` levels. Each line is "
    "one relation as its sources state it today, or stated it then; natural persons are left out.",
    operation=Operation(schemas.CompanyGroup, OF_PAGE, examples.GROUP, links=FROM_COMPANY_LIST),
)
async def get_group(context: CurrentContext, values: Query[GroupParams], org_number: OrgNumber) -> HttpResponse:
    number, asked = number_from_path(org_number), AskedState.read(context, values)
    binding = CursorBinding(context.account_id, "group", filter_hash(number.company_id, values.filters()), "asc")
    first_day = context.services.clock.today() if asked is None else asked.day
    day, key = split_day_cursor(after_key(context, values.cursor, binding), first_day)

    def query_group(snapshot: PinnedRelease) -> tuple[CompanyHeader, CompanyGroup]:
        def query_state(state: CompanyState) -> tuple[CompanyHeader, CompanyGroup]:
            return state.header, snapshot.past_group(state, day, values.depth, key, values.limit)

        if asked is not None:
            return asked.answer(snapshot, number, query_state)
        head = require_head(snapshot, number)
        return head, snapshot.company_group(number.company_id, day, values.depth, key, values.limit)

    result = await query_release(context, query_group)
    head, group = result.value
    if asked is not None:
        result = replace(result, stamps=asked.stamps(result.stamps))
    elif values.cursor is None:
        result = replace(result, stamps=modified_on(result.stamps, day))
    following = issue_next_cursor(context, with_day_keys(group.children, day), binding)
    frame = _frame_children(head, group, asked)
    extra = content_location(context, number, "/group")
    return framed_page_response(context, result.stamps, group.children, following, frame, extra=extra)


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
