"""Filters of the events of all companies with watchlists of an account (docs/contract/contract.md 4.5a).

Membership is asked of the control-plane database for the companies of the events at hand, so that a watchlist costs the
same whatever its size. Does not belong here: parameters (`api.events.query_params`), watchlists themselves.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from api.database.engine import AsyncDatabase
from api.watchlists.repository import owned_watchlists, watched_companies
from warehouse.ledger.read_index import LedgerEvent
from warehouse.reader.types import CompanyChoice, CompanyFacts, LedgerQuery

Watched = Mapping[str, Collection[str]]
"""Companies on each watchlist, of those that were asked about."""
NONE_WATCHED: Final[Watched] = {}


@dataclass(frozen=True, slots=True)
class FeedQuery:
    """What a list or stream filters by: the ledger's query, and watchlists, of which one has the event's company."""

    ledger: LedgerQuery
    watchlists: tuple[str, ...] = ()

    def matches(self, event: LedgerEvent, facts: CompanyFacts | None, watched: Watched) -> bool:
        """Whether the event passes; `watched` answers for its company and these watchlists."""
        is_watched = not self.watchlists or any(event.company_id in watched[one] for one in self.watchlists)
        return is_watched and self.ledger.matches(event, facts)

    def choice(self, database: AsyncDatabase) -> CompanyChoice | None:
        """Which companies are on the watchlists, now; None without any. Blocks when it is called."""
        return partial(_on_any, database, self.watchlists) if self.watchlists else None


async def has_watchlists(database: AsyncDatabase, account_id: str, watchlist_ids: Collection[str]) -> bool:
    """Whether all of the watchlists are the account's."""
    return {*watchlist_ids} <= await database.read(owned_watchlists, account_id, watchlist_ids)


def _on_any(database: AsyncDatabase, watchlist_ids: Collection[str], company_ids: Collection[str]) -> set[str]:
    found = database.read_here(watched_companies, watchlist_ids, company_ids)
    return {company for companies in found.values() for company in companies}
