"""Fan-out: published events become deliveries, by one leader at a time (docs/architecture.md 10).

One step matches one batch: the cursor moves in the commit that stores the deliveries, so a crash repeats a batch
and loses none. Batch sizes adapt to the number of deliveries, as SQLite has no other writer while one is stored.
Does not belong here: the statements (`api.webhooks.delivery.fanout_repository`), or what becomes of deliveries
(`api.webhooks.delivery.worker`).
"""

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Final, Protocol

from api.common.clock import Clock
from api.common.ids import earliest_id
from api.database.engine import Database
from api.database.leader_election import LeaderLease
from api.database.models.base import from_milliseconds, to_milliseconds
from api.database.models.webhooks import MatchedEvent
from api.webhooks.delivery import fanout_repository
from api.webhooks.delivery.fanout_repository import FanOutCandidate
from api.webhooks.subscriptions.records import EVENT_BITS
from warehouse.ledger.read_index import LedgerEvent

LEASE: Final = "fan_out"
_LOGGER: Final = logging.getLogger("firm.webhooks")
_LEASE_SECONDS: Final = 15.0
MAX_EVENTS: Final = 1_024
ENOUGH_DELIVERIES: Final = 20_000  # per commit: a few tenths of a second
_TIME: Final = slice(4, 14)  # of an id with a prefix of three letters
_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_SHIFTS: Final = (25, 20, 15, 10, 5, 0)  # 30 bits of `sequence`: no two events of 30 days share them


class PublishedEvents(Protocol):
    """The part of `warehouse.reader.reader.ReleaseReader` that matching uses."""

    def events_after(self, sequence: int, limit: int) -> Sequence[LedgerEvent]: ...


class FanOut:
    """Matches published events while this process leads. `step` blocks; it belongs to one thread."""

    def __init__(self, database: Database, reader: PublishedEvents, clock: Clock, name: str) -> None:
        self._database = database
        self._reader = reader
        self._clock = clock
        self._leadership = LeaderLease(database, clock, LEASE, name, _LEASE_SECONDS)
        self._cursor: int | None = None
        self._limit = 64

    def step(self) -> int:
        """Matches one batch; returns its number of events, 0 if nothing is new or another process leads."""
        if not self._leadership.acquire_or_renew():
            self._cursor = None  # the leader moves it
            return 0
        if self._cursor is None:
            self._cursor = self._load_cursor()
        if self._cursor is None:
            return 0
        events = self._reader.events_after(self._cursor, self._limit)
        return self._match(self._cursor, events) if events else 0

    @property
    def has_begun(self) -> bool:
        """Whether this process leads and has subscriptions to match; otherwise it may poll less often."""
        return self._cursor is not None

    def close(self) -> None:
        """Releases the lease, so that another process can lead at once."""
        self._leadership.release()

    def _load_cursor(self) -> int | None:
        with self._database.reading() as session:
            found = fanout_repository.fanout_cursor(session.connection())
            if found is not None or fanout_repository.earliest_subscribed_sequence(session.connection()) is None:
                return found
        with self._database.writing() as session:
            return fanout_repository.start_cursor(session.connection())

    def _match(self, old: int, events: Sequence[LedgerEvent]) -> int:
        at = to_milliseconds(self._clock.now())
        new = events[-1].sequence
        time_part = earliest_id("dlv", at)[_TIME]
        candidates = [_to_candidate(event, time_part, from_milliseconds(at)) for event in events]
        self._cursor = None  # read again unless this commits
        with self._database.writing() as session:
            connection = session.connection()
            if not fanout_repository.advance_cursor(connection, old, new):
                _LOGGER.warning("events above %d were matched by another process", old)
                return 0
            made = fanout_repository.store_deliveries(connection, candidates)
        self._cursor = new
        self._adjust_limit(made)
        if made:
            _LOGGER.info("%d deliveries of the events up to %d", made, new)
        return len(events)

    def _adjust_limit(self, made: int) -> None:
        if made > ENOUGH_DELIVERIES:
            self._limit = max(1, self._limit // 2)
        elif made < ENOUGH_DELIVERIES // 2:
            self._limit = min(MAX_EVENTS, self._limit * 2)


def _to_candidate(event: LedgerEvent, time_part: str, at: datetime) -> FanOutCandidate:
    """Builds a candidate with the start of its delivery ids; an unknown event type matches no subscription."""
    matched = MatchedEvent(
        sequence=event.sequence,
        event_id=event.event_id,
        event_type=event.event_type,
        company_id=event.company_id,
        data=event.data,
        matched_at=at,
    )
    digits = "".join([_DIGITS[event.sequence >> shift & 31] for shift in _SHIFTS])
    return FanOutCandidate(matched, EVENT_BITS.get(event.event_type, 0), time_part + digits)
