"""How far behind delivering is: what a readiness check and metrics ask for, of the whole installation.

Does not belong here: anything that changes (`api.db.queue`, `api.db.fanout`), or who may ask (`api.routes`).
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from api.db import fanout, leases, outbox
from api.db.webhook_models import Delivery, Lane, QueuedAttempt, Subscription


@dataclass(frozen=True, slots=True)
class Lag:
    """What waits, told in microseconds however long the queue is."""

    cursor: int | None
    """Up to which event the ledger is matched; None while nobody has subscribed to anything."""
    due_since: datetime | None
    """When the attempt that waits longest was due; None where none is due."""
    leader: str | None
    """Who matches events."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much waits; counted, so not for every caller."""

    queued: int
    """Attempts to be made, now or later."""
    held: int
    """Deliveries that wait for a replay."""
    mails: int
    """Notices that no mail server has yet."""
    mail_since: datetime | None
    """When the oldest of them was written; None where there is none."""


def lag(connection: Connection, lease: str, at: datetime) -> Lag:
    """`lease`: the name of the leader's lease."""
    due = select(func.min(Lane.next_due_at)).where(Lane.next_due_at <= at)
    return Lag(
        fanout.cursor(connection),
        connection.execute(due).scalar_one(),
        leases.holder_of(connection, lease, at),
    )


def sizes(connection: Connection) -> Sizes:
    # the second condition says what the index is of: it is read alone
    held = select(func.count()).where(Delivery.status == "held", Delivery.status != "succeeded")
    mails = outbox.waiting(connection)
    return Sizes(
        connection.execute(select(func.count()).select_from(QueuedAttempt)).scalar_one(),
        connection.execute(held).scalar_one(),
        mails.count,
        mails.since,
    )


def newest_secret(connection: Connection) -> bytes | None:
    """As it is stored, sealed: of the subscription made last; None where there is none."""
    newest = select(Subscription.secret).where(Subscription.deleted_at.is_(None))
    return connection.execute(
        newest.order_by(Subscription.subscription_id.desc()).limit(1)
    ).scalar_one_or_none()
