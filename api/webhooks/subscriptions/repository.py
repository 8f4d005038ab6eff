"""SQL on subscriptions, inside a transaction the caller has begun (docs/contract/contract.md 4.8).

Lock order everywhere: the account, then the endpoint queue. State transitions are in
`api.webhooks.subscriptions.state_transitions`. Does not belong here: which operations are allowed
(`api.webhooks.subscriptions.service`).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, literal_column, select, update

from api.database.json_bulk import JsonStatement
from api.database.models.accounts import Account
from api.database.models.base import columns_of
from api.database.models.webhooks import Delivery, EndpointState, SubscribedCompany, Subscription
from api.webhooks.subscriptions.records import AccountTier, DowngradedSubscription, NewSubscription, SubscriptionRecord
from api.webhooks.subscriptions.state_transitions import lock_endpoints, pause_subscription

_ADD_COMPANIES: Final = JsonStatement(
    "INSERT INTO webhook_companies (company_id, subscription_id, position) "
    "SELECT company_id, subscription_id, position FROM {given} ORDER BY company_id",
    company_id="text",
    subscription_id="text",
    position="integer",
)
# One JSON array instead of up to 10,000 rows: it is passed on unparsed.
_COMPANIES: Final = {
    "sqlite": "(SELECT json_group_array(company_id) FROM (SELECT company_id FROM webhook_companies AS one "
    "WHERE one.subscription_id = webhook_subscriptions.subscription_id ORDER BY position))",
    "postgresql": "(SELECT CAST(json_agg(company_id ORDER BY position) AS text) FROM webhook_companies AS one "
    "WHERE one.subscription_id = webhook_subscriptions.subscription_id)",
}
_HELD: Final = (
    select(func.count())
    # a literal as in the partial index: with a bound value neither engine sees that it covers the query
    .where(
        Delivery.subscription_id == Subscription.subscription_id,
        Delivery.status == "held",
        literal_column("webhook_deliveries.status <> 'succeeded'"),
    )
    .correlate(Subscription)
    .scalar_subquery()
)
_LIVE: Final = Subscription.deleted_at.is_(None)


class SubscriptionRepository:
    """Subscriptions of accounts, on a connection in a transaction the caller has begun."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def lock_account(self, account_id: str) -> AccountTier:
        """Locks the account's tier and its set of subscriptions until the transaction ends."""
        found = self._connection.execute(
            # does not block foreign-key checks, so writing a mail under an endpoint-queue lock need not wait
            # for this
            select(Account.tier, Account.status).where(Account.account_id == account_id).with_for_update(key_share=True)
        ).one()
        return AccountTier(found.tier, found.status, self.count(account_id))

    def count(self, account_id: str) -> int:
        """Counts subscriptions, paused ones included."""
        statement = select(func.count()).where(Subscription.account_id == account_id, _LIVE)
        return self._connection.execute(statement).scalar_one()

    def add(self, new: NewSubscription) -> None:
        self._connection.execute(
            insert(Subscription).values(
                subscription_id=new.subscription_id,
                account_id=new.account_id,
                endpoint_url=new.endpoint_url,
                event_types=list(new.event_types),
                event_mask=new.event_mask,
                all_companies=new.companies is None,
                description=new.description,
                max_per_second=new.max_per_second,
                status=new.status,
                status_reason=new.status_reason,
                status_changed_at=new.created_at,
                created_at=new.created_at,
                updated_at=new.created_at,
                revision=1,
                from_sequence=new.from_sequence,
                secret=new.secret,
                secret_hint=new.secret_hint,
                previous_secret=None,
                previous_secret_expires_at=None,
                deleted_at=None,
            )
        )
        self._connection.execute(
            insert(EndpointState).values(subscription_id=new.subscription_id, consecutive_failures=0)
        )
        self._add_companies(new.subscription_id, new.companies)

    def find(self, account_id: str, subscription_id: str) -> SubscriptionRecord | None:
        """Returns the account's subscription; None if it is another account's, or deleted."""
        found = self._select_records(_owned_by(account_id, subscription_id))
        return found[0] if found else None

    def lock(self, account_id: str, subscription_id: str) -> SubscriptionRecord | None:
        """Returns the account's subscription, locked until the transaction ends."""
        if self._connection.execute(
            select(Subscription.subscription_id).where(_owned_by(account_id, subscription_id))
        ).first():
            lock_endpoints(self._connection, [subscription_id])
        return self.find(account_id, subscription_id)

    def page(self, account_id: str, status: str | None, before: str | None, limit: int) -> list[SubscriptionRecord]:
        """Returns a page of subscriptions with ids below `before`, newest first."""
        conditions = [Subscription.account_id == account_id, _LIVE]
        if status is not None:
            conditions.append(Subscription.status == status)
        if before is not None:
            conditions.append(Subscription.subscription_id < before)
        return self._select_records(and_(*conditions), limit)

    def change(self, subscription_id: str, at: datetime, values: Mapping[str, Any]) -> None:
        """Stores new settings or secrets and raises the revision, by which workers notice the change."""
        self._connection.execute(
            update(Subscription)
            .where(Subscription.subscription_id == subscription_id)
            .values(updated_at=at, revision=Subscription.revision + 1, **values)
        )

    def replace_companies(self, subscription_id: str, companies: Sequence[str] | None) -> None:
        """Replaces the companies; call `change` with `all_companies` afterwards."""
        self._connection.execute(delete(SubscribedCompany).where(SubscribedCompany.subscription_id == subscription_id))
        self._add_companies(subscription_id, companies)

    def downgraded(self, account_id: str, limit: int) -> list[DowngradedSubscription]:
        """Returns subscriptions paused because the tier has no webhooks, newest first."""
        owned = and_(Subscription.account_id == account_id, _LIVE)
        statement = (
            select(Subscription.subscription_id, Subscription.endpoint_url, _HELD)
            .where(owned, Subscription.status == "paused", Subscription.status_reason == "tier_downgraded")
            .order_by(Subscription.subscription_id.desc())
            .limit(limit)
        )
        return [DowngradedSubscription(*row) for row in self._connection.execute(statement)]

    def downgrade(self, account_id: str, at: datetime) -> int:
        """Pauses all subscriptions of an account that lost webhooks; returns their number."""
        owned = and_(Subscription.account_id == account_id, _LIVE)
        ids = self._connection.execute(select(Subscription.subscription_id).where(owned)).scalars().all()
        lock_endpoints(self._connection, ids)
        for subscription_id in ids:
            if not pause_subscription(self._connection, subscription_id, "tier_downgraded", at):
                self.change(subscription_id, at, {"status_reason": "tier_downgraded"})
        return len(ids)

    def _add_companies(self, subscription_id: str, companies: Sequence[str] | None) -> None:
        if companies is not None:
            rows = [(company_id, subscription_id, place) for place, company_id in enumerate(companies)]
            _ADD_COMPANIES.run(self._connection, rows)

    def _select_records(self, condition: ColumnElement[bool], limit: int = 1) -> list[SubscriptionRecord]:
        companies = literal_column(_COMPANIES[self._connection.dialect.name])
        statement = (
            select(*_COLUMNS, _HELD.label("held_deliveries"), Subscription.all_companies, companies.label("companies"))
            .join(EndpointState, EndpointState.subscription_id == Subscription.subscription_id)
            .where(condition)
            .order_by(Subscription.subscription_id.desc())
            .limit(limit)
        )
        return [_subscription_record(row._asdict()) for row in self._connection.execute(statement)]


_COLUMNS: Final = columns_of(SubscriptionRecord, Subscription, EndpointState, computed=("companies", "held_deliveries"))


def _owned_by(account_id: str, subscription_id: str) -> ColumnElement[bool]:
    return and_(Subscription.subscription_id == subscription_id, Subscription.account_id == account_id, _LIVE)


def _subscription_record(row: dict[str, Any]) -> SubscriptionRecord:
    all_companies, companies = row.pop("all_companies"), row.pop("companies")
    return SubscriptionRecord(**row, companies=None if all_companies else companies.encode())
