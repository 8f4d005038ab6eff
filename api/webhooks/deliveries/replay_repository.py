"""SQL of manual redelivery: one attempt, or a time window of the log as a replay, and the progress of replays.

See docs/contract/contract.md 4.8.

The endpoint-queue lock (`api.webhooks.subscriptions.state_transitions`) is held by the caller, so that what was
read of a subscription and its deliveries is still true when written. Does not belong here: making attempts
(`api.webhooks.delivery.queue_repository`), or access control (`api.webhooks.deliveries.service`).
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, func, insert, literal, select, update

from api.database.models.base import values_of
from api.database.models.webhooks import Delivery, MatchedEvent, QueuedAttempt, Replay
from api.webhooks.deliveries.records import ReplayRecord, TimeWindow
from api.webhooks.deliveries.repository import status_conditions, window_conditions
from api.webhooks.subscriptions.state_transitions import complete_replays, refresh_queue_time

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
    values = values_of(replay, Replay) | {"matched": taken.rowcount, "completed_at": None if taken.rowcount else at}
    connection.execute(insert(Replay).values(values))
    refresh_queue_time(connection, replay.subscription_id)
    return taken.rowcount


class ReplayCounts:
    """Counts replay deliveries that ended in one transaction; written once, at its end."""

    def __init__(self) -> None:
        self._succeeded: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._subscriptions: set[str] = set()

    def count(self, replay_id: str | None, subscription_id: str, succeeded: bool) -> None:
        """Counts one ended delivery; no effect if it belongs to no replay."""
        if replay_id is not None:
            (self._succeeded if succeeded else self._failed)[replay_id] += 1
            self._subscriptions.add(subscription_id)

    def write(self, connection: Connection, at: datetime) -> None:
        """Writes the counters, and completes replays in which every delivery has ended.

        The caller holds the endpoint-queue locks.
        """
        for replay_id in sorted(self._succeeded.keys() | self._failed.keys()):
            connection.execute(
                update(Replay)
                .where(Replay.replay_id == replay_id, Replay.completed_at.is_(None))
                .values(
                    succeeded=Replay.succeeded + self._succeeded[replay_id],
                    failed=Replay.failed + self._failed[replay_id],
                )
            )
        if self._subscriptions:
            complete_replays(connection, self._subscriptions, at)


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
