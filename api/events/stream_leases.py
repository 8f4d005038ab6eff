"""Open streams of an account, counted over all processes: one row each, which its process extends while it lives.

A stream that ended deletes its row. Rows of a process that was killed count until they expire, or until a process of
the same host finds that it is gone. Does not belong here: what a stream sends (`api.events.event_tail`).
"""

import os
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, delete, func, insert, select, update

from api.database.models.accounts import Account, EventStream

LEASE: Final = timedelta(seconds=30)
RENEWAL_SECONDS: Final = 10.0


def open_lease(connection: Connection, stream_id: str, account_id: str, holder: str, at: datetime, limit: int) -> bool:
    """Counts a new stream of the account; False if it has `limit` of them."""
    # one at a time for each account; SQLite has one writer anyway
    connection.execute(select(Account.account_id).where(Account.account_id == account_id).with_for_update())
    own = EventStream.account_id == account_id
    connection.execute(delete(EventStream).where(own, EventStream.until <= at))
    if _count(connection, account_id) >= limit:
        holders = connection.scalars(select(EventStream.holder).where(own).distinct()).all()
        gone = [one for one in holders if _is_gone(one, beside=holder)]
        connection.execute(delete(EventStream).where(own, EventStream.holder.in_(gone)))
        if _count(connection, account_id) >= limit:
            return False
    values = {"stream_id": stream_id, "account_id": account_id, "holder": holder, "until": at + LEASE}
    connection.execute(insert(EventStream).values(values))
    return True


def renew_leases(connection: Connection, holder: str, open_ids: Collection[str], at: datetime) -> None:
    """Extends the open streams of a process, and deletes its others: closing them failed."""
    of_process = EventStream.holder == holder
    found = connection.scalars(select(EventStream.stream_id).where(of_process)).all()
    for stream_id in set(found).difference(open_ids):
        close_lease(connection, stream_id)
    connection.execute(update(EventStream).where(of_process).values(until=at + LEASE))


def close_lease(connection: Connection, stream_id: str) -> None:
    connection.execute(delete(EventStream).where(EventStream.stream_id == stream_id))


def _count(connection: Connection, account_id: str) -> int:
    query = select(func.count()).where(EventStream.account_id == account_id)
    return connection.execute(query).scalar_one()


def _is_gone(holder: str, beside: str) -> bool:
    """True if a process of the same host has ended, by its name (`host:process:random`)."""
    host, process, _ = holder.rsplit(":", 2)
    if host != beside.rsplit(":", 2)[0] or not process.isdigit():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
