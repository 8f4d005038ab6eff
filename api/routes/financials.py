"""Financials of a company (docs/contract/contract.md 4.3), newest period first."""

from typing import Literal, cast

from api.answers import Answer
from api.call import Call
from api.companies import head_of, location, named_in_path
from api.endpoints import endpoint
from api.pages import after, ask, head_members, next_after, page_answer
from api.pagination import Binding, filter_hash
from api.parameters import Values
from api.queries import (
    CONSOLIDATED,
    FINANCIALS,
    FROM_YEAR,
    LIMIT,
    NEWEST_YEARS,
    PERIOD_INCLUDE,
    PERIOD_TYPE,
    TO_YEAR,
)
from warehouse.reading import Periods


@endpoint("/api/v1/companies/{org_number:str}/financials")
async def list_financials(call: Call) -> Answer:
    values = FINANCIALS.read(call.query)
    number = named_in_path(call.places["org_number"])
    binding = Binding(call.account_id, "financials", filter_hash(number.company_id, values.filters()), "desc")
    key, asked = after(call, values, binding), _periods(values)

    told = await ask(
        call,
        lambda snapshot: (
            head_of(snapshot, number),
            snapshot.financials(number.company_id, asked, key, values[LIMIT]),
        ),
    )
    head, page = told.value
    return page_answer(
        call,
        told.stamps,
        page,
        next_after(call, page, binding),
        members=head_members(head),
        extra=location(call, number, "/financials"),
    )


def _periods(values: Values) -> Periods:
    include = values[PERIOD_INCLUDE]
    return Periods(
        period_type=cast("Literal['annual', 'quarterly', 'all']", values[PERIOD_TYPE]),
        years=values[NEWEST_YEARS],
        from_year=values[FROM_YEAR],
        to_year=values[TO_YEAR],
        consolidated=values[CONSOLIDATED],
        history="history" in include,
        sources="sources" in include,
    )
