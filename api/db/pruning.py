"""Takes away what nobody can ask for any more, a bounded number of rows per call.

Deliveries are of one subscription at a time, oldest first: their ids rise with time, so what is too old is the
beginning of a range. What is unfinished is never taken, however old. Does not belong here: how old is too old, or
when (`api.webhooks.pruning`).
"""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, or_, select, update

from api.db.webhook_models import (
    Attempt,
    Delivery,
    IdempotentRequest,
    Lane,
    Mail,
    MatchedEvent,
    QueuedAttempt,
    Replay,
    SubscribedCompany,
    Subscription,
)
from api.db.webhook_states import UNFINISHED, lock_lanes


def next_subscription(connection: Connection, after: str, below: str) -> str | None:
    """The next subscription, by id, that has a delivery with an id below."""
    old = exists().where(Delivery.subscription_id == Lane.subscription_id, Delivery.delivery_id < below)
    statement = select(Lane.subscription_id).where(Lane.subscription_id > after, old)
    return connection.execute(statement.order_by(Lane.subscription_id).limit(1)).scalar_one_or_none()


def take_deliveries(connection: Connection, subscription_id: str, below: str, limit: int) -> int:
    """Takes the oldest deliveries that have ended, with their attempts; how many.

    One that waits for an attempt asked for by hand stays until that has been made.
    """
    lock_lanes(connection, [subscription_id])
    by_hand = select(QueuedAttempt.delivery_id).where(
        QueuedAttempt.subscription_id == subscription_id, QueuedAttempt.trigger == "manual"
    )
    wanted = list(connection.execute(by_hand).scalars())
    ended = and_(
        _old(subscription_id, below), Delivery.status.not_in(UNFINISHED), Delivery.delivery_id.not_in(wanted)
    )
    chosen = select(Delivery.delivery_id).where(ended).order_by(Delivery.delivery_id).limit(limit)
    ids = list(connection.execute(chosen).scalars())
    if ids:
        connection.execute(delete(Attempt).where(Attempt.delivery_id.in_(ids)))
        connection.execute(
            delete(Delivery).where(Delivery.subscription_id == subscription_id, Delivery.delivery_id.in_(ids))
        )
    return len(ids)


def left(connection: Connection, subscription_id: str, below: str) -> set[int]:
    """Sequences of what is old and stays: their events stay too."""
    return set(connection.execute(select(Delivery.sequence).where(_old(subscription_id, below))).scalars())


def take_events(
    connection: Connection, after: int, before: datetime, kept: Collection[int], limit: int
) -> int | None:
    """Takes up to so many events that were matched before, but for those kept; where to go on, None at the end."""
    oldest = (
        select(MatchedEvent.sequence, MatchedEvent.matched_at)
        .where(MatchedEvent.sequence > after)
        .order_by(MatchedEvent.sequence)
        .limit(limit)
    )
    found = [row.sequence for row in connection.execute(oldest) if row.matched_at < before]
    gone = [sequence for sequence in found if sequence not in kept]
    if gone:
        connection.execute(delete(MatchedEvent).where(MatchedEvent.sequence.in_(gone)))
    return found[-1] if found else None


def take_companies(connection: Connection, limit: int) -> int:
    """Takes up to so many companies of subscriptions that were deleted; how many."""
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
                SubscribedCompany.subscription_id == subscription_id,
                SubscribedCompany.company_id.in_(companies),
            )
        )
    return len(rows)


def take_subscription(connection: Connection, before: datetime) -> bool:
    """Takes one subscription that was deleted before and of which no delivery is left."""
    some = exists().where(Delivery.subscription_id == Subscription.subscription_id)
    named = exists().where(SubscribedCompany.subscription_id == Subscription.subscription_id)
    gone = connection.execute(
        select(Subscription.subscription_id).where(Subscription.deleted_at < before, ~some, ~named).limit(1)
    ).scalar_one_or_none()
    if gone is None:
        return False
    for table in (QueuedAttempt, Replay, Lane, Subscription):
        connection.execute(delete(table).where(table.subscription_id == gone))
    return True


def take_records(connection: Connection, before: datetime, requests_before: datetime) -> int:
    """Takes replays and mails that are done, and requests that are no longer repeated; how many."""
    done = connection.execute(
        delete(Replay).where(Replay.completed_at.is_not(None), Replay.created_at < before)
    ).rowcount
    done += connection.execute(
        delete(Mail).where(Mail.next_attempt_at.is_(None), Mail.created_at < before)
    ).rowcount
    return (
        done
        + connection.execute(
            delete(IdempotentRequest).where(IdempotentRequest.created_at < requests_before)
        ).rowcount
    )


def wipe_secrets(connection: Connection, at: datetime) -> int:
    """Forgets previous secrets that sign nothing any more; how many."""
    expired = or_(
        Subscription.previous_secret_expires_at <= at,
        and_(Subscription.deleted_at.is_not(None), Subscription.previous_secret.is_not(None)),
    )
    wiped = update(Subscription).where(expired)
    return connection.execute(wiped.values(previous_secret=None, previous_secret_expires_at=None)).rowcount


def _old(subscription_id: str, below: str) -> ColumnElement[bool]:
    return and_(Delivery.subscription_id == subscription_id, Delivery.delivery_id < below)
