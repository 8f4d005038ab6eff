"""SQL of manual redelivery: one attempt, or a time window of the log as a replay.

See docs/contract/contract.md 4.8.

The endpoint-queue lock (`api.db.webhook_states`) is held by the caller, so that what was read of a subscription
and its deliveries is still true when written. Does not belong here: making attempts (`api.db.queue`), or access
control (`api.webhooks.redelivery`).
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, func, insert, literal, select, update

from api.db.deliveries import of_statuses, within
from api.db.delivery_records import ReplayRecord, Window
from api.db.webhook_models import Delivery, MatchedEvent, QueuedAttempt, Replay
from api.db.webhook_states import settle_lane

_PREFIX_AND_TIME = 14
"""Characters of an id before its random part: `dlv_` and 10 of time."""


def queue_by_hand(
    connection: Connection, subscription_id: str, delivery_id: str, attempt_id: str, at: datetime
) -> None:
    """Enqueues a manual attempt, due now. The caller holds the endpoint-queue lock."""
    connection.execute(
        insert(QueuedAttempt).values(
            subscription_id=subscription_id,
            due_at=at,
            attempt_id=attempt_id,
            delivery_id=delivery_id,
            trigger="manual",
        )
    )
    settle_lane(connection, subscription_id)


def queue_replay(connection: Connection, replay: ReplayRecord) -> int:
    """Enqueues the deliveries a replay selects, each with a fresh retry schedule; returns their number.

    The caller holds the endpoint-queue lock.
    """
    at = replay.created_at
    # the time part of an id: attempts of this replay carry the replay's own millisecond
    attempt = literal(f"att_{replay.replay_id[4:_PREFIX_AND_TIME]}").concat(
        func.substr(Delivery.delivery_id, _PREFIX_AND_TIME + 1)
    )
    window = Window(replay.since, replay.until)
    chosen = _chosen(replay.subscription_id, window, replay.statuses, replay.event_types)
    connection.execute(
        insert(QueuedAttempt).from_select(
            ["subscription_id", "due_at", "attempt_id", "delivery_id", "trigger"],
            select(
                Delivery.subscription_id,
                literal(at, QueuedAttempt.due_at.type),
                attempt,
                Delivery.delivery_id,
                literal("replay"),
            ).where(*chosen),
        )
    )
    taken = connection.execute(
        update(Delivery)
        .where(*chosen)
        .values(status="pending", tries=0, next_attempt_at=at, completed_at=None, replay_id=replay.replay_id)
    )
    _record(connection, replay, taken.rowcount)
    settle_lane(connection, replay.subscription_id)
    return taken.rowcount


def _record(connection: Connection, replay: ReplayRecord, matched: int) -> None:
    connection.execute(
        insert(Replay).values(
            replay_id=replay.replay_id,
            subscription_id=replay.subscription_id,
            since=replay.since,
            until=replay.until,
            statuses=list(replay.statuses),
            event_types=None if replay.event_types is None else list(replay.event_types),
            matched=matched,
            succeeded=0,
            failed=0,
            created_at=replay.created_at,
            completed_at=None if matched else replay.created_at,
        )
    )


def _chosen(
    subscription_id: str, window: Window, statuses: Sequence[str], event_types: Sequence[str] | None
) -> list[ColumnElement[bool]]:
    conditions = [Delivery.subscription_id == subscription_id, *within(window), *of_statuses(statuses)]
    if event_types is not None:
        event = select(literal(1)).where(
            MatchedEvent.sequence == Delivery.sequence, MatchedEvent.event_type.in_(event_types)
        )
        conditions.append(event.correlate(Delivery).exists())
    return conditions
