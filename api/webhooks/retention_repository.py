"""Retention SQL: deletes data past its retention, a bounded number of rows per call.

Deliveries are pruned per subscription, oldest first: their ids rise with time, so expired ones are the
beginning of a range. Unfinished ones are never deleted, however old. Does not belong here: the retention
periods and the schedule (`api.webhooks.retention`).
"""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, or_, select, update

from api.database.models.accounts import IdempotentRequest
from api.database.models.outbox import Mail
from api.database.models.webhooks import (
    Attempt,
    Delivery,
    EndpointState,
    MatchedEvent,
    QueuedAttempt,
    Replay,
    SubscribedCompany,
    Subscription,
)
from api.webhooks.subscriptions.state_transitions import UNFINISHED, lock_endpoints


def next_subscription_to_prune(connection: Connection, after: str, below: str) -> str | None:
    """Returns the next subscription, by id, that has a delivery with an id below `below`."""
    old = exists().where(Delivery.subscription_id == EndpointState.subscription_id, Delivery.delivery_id < below)
    statement = select(EndpointState.subscription_id).where(EndpointState.subscription_id > after, old)
    return connection.execute(statement.order_by(EndpointState.subscription_id).limit(1)).scalar_one_or_none()


def prune_deliveries(connection: Connection, subscription_id: str, below: str, limit: int) -> int:
    """Deletes the oldest finished deliveries with their attempts; returns their number.

    A delivery with a queued manual attempt stays until that attempt has been made.
    """
    lock_endpoints(connection, [subscription_id])
    by_hand = select(QueuedAttempt.delivery_id).where(
        QueuedAttempt.subscription_id == subscription_id, QueuedAttempt.trigger == "manual"
    )
    wanted = list(connection.execute(by_hand).scalars())
    ended = and_(
        _old_deliveries(subscription_id, below), Delivery.status.not_in(UNFINISHED), Delivery.delivery_id.not_in(wanted)
    )
    chosen = select(Delivery.delivery_id).where(ended).order_by(Delivery.delivery_id).limit(limit)
    ids = list(connection.execute(chosen).scalars())
    if ids:
        connection.execute(delete(Attempt).where(Attempt.delivery_id.in_(ids)))
        connection.execute(
            delete(Delivery).where(Delivery.subscription_id == subscription_id, Delivery.delivery_id.in_(ids))
        )
    return len(ids)


def retained_sequences(connection: Connection, subscription_id: str, below: str) -> set[int]:
    """Sequences of expired deliveries that stay, so that their events stay too."""
    return set(connection.execute(select(Delivery.sequence).where(_old_deliveries(subscription_id, below))).scalars())


def prune_events(
    connection: Connection, after: int, before: datetime, retained_sequences: Collection[int], limit: int
) -> int | None:
    """Deletes up to `limit` events matched before `before`, except `retained_sequences`.

    Returns the sequence to continue after; None at the end.
    """
    oldest = (
        select(MatchedEvent.sequence, MatchedEvent.matched_at)
        .where(MatchedEvent.sequence > after)
        .order_by(MatchedEvent.sequence)
        .limit(limit)
    )
    found = [row.sequence for row in connection.execute(oldest) if row.matched_at < before]
    gone = [sequence for sequence in found if sequence not in retained_sequences]
    if gone:
        connection.execute(delete(MatchedEvent).where(MatchedEvent.sequence.in_(gone)))
    return found[-1] if found else None


def prune_companies(connection: Connection, limit: int) -> int:
    """Deletes up to `limit` companies of deleted subscriptions; returns their number."""
    chosen = (
        select(SubscribedCompany.subscription_id, SubscribedCompany.company_id)
        .join(Subscription, Subscription.subscription_id == SubscribedCompany.subscription_id)
        .where(Subscription.deleted_at.is_not(None))
        .limit(limit)
    )
    rows = list(connection.execute(chosen))
    for subscription_id in {row.subscription_id for row in rows}:
        companies = [row.company_id for row in rows if row.subscription_id == subscription_id]
        connection.execute(
            delete(SubscribedCompany).where(
                SubscribedCompany.subscription_id == subscription_id, SubscribedCompany.company_id.in_(companies)
            )
        )
    return len(rows)


def prune_subscription(connection: Connection, before: datetime) -> bool:
    """Deletes one subscription that was deleted before `before` and has no deliveries left."""
    some = exists().where(Delivery.subscription_id == Subscription.subscription_id)
    named = exists().where(SubscribedCompany.subscription_id == Subscription.subscription_id)
    gone = connection.execute(
        select(Subscription.subscription_id).where(Subscription.deleted_at < before, ~some, ~named).limit(1)
    ).scalar_one_or_none()
    if gone is None:
        return False
    for table in (QueuedAttempt, Replay, EndpointState, Subscription):
        connection.execute(delete(table).where(table.subscription_id == gone))
    return True


def prune_records(connection: Connection, before: datetime, requests_before: datetime) -> int:
    """Deletes completed replays, finished mails, and expired idempotent requests; returns their number."""
    done = connection.execute(
        delete(Replay).where(Replay.completed_at.is_not(None), Replay.created_at < before)
    ).rowcount
    done += connection.execute(delete(Mail).where(Mail.next_attempt_at.is_(None), Mail.created_at < before)).rowcount
    return (
        done
        + connection.execute(delete(IdempotentRequest).where(IdempotentRequest.created_at < requests_before)).rowcount
    )


def wipe_secrets(connection: Connection, at: datetime) -> int:
    """Wipes previous secrets that no longer sign; returns their number."""
    expired = or_(
        Subscription.previous_secret_expires_at <= at,
        and_(Subscription.deleted_at.is_not(None), Subscription.previous_secret.is_not(None)),
    )
    wiped = update(Subscription).where(expired)
    return connection.execute(wiped.values(previous_secret=None, previous_secret_expires_at=None)).rowcount


def _old_deliveries(subscription_id: str, below: str) -> ColumnElement[bool]:
    return and_(Delivery.subscription_id == subscription_id, Delivery.delivery_id < below)
