"""SQL on watchlists, inside a transaction the caller has begun.

Changes of a watchlist lock its account first, so that the tier's limit holds for requests at the same time. Does not
belong here: which changes are allowed (`api.watchlists.service`).
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, func, insert, select, update

from api.database.models.accounts import Account
from api.database.models.base import columns_of, values_of
from api.database.models.watchlists import Watchlist, WatchlistCompany
from api.database.models.webhooks import Subscription
from api.watchlists.models import WatchedCompany, WatchlistRecord

_NAMED_AT_ONCE = 10_000
_COLUMNS = columns_of(WatchlistRecord, Watchlist)


def lock_account(connection: Connection, account_id: str) -> str:
    """Locks the account's watchlists until the transaction ends; returns its tier."""
    found = select(Account.tier).where(Account.account_id == account_id).with_for_update(key_share=True)
    return connection.execute(found).scalar_one()


def find_watchlist(connection: Connection, account_id: str, watchlist_id: str) -> WatchlistRecord | None:
    """The account's watchlist; None if it is another account's, or deleted."""
    owned = select(*_COLUMNS).where(Watchlist.watchlist_id == watchlist_id, Watchlist.account_id == account_id)
    row = connection.execute(owned).first()
    return None if row is None else WatchlistRecord(*row)


def watchlist_page(connection: Connection, account_id: str, before: str | None, limit: int) -> list[WatchlistRecord]:
    """A page of watchlists with ids below `before`, newest first."""
    statement = select(*_COLUMNS).where(Watchlist.account_id == account_id)
    if before is not None:
        statement = statement.where(Watchlist.watchlist_id < before)
    rows = connection.execute(statement.order_by(Watchlist.watchlist_id.desc()).limit(limit))
    return [WatchlistRecord(*row) for row in rows]


def count_watchlists(connection: Connection, account_id: str) -> tuple[int, int]:
    """Number of an account's watchlists, and of the companies on them."""
    totals = select(func.count(), func.coalesce(func.sum(Watchlist.companies), 0))
    lists, companies = connection.execute(totals.where(Watchlist.account_id == account_id)).one()
    return lists, companies


def insert_watchlist(connection: Connection, record: WatchlistRecord) -> None:
    """Stores a new watchlist."""
    connection.execute(insert(Watchlist).values(values_of(record, Watchlist)))


def rename_watchlist(connection: Connection, watchlist_id: str, name: str, at: datetime) -> None:
    """Changes the name, the revision and the instant of the last change."""
    _change(connection, watchlist_id, at, name=name)


def subscriptions_with(connection: Connection, watchlist_id: str, limit: int) -> list[str]:
    """Webhook subscriptions with a filter by this watchlist, newest first."""
    found = select(Subscription.subscription_id).where(
        Subscription.watchlist_id == watchlist_id, Subscription.deleted_at.is_(None)
    )
    return list(connection.scalars(found.order_by(Subscription.subscription_id.desc()).limit(limit)))


def delete_watchlist(connection: Connection, watchlist_id: str) -> None:
    """Deletes a watchlist and the list of its companies."""
    connection.execute(delete(WatchlistCompany).where(WatchlistCompany.watchlist_id == watchlist_id))
    connection.execute(delete(Watchlist).where(Watchlist.watchlist_id == watchlist_id))


def company_page(connection: Connection, watchlist_id: str, after: str | None, limit: int) -> list[WatchedCompany]:
    """A page of a watchlist's companies with ids above `after`, by id."""
    columns = select(WatchlistCompany.company_id, WatchlistCompany.added_at)
    statement = columns.where(WatchlistCompany.watchlist_id == watchlist_id)
    if after is not None:
        statement = statement.where(WatchlistCompany.company_id > after)
    rows = connection.execute(statement.order_by(WatchlistCompany.company_id).limit(limit))
    return [WatchedCompany(*row) for row in rows]


def listed_companies(connection: Connection, watchlist_id: str, company_ids: Collection[str]) -> set[str]:
    """Those of the companies that are on the watchlist."""
    listed = select(WatchlistCompany.company_id).where(WatchlistCompany.watchlist_id == watchlist_id)
    parts = _parts(company_ids)
    return {one for part in parts for one in connection.scalars(listed.where(WatchlistCompany.company_id.in_(part)))}


def watchlists_with(connection: Connection, account_id: str, company_id: str) -> set[str]:
    """The account's watchlists that a company is on."""
    found = select(WatchlistCompany.watchlist_id).join(
        Watchlist, Watchlist.watchlist_id == WatchlistCompany.watchlist_id
    )
    return {
        *connection.scalars(found.where(Watchlist.account_id == account_id, WatchlistCompany.company_id == company_id))
    }


def owned_watchlists(connection: Connection, account_id: str, watchlist_ids: Collection[str]) -> set[str]:
    """Those of the watchlists that are the account's."""
    owned = select(Watchlist.watchlist_id).where(
        Watchlist.account_id == account_id, Watchlist.watchlist_id.in_([*watchlist_ids])
    )
    return {*connection.scalars(owned)}


def watched_companies(
    connection: Connection, watchlist_ids: Collection[str], company_ids: Collection[str]
) -> dict[str, set[str]]:
    """Which of the companies are on each of the watchlists."""
    return {one: listed_companies(connection, one, company_ids) for one in watchlist_ids}


def change_companies(
    connection: Connection, record: WatchlistRecord, add: Sequence[str], remove: Collection[str], at: datetime
) -> None:
    """Adds companies that are not on the watchlist, and removes some that are."""
    for part in _parts(remove):
        gone = WatchlistCompany.company_id.in_(part)
        connection.execute(delete(WatchlistCompany).where(WatchlistCompany.watchlist_id == record.watchlist_id, gone))
    if add:
        new = [{"watchlist_id": record.watchlist_id, "company_id": company, "added_at": at} for company in add]
        connection.execute(insert(WatchlistCompany), new)
    _change(connection, record.watchlist_id, at, companies=record.companies + len(add) - len(remove))


def _change(connection: Connection, watchlist_id: str, at: datetime, **values: str | int) -> None:
    changed = update(Watchlist).where(Watchlist.watchlist_id == watchlist_id)
    connection.execute(changed.values(updated_at=at, revision=Watchlist.revision + 1, **values))


def _parts(company_ids: Collection[str]) -> list[list[str]]:
    """The companies by as many as one statement may name."""
    named = [*company_ids]
    return [named[start : start + _NAMED_AT_ONCE] for start in range(0, len(named), _NAMED_AT_ONCE)]
