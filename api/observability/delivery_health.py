"""Health of webhook delivery for readiness and metrics, over the whole installation.

Does not belong here: anything that changes it (`api.webhooks.delivery.queue_repository`,
`api.webhooks.delivery.fanout`), or the response format (`api.observability.routes`).
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy import Connection, func, select

from api.common.releases import read_release
from api.database import leases
from api.database.models.webhooks import Delivery, EndpointState, QueuedAttempt, Subscription
from api.email import outbox
from api.http.context import RequestContext
from api.problems.problem import ProblemError
from api.webhooks.delivery import fanout
from api.webhooks.delivery.fanout import LEASE

P = ParamSpec("P")
T = TypeVar("T")
DATABASE_PATIENCE_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class DeliveryHealth:
    """Backlog and leadership of webhook delivery."""

    unmatched_events: int
    """Published events without fan-out."""
    lag_seconds: float
    """How long the most overdue attempt has been waiting."""
    has_leader: bool
    """Whether some process holds the fan-out lease."""
    events_ahead: int = 0
    """How many matched events the served ledger lacks: of a machine that follows late, or a restored data folder."""


@dataclass(frozen=True, slots=True)
class DeliveryLag:
    """Delivery lag; computed in microseconds, however long the queue is."""

    cursor: int | None
    """Sequence up to which the ledger is matched; None while there is no subscription."""
    due_since: datetime | None
    """`due_at` of the most overdue attempt; None if none is overdue."""
    leader: str | None
    """Holder of the fan-out lease."""


@dataclass(frozen=True, slots=True)
class QueueSizes:
    """Backlog sizes; these need a count, so they are not computed for every caller."""

    queued: int
    """Queued attempts, due now or later."""
    held: int
    """Held deliveries, which only a replay sends."""
    mails: int
    """Mails not yet accepted by a mail server."""
    mail_since: datetime | None
    """Creation time of the oldest such mail; None if there is none."""


def delivery_lag(connection: Connection, lease: str, at: datetime) -> DeliveryLag:
    """Returns the delivery lag. `lease`: name of the leader's lease."""
    due = select(func.min(EndpointState.next_due_at)).where(EndpointState.next_due_at <= at)
    return DeliveryLag(
        fanout.fanout_cursor(connection),
        connection.execute(due).scalar_one(),
        leases.lease_holder(connection, lease, at),
    )


def queue_sizes(connection: Connection) -> QueueSizes:
    # the second condition repeats the partial index's, so that only the index is read
    held = select(func.count()).where(Delivery.status == "held", Delivery.status != "succeeded")
    mails = outbox.count_waiting_mails(connection)
    return QueueSizes(
        connection.execute(select(func.count()).select_from(QueuedAttempt)).scalar_one(),
        connection.execute(held).scalar_one(),
        mails.count,
        mails.since,
    )


def newest_sealed_secret(connection: Connection) -> bytes | None:
    """Returns the encrypted secret of the newest subscription; None if there is none."""
    newest = select(Subscription.secret).where(Subscription.deleted_at.is_(None))
    return connection.execute(newest.order_by(Subscription.subscription_id.desc()).limit(1)).scalar_one_or_none()


async def delivery_health(context: RequestContext) -> DeliveryHealth | None:
    """The current delivery health; None while the database is unavailable."""
    now = context.services.clock.now()
    lag = await _query_or_none(context, delivery_lag, LEASE, now)
    if lag is None:
        return None
    overdue = 0.0 if lag.due_since is None else (now - lag.due_since).total_seconds()
    unmatched = _unmatched_events(context, lag)
    return DeliveryHealth(max(0, unmatched), overdue, lag.leader is not None, max(0, -unmatched))


async def read_queue_sizes(context: RequestContext) -> QueueSizes | None:
    """The current table sizes; None while the database is unavailable."""
    return await _query_or_none(context, queue_sizes)


async def _query_or_none(
    call: RequestContext, query: Callable[Concatenate[Connection, P], T], *given: P.args, **named: P.kwargs
) -> T | None:
    """Runs a query; None if it does not finish in time, so that a readiness check does not wait for a database."""
    try:
        async with asyncio.timeout(DATABASE_PATIENCE_SECONDS):
            return await call.services.control_database.read(query, *given, **named)
    except (ProblemError, TimeoutError):
        return None


def _unmatched_events(call: RequestContext, lag: DeliveryLag) -> int:
    """Events between the fan-out cursor and the end of the served ledger; negative if the cursor is beyond it."""
    if lag.cursor is None:
        return 0
    newest = read_release(call.services.release_reader, lambda snapshot: snapshot.last_sequence)
    return 0 if newest is None else newest - lag.cursor
