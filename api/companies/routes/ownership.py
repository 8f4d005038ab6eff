"""Owners of a company on a day (docs/contract/contract.md 4.4), largest first."""

from datetime import date

from api.companies.lookup import content_location, number_from_path, require_head
from api.companies.query_params import AS_OF, MIN_PCT, OWNERSHIP
from api.http.context import RequestContext
from api.http.pagination.cursors import CursorBinding, filter_hash, invalid_cursor
from api.http.pagination.query_params import LIMIT
from api.http.pagination.responses import after_key, head_members, issue_next_cursor, page_response, query_release
from api.http.responses import HttpResponse
from api.http.routing import endpoint
from warehouse.reader.types import Key, ResultPage


@endpoint("/api/v1/companies/{org_number:str}/ownership")
async def list_ownership(context: RequestContext) -> HttpResponse:
    values = OWNERSHIP.read(context.query_string)
    number = number_from_path(context.path_parameters["org_number"])
    binding = CursorBinding(context.account_id, "ownership", filter_hash(number.company_id, values.filters()), "desc")
    as_of, key = _split_cursor(after_key(context, values, binding), values[AS_OF] or context.services.clock.today())

    told = await query_release(
        context,
        lambda snapshot: (
            require_head(snapshot, number),
            snapshot.company_owners(number.company_id, as_of, values[MIN_PCT], key, values[LIMIT]),
        ),
    )
    head, (page, known) = told.value
    totals = f',"as_of":"{as_of.isoformat()}","known_pct":{known or "null"}'
    return page_response(
        context,
        told.stamps,
        page,
        issue_next_cursor(context, _with_day_keys(page, as_of), binding),
        members=head_members(head) + totals.encode(),
        extra=content_location(context, number, "/ownership"),
    )


def _split_cursor(cursor: Key | None, as_of: date) -> tuple[date, Key | None]:
    """Splits a cursor into its day and sort key: a list begun before midnight keeps its day."""
    if cursor is None:
        return as_of, None
    first, *rest = cursor or (None,)
    try:
        return date.fromisoformat(str(first)), tuple(rest)
    except ValueError:  # a cursor of an older version, which had no day
        raise invalid_cursor() from None


def _with_day_keys(page: ResultPage, as_of: date) -> ResultPage:
    return ResultPage(page.rows, tuple((as_of.isoformat(), *key) for key in page.keys), page.has_more)
