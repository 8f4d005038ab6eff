"""SQL on Stripe customers and Stripe events, inside a transaction the caller has begun.

Lock order everywhere: the account first, then its dependent rows (`api.webhooks.subscriptions.repository`). Does
not belong here: what a Stripe subscription means for an account (`api.billing.entitlement`).
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, and_, delete, func, or_, select, update

from api.database.engine import insert_into
from api.database.models.accounts import Account
from api.database.models.base import columns_of
from api.database.models.billing import StripeCustomer, StripeEvent
from api.webhooks.subscriptions.repository import SubscriptionRepository


@dataclass(frozen=True, slots=True)
class CustomerRecord:
    """The Stripe customer of an account.

    `revision` counts the changes of the row; updates name the revision they read (optimistic locking).
    """

    account_id: str
    customer_id: str
    revision: int
    subscription_id: str | None
    stripe_status: str | None
    ends_at: datetime | None
    asked_at: datetime | None


@dataclass(frozen=True, slots=True)
class AccountGrant:
    """Entitlement of an account; `has_webhooks`: whether deliveries continue."""

    tier: str
    status: str
    trial_ends_at: datetime | None
    has_webhooks: bool


@dataclass(frozen=True, slots=True)
class StripeState:
    """State of the Stripe subscription that counts."""

    subscription_id: str
    stripe_status: str
    ends_at: datetime | None


class BillingRepository:
    """Stripe customers and events, on a connection in a transaction the caller has begun."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of_account(self, account_id: str) -> CustomerRecord | None:
        return self._find_customer(StripeCustomer.account_id == account_id)

    def of_customer(self, customer_id: str) -> CustomerRecord | None:
        return self._find_customer(StripeCustomer.customer_id == customer_id)

    def all_accounts(self) -> list[str]:
        """Ids of the accounts with a Stripe customer, oldest first."""
        statement = select(StripeCustomer.account_id).order_by(StripeCustomer.account_id)
        return list(self._connection.execute(statement).scalars())

    def next_account_to_compare(self, at: datetime, after: str | None) -> str | None:
        """Next account, by id, that was last compared with Stripe at or before `at`, or never."""
        old = or_(StripeCustomer.asked_at.is_(None), StripeCustomer.asked_at <= at)
        statement = select(StripeCustomer.account_id).where(old, StripeCustomer.account_id > (after or ""))
        return self._connection.execute(statement.order_by(StripeCustomer.account_id).limit(1)).scalar()

    def set_customer(self, account_id: str, customer_id: str, previous_customer_id: str | None) -> None:
        """Sets the account's customer, replacing `previous_customer_id`; a concurrent change that came first wins."""
        if previous_customer_id is None:
            statement = insert_into(self._connection, StripeCustomer)
            values = {"account_id": account_id, "customer_id": customer_id, "revision": 1}
            self._connection.execute(statement.values(values).on_conflict_do_nothing())
            return
        mine = and_(StripeCustomer.account_id == account_id, StripeCustomer.customer_id == previous_customer_id)
        changed = {"customer_id": customer_id, "revision": StripeCustomer.revision + 1}
        self._connection.execute(update(StripeCustomer).where(mine).values(changed))

    def has_seen(self, event_id: str) -> bool:
        statement = select(StripeEvent.event_id).where(StripeEvent.event_id == event_id)
        return self._connection.execute(statement).first() is not None

    def note_event(self, event_id: str, event_type: str, at: datetime, delete_before: datetime) -> None:
        """Records the event id once; deletes those received before `delete_before`."""
        self._connection.execute(delete(StripeEvent).where(StripeEvent.received_at < delete_before))
        statement = insert_into(self._connection, StripeEvent)
        values = {"event_id": event_id, "event_type": event_type, "received_at": at}
        self._connection.execute(statement.values(values).on_conflict_do_nothing())

    def lock(self, account_id: str) -> None:
        """Locks the account row until the transaction ends.

        Taken first by everything that goes on to the account's subscriptions.
        """
        self._connection.execute(
            select(Account.account_id).where(Account.account_id == account_id).with_for_update(key_share=True)
        )

    def count_given(self, ended_status: str) -> int:
        """Counts active accounts without a subscription, or with one of status `ended_status`."""
        governed = (
            select(StripeCustomer.account_id)
            .where(StripeCustomer.account_id == Account.account_id, StripeCustomer.stripe_status != ended_status)
            .exists()
        )
        statement = select(func.count()).where(Account.status == "active", ~governed)
        return self._connection.execute(statement).scalar_one()

    def store_stripe_state(self, stored: CustomerRecord, state: StripeState | None, at: datetime) -> bool:
        """Stores the state fetched from Stripe after `stored` was read; False if the row changed meanwhile.

        The stored state was thus always fetched after the one it replaces: of two concurrent fetches the second
        to store must fetch again. None as the state: no subscription has begun.
        """
        self.lock(stored.account_id)
        same = and_(StripeCustomer.account_id == stored.account_id, StripeCustomer.revision == stored.revision)
        values: dict[str, object] = {"revision": stored.revision + 1, "asked_at": at}
        if state is not None:
            values |= {
                "subscription_id": state.subscription_id,
                "stripe_status": state.stripe_status,
                "ends_at": state.ends_at,
            }
        return self._connection.execute(update(StripeCustomer).where(same).values(values)).rowcount == 1

    def entitle(self, account_id: str, grant: AccountGrant, at: datetime) -> None:
        """Sets the account's tier and status; a suspended account stays suspended.

        If webhooks are lost, the account's subscriptions are paused (docs/contract/contract.md 4.8), once: an
        unchanged entitlement is not written again, so the owner's own pauses keep their reason.
        """
        before = self._connection.execute(
            select(Account.tier, Account.status, Account.trial_ends_at).where(Account.account_id == account_id)
        ).one()
        status = "suspended" if before.status == "suspended" else grant.status
        after = (grant.tier, status, grant.trial_ends_at)
        if tuple(before) == after:
            return
        self._connection.execute(
            update(Account)
            .where(Account.account_id == account_id)
            .values(tier=grant.tier, status=status, trial_ends_at=grant.trial_ends_at, updated_at=at)
        )
        if not grant.has_webhooks and tuple(before)[:2] != after[:2]:
            SubscriptionRepository(self._connection).downgrade(account_id, at)

    def _find_customer(self, condition: object) -> CustomerRecord | None:
        columns = columns_of(CustomerRecord, StripeCustomer)
        row = self._connection.execute(select(*columns).where(condition)).one_or_none()  # type: ignore[arg-type]
        return None if row is None else CustomerRecord(*row)
