"""Query parameters of the events of all companies, and the queries they select (docs/contract/contract.md 4.5a).

Does not belong here: parameters of one company's events (`api.companies.query_params`).
"""

from typing import Final

from api.companies.query_params import Countries, EventTypes, Industries, IndustryScheme, IsListed, check_classification
from api.events.watched import FeedQuery
from api.http.query.fields import Cursor, LongLimit, codes_field, parse_position, position_field
from api.http.query.model import QueryModel
from api.problems.problem import parameter_problem
from warehouse.reader.reader import PinnedRelease
from warehouse.reader.types import LedgerQuery

WATCHLIST_ID: Final = "wl_[0-9a-z]{26}"
_MOST_WATCHLISTS: Final = 10


class FeedFilters(QueryModel):
    """Filters of the list and of the stream."""

    event_type: EventTypes = ()
    country: Countries = ()
    industry: Industries = ()
    industry_scheme: IndustryScheme = None
    is_listed: IsListed = None
    watchlist: tuple[str, ...] = codes_field(
        WATCHLIST_ID,
        29,
        "must be ids of watchlists: wl_ and 26 characters, separated by commas",
        "Only companies that are on one of these watchlists of the account.",
        max_items=_MOST_WATCHLISTS,
        canonical=str,
    )

    def feed_query(self) -> FeedQuery:
        """The query that the filters select, or a 400 with the missing parameter."""
        check_classification(self.industry, self.industry_scheme, self.country)
        ledger = LedgerQuery(self.event_type, self.country, self.industry, self.industry_scheme, self.is_listed)
        return FeedQuery(ledger, self.watchlist)


class FeedParams(FeedFilters):
    since: str | None = position_field(
        "Begin after this sequence number, or with the first event recorded at or after this time. Not with `cursor`."
    )
    limit: LongLimit = 25
    cursor: Cursor = None

    def filters(self) -> list[tuple[str, str]]:
        """What a cursor is bound to: it replaces `since`."""
        return [one for one in super().filters() if one[0] != "since"]

    def check_beginning(self) -> None:
        """400 if both `since` and `cursor` say where to begin."""
        if self.since is not None and self.cursor is not None:
            raise parameter_problem("since", "not_allowed", "must not be sent with cursor, which says where to go on")


class StreamParams(FeedFilters):
    since: str | None = position_field(
        "Begin after this sequence number, or with the first event recorded at or after this time; default: with the "
        "next event. `Last-Event-ID` comes first."
    )


def position_of(snapshot: PinnedRelease, since: str) -> int:
    """The sequence after which a list or stream begins."""
    position = parse_position(since)
    return position if isinstance(position, int) else snapshot.sequence_before(position)
