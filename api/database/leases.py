"""Leases: elect the one holder of a task that only one process may do, with expiry; leadership across work steps.

A lease avoids duplicate work; it does not guarantee correctness (a suspended holder may resume after its lease has
moved on), so holders write by compare-and-swap. Does not belong here: leases of endpoint queues, which are rows of
their own (`api.webhooks.delivery.queue_repository`), or what the holder does.
"""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, delete, or_, select

from api.common.clock import Clock
from api.database.engine import Database, insert_into
from api.database.models.webhooks import Lease

_CLOCKS_DIFFER: Final = timedelta(minutes=1)
"""Upper bound of the clock skew between machines that share a database."""


def acquire_lease(connection: Connection, name: str, holder: str, at: datetime, until: datetime) -> bool:
    """Takes a free or expired lease, or extends one's own; False if another process holds it.

    A lease that lasts much longer than its term was written before the clock was set back, and counts as
    expired.
    """
    horizon = until + _CLOCKS_DIFFER
    statement = insert_into(connection, Lease).values(name=name, holder=holder, until=until)
    taken = statement.on_conflict_do_update(
        index_elements=[Lease.name],
        set_={"holder": statement.excluded.holder, "until": statement.excluded.until},
        where=or_(Lease.holder == holder, Lease.until <= at, Lease.until > horizon),
    )
    return connection.execute(taken.returning(Lease.name)).first() is not None


def release_lease(connection: Connection, name: str, holder: str) -> None:
    """Releases one's own lease early, so that another need not wait for it to expire."""
    connection.execute(delete(Lease).where(Lease.name == name, Lease.holder == holder))


def lease_holder(connection: Connection, name: str, at: datetime) -> str | None:
    return connection.execute(select(Lease.holder).where(Lease.name == name, Lease.until > at)).scalar_one_or_none()


class LeaderLease:
    """One process's view of a lease, for one thread; each work step checks `acquire_or_renew` first."""

    def __init__(self, database: Database, clock: Clock, name: str, holder: str, seconds: float) -> None:
        self._database = database
        self._clock = clock
        self._name = name
        self._holder = holder
        self._term = timedelta(seconds=seconds)
        self._until: datetime | None = None
        self._asked_at: datetime | None = None

    def acquire_or_renew(self) -> bool:
        """Whether this process leads. Queries and renews in the database after half the term."""
        now = self._clock.now()
        if self._asked_at is None or not timedelta() <= now - self._asked_at < self._term / 2:
            until = now + self._term
            taken = self._database.write(acquire_lease, self._name, self._holder, now, until)
            self._asked_at, self._until = now, until if taken else None
        return self._until is not None and now < self._until

    def release(self) -> None:
        """Releases the lease, so that another process can lead at once."""
        if self._until is not None:
            self._database.write(release_lease, self._name, self._holder)
        self._asked_at = self._until = None
