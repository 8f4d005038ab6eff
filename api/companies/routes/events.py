"""Events of a company (docs/contract/contract.md 4.5): newest first, or ascending as a resumable tail."""

from api.companies.lookup import content_location, number_from_path, require_head
from api.companies.query_params import EVENT_TYPE, EVENTS, ORDER, SINCE, UNTIL
from api.http.context import RequestContext
from api.http.pagination.cursors import CursorBinding, filter_hash
from api.http.pagination.query_params import LIMIT
from api.http.pagination.responses import after_key, head_members, issue_next_cursor, page_response, query_release
from api.http.query.params import ParsedQuery
from api.http.responses import HttpResponse
from api.http.routing import endpoint
from api.problems.problem import new_problem
from warehouse.reader.types import EventQuery, Key, ResultPage

_BEGINNING: Key = (0,)


@endpoint("/api/v1/companies/{company_id:str}/events")
async def list_company_events(context: RequestContext) -> HttpResponse:
    values = EVENTS.read(context.query_string)
    number = number_from_path(context.path_parameters["company_id"])
    binding = _cursor_binding(context, number.company_id, values)
    key, asked = after_key(context, values, binding), _event_query(values)

    told = await query_release(
        context,
        lambda snapshot: (
            require_head(snapshot, number),
            snapshot.company_events(number.company_id, asked, key, values[LIMIT]),
        ),
    )
    head, page = told.value
    following = (
        issue_next_cursor(context, page, binding) if asked.is_descending else _tail_cursor(context, page, key, binding)
    )
    return page_response(
        context,
        told.stamps,
        page,
        following,
        members=head_members(head),
        extra=content_location(context, number, "/events"),
    )


@endpoint("/api/v1/events")
async def list_events(context: RequestContext) -> HttpResponse:  # noqa: ARG001 -- every handler has it
    """The cross-company stream is planned (docs/contract/contract.md 4.5)."""
    raise new_problem(
        "not_implemented", "The cross-company event stream is planned. Use per-company events or webhooks."
    )


def _event_query(values: ParsedQuery) -> EventQuery:
    return EventQuery(
        types=values[EVENT_TYPE], since=values[SINCE], until=values[UNTIL], is_descending=values[ORDER] == "desc"
    )


def _cursor_binding(call: RequestContext, company_id: str, values: ParsedQuery) -> CursorBinding:
    """Binds a tail to company and filters only: it must outlive keys and weeks."""
    order = values[ORDER]
    filters = filter_hash(company_id, values.filters())
    return CursorBinding(call.account_id, "events", filters, order, lasting=order == "asc")


def _tail_cursor(call: RequestContext, page: ResultPage, key: Key | None, binding: CursorBinding) -> str:
    """The cursor of a tail; it exists after the last row too, and for an empty list."""
    last = page.keys[-1] if page.keys else key or _BEGINNING
    return call.services.cursor_signer.issue(binding, last)
