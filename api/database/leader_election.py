"""Leader election: takes and renews a lease across work steps, with as few writes as possible.

Does not belong here: the statements (`api.database.leases`), or what the holder does.
"""

from datetime import datetime, timedelta

from api.common.clock import Clock
from api.database import leases
from api.database.engine import Database


class LeaderLease:
    """One process's view of a lease. Each work step checks `held` first; belongs to one thread."""

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
            with self._database.writing() as session:
                taken = leases.acquire_lease(session.connection(), self._name, self._holder, now, until)
            self._asked_at, self._until = now, until if taken else None
        return self._until is not None and now < self._until

    def release(self) -> None:
        """Releases the lease, so that another process can lead at once."""
        if self._until is not None:
            with self._database.writing() as session:
                leases.release_lease(session.connection(), self._name, self._holder)
        self._asked_at = self._until = None
