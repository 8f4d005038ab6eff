"""Leases: who does what only one may do at a time, until he is not heard of any more.

A lease spares work that two would do twice; it is not what keeps that right (a holder who was stopped may wake up
after his lease has gone on): what a holder writes he writes by compare-and-set. Does not belong here: leases of
lanes, which are rows of their own (`api.db.queue`), or when to take one (`api.webhooks.leases`).
"""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, delete, or_, select
from sqlalchemy.dialects import postgresql, sqlite

from api.db.webhook_models import Lease

_CLOCKS_DIFFER: Final = timedelta(minutes=1)
"""By less than this; those of machines that share a database."""
_INSERTS: Final = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


def take(connection: Connection, name: str, holder: str, at: datetime, until: datetime) -> bool:
    """Takes a lease that is free or has run out, or keeps one's own for longer; False where another holds it.

    One that lasts for much longer than its term was written before the clock was set back: nobody holds it.
    """
    horizon = until + _CLOCKS_DIFFER
    statement = _INSERTS[connection.dialect.name](Lease).values(name=name, holder=holder, until=until)
    taken = statement.on_conflict_do_update(
        index_elements=[Lease.name],
        set_={"holder": statement.excluded.holder, "until": statement.excluded.until},
        where=or_(Lease.holder == holder, Lease.until <= at, Lease.until > horizon),
    )
    return connection.execute(taken.returning(Lease.name)).first() is not None


def give(connection: Connection, name: str, holder: str) -> None:
    """Ends one's own lease before its time, so that another need not wait for it to run out."""
    connection.execute(delete(Lease).where(Lease.name == name, Lease.holder == holder))


def holder_of(connection: Connection, name: str, at: datetime) -> str | None:
    """Who holds it at this instant."""
    return connection.execute(
        select(Lease.holder).where(Lease.name == name, Lease.until > at)
    ).scalar_one_or_none()
