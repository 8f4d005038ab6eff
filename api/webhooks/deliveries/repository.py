"""Read queries on the delivery log: lists, one delivery with its attempts, replays.

See docs/contract/contract.md 4.8.

Delivery ids rise with time, so a time window is a range of ids, and newest first is the primary key read backwards:
a page costs the same however long the log is. Does not belong here: changes
(`api.webhooks.deliveries.replay_repository`), or the JSON shape (`api.webhooks.deliveries.serializer`).
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, Connection, func, literal_column, select

from api.common.ids import earliest_id
from api.database.models.base import columns_of, to_milliseconds
from api.database.models.webhooks import Attempt, Delivery, MatchedEvent, Replay, Subscription
from api.webhooks.deliveries.records import (
    ATTEMPTS_SHOWN,
    AttemptRecord,
    DeliveryDetail,
    DeliveryQuery,
    DeliveryRecord,
    ReplayRecord,
    TimeWindow,
)

PREFIX: Final = "dlv"
_MICROSECONDS: Final = 1000  # of a millisecond
_MILLISECOND: Final = timedelta(milliseconds=1)
_BEGIN: Final = earliest_id(PREFIX, 0)
_END: Final = f"{PREFIX}_{'z' * 26}"
_HEADERS: Final = msgspec.json.Decoder(dict[str, str])

# A literal as in the index definition: with a bound value neither engine sees that the partial index covers
# the query.
_UNSUCCEEDED: Final = literal_column("webhook_deliveries.status <> 'succeeded'")
_DELIVERIES: Final = select(*columns_of(DeliveryRecord, Delivery, MatchedEvent)).join(
    MatchedEvent, MatchedEvent.sequence == Delivery.sequence
)
_ATTEMPTS: Final = select(*columns_of(AttemptRecord, Attempt))
_REPLAYS: Final = select(*columns_of(ReplayRecord, Replay))


def subscription_status(connection: Connection, account_id: str, subscription_id: str) -> str | None:
    """Returns the status of the subscription if it belongs to the account and is not deleted."""
    return connection.execute(
        select(Subscription.status).where(
            Subscription.subscription_id == subscription_id,
            Subscription.account_id == account_id,
            Subscription.deleted_at.is_(None),
        )
    ).scalar_one_or_none()


def delivery_page(
    connection: Connection, subscription_id: str, query: DeliveryQuery, before: str | None, limit: int
) -> list[DeliveryRecord]:
    """Returns the newest `limit` matching deliveries with ids below `before`."""
    conditions = [Delivery.subscription_id == subscription_id]
    window, first, end = query.window, _BEGIN, before or _END
    if query.event_types:
        conditions.append(MatchedEvent.event_type.in_(query.event_types))
    if query.event_id is not None:
        event = _find_event(connection, query.event_id)
        if event is None:
            return []
        sequence, matched_at = event
        conditions.append(Delivery.sequence == sequence)
        first, end = _narrow_id_range(TimeWindow(matched_at, matched_at + _MILLISECOND), first, end)
    conditions += _id_range_conditions(*_narrow_id_range(window, first, end))
    found = [
        DeliveryRecord(*row)
        for status in _status_alternatives(query.statuses, connection.dialect.name)
        for row in connection.execute(
            _DELIVERIES.where(*conditions, *status).order_by(Delivery.delivery_id.desc()).limit(limit)
        )
    ]
    return sorted(found, key=lambda record: record.delivery_id, reverse=True)[:limit]


def find_delivery(connection: Connection, subscription_id: str, delivery_id: str) -> DeliveryRecord | None:
    row = connection.execute(
        _DELIVERIES.where(Delivery.subscription_id == subscription_id, Delivery.delivery_id == delivery_id)
    ).one_or_none()
    return None if row is None else DeliveryRecord(*row)


def find_detail(connection: Connection, subscription_id: str, delivery_id: str) -> DeliveryDetail | None:
    delivery = find_delivery(connection, subscription_id, delivery_id)
    if delivery is None:
        return None
    data = connection.execute(select(MatchedEvent.data).where(MatchedEvent.event_id == delivery.event_id)).scalar_one()
    latest = connection.execute(
        _ATTEMPTS.where(Attempt.delivery_id == delivery_id)
        .order_by(Attempt.started_at.desc(), Attempt.attempt_id.desc())
        .limit(ATTEMPTS_SHOWN)
    ).all()
    return DeliveryDetail(delivery, data, [_attempt_record(row) for row in reversed(latest)])


def find_replay(connection: Connection, subscription_id: str, replay_id: str) -> ReplayRecord | None:
    row = connection.execute(
        _REPLAYS.where(Replay.replay_id == replay_id, Replay.subscription_id == subscription_id)
    ).one_or_none()
    return None if row is None else _replay_record(row)


def _find_event(connection: Connection, event_id: str) -> tuple[int, datetime] | None:
    """Sequence of an event, and the millisecond in the ids of its deliveries."""
    found = connection.execute(
        select(MatchedEvent.sequence, MatchedEvent.matched_at).where(MatchedEvent.event_id == event_id)
    ).one_or_none()
    return None if found is None else (found[0], found[1])


def window_conditions(window: TimeWindow) -> list[ColumnElement[bool]]:
    """Conditions that express the window as a range of ids."""
    return _id_range_conditions(*_narrow_id_range(window, _BEGIN, _END))


def status_conditions(statuses: Sequence[str]) -> list[ColumnElement[bool]]:
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
        return [status_conditions(statuses)]
    told = [Delivery.status == status for status in statuses]
    return [[func.unlikely(one) if dialect == "sqlite" else one, _UNSUCCEEDED] for one in told]


def _narrow_id_range(window: TimeWindow, first: str, end: str) -> tuple[str, str]:
    """Intersects the given id range with the window."""
    if window.since is not None:
        first = max(first, _first_id_from(window.since))
    if window.until is not None:
        end = min(end, _first_id_from(window.until))
    return first, end


def _id_range_conditions(first: str, end: str) -> list[ColumnElement[bool]]:
    """One bound on each side: given several, an engine may start its scan at any of them."""
    return [Delivery.delivery_id >= first, Delivery.delivery_id < end]


def _first_id_from(instant: datetime) -> str:
    """Lowest id of a delivery made at `instant` or later; ids carry whole milliseconds."""
    begun = to_milliseconds(instant)
    finer = instant.microsecond % _MICROSECONDS
    return earliest_id(PREFIX, max(0, begun + 1 if finer else begun))


def _attempt_record(row: Any) -> AttemptRecord:
    values = row._asdict()
    written = values["response_headers"]
    return AttemptRecord(**values | {"response_headers": None if written is None else _HEADERS.decode(written)})


def _replay_record(row: Any) -> ReplayRecord:
    values = row._asdict()
    types = values["event_types"]
    read = {"statuses": tuple(values["statuses"]), "event_types": None if types is None else tuple(types)}
    return ReplayRecord(**values | read)
