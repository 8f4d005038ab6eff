"""What callers may ask of the log: reading it, one attempt by hand, a replay (docs/contract/contract.md 4.8).

Every function works on a connection whose transaction its caller has begun, and raises the problem that the caller
of the API is answered. Does not belong here: SQL (`api.db.deliveries`, `api.db.redeliveries`), or bodies
(`api.webhooks.replay_bodies`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection

from api.db.deliveries import DeliveryRepository
from api.db.delivery_records import (
    DeliveryDetail,
    DeliveryQuery,
    DeliveryRecord,
    OwnSubscription,
    ReplayRecord,
    Window,
)
from api.db.redeliveries import queue_by_hand, queue_replay
from api.db.webhook_states import lock_lanes
from api.problems import Problem, problem
from api.ulids import is_ulid
from api.webhooks.refusals import invalid_state, not_found


@dataclass(frozen=True, slots=True)
class Place:
    """Whose log is asked, and how far back it reaches."""

    account_id: str
    subscription_id: str
    oldest: datetime
    retention_days: int


def place_in(account_id: str, subscription_id: str, retention_days: int, now: datetime) -> Place:
    """The log of a subscription as far as it reaches back at that instant."""
    return Place(account_id, subscription_id, now - timedelta(days=retention_days), retention_days)


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """A replay as it was asked for, with what was left out filled in."""

    since: datetime
    until: datetime
    statuses: Sequence[str]
    event_types: Sequence[str] | None


def page(
    connection: Connection, place: Place, query: DeliveryQuery, before: str | None, limit: int
) -> list[DeliveryRecord]:
    """The newest that match, below the one named `before`."""
    log = DeliveryRepository(connection)
    own = _subscription(log, place)
    since = query.window.since
    window = Window(place.oldest if since is None else max(since, place.oldest), query.window.until)
    kept = DeliveryQuery(window, query.statuses, query.event_types, query.event_id)
    return log.page(own.subscription_id, kept, before, limit)


def detail(connection: Connection, place: Place, delivery_id: str) -> DeliveryDetail:
    """One delivery with payload and attempts."""
    log = DeliveryRepository(connection)
    own = _subscription(log, place)
    found = log.detail(own.subscription_id, delivery_id) if is_ulid("dlv", delivery_id) else None
    if found is None or found.delivery.created_at < place.oldest:
        raise _no_delivery(place)
    return found


def retry(
    connection: Connection, place: Place, delivery_id: str, attempt_id: str, at: datetime
) -> DeliveryRecord:
    """One attempt more, whatever the subscription's status; the delivery as it stands."""
    log, own = _locked(connection, place)
    found = log.delivery(own.subscription_id, delivery_id) if is_ulid("dlv", delivery_id) else None
    if found is None or found.created_at < place.oldest:
        raise _no_delivery(place)
    if found.status == "canceled":
        raise invalid_state("The delivery was canceled and is not sent again.", found.status)
    queue_by_hand(connection, own.subscription_id, delivery_id, attempt_id, at)
    return found


def replay(
    connection: Connection, place: Place, asked: ReplayRequest, replay_id: str, at: datetime
) -> ReplayRecord:
    """Takes up what was asked for; the replay as it begins, or already complete where nothing matched."""
    log, own = _locked(connection, place)
    if own.status != "active":
        raise invalid_state("The subscription is paused; set status to active before replaying.", own.status)
    types = None if asked.event_types is None else tuple(asked.event_types)
    wanted = ReplayRecord(
        replay_id=replay_id,
        subscription_id=own.subscription_id,
        since=asked.since,
        until=asked.until,
        statuses=tuple(asked.statuses),
        event_types=types,
        matched=0,
        succeeded=0,
        failed=0,
        created_at=at,
        completed_at=None,
    )
    queue_replay(connection, wanted)
    made = log.replay(own.subscription_id, replay_id)
    if made is None:
        raise RuntimeError(f"replay {replay_id} is not there after it was stored")
    return made


def progress(connection: Connection, place: Place, replay_id: str) -> ReplayRecord:
    """How far a replay has come."""
    log = DeliveryRepository(connection)
    own = _subscription(log, place)
    found = log.replay(own.subscription_id, replay_id) if is_ulid("rpl", replay_id) else None
    if found is None:
        raise problem("replay_not_found", "No such replay.")
    return found


def _locked(connection: Connection, place: Place) -> tuple[DeliveryRepository, OwnSubscription]:
    """The lane's lock first: what is read afterwards holds until the end of the transaction."""
    if is_ulid("whs", place.subscription_id):
        lock_lanes(connection, [place.subscription_id])
    log = DeliveryRepository(connection)
    return log, _subscription(log, place)


def _subscription(log: DeliveryRepository, place: Place) -> OwnSubscription:
    """The account's own; those of others are not told from none."""
    asked = place.subscription_id
    found = log.subscription(place.account_id, asked) if is_ulid("whs", asked) else None
    if found is None:
        raise not_found(asked)
    return found


def _no_delivery(place: Place) -> Problem:
    return problem(
        "delivery_not_found", f"No such delivery, or it is older than {place.retention_days} days."
    )
