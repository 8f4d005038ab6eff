"""Owners of a company on a day (CONTRACT 4.4), largest first."""

from api.answers import Answer
from api.call import Call
from api.companies import head_of, location, named_in_path
from api.endpoints import endpoint
from api.pages import after, ask, head_members, next_after, page_answer
from api.pagination import Binding, filter_hash
from api.queries import AS_OF, LIMIT, MIN_PCT, OWNERSHIP


@endpoint("/api/v1/companies/{org_number:str}/ownership")
async def list_ownership(call: Call) -> Answer:
    values = OWNERSHIP.read(call.query)
    number = named_in_path(call.places["org_number"])
    binding = Binding(call.account_id, "ownership", filter_hash(number.company_id, values.filters()), "desc")
    key = after(call, values, binding)
    as_of = values[AS_OF] or call.service.clock.today()

    told = await ask(
        call,
        lambda snapshot: (
            head_of(snapshot, number),
            snapshot.owners(number.company_id, as_of, values[MIN_PCT], key, values[LIMIT]),
        ),
    )
    head, (page, known) = told.value
    totals = f',"as_of":"{as_of.isoformat()}","known_pct":{known or "null"}'
    return page_answer(
        call,
        told.stamps,
        page,
        next_after(call, page, binding),
        members=head_members(head) + totals.encode(),
        extra=location(call, number, "/ownership"),
    )
