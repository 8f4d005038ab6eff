"""State transitions of a subscription: pause, resume, delete; shared by all callers.

Every function runs on a connection in a transaction the caller has begun, and takes the endpoint-queue lock
first, so that a client, a worker and the fan-out wait for each other in one order. Does not belong here: access
control (`api.webhooks.subscriptions.service`), or writing attempts (`api.webhooks.delivery.attempt_repository`).
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, and_, delete, func, select, update

from api.database.models.webhooks import Delivery, EndpointState, QueuedAttempt, Replay, Subscription

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
    """Soft-deletes the subscription; unfinished deliveries are canceled, the secrets wiped."""
    lock_endpoints(connection, [subscription_id])
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
        .where(
            Subscription.subscription_id == subscription_id,
            Subscription.status == before,
            Subscription.deleted_at.is_(None),
        )
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
