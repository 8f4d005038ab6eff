"""SQL on Stripe customers and Stripe events, inside a transaction the caller has begun.

Lock order everywhere: the account first, then its dependent rows (`api.webhooks.subscriptions.repository`). Does
not belong here: what a Stripe subscription means for an account (`api.billing.entitlement`).
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, delete, func, or_, select, update

from api.billing.entitlement import Entitlement, SignUpState
from api.database.engine import insert_into
from api.database.models.accounts import Account, StripeCustomer, StripeEvent
from api.database.models.base import columns_of
from api.webhooks.subscriptions.repository import downgrade_subscriptions, lock_account


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


def customer_of_account(connection: Connection, account_id: str) -> CustomerRecord | None:
    return _find_customer(connection, StripeCustomer.account_id == account_id)


def find_customer(connection: Connection, customer_id: str) -> CustomerRecord | None:
    return _find_customer(connection, StripeCustomer.customer_id == customer_id)


def customer_account_ids(connection: Connection) -> list[str]:
    """Ids of the accounts with a Stripe customer, oldest first."""
    statement = select(StripeCustomer.account_id).order_by(StripeCustomer.account_id)
    return list(connection.execute(statement).scalars())


def next_account_to_compare(connection: Connection, at: datetime, after: str | None) -> str | None:
    """Next account, by id, that was last compared with Stripe at or before `at`, or never."""
    old = or_(StripeCustomer.asked_at.is_(None), StripeCustomer.asked_at <= at)
    statement = select(StripeCustomer.account_id).where(old, StripeCustomer.account_id > (after or ""))
    return connection.execute(statement.order_by(StripeCustomer.account_id).limit(1)).scalar()


def set_customer(connection: Connection, account_id: str, customer_id: str, previous_customer_id: str | None) -> None:
    """Sets the account's customer, replacing `previous_customer_id`; a concurrent change that came first wins."""
    if previous_customer_id is None:
        statement = insert_into(connection, StripeCustomer)
        values = {"account_id": account_id, "customer_id": customer_id, "revision": 1}
        connection.execute(statement.values(values).on_conflict_do_nothing())
        return
    mine = and_(StripeCustomer.account_id == account_id, StripeCustomer.customer_id == previous_customer_id)
    changed = {"customer_id": customer_id, "revision": StripeCustomer.revision + 1}
    connection.execute(update(StripeCustomer).where(mine).values(changed))


def has_seen_event(connection: Connection, event_id: str) -> bool:
    statement = select(StripeEvent.event_id).where(StripeEvent.event_id == event_id)
    return connection.execute(statement).first() is not None


def note_event(connection: Connection, event_id: str, event_type: str, at: datetime, delete_before: datetime) -> None:
    """Records the event id once; deletes those received before `delete_before`."""
    connection.execute(delete(StripeEvent).where(StripeEvent.received_at < delete_before))
    statement = insert_into(connection, StripeEvent)
    values = {"event_id": event_id, "event_type": event_type, "received_at": at}
    connection.execute(statement.values(values).on_conflict_do_nothing())


def count_given_accounts(connection: Connection, ended_status: str) -> int:
    """Counts active accounts without a subscription, or with one of status `ended_status`."""
    governed = (
        select(StripeCustomer.account_id)
        .where(StripeCustomer.account_id == Account.account_id, StripeCustomer.stripe_status != ended_status)
        .exists()
    )
    return connection.execute(select(func.count()).where(Account.status == "active", ~governed)).scalar_one()


def store_stripe_state(connection: Connection, stored: CustomerRecord, state: Entitlement | None, at: datetime) -> bool:
    """Stores the state fetched from Stripe after `stored` was read; False if the row changed meanwhile.

    The stored state was thus always fetched after the one it replaces: of two concurrent fetches the second
    to store must fetch again. None as the state: no subscription has begun.
    """
    lock_account(connection, stored.account_id)
    same = and_(StripeCustomer.account_id == stored.account_id, StripeCustomer.revision == stored.revision)
    values: dict[str, object] = {"revision": stored.revision + 1, "asked_at": at}
    if state is not None:
        values |= {
            "subscription_id": state.subscription_id,
            "stripe_status": state.stripe_status,
            "ends_at": state.ends_at,
        }
    return connection.execute(update(StripeCustomer).where(same).values(values)).rowcount == 1


def entitle(
    connection: Connection, account_id: str, grant: SignUpState | Entitlement, at: datetime, *, has_webhooks: bool
) -> None:
    """Sets the account's tier and status; a suspended account stays suspended.

    If webhooks are lost, the account's subscriptions are paused (docs/contract/contract.md 4.8), once: an
    unchanged entitlement is not written again, so the owner's own pauses keep their reason.
    """
    before = connection.execute(
        select(Account.tier, Account.status, Account.trial_ends_at).where(Account.account_id == account_id)
    ).one()
    status = "suspended" if before.status == "suspended" else grant.status
    after = (grant.tier, status, grant.trial_ends_at)
    if tuple(before) == after:
        return
    connection.execute(
        update(Account)
        .where(Account.account_id == account_id)
        .values(tier=grant.tier, status=status, trial_ends_at=grant.trial_ends_at, updated_at=at)
    )
    if not has_webhooks and tuple(before)[:2] != after[:2]:
        downgrade_subscriptions(connection, account_id, at)


def _find_customer(connection: Connection, condition: ColumnElement[bool]) -> CustomerRecord | None:
    row = connection.execute(select(*columns_of(CustomerRecord, StripeCustomer)).where(condition)).one_or_none()
    return None if row is None else CustomerRecord(*row)
