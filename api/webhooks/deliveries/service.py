"""Delivery log service: reading, manual retry, replay, test sends (docs/contract/contract.md 4.8).

Functions on a connection run in a transaction the caller has begun, and raise the problem to respond with. Every test
is a new event, as receivers drop duplicates; `"test":true` in its data marks it, and its result is returned at once and
not stored. Does not belong here: SQL (`api.webhooks.deliveries.repository`), rate limits (`api.rate_limits.limiter`),
or the sending itself (`api.webhooks.egress.http_client`).
"""

from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, replace
from datetime import datetime, timedelta
from typing import Annotated, Final

import msgspec
from pydantic import ValidationInfo, field_validator
from sqlalchemy import Connection

from api.common.ids import is_ulid
from api.http.body_validation import body_instant_field, read_body, request_array_field, unrepeated
from api.http.context import RequestContext
from api.http.json_body import Object
from api.openapi.examples import DELIVERIES
from api.problems.problem import new_problem
from api.schemas.declare import RequestModel, invalid_value
from api.webhooks.deliveries import repository
from api.webhooks.deliveries.models import (
    REPLAY_SINCE,
    REPLAY_TYPES,
    REPLAYABLE,
    Attempt,
    Delivery,
    DeliveryQuery,
    DetailRecord,
    ReplayedStatus,
    ReplayRecord,
)
from api.webhooks.deliveries.repository import queue_manual_attempt, queue_replay
from api.webhooks.destinations.destination import EventBatch, OutgoingEvent
from api.webhooks.egress.payload import EventPayload
from api.webhooks.errors import invalid_state, webhook_not_found
from api.webhooks.subscriptions.models import SubscriptionRecord
from api.webhooks.subscriptions.repository import lock_endpoints
from api.webhooks.subscriptions.requests import RequestedEventType, TestSend, event_types_field


@dataclass(frozen=True, slots=True)
class DeliveryScope:
    """Scope of a log query: the subscription, and how far back its log reaches."""

    account_id: str
    subscription_id: str
    oldest: datetime
    retention_days: int


def delivery_scope(context: RequestContext, account_id: str, subscription_id: str) -> DeliveryScope:
    """A subscription of an account, and the oldest instant its log can be read from."""
    days = context.services.settings.webhooks.retention_days
    return DeliveryScope(account_id, subscription_id, context.services.clock.now() - timedelta(days=days), days)


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """A validated replay request, with defaults filled in."""

    since: datetime
    until: datetime
    statuses: Sequence[str]
    event_types: Sequence[str] | None


def list_deliveries(
    connection: Connection, scope: DeliveryScope, query: DeliveryQuery, before: str | None, limit: int
) -> list[Delivery]:
    _require_subscription(connection, scope)
    kept = replace(query, since=max(query.since or scope.oldest, scope.oldest))
    return repository.delivery_page(connection, scope.subscription_id, kept, before, limit)


def delivery_detail(connection: Connection, scope: DeliveryScope, delivery_id: str) -> DetailRecord:
    _require_subscription(connection, scope)
    return repository.find_detail(connection, _require_delivery(connection, scope, delivery_id))


def retry_delivery(
    connection: Connection, scope: DeliveryScope, delivery_id: str, attempt_id: str, at: datetime
) -> Delivery:
    """Enqueues a manual attempt, whatever the subscription's status; returns the unchanged delivery."""
    _lock_subscription(connection, scope)
    found = _require_delivery(connection, scope, delivery_id)
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
    queue_replay(connection, ReplayRecord(replay_id, scope.subscription_id, *astuple(request), created_at=at))
    return find_replay(connection, scope, replay_id)


def find_replay(connection: Connection, scope: DeliveryScope, replay_id: str) -> ReplayRecord:
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


def _require_delivery(connection: Connection, place: DeliveryScope, delivery_id: str) -> Delivery:
    is_id = is_ulid("dlv", delivery_id)
    found = repository.find_delivery(connection, place.subscription_id, delivery_id) if is_id else None
    if found is None or found.created_at < place.oldest:
        detail = f"No such delivery, or it is older than {place.retention_days} days."
        raise new_problem("delivery_not_found", detail)
    return found


_DEFAULT_STATUSES: Final = ("failed", "held")


class NewReplay(RequestModel):
    """The deliveries to repeat."""

    since: datetime = body_instant_field(REPLAY_SINCE)
    until: datetime = body_instant_field("Events matched before this time; default: now.", default=None)
    statuses: list[Annotated[ReplayedStatus, unrepeated]] = request_array_field(
        len(REPLAYABLE),
        "Only deliveries with these statuses; default: failed and held.",
        when_empty=f"name one or more of {', '.join(REPLAYABLE)}",
        default=None,
    )
    event_types: list[Annotated[RequestedEventType, unrepeated]] | None = event_types_field(REPLAY_TYPES, default=None)

    @field_validator("since")
    @classmethod
    def _check_since(cls, since: datetime, info: ValidationInfo[tuple[DeliveryScope, datetime | None]]) -> datetime:
        scope, implied_until = info.context
        if since < scope.oldest:
            raise invalid_value("out_of_range", f"must be at most {scope.retention_days} days ago")
        if implied_until is not None and since >= implied_until:
            raise invalid_value("out_of_range", "must be in the past")
        return since

    @field_validator("until")
    @classmethod
    def _check_until(cls, until: datetime, info: ValidationInfo) -> datetime:
        since: datetime | None = info.data.get("since")
        if since is not None and until <= since:
            raise invalid_value("out_of_range", "must be after since")
        return until


def parse_replay_request(body: Object, now: datetime, scope: DeliveryScope) -> ReplayRequest:
    """Returns the requested replay, or raises a 422 with all errors."""
    asked = read_body(NewReplay, body, (scope, None if "until" in body else now))
    return ReplayRequest(asked.since, asked.until or now, asked.statuses or _DEFAULT_STATUSES, asked.event_types)


_FIRST: Final = 1


async def send_test(
    context: RequestContext, account_id: str, subscription_id: str, body: Object
) -> tuple[SubscriptionRecord, Attempt]:
    """Sends an event of the type that a body names, else of the first that the account's subscription has."""
    services, event_type = context.services, read_body(TestSend, body).event_type
    subscriptions, ulids, at = services.subscription_service, services.ulid_generator, services.clock.now()
    record = await subscriptions.get(account_id, subscription_id)
    services.rate_limiter.check_test_sends(record.subscription_id, context.started_at)
    event_type = event_type or record.event_types[0]
    data = msgspec.json.encode(DELIVERIES[event_type]["data"] | {"test": True})
    event = OutgoingEvent(EventPayload(ulids.make("evt"), event_type, data), ulids.make("dlv"), _FIRST)
    batch = EventBatch([event], at, subscriptions.secrets(record), is_test=True)
    made = await subscriptions.destination(record).deliver(batch, services.webhook_client)
    return record, Attempt.model_construct(
        id=ulids.make("att"),
        delivery_id=None,
        number=_FIRST,
        trigger="test",
        started_at=at,
        outcome=made.result.outcome,
        request_url=made.request_url,
        **asdict(made.result),
    )
