"""Retention of the delivery log and of daily usage (docs/contract/contract.md 4.8, docs/contract/delivery.md 10).

One process leads. A pass is split into short steps, each its own transaction with a bounded number of rows, so that
other writers never wait long. Deliveries are pruned per subscription, oldest first: their ids rise with time, so
expired ones are the beginning of a range. Unfinished ones are never deleted, however old. Does not belong here: how
often (`api.webhooks.runner`).
"""

import logging
from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, or_, select, tuple_, update

from api.common.clock import Clock
from api.common.ids import earliest_id
from api.database.engine import Database
from api.database.leases import LeaderLease
from api.database.models.accounts import IdempotentRequest, Mail
from api.database.models.base import from_milliseconds, to_milliseconds
from api.database.models.webhooks import (
    Attempt,
    Delivery,
    EndpointState,
    MatchedEvent,
    QueuedAttempt,
    Replay,
    SubscribedCompany,
    Subscription,
    SubscriptionSelector,
)
from api.settings.webhooks import WebhookSettings
from api.usage.repository import prune_days
from api.webhooks.subscriptions.repository import UNFINISHED, lock_endpoints

LEASE: Final = "pruning"
_LEASE_SECONDS: Final = 60.0
STEP_ROWS: Final = 500  # maximum deliveries, events or companies per step
_REQUESTS_KEPT: Final = timedelta(hours=24)  # docs/contract/contract.md 4.12
_DAYS_KEPT: Final = timedelta(days=400)  # usage: the current month is shown, a year can be compared manually
_LOGGER: Final = logging.getLogger("firm.webhooks")


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
        self._pass = None
        self._leadership.release()

    def _pass_steps(self) -> Iterator[int]:
        """Yields the number of rows deleted by each step of one pass."""
        # rounded like ids, so that an event goes with its deliveries
        now = from_milliseconds(to_milliseconds(self._clock.now()))
        before = now - self._retention
        kept: set[int] = set()
        yield from self._prune_deliveries(earliest_id("dlv", to_milliseconds(before)), kept)
        yield from self._prune_events(before, kept)
        while taken := self._database.write(prune_companies, STEP_ROWS):
            yield taken
        while self._database.write(prune_subscription, before):
            yield 1
        yield self._database.write(prune_records, before, now - _REQUESTS_KEPT)
        yield self._database.write(wipe_secrets, now)
        oldest = int(f"{now - _DAYS_KEPT:%Y%m%d}")
        while taken := self._database.write(prune_days, oldest, STEP_ROWS):
            yield taken

    def _prune_deliveries(self, below: str, kept: set[int]) -> Iterator[int]:
        """Deletes expired deliveries; adds events of expired deliveries that stay to `kept`."""
        subscription_id = ""
        while (found := self._database.read(next_subscription_to_prune, subscription_id, below)) is not None:
            subscription_id = found
            while taken := self._database.write(prune_deliveries, subscription_id, below, STEP_ROWS):
                yield taken
            kept |= self._database.read(retained_sequences, subscription_id, below)

    def _prune_events(self, before: datetime, kept: set[int]) -> Iterator[int]:
        after: int | None = 0
        while after is not None:
            after = self._database.write(prune_events, after, before, kept, STEP_ROWS)
            yield 0


def next_subscription_to_prune(connection: Connection, after: str, below: str) -> str | None:
    """Returns the next subscription, by id, that has a delivery with an id below `below`."""
    old = exists().where(Delivery.subscription_id == EndpointState.subscription_id, Delivery.delivery_id < below)
    statement = select(EndpointState.subscription_id).where(EndpointState.subscription_id > after, old)
    return connection.execute(statement.order_by(EndpointState.subscription_id).limit(1)).scalar_one_or_none()


def prune_deliveries(connection: Connection, subscription_id: str, below: str, limit: int) -> int:
    """Deletes the oldest finished deliveries with their attempts; returns their number.

    A delivery with a queued manual attempt stays until that attempt has been made.
    """
    lock_endpoints(connection, [subscription_id])
    by_hand = select(QueuedAttempt.delivery_id).where(
        QueuedAttempt.subscription_id == subscription_id, QueuedAttempt.trigger == "manual"
    )
    wanted = list(connection.execute(by_hand).scalars())
    ended = and_(
        _old_deliveries(subscription_id, below), Delivery.status.not_in(UNFINISHED), Delivery.delivery_id.not_in(wanted)
    )
    chosen = select(Delivery.delivery_id).where(ended).order_by(Delivery.delivery_id).limit(limit)
    ids = list(connection.execute(chosen).scalars())
    if ids:
        connection.execute(delete(Attempt).where(Attempt.delivery_id.in_(ids)))
        connection.execute(
            delete(Delivery).where(Delivery.subscription_id == subscription_id, Delivery.delivery_id.in_(ids))
        )
    return len(ids)


def retained_sequences(connection: Connection, subscription_id: str, below: str) -> set[int]:
    """Sequences of expired deliveries that stay, so that their events stay too."""
    return set(connection.execute(select(Delivery.sequence).where(_old_deliveries(subscription_id, below))).scalars())


def prune_events(
    connection: Connection, after: int, before: datetime, retained_sequences: Collection[int], limit: int
) -> int | None:
    """Deletes up to `limit` events matched before `before`, except `retained_sequences`.

    Returns the sequence to continue after; None at the end.
    """
    oldest = (
        select(MatchedEvent.sequence, MatchedEvent.matched_at)
        .where(MatchedEvent.sequence > after)
        .order_by(MatchedEvent.sequence)
        .limit(limit)
    )
    found = [row.sequence for row in connection.execute(oldest) if row.matched_at < before]
    gone = [sequence for sequence in found if sequence not in retained_sequences]
    if gone:
        connection.execute(delete(MatchedEvent).where(MatchedEvent.sequence.in_(gone)))
    return found[-1] if found else None


def prune_companies(connection: Connection, limit: int) -> int:
    """Deletes up to `limit` companies of deleted subscriptions; returns their number."""
    chosen = (
        select(SubscribedCompany.subscription_id, SubscribedCompany.company_id)
        .join(Subscription, Subscription.subscription_id == SubscribedCompany.subscription_id)
        .where(Subscription.deleted_at.is_not(None))
        .limit(limit)
    )
    key = tuple_(SubscribedCompany.subscription_id, SubscribedCompany.company_id)
    return connection.execute(delete(SubscribedCompany).where(key.in_(chosen))).rowcount


def prune_subscription(connection: Connection, before: datetime) -> bool:
    """Deletes one subscription that was deleted before `before` and has no deliveries left."""
    some = exists().where(Delivery.subscription_id == Subscription.subscription_id)
    named = exists().where(SubscribedCompany.subscription_id == Subscription.subscription_id)
    gone = connection.execute(
        select(Subscription.subscription_id).where(Subscription.deleted_at < before, ~some, ~named).limit(1)
    ).scalar_one_or_none()
    if gone is None:
        return False
    for table in (QueuedAttempt, Replay, EndpointState, SubscriptionSelector, Subscription):
        connection.execute(delete(table).where(table.subscription_id == gone))
    return True


def prune_records(connection: Connection, before: datetime, requests_before: datetime) -> int:
    """Deletes completed replays, finished mails, and expired idempotent requests; returns their number."""
    expired = (
        delete(Replay).where(Replay.completed_at.is_not(None), Replay.created_at < before),
        delete(Mail).where(Mail.next_attempt_at.is_(None), Mail.created_at < before),
        delete(IdempotentRequest).where(IdempotentRequest.created_at < requests_before),
    )
    return sum(connection.execute(statement).rowcount for statement in expired)


def wipe_secrets(connection: Connection, at: datetime) -> int:
    """Wipes previous secrets that no longer sign; returns their number."""
    expired = or_(
        Subscription.previous_secret_expires_at <= at,
        and_(Subscription.deleted_at.is_not(None), Subscription.previous_secret.is_not(None)),
    )
    wiped = update(Subscription).where(expired)
    return connection.execute(wiped.values(previous_secret=None, previous_secret_expires_at=None)).rowcount


def _old_deliveries(subscription_id: str, below: str) -> ColumnElement[bool]:
    return and_(Delivery.subscription_id == subscription_id, Delivery.delivery_id < below)
