"""SQL of manual redelivery: one attempt, or a time window of the log as a replay.

See docs/contract/contract.md 4.8.

The endpoint-queue lock (`api.webhooks.subscriptions.state_transitions`) is held by the caller, so that what was
read of a subscription and its deliveries is still true when written. Does not belong here: making attempts
(`api.webhooks.delivery.queue_repository`), or access control (`api.webhooks.deliveries.service`).
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, func, insert, literal, select, update

from api.database.models.webhooks import Delivery, MatchedEvent, QueuedAttempt, Replay
from api.webhooks.deliveries.records import ReplayRecord, TimeWindow
from api.webhooks.deliveries.repository import status_conditions, window_conditions
from api.webhooks.subscriptions.state_transitions import refresh_queue_time

_PREFIX_AND_TIME = 14
"""Characters of an id before its random part: `dlv_` and 10 of time."""


def queue_manual_attempt(
    connection: Connection, subscription_id: str, delivery_id: str, attempt_id: str, at: datetime
) -> None:
    """Enqueues a manual attempt, due now. The caller holds the endpoint-queue lock."""
    connection.execute(
        insert(QueuedAttempt).values(
            subscription_id=subscription_id, due_at=at, attempt_id=attempt_id, delivery_id=delivery_id, trigger="manual"
        )
    )
    refresh_queue_time(connection, subscription_id)


def queue_replay(connection: Connection, replay: ReplayRecord) -> int:
    """Enqueues the deliveries a replay selects, each with a fresh retry schedule; returns their number.

    The caller holds the endpoint-queue lock.
    """
    at = replay.created_at
    # the time part of an id: attempts of this replay carry the replay's own millisecond
    attempt = literal(f"att_{replay.replay_id[4:_PREFIX_AND_TIME]}").concat(
        func.substr(Delivery.delivery_id, _PREFIX_AND_TIME + 1)
    )
    window = TimeWindow(replay.since, replay.until)
    chosen = _replay_conditions(replay.subscription_id, window, replay.statuses, replay.event_types)
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
    _insert_replay(connection, replay, taken.rowcount)
    refresh_queue_time(connection, replay.subscription_id)
    return taken.rowcount


def _insert_replay(connection: Connection, replay: ReplayRecord, matched: int) -> None:
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


def _replay_conditions(
    subscription_id: str, window: TimeWindow, statuses: Sequence[str], event_types: Sequence[str] | None
) -> list[ColumnElement[bool]]:
    conditions = [Delivery.subscription_id == subscription_id, *window_conditions(window), *status_conditions(statuses)]
    if event_types is not None:
        event = select(literal(1)).where(
            MatchedEvent.sequence == Delivery.sequence, MatchedEvent.event_type.in_(event_types)
        )
        conditions.append(event.correlate(Delivery).exists())
    return conditions
