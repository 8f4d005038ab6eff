"""Leases: elect the one holder of a task that only one process may do, with expiry.

A lease avoids duplicate work; it does not guarantee correctness (a suspended holder may resume after its lease has
moved on), so holders write by compare-and-swap. Does not belong here: leases of endpoint queues, which are rows of
their own (`api.webhooks.delivery.endpoint_lease_repository`), or when to take one (`api.database.leader_election`).
"""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, delete, or_, select

from api.database.engine import insert_into
from api.database.models.leases import Lease

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
    """Holder of the lease at this instant."""
    return connection.execute(select(Lease.holder).where(Lease.name == name, Lease.until > at)).scalar_one_or_none()
