"""Leases in PostgreSQL: one writer at a time over all machines, renewed by its holder.

    firm_leases (name, token, holder, renewals, expires_at)      one row per market, and one for releases

Only the database's clock counts. Each time a lease is taken, its token grows. The holder writes its token into what it
will replace in the object store before it reads from there (`market_state`, `releases`), so that whatever an earlier
holder still sends is refused there, however long that one was paused or cut off from the database. Does not belong
here: locks within one machine (`warehouse.storage.locks`).
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, LiteralString

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from warehouse.replication.errors import LeaseDatabaseError, ReplicationError
from warehouse.storage.locks import AlreadyLockedError

LOGGER: Final = logging.getLogger("firm.remote")
_CONNECT_SECONDS: Final = 10
_OPTIONS: Final = "-c statement_timeout=10000 -c lock_timeout=10000"
_CREATE: Final = """
CREATE TABLE IF NOT EXISTS firm_leases (
    name text PRIMARY KEY,
    token bigint NOT NULL,
    holder text,
    renewals bigint NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL
)"""
_TAKE: Final = """
INSERT INTO firm_leases AS former (name, token, holder, expires_at)
VALUES (%(name)s, %(above)s + 1, %(holder)s, now() + %(seconds)s * interval '1 second')
ON CONFLICT (name) DO UPDATE
SET token = greatest(former.token, %(above)s) + 1, holder = excluded.holder, expires_at = excluded.expires_at
WHERE former.holder IS NULL OR former.expires_at <= now()
RETURNING token"""
_RENEW: Final = """
UPDATE firm_leases SET renewals = renewals + 1, expires_at = now() + %(seconds)s * interval '1 second'
WHERE name = %(name)s AND token = %(token)s RETURNING token"""
_FREE: Final = "UPDATE firm_leases SET holder = NULL WHERE name = %(name)s AND token = %(token)s RETURNING token"
_LOOK: Final = "SELECT holder, token, renewals FROM firm_leases WHERE name = %(name)s AND holder IS NOT NULL"


@dataclass(frozen=True, slots=True)
class LeaseTiming:
    """Timing in seconds. expires: a lease that has not been renewed for so long may be taken."""

    expires: float

    @property
    def renews(self) -> float:
        """Interval of renewals: several may fail before the lease expires."""
        return self.expires / 5

    @property
    def poll_seconds(self) -> float:
        """Polling interval of a waiting machine."""
        return self.expires / 20


class LeaseDatabase:
    """The leases in one PostgreSQL database. Each question is a connection of its own, so that none can be stale."""

    def __init__(self, url: str, store: str) -> None:
        """`url`: as in FIRM_DATABASE_URL. `store`: the object store which machines write in turn, for messages."""
        if not url:
            raise LeaseDatabaseError(
                f"{store} may be shared, and machines write there one after another, by leases in PostgreSQL: set "
                "FIRM_DATABASE_URL to postgresql://…, the same on every machine"
            )
        scheme, separator, rest = url.partition("://")
        self._address = f"{scheme.partition('+')[0]}{separator}{rest}"

    def __str__(self) -> str:
        """The address without the password."""
        parts = conninfo_to_dict(self._address)
        return f"{parts.get('host', 'localhost')}/{parts.get('dbname', '')}"

    def ask(self, statement: LiteralString, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """The first row of an answer; makes the table where there is none. Raises LeaseDatabaseError."""
        try:
            with psycopg.connect(
                self._address, autocommit=True, connect_timeout=_CONNECT_SECONDS, options=_OPTIONS
            ) as connection:
                try:
                    return connection.execute(statement, values).fetchone()
                except errors.UndefinedTable:
                    with connection.transaction():  # behind a pooler a lock of the session would outlive it
                        connection.execute("SELECT pg_advisory_xact_lock(hashtext('firm_leases'))")
                        connection.execute(_CREATE)
                    return connection.execute(statement, values).fetchone()
        except psycopg.Error as error:
            reason = " ".join(str(error).split())
            raise LeaseDatabaseError(
                f"the leases in PostgreSQL at {self} cannot be used ({reason}): check FIRM_DATABASE_URL and the "
                "database; nothing was written"
            ) from None

    def heartbeat(self, name: str) -> str:
        """Changes for as long as the holder of a lease is alive; empty without a holder."""
        found = self.ask(_LOOK, {"name": name})
        return "" if found is None else f"{found[1]}.{found[2]}"


class _HeldLease:
    """A lease of this process, renewed until it is released."""

    def __init__(self, database: LeaseDatabase, name: str, timing: LeaseTiming, token: int) -> None:
        self._database = database
        self._timing = timing
        self._values = {"name": name, "token": token, "seconds": timing.expires}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._renew, name=f"lease {name}", daemon=True)
        self._thread.start()

    def _renew(self) -> None:
        """Renews the lease until it is released or taken by another machine."""
        while not self._ended.wait(self._timing.renews):
            try:
                renewed = self._database.ask(_RENEW, self._values)
            except ReplicationError as error:  # the next request shows whether the lease is still ours
                LOGGER.warning("a lease cannot be renewed: %s", error)
                continue
            if renewed is None:
                name = self._values["name"]
                LOGGER.warning("%s was taken over by another machine: writes from here will be rejected", name)
                return

    def release(self) -> None:
        """Releases the lease after the last renewal; if that fails, it expires."""
        self._ended.set()
        self._thread.join()
        try:
            self._database.ask(_FREE, self._values)
        except ReplicationError as error:
            LOGGER.warning("a lease cannot be released and will expire: %s", error)


@contextmanager
def distributed_lease(
    database: LeaseDatabase, name: str, timing: LeaseTiming, wait_seconds: float = 0.0, above: int = 0
) -> Iterator[int]:
    """Holds the lease `name` and gives its token, which is greater than any earlier one and than `above`.

    Raises AlreadyLockedError if its holder is still alive after the wait: if it is dead, that takes up to
    `timing.expires`. `above`: the token found in the object store, which remembers if the database was restored.
    """
    token = _take_lease(database, name, timing, wait_seconds, above)
    held = _HeldLease(database, name, timing, token)
    try:
        yield token
    finally:
        held.release()


def _take_lease(database: LeaseDatabase, name: str, timing: LeaseTiming, wait_seconds: float, above: int) -> int:
    holder = f"{socket.gethostname()} process {os.getpid()}"
    values = {"name": name, "above": above, "holder": holder, "seconds": timing.expires}
    deadline = time.monotonic() + wait_seconds
    first: tuple[Any, ...] | None = None
    while (taken := database.ask(_TAKE, values)) is None:
        found = database.ask(_LOOK, {"name": name})
        first = first or found
        if found is not None and found != first and time.monotonic() >= deadline:
            raise AlreadyLockedError(name, str(found[0]))  # it was renewed, or changed hands, while being watched
        time.sleep(timing.poll_seconds)
    return int(taken[0])
