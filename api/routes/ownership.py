"""Owners of a company on a day (docs/contract/contract.md 4.4), largest first."""

from datetime import date

from api.answers import Answer
from api.call import Call
from api.companies import head_of, location, named_in_path
from api.endpoints import endpoint
from api.pages import after, ask, head_members, next_after, page_answer
from api.pagination import Binding, filter_hash, invalid_cursor
from api.queries import AS_OF, LIMIT, MIN_PCT, OWNERSHIP
from warehouse.reading import Key, Page


@endpoint("/api/v1/companies/{org_number:str}/ownership")
async def list_ownership(call: Call) -> Answer:
    values = OWNERSHIP.read(call.query)
    number = named_in_path(call.places["org_number"])
    binding = Binding(call.account_id, "ownership", filter_hash(number.company_id, values.filters()), "desc")
    as_of, key = _place(after(call, values, binding), values[AS_OF] or call.service.clock.today())

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
        next_after(call, _dated(page, as_of), binding),
        members=head_members(head) + totals.encode(),
        extra=location(call, number, "/ownership"),
    )


def _place(cursor: Key | None, as_of: date) -> tuple[date, Key | None]:
    """Splits a cursor into its day and sort key: a list begun before midnight keeps its day."""
    if cursor is None:
        return as_of, None
    first, *rest = cursor or (None,)
    try:
        return date.fromisoformat(str(first)), tuple(rest)
    except ValueError:  # a cursor of an older version, which had no day
        raise invalid_cursor() from None


def _dated(page: Page, as_of: date) -> Page:
    return Page(page.rows, tuple((as_of.isoformat(), *key) for key in page.keys), page.has_more)
