"""Plain records of deliveries, attempts and replays, and the filters for querying them.

Does not belong here: SQL (`api.webhooks.deliveries.repository`, `api.webhooks.deliveries.replay_repository`), or
the JSON shape (`api.webhooks.deliveries.serializer`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

DELIVERY_STATUSES: Final = ("pending", "retrying", "succeeded", "failed", "held", "canceled")
REPLAYABLE: Final = ("failed", "held", "succeeded")
"""Statuses a replay may pick: unfinished deliveries are sent anyway, canceled ones are no longer wanted."""
ATTEMPTS_SHOWN: Final = 100
"""Maximum number of latest attempts shown per delivery; only manual retries make more than six."""


@dataclass(frozen=True, slots=True)
class DeliveryRecord:
    """One delivery (one event for one subscription) as the log shows it: its fields in the contract's order."""

    delivery_id: str
    subscription_id: str
    event_id: str
    event_type: str
    company_id: str
    status: str
    attempt_count: int
    next_attempt_at: datetime | None
    last_outcome: str | None
    last_error: str | None
    last_response_status: int | None
    created_at: datetime
    completed_at: datetime | None
    replay_id: str | None


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """One attempt that was made, its fields in the contract's order.

    `delivery_id` is None for test sends, which are not stored.
    """

    attempt_id: str
    delivery_id: str | None
    number: int
    trigger: str
    started_at: datetime
    duration_ms: int
    outcome: str
    error: str | None
    error_detail: str | None
    request_url: str
    remote_ip: str | None
    response_status: int | None
    response_headers: dict[str, str] | None
    response_body: str | None
    response_body_truncated: bool


@dataclass(frozen=True, slots=True)
class DeliveryDetail:
    """A delivery with the event's `data` and its latest attempts, oldest first."""

    delivery: DeliveryRecord
    data: bytes
    attempts: Sequence[AttemptRecord]


@dataclass(frozen=True, slots=True)
class ReplayRecord:
    replay_id: str
    subscription_id: str
    since: datetime
    until: datetime
    statuses: tuple[str, ...]
    event_types: tuple[str, ...] | None
    created_at: datetime
    matched: int = 0
    succeeded: int = 0
    failed: int = 0
    completed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """Time window: `since` inclusive, `until` exclusive, None for an open end."""

    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class DeliveryQuery:
    """Filter on a subscription's deliveries; an empty filter matches everything."""

    window: TimeWindow
    statuses: Sequence[str] = ()
    event_types: Sequence[str] = ()
    event_id: str | None = None
