"""Changes of a subscription's state, each in one place, whoever asks for it: a client, a tier, the engine.

Every function works on a connection whose transaction its caller has begun, and takes the lane's lock first, so
that a client who pauses, a worker who pauses and the fan-out that adds deliveries wait for each other in one order.
Does not belong here: who may ask (`api.webhooks.subscriptions`), or what a worker writes of attempts
(`api.db.queue`).
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, and_, delete, func, select, update

from api.db.webhook_models import Delivery, Lane, QueuedAttempt, Replay, Subscription

UNFINISHED: Final = ("pending", "retrying")


def lock_lanes(connection: Connection, subscription_ids: Iterable[str]) -> None:
    """Waits until nobody else changes these lanes; in one order everywhere. SQLite has one writer anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(
            select(Lane.subscription_id)
            .where(Lane.subscription_id.in_(sorted(subscription_ids)))
            .order_by(Lane.subscription_id)
            .with_for_update()
        )


def pause(connection: Connection, subscription_id: str, reason: str, at: datetime) -> bool:
    """Active → paused, by compare-and-set: True for the one who did it. What is unfinished is held."""
    lock_lanes(connection, [subscription_id])
    if not _change(connection, subscription_id, "active", "paused", reason, at):
        return False
    _withdraw(connection, subscription_id, "held", at)
    return True


def resume(connection: Connection, subscription_id: str, at: datetime) -> bool:
    """Paused → active: new events only, held ones wait for a replay. The count of failures begins again."""
    lock_lanes(connection, [subscription_id])
    if not _change(connection, subscription_id, "paused", "active", None, at):
        return False
    connection.execute(
        update(Lane)
        .where(Lane.subscription_id == subscription_id)
        .values(consecutive_failures=0, failing_since=None)
    )
    return True


def remove(connection: Connection, subscription_id: str, at: datetime) -> bool:
    """Gone for callers; what is unfinished is canceled, the secrets are wiped."""
    lock_lanes(connection, [subscription_id])
    gone = connection.execute(
        update(Subscription)
        .where(Subscription.subscription_id == subscription_id, Subscription.deleted_at.is_(None))
        .values(
            deleted_at=at,
            updated_at=at,
            revision=Subscription.revision + 1,
            secret=b"",
            previous_secret=None,
            previous_secret_expires_at=None,
        )
    )
    if not gone.rowcount:
        return False
    _withdraw(connection, subscription_id, "canceled", at)
    connection.execute(delete(QueuedAttempt).where(QueuedAttempt.subscription_id == subscription_id))
    settle_lane(connection, subscription_id)
    return True


def settle_lane(connection: Connection, subscription_id: str) -> None:
    """Says when the lane has something due next. The caller holds the lane's lock."""
    earliest = (
        select(func.min(QueuedAttempt.due_at))
        .where(QueuedAttempt.subscription_id == subscription_id)
        .scalar_subquery()
    )
    connection.execute(
        update(Lane).where(Lane.subscription_id == subscription_id).values(next_due_at=earliest)
    )


def end_replays(connection: Connection, subscription_ids: Iterable[str], at: datetime) -> None:
    """Marks replays of these subscriptions complete in which every delivery has ended."""
    connection.execute(
        update(Replay)
        .where(
            Replay.subscription_id.in_(sorted(subscription_ids)),
            Replay.completed_at.is_(None),
            Replay.succeeded + Replay.failed >= Replay.matched,
        )
        .values(completed_at=at)
    )


def _change(
    connection: Connection, subscription_id: str, before: str, after: str, reason: str | None, at: datetime
) -> bool:
    changed = connection.execute(
        update(Subscription)
        .where(
            Subscription.subscription_id == subscription_id,
            Subscription.status == before,
            Subscription.deleted_at.is_(None),
        )
        .values(
            status=after,
            status_reason=reason,
            status_changed_at=at,
            updated_at=at,
            revision=Subscription.revision + 1,
        )
    )
    return changed.rowcount == 1


def _withdraw(connection: Connection, subscription_id: str, into: str, at: datetime) -> None:
    """Takes unfinished deliveries out of the queue; attempts that were asked for by hand stay in it.

    What belongs to a replay counts as failed in it, and a replay with nothing left is complete.
    """
    unfinished = and_(
        Delivery.subscription_id == subscription_id,
        Delivery.status.in_(UNFINISHED),
        Delivery.status != "succeeded",  # what the index is of: it spares a walk through all that succeeded
    )
    taken = (
        select(func.count())
        .where(unfinished, Delivery.replay_id == Replay.replay_id)
        .correlate(Replay)
        .scalar_subquery()
    )
    running = and_(Replay.subscription_id == subscription_id, Replay.completed_at.is_(None))
    connection.execute(update(Replay).where(running).values(failed=Replay.failed + taken))
    end_replays(connection, [subscription_id], at)
    ended = at if into == "canceled" else None  # a held one may still be replayed
    connection.execute(
        update(Delivery).where(unfinished).values(status=into, next_attempt_at=None, completed_at=ended)
    )
    connection.execute(
        delete(QueuedAttempt).where(
            QueuedAttempt.subscription_id == subscription_id, QueuedAttempt.trigger != "manual"
        )
    )
    settle_lane(connection, subscription_id)
