"""Events of a company (docs/contract/contract.md 4.5): newest first, or ascending as a resumable tail."""

from api.answers import Answer
from api.call import Call
from api.companies import head_of, location, named_in_path
from api.endpoints import endpoint
from api.pages import after, ask, head_members, next_after, page_answer
from api.pagination import Binding, filter_hash
from api.parameters import Values
from api.problems import problem
from api.queries import EVENT_TYPE, EVENTS, LIMIT, ORDER, SINCE, UNTIL
from warehouse.reading import EventQuery, Key, Page

_BEGINNING: Key = (0,)


@endpoint("/api/v1/companies/{company_id:str}/events")
async def list_company_events(call: Call) -> Answer:
    values = EVENTS.read(call.query)
    number = named_in_path(call.places["company_id"])
    binding = _binding(call, number.company_id, values)
    key, asked = after(call, values, binding), _asked(values)

    told = await ask(
        call,
        lambda snapshot: (
            head_of(snapshot, number),
            snapshot.events(number.company_id, asked, key, values[LIMIT]),
        ),
    )
    head, page = told.value
    following = next_after(call, page, binding) if asked.descending else _tail(call, page, key, binding)
    return page_answer(
        call,
        told.stamps,
        page,
        following,
        members=head_members(head),
        extra=location(call, number, "/events"),
    )


@endpoint("/api/v1/events")
async def list_events(call: Call) -> Answer:  # noqa: ARG001 -- every handler has it
    """The cross-company stream is planned (docs/contract/contract.md 4.5)."""
    raise problem(
        "not_implemented", "The cross-company event stream is planned. Use per-company events or webhooks."
    )


def _asked(values: Values) -> EventQuery:
    return EventQuery(
        types=values[EVENT_TYPE],
        since=values[SINCE],
        until=values[UNTIL],
        descending=values[ORDER] == "desc",
    )


def _binding(call: Call, company_id: str, values: Values) -> Binding:
    """Binds a tail to company and filters only: it must outlive keys and weeks."""
    order = values[ORDER]
    filters = filter_hash(company_id, values.filters())
    return Binding(call.account_id, "events", filters, order, lasting=order == "asc")


def _tail(call: Call, page: Page, key: Key | None, binding: Binding) -> str:
    """The cursor of a tail; it exists after the last row too, and for an empty list."""
    last = page.keys[-1] if page.keys else key or _BEGINNING
    return call.service.cursors.issue(binding, last)
