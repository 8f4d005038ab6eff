"""SQL on the delivery log: lists, one delivery with its attempts, retries, replays (docs/contract/contract.md 4.8).

Delivery ids rise with time, so a time window is a range of ids, and newest first is the primary key read backwards:
a page costs the same however long the log is. Writing functions need the endpoint-queue lock
(`api.webhooks.subscriptions.repository`), so that what was read of a subscription and its deliveries is still true when
written. Does not belong here: making attempts (`api.webhooks.delivery.queue_repository`), or access control
(`api.webhooks.deliveries.service`).
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Connection, func, insert, literal, literal_column, select, update

from api.common.ids import earliest_id
from api.database.models.base import columns_of, to_milliseconds, values_of
from api.database.models.webhooks import Attempt, Delivery, MatchedEvent, QueuedAttempt, Replay, Subscription
from api.webhooks.deliveries import models
from api.webhooks.deliveries.models import ATTEMPTS_SHOWN, DeliveryQuery, DetailRecord, ReplayRecord
from api.webhooks.subscriptions.repository import complete_replays, owned_by, refresh_queue_time

PREFIX: Final = "dlv"
_MICROSECONDS: Final = 1000  # of a millisecond
_MILLISECOND: Final = timedelta(milliseconds=1)
_BEGIN: Final = earliest_id(PREFIX, 0)
_END: Final = f"{PREFIX}_{'z' * 26}"
_HEADERS: Final = msgspec.json.Decoder(dict[str, str])

# A literal as in the index definition: with a bound value neither engine sees that the partial index covers
# the query.
_UNSUCCEEDED: Final = literal_column("webhook_deliveries.status <> 'succeeded'")
_DELIVERIES: Final = select(
    Delivery.delivery_id.label("id"), *columns_of(models.Delivery, Delivery, MatchedEvent, computed=("id",))
).join(MatchedEvent, MatchedEvent.sequence == Delivery.sequence)
_ATTEMPTS: Final = select(Attempt.attempt_id.label("id"), *columns_of(models.Attempt, Attempt, computed=("id",)))
_REPLAYS: Final = select(*columns_of(ReplayRecord, Replay))


def subscription_status(connection: Connection, account_id: str, subscription_id: str) -> str | None:
    """Returns the status of the subscription if it belongs to the account and is not deleted."""
    status = select(Subscription.status).where(owned_by(account_id, subscription_id))
    return connection.execute(status).scalar_one_or_none()


def delivery_page(
    connection: Connection, subscription_id: str, query: DeliveryQuery, before: str | None, limit: int
) -> list[models.Delivery]:
    """Returns the newest `limit` matching deliveries with ids below `before`."""
    conditions = [Delivery.subscription_id == subscription_id]
    first, end = _narrow_id_range(query.since, query.until, _BEGIN, before or _END)
    if query.event_types:
        conditions.append(MatchedEvent.event_type.in_(query.event_types))
    if query.event_id is not None:
        wanted = select(MatchedEvent.sequence, MatchedEvent.matched_at).where(MatchedEvent.event_id == query.event_id)
        event = connection.execute(wanted).one_or_none()
        if event is None:
            return []
        conditions.append(Delivery.sequence == event.sequence)
        # its millisecond is in the ids of its deliveries
        first, end = _narrow_id_range(event.matched_at, event.matched_at + _MILLISECOND, first, end)
    conditions += _id_range_conditions(first, end)
    found = [
        models.Delivery.model_construct(**row._asdict())
        for status in _status_alternatives(query.statuses, connection.dialect.name)
        for row in connection.execute(
            _DELIVERIES.where(*conditions, *status).order_by(Delivery.delivery_id.desc()).limit(limit)
        )
    ]
    return sorted(found, key=lambda record: record.id, reverse=True)[:limit]


def find_delivery(connection: Connection, subscription_id: str, delivery_id: str) -> models.Delivery | None:
    row = connection.execute(
        _DELIVERIES.where(Delivery.subscription_id == subscription_id, Delivery.delivery_id == delivery_id)
    ).one_or_none()
    return None if row is None else models.Delivery.model_construct(**row._asdict())


def find_detail(connection: Connection, delivery: models.Delivery) -> DetailRecord:
    data = connection.execute(select(MatchedEvent.data).where(MatchedEvent.event_id == delivery.event_id)).scalar_one()
    latest = connection.execute(
        _ATTEMPTS.where(Attempt.delivery_id == delivery.id)
        .order_by(Attempt.started_at.desc(), Attempt.attempt_id.desc())
        .limit(ATTEMPTS_SHOWN)
    ).all()
    return DetailRecord(delivery, data, [_attempt(row) for row in reversed(latest)])


def find_replay(connection: Connection, subscription_id: str, replay_id: str) -> ReplayRecord | None:
    row = connection.execute(
        _REPLAYS.where(Replay.replay_id == replay_id, Replay.subscription_id == subscription_id)
    ).one_or_none()
    return None if row is None else ReplayRecord(**row._asdict())


def _status_conditions(statuses: Sequence[str]) -> list[ColumnElement[bool]]:
    """Status conditions written so that the index of unsucceeded deliveries is used where possible."""
    told: list[ColumnElement[bool]] = [Delivery.status.in_(statuses)]
    return told if "succeeded" in statuses else [*told, _UNSUCCEEDED]


def _status_alternatives(statuses: Sequence[str], dialect: str) -> list[list[ColumnElement[bool]]]:
    """One condition list per query: the index sorts a single status by id, but not several together.

    `unlikely` hints to SQLite's planner that few rows have the status; otherwise it scans the whole id range.
    """
    if not statuses:
        return [[]]
    if "succeeded" in statuses:
        return [_status_conditions(statuses)]
    told = [Delivery.status == status for status in statuses]
    return [[func.unlikely(one) if dialect == "sqlite" else one, _UNSUCCEEDED] for one in told]


def _narrow_id_range(since: datetime | None, until: datetime | None, first: str, end: str) -> tuple[str, str]:
    """Intersects the given id range with a time window."""
    if since is not None:
        first = max(first, _first_id_from(since))
    if until is not None:
        end = min(end, _first_id_from(until))
    return first, end


def _id_range_conditions(first: str, end: str) -> list[ColumnElement[bool]]:
    """One bound on each side: given several, an engine may start its scan at any of them."""
    return [Delivery.delivery_id >= first, Delivery.delivery_id < end]


def _first_id_from(instant: datetime) -> str:
    """Lowest id of a delivery made at `instant` or later; ids carry whole milliseconds."""
    has_finer = instant.microsecond % _MICROSECONDS > 0
    return earliest_id(PREFIX, max(0, to_milliseconds(instant) + has_finer))


def _attempt(row: Any) -> models.Attempt:
    written = row.response_headers
    headers = None if written is None else _HEADERS.decode(written)
    return models.Attempt.model_construct(**row._asdict() | {"response_headers": headers})


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
    ids = _id_range_conditions(*_narrow_id_range(replay.since, replay.until, _BEGIN, _END))
    chosen = [Delivery.subscription_id == replay.subscription_id, *ids, *_status_conditions(replay.statuses)]
    if replay.event_types is not None:
        of_type = MatchedEvent.event_type.in_(replay.event_types)
        event = select(literal(1)).where(MatchedEvent.sequence == Delivery.sequence, of_type)
        chosen.append(event.correlate(Delivery).exists())
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


class EndedDelivery(NamedTuple):
    """A delivery that will not be attempted again, of a replay or of none."""

    replay_id: str | None
    subscription_id: str
    has_succeeded: bool


def count_ended(connection: Connection, ended: Sequence[EndedDelivery], at: datetime) -> None:
    """Counts deliveries that ended in their replays, and completes these. The caller holds the endpoint-queue locks."""
    counts = Counter((one.replay_id, one.has_succeeded) for one in ended if one.replay_id is not None)
    for replay_id in sorted({replay_id for replay_id, _ in counts}):
        running = update(Replay).where(Replay.replay_id == replay_id, Replay.completed_at.is_(None))
        succeeded, failed = counts[replay_id, True], counts[replay_id, False]
        connection.execute(running.values(succeeded=Replay.succeeded + succeeded, failed=Replay.failed + failed))
    if counts:
        complete_replays(connection, {one.subscription_id for one in ended if one.replay_id is not None}, at)
