"""SQL on endpoint queues: leases, due attempts with their details, enqueue, dequeue, defer.

Does not belong here: finished attempts (`api.webhooks.delivery.attempt_repository`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, fields
from typing import Final

import msgspec
from sqlalchemy import Connection

from api.database.json_bulk import ENGINES, JsonStatement, insert_statement
from api.database.models.webhooks import AGAIN, BY_HAND, QueuedAttempt
from api.webhooks.deliveries.repository import EndedDelivery
from api.webhooks.delivery.records import (
    DeferredAttempt,
    EndpointHealth,
    EndpointRelease,
    LeasedEndpoint,
    PreparedAttempt,
    QueueEntry,
    SubscriberRecord,
)
from api.webhooks.filters.matching import passes_sql

_FREE: Final = (
    "next_due_at <= ? AND (leased_until IS NULL OR leased_until <= ? OR leased_until > ?) "
    "AND (consecutive_failures > 0) = ?"
)
_WAITS: Final = f"EXISTS (SELECT 1 FROM webhook_lanes WHERE {_FREE})"  # noqa: S608 -- constants
_WAITING: Final = JsonStatement(f"SELECT {_WAITS}, {_WAITS}")
# chosen in a materialized CTE: PostgreSQL may run a subquery with a lock and a limit more than once
_LEASE: Final = JsonStatement(
    f"WITH chosen AS MATERIALIZED (SELECT subscription_id FROM webhook_lanes WHERE {_FREE} "  # noqa: S608 -- constants
    "ORDER BY next_due_at LIMIT ? {skip_locked}) "
    "UPDATE webhook_lanes SET lessee = ?, leased_until = ? "
    "WHERE subscription_id IN (SELECT subscription_id FROM chosen) "
    "RETURNING subscription_id, consecutive_failures, last_success_at"
)
_LOCK: Final = JsonStatement(
    "SELECT lane.subscription_id, consecutive_failures, last_attempt_at, last_success_at, last_failure_at, "
    "failing_since FROM webhook_lanes AS lane "
    "WHERE lane.subscription_id IN (SELECT subscription_id FROM {given}) "
    "ORDER BY lane.subscription_id {for_update}",
    "subscription_id text",
)
_HEALTH: Final = JsonStatement(
    "UPDATE webhook_lanes SET consecutive_failures = given.consecutive_failures, "
    "last_attempt_at = given.last_attempt_at, last_success_at = given.last_success_at, "
    "last_failure_at = given.last_failure_at, failing_since = given.failing_since "
    "FROM {given} WHERE webhook_lanes.subscription_id = given.subscription_id",
    "subscription_id text, consecutive_failures bigint, last_attempt_at bigint, last_success_at bigint, "
    "last_failure_at bigint, failing_since bigint",
)
_RENEW: Final = JsonStatement(
    "UPDATE webhook_lanes SET leased_until = given.until FROM {given} "
    "WHERE webhook_lanes.subscription_id = given.subscription_id "
    "AND webhook_lanes.lessee = given.lessee",
    "subscription_id text, until bigint, lessee text",
)
_RELEASE: Final = JsonStatement(
    "UPDATE webhook_lanes SET lessee = NULL, leased_until = given.free_at, next_due_at = "
    "(SELECT CASE WHEN min(due_at) < given.due_from THEN given.due_from ELSE min(due_at) END "
    "FROM webhook_queue AS queue WHERE queue.subscription_id = given.subscription_id) "
    "FROM {given} WHERE webhook_lanes.subscription_id = given.subscription_id "
    "AND webhook_lanes.lessee = given.lessee",
    "subscription_id text, free_at bigint, due_from bigint, lessee text",
)
_CHANGED: Final = JsonStatement(
    f"SELECT lane.lessee, {', '.join(f'one.{one.name}' for one in fields(SubscriberRecord))} "  # noqa: S608 -- our names
    "FROM {given} JOIN webhook_lanes AS lane ON lane.subscription_id = given.subscription_id "
    "JOIN webhook_subscriptions AS one ON one.subscription_id = given.subscription_id "
    "WHERE one.revision <> given.revision OR lane.lessee IS DISTINCT FROM ?",
    "subscription_id text, revision bigint",
)


def waiting_endpoints(connection: Connection, at: int, horizon: int) -> tuple[bool, bool]:
    """Whether unleased endpoint queues have due attempts: of healthy endpoints, of failing endpoints.

    A lease beyond the horizon was written before the clock was set back, and counts as expired.
    """
    [(well, failing)] = _WAITING.run(connection, (), at, at, horizon, False, at, at, horizon, True)
    return bool(well), bool(failing)


def lease_endpoints(
    connection: Connection, lessee: str, at: int, horizon: int, until: int, free_places: Sequence[int]
) -> list[LeasedEndpoint]:
    """Leases the most overdue endpoint queues: `free_places` of healthy and of failing endpoints."""
    taken: list[LeasedEndpoint] = []
    for most, failing in zip(free_places, (False, True), strict=True):
        if most > 0:
            rows = _LEASE.run(connection, (), at, at, horizon, failing, most, lessee, until)
            taken += [LeasedEndpoint(*row) for row in rows]
    return taken


def lock_endpoint_health(connection: Connection, subscription_ids: Iterable[str]) -> dict[str, EndpointHealth]:
    """Locks these endpoint queues; returns the health of their endpoints."""
    rows = _LOCK.run(connection, [(one,) for one in sorted(subscription_ids)])
    return {row[0]: EndpointHealth(*row[1:]) for row in rows}


def write_health(connection: Connection, healths: Mapping[str, EndpointHealth]) -> None:
    """Writes endpoint health. The caller holds the endpoint-queue locks."""
    _HEALTH.run(connection, [(one, *astuple(health)) for one, health in healths.items()])


def renew_leases(connection: Connection, lessee: str, subscription_ids: Iterable[str], until: int) -> None:
    """Extends the leases still owned by `lessee`; the caller holds the locks."""
    _RENEW.run(connection, [(one, until, lessee) for one in subscription_ids])


def release_endpoints(connection: Connection, lessee: str, releases: Sequence[EndpointRelease]) -> None:
    """Releases endpoint queues and sets their next due time. The caller holds the locks."""
    rows = [(one.subscription_id, one.leasable_from, one.not_due_before, lessee) for one in releases]
    _RELEASE.run(connection, rows)


def changed_subscriptions(
    connection: Connection, lessee: str, known_revisions: Sequence[tuple[str, int]]
) -> tuple[list[SubscriberRecord], set[str]]:
    """Returns subscriptions with another revision than the known one, and the endpoint queues lost by `lessee`."""
    records, lost = list[SubscriberRecord](), set[str]()
    for row in _CHANGED.run(connection, known_revisions, lessee):
        if row[0] == lessee:
            records.append(SubscriberRecord(*row[1:]))
        else:
            lost.add(row.subscription_id)
    return records, lost


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
_DETAILS: Final = {
    engine: JsonStatement(
        "SELECT given.place, delivery.tries, delivery.replay_id, event.event_id, event.event_type, event.data, "  # noqa: S608 -- constants
        "((one.all_companies OR EXISTS (SELECT 1 FROM webhook_companies AS company "
        "WHERE company.company_id = event.company_id AND company.subscription_id = given.subscription_id)) "
        f"AND {passes_sql(engine, 'event', 'one')}) "
        "FROM {given} JOIN webhook_subscriptions AS one ON one.subscription_id = given.subscription_id "
        "LEFT JOIN webhook_deliveries AS delivery ON delivery.subscription_id = given.subscription_id "
        "AND delivery.delivery_id = given.delivery_id "
        "LEFT JOIN webhook_events AS event ON event.sequence = delivery.sequence",
        "place bigint, subscription_id text, delivery_id text",
    )
    for engine in ENGINES
}
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
    rows = [(place, one.subscription_id, one.delivery_id) for place, one in enumerate(chosen)]
    found = {row[0]: row for row in _DETAILS[connection.dialect.name].run(connection, rows)}
    for place, queued in enumerate(chosen):
        _, tries, replay_id, event_id, event_type, data, named = found.get(place, _NOTHING)
        yield PreparedAttempt(queued, tries or 0, replay_id, event_id or "", event_type or "", data, bool(named))


_NOTHING: Final = (0, None, None, None, None, None, None)


def dequeue(connection: Connection, queued: Iterable[QueueEntry]) -> set[str]:
    """Deletes queue rows; returns the attempt ids deleted, which only this caller now owns."""
    return {row[0] for row in _TAKE_OUT.run(connection, [one[:3] for one in queued])}


def enqueue(connection: Connection, queued: Sequence[QueueEntry]) -> None:
    """Enqueues attempts. The caller holds the endpoint-queue locks or leases."""
    _PUT_IN.run(connection, queued)


def defer(connection: Connection, deferred: Sequence[DeferredAttempt], at: int) -> list[EndedDelivery]:
    """Removes attempts from the queue without making them, and ends their deliveries but for manual ones."""
    taken = dequeue(connection, (one.queued for one in deferred))
    rows = [
        (one.queued.subscription_id, one.queued.delivery_id, one.status, at if one.status == "canceled" else None)
        for one in deferred
        if one.queued.attempt_id in taken and one.queued.trigger != "manual"
    ]
    return [EndedDelivery(*row, has_succeeded=False) for row in _ASIDE.run(connection, rows)]
