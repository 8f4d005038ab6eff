"""SQL on the attempt queue: due attempts with their details, enqueue, dequeue, defer.

Does not belong here: finished attempts (`api.webhooks.delivery.attempt_repository`), or leases of endpoint queues
(`api.webhooks.delivery.endpoint_lease_repository`).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
from sqlalchemy import Connection

from api.database.json_bulk import JsonStatement, insert_statement
from api.database.models.webhooks import AGAIN, BY_HAND, QueuedAttempt
from api.webhooks.deliveries.replay_repository import ReplayCounts
from api.webhooks.delivery.records import DeferredAttempt, PreparedAttempt, QueueEntry

_SOME_DUE: Final = (
    "SELECT * FROM (SELECT subscription_id, due_at, attempt_id, delivery_id, trigger FROM webhook_queue "
    "WHERE subscription_id = {lane} AND due_at <= {at} AND {which} "
    "ORDER BY due_at, attempt_id LIMIT {most}) AS part"
)
# manual attempts first, as their user waits; then retries, which would miss their scheduled time behind the
# backlog of a hanging endpoint
_DUE_OF_ONE: Final = (
    _SOME_DUE.replace("{which}", BY_HAND)
    + " UNION ALL "
    + _SOME_DUE.replace("{which}", f"{AGAIN} AND NOT ({BY_HAND})")
    + " UNION ALL "
    + _SOME_DUE.replace("{which}", f"NOT ({AGAIN})")
    + " LIMIT {most}"
)
_LIMITS: Final = _DUE_OF_ONE.count("{most}")
# SQLite has no lateral join, and one statement per endpoint queue costs more than its rows: they come as JSON
_DUE_AS_JSON: Final = JsonStatement(
    "WITH lanes AS MATERIALIZED (SELECT * FROM {given}) SELECT lanes.subscription_id, ("  # noqa: S608 -- constants
    "SELECT json_group_array(json_array(subscription_id, due_at, attempt_id, delivery_id, trigger)) FROM ("
    + _DUE_OF_ONE.format(lane="lanes.subscription_id", at="lanes.at", most="?")
    + ")) FROM lanes",
    "subscription_id text, at bigint",
)
_DUE: Final = JsonStatement(
    "SELECT found.* FROM {given} CROSS JOIN LATERAL ("  # noqa: S608 -- constants
    + _DUE_OF_ONE.format(lane="given.subscription_id", at="given.at", most="given.most")
    + ") AS found",
    "subscription_id text, at bigint, most bigint",
)
_DETAILS: Final = JsonStatement(
    "SELECT given.place, delivery.tries, delivery.replay_id, event.event_id, event.event_type, event.data, "
    "(one.all_companies OR EXISTS (SELECT 1 FROM webhook_companies AS company "
    "WHERE company.company_id = event.company_id AND company.subscription_id = given.subscription_id)) "
    "FROM {given} JOIN webhook_subscriptions AS one ON one.subscription_id = given.subscription_id "
    "LEFT JOIN webhook_deliveries AS delivery ON delivery.subscription_id = given.subscription_id "
    "AND delivery.delivery_id = given.delivery_id "
    "LEFT JOIN webhook_events AS event ON event.sequence = delivery.sequence",
    "place bigint, subscription_id text, delivery_id text",
)
_QUEUED: Final = msgspec.json.Decoder(list[QueueEntry])
_TAKE_OUT: Final = JsonStatement(
    "DELETE FROM webhook_queue WHERE (subscription_id, due_at, attempt_id) IN "
    "(SELECT subscription_id, due_at, attempt_id FROM {given}) RETURNING attempt_id",
    "subscription_id text, due_at bigint, attempt_id text",
)
_PUT_IN: Final = insert_statement(QueuedAttempt)
_ASIDE: Final = JsonStatement(
    "UPDATE webhook_deliveries SET status = given.status, next_attempt_at = NULL, "
    "completed_at = given.completed_at FROM {given} "
    "WHERE webhook_deliveries.subscription_id = given.subscription_id "
    "AND webhook_deliveries.delivery_id = given.delivery_id "
    "AND webhook_deliveries.status IN ('pending', 'retrying') "
    "RETURNING webhook_deliveries.replay_id, webhook_deliveries.subscription_id",
    "subscription_id text, delivery_id text, status text, completed_at bigint",
)


def ready_attempts(connection: Connection, at: int, queue_reads: Sequence[tuple[str, int]]) -> list[QueueEntry]:
    """Due attempts of each endpoint queue up to its limit: manual, retries, others; each oldest first."""
    if not queue_reads:
        return []
    if connection.dialect.name == "sqlite":
        return list(_ready_on_sqlite(connection, at, queue_reads))
    return [QueueEntry(*row) for row in _DUE.run(connection, [(lane, at, most) for lane, most in queue_reads])]


def _ready_on_sqlite(connection: Connection, at: int, wanted: Sequence[tuple[str, int]]) -> Iterator[QueueEntry]:
    """Groups queues by limit, rounded up to a power of two: a statement has one limit for all its queues."""
    lots: dict[int, dict[str, int]] = {}
    for lane, most in wanted:
        lots.setdefault(1 << (most - 1).bit_length(), {})[lane] = most
    for longest, lot in lots.items():
        rows = _DUE_AS_JSON.run(connection, [(lane, at) for lane in lot], *[longest] * _LIMITS)
        for lane, found in rows:
            yield from _QUEUED.decode(found)[: lot[lane]]


def load_details(connection: Connection, chosen: Sequence[QueueEntry]) -> Iterator[PreparedAttempt]:
    """Adds details of deliveries, events and subscriptions; `data` is None where any is missing."""
    if not chosen:
        return
    rows = [(place, one.subscription_id, one.delivery_id) for place, one in enumerate(chosen)]
    found = {row[0]: row for row in _DETAILS.run(connection, rows)}
    for place, queued in enumerate(chosen):
        _, tries, replay_id, event_id, event_type, data, named = found.get(place, _NOTHING)
        yield PreparedAttempt(queued, tries or 0, replay_id, event_id or "", event_type or "", data, bool(named))


_NOTHING: Final = (0, None, None, None, None, None, None)


def dequeue(connection: Connection, queued: Iterable[QueueEntry]) -> set[str]:
    """Deletes queue rows; returns the attempt ids deleted, which only this caller now owns."""
    rows = [one[:3] for one in queued]
    return {row[0] for row in _TAKE_OUT.run(connection, rows)} if rows else set()


def enqueue(connection: Connection, queued: Sequence[QueueEntry]) -> None:
    """Enqueues attempts. The caller holds the endpoint-queue locks or leases."""
    if queued:
        _PUT_IN.run(connection, queued)


def defer(connection: Connection, deferred: Sequence[DeferredAttempt], at: int, replays: ReplayCounts) -> None:
    """Removes attempts from the queue without making them; manual ones leave their delivery unchanged."""
    taken = dequeue(connection, (one.queued for one in deferred))
    rows = [
        (one.queued.subscription_id, one.queued.delivery_id, one.status, at if one.status == "canceled" else None)
        for one in deferred
        if one.queued.attempt_id in taken and one.queued.trigger != "manual"
    ]
    if rows:
        for replay_id, subscription_id in _ASIDE.run(connection, rows):
            replays.count(replay_id, subscription_id, succeeded=False)
