"""One database sync of a worker: writes finished attempts, leases endpoint queues, reads due attempts.

Blocks, so it runs in the worker's database thread; attempts that finish during one sync are written together by the
next. Does not belong here: statements (`api.database`), making attempts (`api.webhooks.delivery.worker`),
scheduling (`api.webhooks.delivery.scheduler`).
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from sqlalchemy import Connection
from sqlalchemy.exc import DataError, IntegrityError, ProgrammingError

from api.common.ids import UlidGenerator
from api.database.engine import Database, WorkerConnection
from api.database.models.base import from_milliseconds
from api.webhooks.deliveries.repository import EndedDelivery, count_ended
from api.webhooks.delivery import attempt_repository, failure_policy, queue_repository
from api.webhooks.delivery.records import (
    DeferredAttempt,
    EndpointRelease,
    FinishedAttempt,
    LeasedEndpoint,
    PreparedAttempt,
    QueueEntry,
    SubscriberRecord,
)

_LOGGER: Final = logging.getLogger("firm.webhooks.worker")
_UNWRITABLE: Final = (DataError, IntegrityError, ProgrammingError, UnicodeEncodeError)
"""Errors caused by the values, now and later; any other error is the database's own."""


@dataclass(frozen=True, slots=True)
class QueueRead:
    """What a worker needs to read of one leased endpoint queue."""

    subscription_id: str
    revision: int
    """The revision known to the worker; 0 for none."""
    most: int
    """Rows to read, including those in hand."""
    read_attempt_ids: frozenset[str] = frozenset()
    """Attempts read and not yet made."""


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """Input of one sync. Instants are milliseconds."""

    at: int
    lease_until: int
    horizon: int
    finished: Sequence[FinishedAttempt]
    deferred_attempts: Sequence[DeferredAttempt]
    releases: Sequence[EndpointRelease]
    renewals: Sequence[str]
    queue_reads: Sequence[QueueRead]
    places: tuple[int, int]
    """Free places for endpoint queues of healthy and of failing endpoints."""
    first_read_rows: int
    """Rows to read of an endpoint queue leased in this sync."""


@dataclass(slots=True)
class SyncResult:
    leased: list[LeasedEndpoint] = field(default_factory=list)
    changed: list[SubscriberRecord] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)
    due: list[PreparedAttempt] = field(default_factory=list)
    read: dict[str, int] = field(default_factory=dict)
    """Rows found per endpoint queue read."""
    waiting: tuple[bool, bool] = (False, False)
    read_at: float = float("-inf")
    """Monotonic time when reading began: writing may have waited long for its lock before."""


class WorkerSync:
    def __init__(
        self, database: Database, lessee: str, ulids: UlidGenerator, public_url: str, monotonic: Callable[[], float]
    ) -> None:
        self._connection = WorkerConnection(database)
        self._monotonic = monotonic
        self._lessee = lessee
        self._ulids = ulids
        self._public_url = public_url

    def make(self, request: SyncRequest) -> SyncResult:
        """Runs one sync. After an error the caller must repeat it with all of the input."""
        answer = SyncResult()
        if request.finished or request.deferred_attempts or request.releases or request.renewals:
            self._write_results(request)
        with self._connection.reading() as connection:
            answer.waiting = queue_repository.waiting_endpoints(connection, request.at, request.horizon)
        free = [most if waits else 0 for most, waits in zip(request.places, answer.waiting, strict=True)]
        if any(free):
            with self._connection.writing() as connection:
                terms = request.at, request.horizon, request.lease_until
                answer.leased = queue_repository.lease_endpoints(connection, self._lessee, *terms, free)
        with self._connection.reading() as connection:
            self._read_queue(connection, request, answer)
        return answer

    def close(self) -> None:
        """Closes the connection; called from the database thread or after its end."""
        self._connection.close()

    def _read_queue(self, connection: Connection, asked: SyncRequest, answer: SyncResult) -> None:
        answer.read_at = self._monotonic()
        new = [QueueRead(one.subscription_id, 0, asked.first_read_rows) for one in answer.leased]
        looked = [*asked.queue_reads, *new]
        known = [(one.subscription_id, one.revision) for one in looked]
        answer.changed, answer.lost = queue_repository.changed_subscriptions(connection, self._lessee, known)
        in_hand = {one.subscription_id: one.read_attempt_ids for one in looked}
        wanted = [(one.subscription_id, one.most) for one in looked if one.most]
        answer.read = dict.fromkeys((lane for lane, _ in wanted), 0)
        chosen: list[QueueEntry] = []
        for queued in queue_repository.ready_attempts(connection, asked.at, wanted):
            answer.read[queued.subscription_id] += 1
            if queued.attempt_id not in in_hand[queued.subscription_id]:
                chosen.append(queued)
        answer.due = list(queue_repository.load_details(connection, chosen))

    def _write_results(self, asked: SyncRequest) -> None:
        try:
            self._write_once(asked, asked.finished)
        except _UNWRITABLE:
            # one of them is at fault: written separately, only that one fails again
            _LOGGER.exception("attempts could not be written as one batch; they are written one by one")
            for one in asked.finished:
                self._write_single(asked, one)
            self._write_once(asked, ())

    def _write_single(self, asked: SyncRequest, one: FinishedAttempt) -> None:
        """Writes an attempt as is, else without the receiver's data; else its delivery is held for an operator."""
        only = replace(asked, deferred_attempts=(), releases=(), renewals=())
        bare = replace(one.result, error_detail=None, response_headers=None, response_body=None)
        queued = one.due.queued
        for version in (one, replace(one, result=bare)):
            try:
                return self._write_once(only, (version,))
            except _UNWRITABLE:
                _LOGGER.exception("attempt %s of %s cannot be written", queued.attempt_id, queued.delivery_id)
        return self._write_once(replace(only, deferred_attempts=(DeferredAttempt(queued, "held"),)), ())

    def _write_once(self, asked: SyncRequest, made: Sequence[FinishedAttempt]) -> None:
        concerned = {*asked.renewals, *(one.due.queued.subscription_id for one in made)}
        concerned.update(one.queued.subscription_id for one in asked.deferred_attempts)
        concerned.update(one.subscription_id for one in asked.releases)
        if not concerned:
            return
        ended, paused = list[EndedDelivery](), list[FinishedAttempt]()
        with self._connection.writing() as connection:
            healths = queue_repository.lock_endpoint_health(connection, concerned)
            if made:
                make_id = partial(self._ulids.make, "att")
                scheduled = attempt_repository.record_attempts(connection, made, ended, make_id)
                healths = attempt_repository.endpoint_health(healths, scheduled)
                queue_repository.write_health(connection, healths)
                paused = failure_policy.apply_failure_policy(connection, scheduled, healths, self._public_url)
            ended += queue_repository.defer(connection, asked.deferred_attempts, asked.at)
            count_ended(connection, ended, from_milliseconds(asked.at))
            queue_repository.renew_leases(connection, self._lessee, asked.renewals, asked.lease_until)
            queue_repository.release_endpoints(connection, self._lessee, asked.releases)
        for one in paused:
            queued = one.due.queued
            _LOGGER.warning("%s is paused: all retries of %s failed", queued.subscription_id, queued.delivery_id)
