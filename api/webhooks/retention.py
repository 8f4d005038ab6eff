"""Retention of the delivery log and of daily usage.

See docs/contract/contract.md 4.8, docs/contract/delivery.md 10.

One process leads. A pass is split into short steps, each its own transaction, so that other writers never wait
long. Does not belong here: the statements (`api.webhooks.retention_repository`), or how often
(`api.webhooks.runner`).
"""

import logging
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Final, TypeVar

from sqlalchemy import Connection

from api.common.clock import Clock
from api.common.ids import earliest_id
from api.database.engine import Database
from api.database.leader_election import LeaderLease
from api.database.models.base import from_milliseconds, to_milliseconds
from api.settings.webhooks import WebhookSettings
from api.usage import repository
from api.webhooks import retention_repository

LEASE: Final = "pruning"
_LEASE_SECONDS: Final = 60.0
STEP_ROWS: Final = 500  # maximum deliveries, events or companies per step
_REQUESTS_KEPT: Final = timedelta(hours=24)  # docs/contract/contract.md 4.12
_DAYS_KEPT: Final = timedelta(days=400)  # usage: the current month is shown, a year can be compared manually
_LOGGER: Final = logging.getLogger("firm.webhooks")
T = TypeVar("T")


class RetentionPruner:
    """Deletes expired data while this process leads. `step` blocks; it belongs to one thread."""

    def __init__(self, database: Database, settings: WebhookSettings, clock: Clock, name: str) -> None:
        self._database = database
        self._retention = timedelta(days=settings.retention_days)
        self._clock = clock
        self._leadership = LeaderLease(database, clock, LEASE, name, _LEASE_SECONDS)
        self._pass: Iterator[int] | None = None
        self._taken = 0

    def step(self) -> bool:
        """Deletes some rows; returns whether this pass has more to do."""
        if not self._leadership.acquire_or_renew():
            self._pass = None
            return False
        if self._pass is None:
            self._pass, self._taken = self._pass_steps(), 0
        taken = next(self._pass, None)
        if taken is not None:
            self._taken += taken
            return True
        self._pass = None
        self._leadership.release()
        if self._taken:
            _LOGGER.info("%d expired rows were deleted", self._taken)
        return False

    def close(self) -> None:
        """Releases the lease, so that another process can start a pass at once."""
        self._pass = None
        self._leadership.release()

    def _pass_steps(self) -> Iterator[int]:
        """Yields the number of rows deleted by each step of one pass."""
        now = from_milliseconds(
            to_milliseconds(self._clock.now())
        )  # rounded like ids, so that an event goes with its deliveries
        before = now - self._retention
        kept: set[int] = set()
        yield from self._prune_deliveries(earliest_id("dlv", to_milliseconds(before)), kept)
        yield from self._prune_events(before, kept)
        while taken := self._run_write(lambda connection: retention_repository.prune_companies(connection, STEP_ROWS)):
            yield taken
        while self._run_write(lambda connection: retention_repository.prune_subscription(connection, before)):
            yield 1
        yield self._run_write(
            lambda connection: retention_repository.prune_records(connection, before, now - _REQUESTS_KEPT)
        )
        yield self._run_write(lambda connection: retention_repository.wipe_secrets(connection, now))
        oldest = int(f"{now - _DAYS_KEPT:%Y%m%d}")
        while taken := self._run_write(lambda connection: repository.prune_days(connection, oldest, STEP_ROWS)):
            yield taken

    def _prune_deliveries(self, below: str, kept: set[int]) -> Iterator[int]:
        """Deletes expired deliveries; adds events of expired deliveries that stay to `kept`."""
        found = ""
        while (found := self._next_subscription(found, below)) is not None:
            subscription_id = found
            while taken := self._run_write(
                lambda connection, one=subscription_id: retention_repository.prune_deliveries(
                    connection, one, below, STEP_ROWS
                )
            ):
                yield taken
            with self._database.reading() as session:
                kept |= retention_repository.retained_sequences(session.connection(), subscription_id, below)

    def _next_subscription(self, subscription_id: str, below: str) -> str | None:
        with self._database.reading() as session:
            return retention_repository.next_subscription_to_prune(session.connection(), subscription_id, below)

    def _prune_events(self, before: datetime, kept: set[int]) -> Iterator[int]:
        after: int | None = 0
        while after is not None:
            after = self._run_write(
                lambda connection, start=after: retention_repository.prune_events(
                    connection, start, before, kept, STEP_ROWS
                )
            )
            yield 0

    def _run_write(self, change: Callable[[Connection], T]) -> T:
        with self._database.writing() as session:
            return change(session.connection())
