"""SQL on endpoint queues: leases, endpoint health, changed subscriptions.

Locks are taken in order of ids, here as in `api.webhooks.subscriptions.state_transitions`. Does not belong here:
the queued attempts (`api.webhooks.delivery.queue_repository`), or which endpoint queues a worker should lease
(`api.webhooks.delivery.scheduler`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from typing import Final

from sqlalchemy import Connection

from api.database.json_bulk import JsonStatement
from api.webhooks.delivery.records import EndpointHealth, EndpointRelease, LeasedEndpoint, SubscriberRecord

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
    "SELECT lane.lessee, one.subscription_id, one.revision, one.status, one.deleted_at, one.endpoint_url, "
    "one.secret, one.previous_secret, one.previous_secret_expires_at, one.event_mask, one.max_per_second "
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
    connection: Connection, lessee: str, at: int, horizon: int, until: int, free_places: tuple[int, int]
) -> list[LeasedEndpoint]:
    """Leases the most overdue endpoint queues: `free_places` of healthy and of failing endpoints."""
    taken: list[LeasedEndpoint] = []
    for most, failing in zip(free_places, (False, True), strict=True):
        if most > 0:
            rows = _LEASE.run(connection, (), at, at, horizon, failing, most, lessee, until)
            taken += [LeasedEndpoint(row[0], row[1], row[2]) for row in rows]
    return taken


def lock_endpoint_health(connection: Connection, subscription_ids: Iterable[str]) -> dict[str, EndpointHealth]:
    """Locks these endpoint queues; returns the health of their endpoints."""
    rows = _LOCK.run(connection, [(one,) for one in sorted(subscription_ids)])
    return {row[0]: EndpointHealth(*row[1:]) for row in rows}


def write_health(connection: Connection, healths: Mapping[str, EndpointHealth]) -> None:
    """Writes endpoint health. The caller holds the endpoint-queue locks."""
    rows = [(one, *astuple(health)) for one, health in healths.items()]
    if rows:
        _HEALTH.run(connection, rows)


def renew_leases(connection: Connection, lessee: str, subscription_ids: Iterable[str], until: int) -> None:
    """Extends the leases still owned by `lessee`; the caller holds the locks."""
    rows = [(one, until, lessee) for one in subscription_ids]
    if rows:
        _RENEW.run(connection, rows)


def release_endpoints(connection: Connection, lessee: str, releases: Sequence[EndpointRelease]) -> None:
    """Releases endpoint queues and sets their next due time. The caller holds the locks."""
    if releases:
        rows = [(one.subscription_id, one.leasable_from, one.not_due_before, lessee) for one in releases]
        _RELEASE.run(connection, rows)


def changed_subscriptions(
    connection: Connection, lessee: str, known_revisions: Sequence[tuple[str, int]]
) -> tuple[list[SubscriberRecord], set[str]]:
    """Returns subscriptions with another revision than the known one, and the endpoint queues lost by `lessee`."""
    if not known_revisions:
        return [], set()
    records, lost = [], set()
    for row in _CHANGED.run(connection, known_revisions, lessee):
        if row[0] == lessee:
            records.append(SubscriberRecord(*row[1:]))
        else:
            lost.add(row[1])
    return records, lost
