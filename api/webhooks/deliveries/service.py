"""Delivery log service: reading, manual retry, replay (docs/contract/contract.md 4.8).

Every function runs on a connection in a transaction the caller has begun, and raises the problem to respond with.
Does not belong here: SQL (`api.webhooks.deliveries.repository`, `api.webhooks.deliveries.replay_repository`), or
request bodies (`api.webhooks.deliveries.requests`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection

from api.common.ids import is_ulid
from api.problems.problem import ProblemError, new_problem
from api.webhooks.deliveries import repository
from api.webhooks.deliveries.records import DeliveryDetail, DeliveryQuery, DeliveryRecord, ReplayRecord, TimeWindow
from api.webhooks.deliveries.replay_repository import queue_manual_attempt, queue_replay
from api.webhooks.errors import invalid_state, webhook_not_found
from api.webhooks.subscriptions.state_transitions import lock_endpoints


@dataclass(frozen=True, slots=True)
class DeliveryScope:
    """Scope of a log query: the subscription, and how far back its log reaches."""

    account_id: str
    subscription_id: str
    oldest: datetime
    retention_days: int


def scope_for(account_id: str, subscription_id: str, retention_days: int, now: datetime) -> DeliveryScope:
    """Builds the scope of a subscription's log as of `now`."""
    return DeliveryScope(account_id, subscription_id, now - timedelta(days=retention_days), retention_days)


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """A validated replay request, with defaults filled in."""

    since: datetime
    until: datetime
    statuses: Sequence[str]
    event_types: Sequence[str] | None


def list_deliveries(
    connection: Connection, scope: DeliveryScope, query: DeliveryQuery, before: str | None, limit: int
) -> list[DeliveryRecord]:
    """Returns the newest matching deliveries with ids below `before`."""
    _require_subscription(connection, scope)
    since = query.window.since
    window = TimeWindow(scope.oldest if since is None else max(since, scope.oldest), query.window.until)
    kept = DeliveryQuery(window, query.statuses, query.event_types, query.event_id)
    return repository.delivery_page(connection, scope.subscription_id, kept, before, limit)


def delivery_detail(connection: Connection, scope: DeliveryScope, delivery_id: str) -> DeliveryDetail:
    """Returns one delivery with payload and attempts."""
    _require_subscription(connection, scope)
    found = (
        repository.find_detail(connection, scope.subscription_id, delivery_id) if is_ulid("dlv", delivery_id) else None
    )
    if found is None or found.delivery.created_at < scope.oldest:
        raise _delivery_not_found(scope)
    return found


def retry_delivery(
    connection: Connection, scope: DeliveryScope, delivery_id: str, attempt_id: str, at: datetime
) -> DeliveryRecord:
    """Enqueues a manual attempt, whatever the subscription's status; returns the unchanged delivery."""
    _lock_subscription(connection, scope)
    found = (
        repository.find_delivery(connection, scope.subscription_id, delivery_id)
        if is_ulid("dlv", delivery_id)
        else None
    )
    if found is None or found.created_at < scope.oldest:
        raise _delivery_not_found(scope)
    if found.status == "canceled":
        raise invalid_state("The delivery was canceled and cannot be sent again.", found.status)
    queue_manual_attempt(connection, scope.subscription_id, delivery_id, attempt_id, at)
    return found


def start_replay(
    connection: Connection, scope: DeliveryScope, request: ReplayRequest, replay_id: str, at: datetime
) -> ReplayRecord:
    """Starts a replay and returns it; already complete if nothing matched."""
    status = _lock_subscription(connection, scope)
    if status != "active":
        raise invalid_state("The subscription is paused; set status to active before replaying.", status)
    wanted = ReplayRecord(
        replay_id=replay_id,
        subscription_id=scope.subscription_id,
        since=request.since,
        until=request.until,
        statuses=tuple(request.statuses),
        event_types=None if request.event_types is None else tuple(request.event_types),
        created_at=at,
    )
    queue_replay(connection, wanted)
    made = repository.find_replay(connection, scope.subscription_id, replay_id)
    if made is None:
        raise RuntimeError(f"replay {replay_id} is missing after it was stored")
    return made


def find_replay(connection: Connection, scope: DeliveryScope, replay_id: str) -> ReplayRecord:
    """Returns a replay with its progress."""
    _require_subscription(connection, scope)
    found = repository.find_replay(connection, scope.subscription_id, replay_id) if is_ulid("rpl", replay_id) else None
    if found is None:
        raise new_problem("replay_not_found", "No such replay.")
    return found


def _lock_subscription(connection: Connection, place: DeliveryScope) -> str:
    """Takes the endpoint-queue lock first, so that later reads stay true until the transaction ends."""
    if is_ulid("whs", place.subscription_id):
        lock_endpoints(connection, [place.subscription_id])
    return _require_subscription(connection, place)


def _require_subscription(connection: Connection, place: DeliveryScope) -> str:
    """Returns the status of the account's subscription; another account's gives 404 like a missing one."""
    asked = place.subscription_id
    found = repository.subscription_status(connection, place.account_id, asked) if is_ulid("whs", asked) else None
    if found is None:
        raise webhook_not_found(asked)
    return found


def _delivery_not_found(place: DeliveryScope) -> ProblemError:
    return new_problem("delivery_not_found", f"No such delivery, or it is older than {place.retention_days} days.")
