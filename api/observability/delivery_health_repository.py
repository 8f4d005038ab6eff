"""Delivery backlog of the whole installation, for the readiness check and metrics.

Does not belong here: anything that changes it (`api.webhooks.delivery.queue_repository`,
`api.webhooks.delivery.fanout_repository`), or access control (`api.routes`).
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from api.database import leases
from api.database.models.webhooks import Delivery, EndpointState, QueuedAttempt, Subscription
from api.email import outbox_repository
from api.webhooks.delivery import fanout_repository


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
        fanout_repository.fanout_cursor(connection),
        connection.execute(due).scalar_one(),
        leases.lease_holder(connection, lease, at),
    )


def queue_sizes(connection: Connection) -> QueueSizes:
    # the second condition repeats the partial index's, so that only the index is read
    held = select(func.count()).where(Delivery.status == "held", Delivery.status != "succeeded")
    mails = outbox_repository.count_waiting_mails(connection)
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
