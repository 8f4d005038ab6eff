"""Rules of watchlists, one method per operation (docs/contract/contract.md 4.8b).

Checks follow the contract's order (4.10): validation, existence, If-Match, limits. A tier limits the companies on all
watchlists of an account; what a smaller tier no longer allows stays, and only adding is refused. Does not belong here:
HTTP (`api.watchlists.routes`), or SQL (`api.watchlists.repository`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import Connection

from api.common.clock import Clock
from api.common.ids import UlidGenerator, is_ulid
from api.database.engine import AsyncDatabase
from api.http.body_validation import ValidationErrors, json_pointer, read_body
from api.http.json_body import Object
from api.http.response_headers import check_if_match
from api.problems.problem import ProblemError, new_problem
from api.settings.tiers import TierCatalogue
from api.watchlists import repository
from api.watchlists.models import (
    MOST_WATCHLISTS,
    PREFIX,
    MembershipChanges,
    NewWatchlist,
    WatchedCompany,
    WatchlistChanges,
    WatchlistRecord,
)

_SHOWN: Final = 60
_USES_SHOWN: Final = 100
_USES_NAMED: Final = 3  # in the text


@dataclass(frozen=True, slots=True)
class MembershipChange:
    """What a change of companies did; `record`: the watchlist afterwards."""

    record: WatchlistRecord
    added: int
    removed: int


class WatchlistService:
    """The watchlists of all accounts."""

    def __init__(self, database: AsyncDatabase, tiers: TierCatalogue, clock: Clock, ulids: UlidGenerator) -> None:
        self._control = database
        self._tiers = tiers
        self._clock = clock
        self._ulids = ulids

    async def create(self, account_id: str, body: Object) -> WatchlistRecord:
        """Creates an empty watchlist."""
        asked, now = read_body(NewWatchlist, body), self._clock.now()
        record = WatchlistRecord(self._ulids.make(PREFIX), account_id, asked.name, 0, now, now, 1)

        def do(connection: Connection) -> WatchlistRecord:
            repository.lock_account(connection, account_id)
            if repository.count_watchlists(connection, account_id)[0] >= MOST_WATCHLISTS:
                raise _limit_problem(f"An account has at most {MOST_WATCHLISTS} watchlists.", MOST_WATCHLISTS)
            repository.insert_watchlist(connection, record)
            return _require_found(repository.find_watchlist(connection, account_id, record.watchlist_id), "")

        return await self._control.write(do)

    async def page(self, account_id: str, before: str | None, limit: int) -> list[WatchlistRecord]:
        """A page of watchlists with ids below `before`, newest first."""
        return await self._control.read(repository.watchlist_page, account_id, before, limit)

    async def get(self, account_id: str, watchlist_id: str) -> WatchlistRecord:
        """The account's watchlist, or 404."""
        found = None
        if is_ulid(PREFIX, watchlist_id):
            found = await self._control.read(repository.find_watchlist, account_id, watchlist_id)
        return _require_found(found, watchlist_id)

    async def rename(self, account_id: str, watchlist_id: str, body: Object, if_match: bytes | None) -> WatchlistRecord:
        """Applies a merge patch: the name."""
        asked = read_body(WatchlistChanges, body)
        await self.get(account_id, watchlist_id)

        def do(connection: Connection) -> WatchlistRecord:
            repository.lock_account(connection, account_id)
            record = _current(connection, account_id, watchlist_id, if_match)
            if asked.name is None or asked.name == record.name:
                return record
            repository.rename_watchlist(connection, watchlist_id, asked.name, self._clock.now())
            return _require_found(repository.find_watchlist(connection, account_id, watchlist_id), watchlist_id)

        return await self._control.write(do)

    async def remove(self, account_id: str, watchlist_id: str, if_match: bytes | None) -> None:
        """Deletes a watchlist; 409 while a webhook subscription filters by it, which would match nothing any more."""
        await self.get(account_id, watchlist_id)

        def do(connection: Connection) -> None:
            repository.lock_account(connection, account_id)
            _current(connection, account_id, watchlist_id, if_match)
            used_by = repository.subscriptions_with(connection, watchlist_id, _USES_SHOWN)
            if used_by:
                raise _in_use_problem(used_by)
            repository.delete_watchlist(connection, watchlist_id)

        await self._control.write(do)

    async def companies(
        self, account_id: str, watchlist_id: str, after: str | None, limit: int
    ) -> list[WatchedCompany]:
        """A page of a watchlist's companies with ids above `after`, by id."""
        await self.get(account_id, watchlist_id)
        return await self._control.read(repository.company_page, watchlist_id, after, limit)

    async def lists_with(self, account_id: str, company_id: str) -> set[str]:
        """Ids of the account's watchlists that a company is on."""
        return await self._control.read(repository.watchlists_with, account_id, company_id)

    async def change_companies(self, account_id: str, watchlist_id: str, body: Object) -> MembershipChange:
        """Adds and removes companies, all or none; 422 if one is to be both added and removed."""
        asked = read_body(MembershipChanges, body)
        add, remove, errors = asked.add or [], asked.remove or [], ValidationErrors()
        for place in [place for place, company in enumerate(remove) if company in {*add}][:1]:
            errors.add("contradiction", "is also to be added", json_pointer("remove", place))
        errors.check()
        return await self.change_membership(account_id, watchlist_id, add, remove)

    async def change_membership(
        self,
        account_id: str,
        watchlist_id: str,
        add: Sequence[str],
        remove: Sequence[str],
        if_match: bytes | None = None,
    ) -> MembershipChange:
        """The same for canonical company ids; companies that are there already, or not there, change nothing."""
        await self.get(account_id, watchlist_id)

        def do(connection: Connection) -> MembershipChange:
            tier = self._tiers.tier_by_name(repository.lock_account(connection, account_id))
            record = _current(connection, account_id, watchlist_id, if_match)
            there = repository.listed_companies(connection, watchlist_id, [*add, *remove])
            new = [company for company in add if company not in there]
            gone = [company for company in remove if company in there]
            if not new and not gone:
                return MembershipChange(record, 0, 0)
            total = repository.count_watchlists(connection, account_id)[1] + len(new) - len(gone)
            if new and total > tier.watchlist_companies:
                limit = tier.watchlist_companies
                raise _limit_problem(f"This tier allows {limit} companies on all watchlists.", limit)
            repository.change_companies(connection, record, new, gone, self._clock.now())
            return MembershipChange(
                replace(record, companies=record.companies + len(new) - len(gone)), len(new), len(gone)
            )

        return await self._control.write(do)


def _current(connection: Connection, account_id: str, watchlist_id: str, if_match: bytes | None) -> WatchlistRecord:
    """The watchlist, if If-Match names its revision."""
    record = _require_found(repository.find_watchlist(connection, account_id, watchlist_id), watchlist_id)
    check_if_match(if_match, record.revision, "watchlist")
    return record


def _require_found(found: WatchlistRecord | None, watchlist_id: str) -> WatchlistRecord:
    if found is None:
        raise new_problem("watchlist_not_found", f"No watchlist {watchlist_id[:_SHOWN]}.")
    return found


def _limit_problem(detail: str, limit: int) -> ProblemError:
    return new_problem("watchlist_limit_reached", detail, limit=limit)


def _in_use_problem(used_by: Sequence[str]) -> ProblemError:
    some = "a webhook subscription filters" if len(used_by) == 1 else "webhook subscriptions filter"
    detail = f"Not deleted: {some} by this watchlist. Change or delete {', '.join(used_by[:_USES_NAMED])} first."
    return new_problem("watchlist_in_use", detail, subscription_ids=[*used_by])
