"""The list of every company's events, ascending and resumable (docs/contract/contract.md 4.5a).

Does not belong here: the stream (`api.events.routes.event_stream`), or events of one company
(`api.companies.routes.company_lists`).
"""

from dataclasses import replace
from typing import Final

from litestar import get

from api.companies.schemas.events import EventFeed
from api.events.query_params import FeedParams, position_of
from api.events.watched import FeedQuery, has_watchlists
from api.http.context import ANY_KEY, ApiRequest, RequestContext
from api.http.pagination.cursors import CursorBinding, filter_hash
from api.http.pagination.responses import after_key, issue_cursor, page_response, query_release
from api.http.response_headers import modified_at
from api.http.responses import HttpResponse
from api.openapi.examples import companies as examples
from api.openapi.operation import Operation
from api.openapi.response_headers import OF_PAGE
from api.problems.problem import parameter_problem
from warehouse.reader.queries.ledger_events import event_body
from warehouse.reader.queries.paging import key_parts
from warehouse.reader.reader import PinnedRelease
from warehouse.reader.types import Key, LedgerPage, ResultPage

ALL_EVENTS: Final = replace(ANY_KEY, required_feature="all_events")
FILTERS_TEXT: Final = (
    "Filters must all hold; `industry` and `is_listed` are compared with the company's profile as it is served now, "
    "so a company without one matches no industry. `watchlist` is compared with the companies on the list now."
)


@get(
    "/api/v1/events",
    policy=ALL_EVENTS,
    summary="List events of all companies",
    description="Ascending by `sequence`, from the first event, from `since`, or after `cursor`. The list never ends: "
    f"`next_cursor` is never null and does not expire, so store it and call again for new events. {FILTERS_TEXT} With "
    "filters, a page covers a limited part of the ledger, so it may be short or empty while `has_more` is true. "
    "Requires the Pro or Business tier.",
    operation=Operation(EventFeed, OF_PAGE, examples.EVENT_FEED),
)
async def list_events(request: ApiRequest[FeedParams]) -> HttpResponse:
    context, values = request.context, request.values
    values.check_beginning()
    query = values.feed_query()
    await check_watchlists(context, query)
    binding = CursorBinding(context.account_id, "all_events", filter_hash(values.filters()), lasting=True)
    key = after_key(context, values.cursor, binding)

    chosen = query.choice(context.services.control_database)

    def query_ledger(snapshot: PinnedRelease) -> LedgerPage:
        return snapshot.ledger_events(query.ledger, _start(snapshot, values.since, key), values.limit, chosen)

    result = await query_release(context, query_ledger)
    page = result.value
    rows = ResultPage(tuple(map(event_body, page.events)), (), page.has_more)
    next_cursor = replace(issue_cursor(context, (page.seen_to,), binding), replaces=b"since")
    # a watchlist changes without a release
    stamps = modified_at(result.stamps, context.services.clock.now()) if query.watchlists else result.stamps
    return page_response(context, stamps, rows, next_cursor)


async def check_watchlists(context: RequestContext, query: FeedQuery) -> None:
    """400 if a watchlist is another account's, or deleted."""
    if query.watchlists:
        database = context.services.control_database
        if not await has_watchlists(database, context.account_id, query.watchlists):
            raise parameter_problem("watchlist", "unknown_watchlist", "must be ids of watchlists of this account")


def _start(snapshot: PinnedRelease, since: str | None, key: Key | None) -> int:
    if key is not None:
        sequence: int = key_parts(key, int)[0]
        return sequence
    return 0 if since is None else position_of(snapshot, since)
