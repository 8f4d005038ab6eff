"""The endpoint queues a worker has leased: what it requests in a sync, and how it applies the result.

An endpoint queue is released when it has no more due attempts or, if others wait for its place, after a while;
it then queues behind them. Attempts read ahead are dropped when the subscription's revision changes, so every
attempt is checked against a current subscription (docs/contract/delivery.md 8). Does not belong here:
scheduling (`api.webhooks.delivery.scheduler`), statements, requests.
"""

import logging
from collections.abc import Sequence
from typing import Final

from api.auth.encryption import SealingError, SecretBox
from api.settings.webhooks import WebhookSettings
from api.webhooks.delivery.records import DeferredAttempt, EndpointRelease, PreparedAttempt, SubscriberRecord
from api.webhooks.delivery.scheduler import SECOND, EndpointQueue, FairScheduler, Subscriber
from api.webhooks.delivery.sync import QueueRead, SyncRequest, SyncResult
from api.webhooks.destinations.https import HttpsEndpoint
from api.webhooks.destinations.opening import open_destination
from api.webhooks.subscriptions.models import EVENT_BITS

_LOGGER: Final = logging.getLogger("firm.webhooks.worker")
_LANES_PER_ATTEMPT: Final = 2
_MOST_READ_AHEAD: Final = 64
_QUANTUM_SECONDS: Final = 1.0
"""How long an endpoint queue is kept while others wait for its place."""
_LOOK_SECONDS: Final = 0.1
"""Poll interval of an endpoint queue without due attempts."""
_SET_ASIDE_MS: Final = 60_000


class LeasedEndpoints:
    """The endpoint queues of one worker. Times are monotonic seconds, instants (`at`) milliseconds."""

    def __init__(self, settings: WebhookSettings, secret_box: SecretBox, scheduler: FairScheduler) -> None:
        self._settings = settings
        self._sealer = secret_box
        self._turns = scheduler
        self._places = _LANES_PER_ATTEMPT * settings.in_flight
        self._lanes: dict[str, EndpointQueue] = {}
        self._renewed = float("-inf")

    def __len__(self) -> int:
        return len(self._lanes)

    def find(self, subscription_id: str) -> EndpointQueue | None:
        return self._lanes.get(subscription_id)

    def releases(self, now: float, at: int, *, release_all: bool = False) -> list[EndpointRelease]:
        """Endpoint queues to release: idle, and either empty or with others waiting for the place."""
        return [
            EndpointRelease(lane.subscription_id, self._free_at(lane, now, at), at if lane.is_ending else 0)
            for lane in self._lanes.values()
            if not lane.in_flight and (release_all or lane.is_ending or (lane.is_empty and not lane.ready))
        ]

    def drop_released(self, releases: Sequence[EndpointRelease]) -> None:
        """Drops the released endpoint queues, once the release is committed."""
        for one in releases:
            self._drop_queue(self._lanes.get(one.subscription_id))

    def renewals(self, now: float, releases: Sequence[EndpointRelease]) -> list[str]:
        """Endpoint queues to renew: all not released, once a third of the lease has passed."""
        if now - self._renewed < self._settings.lease_seconds / 3:
            return []
        given_back = {one.subscription_id for one in releases}
        return [one for one in self._lanes if one not in given_back]

    def renewed(self, now: float) -> None:
        self._renewed = now

    def queue_reads(self, now: float, releases: Sequence[EndpointRelease]) -> list[QueueRead]:
        """What to read of every leased endpoint queue; rows only of those with room."""
        given_back = {one.subscription_id for one in releases}
        return [
            QueueRead(
                name,
                lane.subscriber.record.revision if lane.subscriber else 0,
                self._rows_to_read(lane, now),
                frozenset(lane.read_attempt_ids),
            )
            for name, lane in self._lanes.items()
            if name not in given_back
        ]

    def places(self) -> tuple[int, int]:
        """Endpoint queues that may still be leased: of healthy and of failing endpoints (at most half)."""
        free = max(0, self._places - len(self._lanes))
        failing = sum(1 for lane in self._lanes.values() if lane.failures)
        return free, max(0, min(free, self._places // 2 - failing))

    def take(self, request: SyncRequest, result: SyncResult, now: float) -> list[DeferredAttempt]:
        """Applies the result of a sync; returns due attempts that must not be made."""
        for record in result.leased:
            name, failures = record.subscription_id, record.consecutive_failures
            self._lanes.setdefault(name, EndpointQueue(name, failures, record.last_success_at is not None, now))
        for name in result.lost:
            self._drop_queue(self._lanes.get(name))
        for record in result.changed:
            self._apply_change(record, request.at)
        for one in request.queue_reads:
            self._note_read(one.subscription_id, one.most, result, now)
        for record in result.leased:
            self._note_read(record.subscription_id, request.first_read_rows, result, now)
        asides = [aside for due in result.due if (aside := self._receive_attempt(due)) is not None]
        self._make_room(request, result, now)
        for lane in self._lanes.values():
            self._turns.enqueue(lane)
        return asides

    def _drop_queue(self, lane: EndpointQueue | None) -> None:
        """Drops an endpoint queue; its running attempts finish on their own."""
        if lane is not None:
            self._end_queue(lane)
            self._lanes.pop(lane.subscription_id, None)

    def _end_queue(self, lane: EndpointQueue) -> None:
        lane.is_ending = True
        lane.forget()
        self._turns.leave(lane)

    def _apply_change(self, record: SubscriberRecord, at: int) -> None:
        lane = self._lanes.get(record.subscription_id)
        if lane is None:
            return
        lane.forget()
        try:
            lane.subscriber = self._to_subscriber(record)
        except SealingError as error:
            _LOGGER.error("%s is suspended for a minute: %s", record.subscription_id, error)  # noqa: TRY400
            self._end_queue(lane)
            lane.subscriber, lane.leasable_from = None, at + _SET_ASIDE_MS

    def _to_subscriber(self, record: SubscriberRecord) -> Subscriber:
        if record.deleted_at is not None:
            return Subscriber(record, HttpsEndpoint(record.endpoint_url), "", None)
        previous = None if record.previous_secret is None else self._sealer.open(record.previous_secret)
        return Subscriber(record, open_destination(record, self._sealer), self._sealer.open(record.secret), previous)

    def _note_read(self, name: str, most: int, answer: SyncResult, now: float) -> None:
        lane = self._lanes.get(name)
        if lane is not None and most:
            lane.is_empty = answer.read.get(name, 0) < most
            lane.read_at, lane.ended = now, 0

    def _receive_attempt(self, due: PreparedAttempt) -> DeferredAttempt | None:
        lane = self._lanes.get(due.queued.subscription_id)
        if lane is None or lane.is_ending or lane.subscriber is None:
            return None  # its next holder reads it again
        status = _deferred_status(due, lane.subscriber.record)
        if status is not None:
            lane.ended += 1  # counted as progress, so that more rows are read at once
            return DeferredAttempt(due.queued, status)
        if due.queued.attempt_id not in lane.read_attempt_ids:
            lane.read_attempt_ids.add(due.queued.attempt_id)
            lane.ready.append(due)
        return None

    def _make_room(self, asked: SyncRequest, answer: SyncResult, now: float) -> None:
        """Ends the longest-held endpoint queues if others wait for a place."""
        for only_failing in (False, True):
            if answer.waiting[only_failing] and asked.places[only_failing] == 0:
                held = [
                    lane
                    for lane in self._lanes.values()
                    if now - lane.since >= _QUANTUM_SECONDS and (lane.failures or not only_failing)
                ]
                for lane in sorted(held, key=lambda lane: lane.since)[: max(1, self._places // 4)]:
                    self._end_queue(lane)

    def _rows_to_read(self, lane: EndpointQueue, now: float) -> int:
        """Rows to read: the expected use until the next sync, twice the use since the last."""
        if lane.is_ending or (lane.is_empty and now - lane.read_at < _LOOK_SECONDS):
            return 0
        room = self._turns.room(lane)
        if lane.is_trusted:
            room = max(room, min(2 * lane.ended, _MOST_READ_AHEAD))
        more = room - len(lane.ready)
        return more + len(lane.read_attempt_ids) if more > 0 else 0

    def _free_at(self, lane: EndpointQueue, now: float, at: int) -> int | None:
        """Keeps a rate-limited endpoint queue from other workers until its second is over."""
        paced = lane.subscriber is not None and lane.subscriber.record.max_per_second is not None
        if lane.leasable_from is None and paced and lane.pace.is_fresh(now):
            return at + round(SECOND * 1_000)
        return lane.leasable_from


def _deferred_status(due: PreparedAttempt, subscriber: SubscriberRecord) -> str | None:
    """New status of a due delivery that must not be attempted; None if it may be.

    A manual attempt is always made, also while paused or for an event type no longer subscribed.
    """
    if subscriber.deleted_at is not None:
        return "canceled"
    if due.data is None:
        _LOGGER.error("%s is deferred: its event is not stored", due.queued.delivery_id)
        return "held"
    if due.queued.trigger == "manual":
        return None
    if subscriber.status != "active":
        return "held"
    chosen = subscriber.event_mask & EVENT_BITS.get(due.event_type, 0) and due.covers_event
    return None if chosen else "canceled"
