"""SQL on subscriptions, inside a transaction the caller has begun (docs/contract/contract.md 4.8).

Lock order everywhere: the account, then the endpoint queue. State transitions (pause, resume, delete) take the
endpoint-queue lock first, so that a client, a worker and the fan-out wait for each other in one order. Does not belong
here: which operations are allowed (`api.webhooks.subscriptions.service`), or writing attempts
(`api.webhooks.delivery.attempt_repository`).
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, literal_column, select, update

from api.database.json_bulk import JsonStatement
from api.database.models.accounts import Account
from api.database.models.base import columns_of
from api.database.models.webhooks import (
    Delivery,
    EndpointState,
    QueuedAttempt,
    Replay,
    SubscribedCompany,
    Subscription,
    SubscriptionSelector,
)
from api.webhooks.subscriptions.models import DowngradedSubscription, SubscriptionRecord

UNFINISHED: Final = ("pending", "retrying")


def lock_endpoints(connection: Connection, subscription_ids: Iterable[str]) -> None:
    """Locks these endpoint queues, always in id order. SQLite needs no lock: it has one writer."""
    if connection.dialect.name == "postgresql":
        connection.execute(
            select(EndpointState.subscription_id)
            .where(EndpointState.subscription_id.in_(sorted(subscription_ids)))
            .order_by(EndpointState.subscription_id)
            .with_for_update()
        )


def pause_subscription(connection: Connection, subscription_id: str, reason: str, at: datetime) -> bool:
    """Active → paused, by compare-and-swap; True if changed. Unfinished deliveries become held."""
    lock_endpoints(connection, [subscription_id])
    if not _change_status(connection, subscription_id, "active", "paused", reason, at):
        return False
    _withdraw_deliveries(connection, subscription_id, "held", at)
    return True


def resume_subscription(connection: Connection, subscription_id: str, at: datetime) -> bool:
    """Paused → active: only new events are sent, held ones wait for a replay. Resets the failure count."""
    lock_endpoints(connection, [subscription_id])
    if not _change_status(connection, subscription_id, "paused", "active", None, at):
        return False
    connection.execute(
        update(EndpointState)
        .where(EndpointState.subscription_id == subscription_id)
        .values(consecutive_failures=0, failing_since=None)
    )
    return True


def delete_subscription(connection: Connection, subscription_id: str, at: datetime) -> bool:
    """Soft-deletes the subscription; unfinished deliveries are canceled, the secrets and the access key wiped."""
    lock_endpoints(connection, [subscription_id])
    gone = connection.execute(
        update(Subscription)
        .where(Subscription.subscription_id == subscription_id, _LIVE)
        .values(
            deleted_at=at,
            updated_at=at,
            revision=Subscription.revision + 1,
            secret=b"",
            previous_secret=None,
            previous_secret_expires_at=None,
            credentials=None,
            watchlist_id=None,
        )
    )
    if not gone.rowcount:
        return False
    replace_selectors(connection, subscription_id, ())
    _withdraw_deliveries(connection, subscription_id, "canceled", at)
    connection.execute(delete(QueuedAttempt).where(QueuedAttempt.subscription_id == subscription_id))
    refresh_queue_time(connection, subscription_id)
    return True


def refresh_queue_time(connection: Connection, subscription_id: str) -> None:
    """Updates the endpoint queue's next due time. The caller holds its lock."""
    earliest = (
        select(func.min(QueuedAttempt.due_at)).where(QueuedAttempt.subscription_id == subscription_id).scalar_subquery()
    )
    connection.execute(
        update(EndpointState).where(EndpointState.subscription_id == subscription_id).values(next_due_at=earliest)
    )


def complete_replays(connection: Connection, subscription_ids: Iterable[str], at: datetime) -> None:
    """Completes replays of these subscriptions in which every delivery has ended."""
    connection.execute(
        update(Replay)
        .where(
            Replay.subscription_id.in_(sorted(subscription_ids)),
            Replay.completed_at.is_(None),
            Replay.succeeded + Replay.failed >= Replay.matched,
        )
        .values(completed_at=at)
    )


def _change_status(
    connection: Connection, subscription_id: str, before: str, after: str, reason: str | None, at: datetime
) -> bool:
    changed = connection.execute(
        update(Subscription)
        .where(Subscription.subscription_id == subscription_id, Subscription.status == before, _LIVE)
        .values(
            status=after, status_reason=reason, status_changed_at=at, updated_at=at, revision=Subscription.revision + 1
        )
    )
    return changed.rowcount == 1


def _withdraw_deliveries(connection: Connection, subscription_id: str, into: str, at: datetime) -> None:
    """Removes unfinished deliveries from the queue; manual attempts stay.

    Deliveries of a replay count as failed in it, and a replay with nothing left is completed.
    """
    unfinished = and_(
        Delivery.subscription_id == subscription_id,
        Delivery.status.in_(UNFINISHED),
        Delivery.status != "succeeded",  # the partial index's condition: avoids scanning all succeeded deliveries
    )
    taken = (
        select(func.count())
        .where(unfinished, Delivery.replay_id == Replay.replay_id)
        .correlate(Replay)
        .scalar_subquery()
    )
    running = and_(Replay.subscription_id == subscription_id, Replay.completed_at.is_(None))
    connection.execute(update(Replay).where(running).values(failed=Replay.failed + taken))
    complete_replays(connection, [subscription_id], at)
    ended = at if into == "canceled" else None  # held ones may still be replayed
    connection.execute(update(Delivery).where(unfinished).values(status=into, next_attempt_at=None, completed_at=ended))
    connection.execute(
        delete(QueuedAttempt).where(QueuedAttempt.subscription_id == subscription_id, QueuedAttempt.trigger != "manual")
    )
    refresh_queue_time(connection, subscription_id)


_ADD_COMPANIES: Final = JsonStatement(
    "INSERT INTO webhook_companies (company_id, subscription_id, position) "
    "SELECT company_id, subscription_id, position FROM {given} ORDER BY company_id",
    "company_id text, subscription_id text, position integer",
)
# One JSON array instead of up to 10,000 rows: it is passed on unparsed.
_COMPANIES: Final = {
    "sqlite": "(SELECT json_group_array(company_id) FROM (SELECT company_id FROM webhook_companies AS one "
    "WHERE one.subscription_id = webhook_subscriptions.subscription_id ORDER BY position))",
    "postgresql": "(SELECT CAST(json_agg(company_id ORDER BY position) AS text) FROM webhook_companies AS one "
    "WHERE one.subscription_id = webhook_subscriptions.subscription_id)",
}
HELD: Final = (
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


def lock_account(connection: Connection, account_id: str) -> tuple[str, str]:
    """Locks the account's tier and status, which are returned, and its set of subscriptions."""
    account = select(Account.tier, Account.status).where(Account.account_id == account_id)
    # does not block foreign-key checks, so writing a mail under an endpoint-queue lock need not wait for this
    found = connection.execute(account.with_for_update(key_share=True)).one()
    return found.tier, found.status


def count_subscriptions(connection: Connection, account_id: str) -> int:
    """Counts subscriptions, paused ones included."""
    statement = select(func.count()).where(Subscription.account_id == account_id, _LIVE)
    return connection.execute(statement).scalar_one()


def insert_subscription(connection: Connection, values: Mapping[str, Any], companies: Sequence[str] | None) -> None:
    """Stores a new subscription with its companies (None: all) and its endpoint queue."""
    subscription_id = values["subscription_id"]
    connection.execute(insert(Subscription).values(values))
    connection.execute(insert(EndpointState).values(subscription_id=subscription_id, consecutive_failures=0))
    _add_companies(connection, subscription_id, companies)


def find_subscription(connection: Connection, account_id: str, subscription_id: str) -> SubscriptionRecord | None:
    """Returns the account's subscription; None if it is another account's, or deleted."""
    return next(iter(_select_records(connection, owned_by(account_id, subscription_id))), None)


def owned_by(account_id: str, subscription_id: str) -> ColumnElement[bool]:
    return and_(Subscription.subscription_id == subscription_id, Subscription.account_id == account_id, _LIVE)


def subscription_page(
    connection: Connection, account_id: str, status: str | None, before: str | None, limit: int
) -> list[SubscriptionRecord]:
    """Returns a page of subscriptions with ids below `before`, newest first."""
    conditions = [Subscription.account_id == account_id, _LIVE]
    if status is not None:
        conditions.append(Subscription.status == status)
    if before is not None:
        conditions.append(Subscription.subscription_id < before)
    return _select_records(connection, and_(*conditions), limit)


def change_subscription(connection: Connection, subscription_id: str, at: datetime, values: Mapping[str, Any]) -> None:
    """Stores new settings or secrets and raises the revision, by which workers notice the change."""
    connection.execute(
        update(Subscription)
        .where(Subscription.subscription_id == subscription_id)
        .values(updated_at=at, revision=Subscription.revision + 1, **values)
    )


def replace_companies(connection: Connection, subscription_id: str, companies: Sequence[str] | None) -> None:
    """Replaces the companies; call `change_subscription` with `all_companies` afterwards."""
    connection.execute(delete(SubscribedCompany).where(SubscribedCompany.subscription_id == subscription_id))
    _add_companies(connection, subscription_id, companies)


def replace_selectors(connection: Connection, subscription_id: str, selectors: Iterable[tuple[str, int]]) -> None:
    """Replaces the selectors (`api.webhooks.filters.matching`)."""
    connection.execute(delete(SubscriptionSelector).where(SubscriptionSelector.subscription_id == subscription_id))
    rows = [
        {"selector": selector, "least_change": least, "subscription_id": subscription_id}
        for selector, least in selectors
    ]
    if rows:
        connection.execute(insert(SubscriptionSelector), rows)


def downgraded_subscriptions(connection: Connection, account_id: str, limit: int) -> list[DowngradedSubscription]:
    """Returns subscriptions paused because the tier has no webhooks, newest first."""
    statement = (
        select(Subscription.subscription_id, Subscription.endpoint_url, HELD)
        .where(Subscription.account_id == account_id, _LIVE)
        .where(Subscription.status == "paused", Subscription.status_reason == "tier_downgraded")
        .order_by(Subscription.subscription_id.desc())
        .limit(limit)
    )
    return [DowngradedSubscription(*row) for row in connection.execute(statement)]


def downgrade_subscriptions(connection: Connection, account_id: str, at: datetime) -> int:
    """Pauses all subscriptions of an account that lost webhooks; returns their number."""
    ids = _locked_subscriptions(connection, account_id)
    for subscription_id in ids:
        if not pause_subscription(connection, subscription_id, "tier_downgraded", at):
            change_subscription(connection, subscription_id, at, {"status_reason": "tier_downgraded"})
    return len(ids)


def pause_subscriptions(connection: Connection, account_id: str, at: datetime) -> int:
    """Pauses all active subscriptions of an account, as by hand; returns their number."""
    ids = _locked_subscriptions(connection, account_id)
    return sum(pause_subscription(connection, subscription_id, "manual", at) for subscription_id in ids)


def _locked_subscriptions(connection: Connection, account_id: str) -> Sequence[str]:
    owned = select(Subscription.subscription_id).where(Subscription.account_id == account_id, _LIVE)
    ids = connection.execute(owned).scalars().all()
    lock_endpoints(connection, ids)
    return ids


def _add_companies(connection: Connection, subscription_id: str, companies: Sequence[str] | None) -> None:
    rows = [(company_id, subscription_id, place) for place, company_id in enumerate(companies or ())]
    _ADD_COMPANIES.run(connection, rows)


def _select_records(connection: Connection, condition: ColumnElement[bool], limit: int = 1) -> list[SubscriptionRecord]:
    companies = literal_column(_COMPANIES[connection.dialect.name])
    statement = (
        select(*_COLUMNS, HELD.label("held_deliveries"), Subscription.all_companies, companies.label("companies"))
        .join(EndpointState, EndpointState.subscription_id == Subscription.subscription_id)
        .where(condition)
        .order_by(Subscription.subscription_id.desc())
        .limit(limit)
    )
    records: list[SubscriptionRecord] = []
    for row in connection.execute(statement):
        values = row._asdict()
        values["companies"] = None if values.pop("all_companies") else values["companies"].encode()
        records.append(SubscriptionRecord(**values))
    return records


_COLUMNS: Final = columns_of(SubscriptionRecord, Subscription, EndpointState, computed=("companies", "held_deliveries"))
