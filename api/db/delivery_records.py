"""What is stored of deliveries, attempts and replays, and what may be asked of it, as plain records.

Does not belong here: SQL (`api.db.deliveries`, `api.db.redeliveries`), or how a caller sees it
(`api.webhooks.log`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

DELIVERY_STATUSES: Final = ("pending", "retrying", "succeeded", "failed", "held", "canceled")
REPLAYABLE: Final = ("failed", "held", "succeeded")
"""Ended, or waiting for a replay: what is under way is delivered anyhow, what was canceled is not wanted."""
ATTEMPTS_SHOWN: Final = 100
"""Latest attempts that a delivery is shown with; only retries by hand make more than six."""


@dataclass(frozen=True, slots=True)
class OwnSubscription:
    """As much of a subscription as its log needs."""

    subscription_id: str
    status: str


@dataclass(frozen=True, slots=True)
class DeliveryRecord:
    """One event for one subscription, with what the log says of the event."""

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
    """One request that was made; `delivery_id` is None for test sends, of which nothing is stored."""

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
    matched: int
    succeeded: int
    failed: int
    created_at: datetime
    completed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Window:
    """Deliveries made at `since` or later and before `until`; an absent end is open."""

    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class DeliveryQuery:
    """Which deliveries of a subscription; empty filters let everything pass."""

    window: Window
    statuses: Sequence[str] = ()
    event_types: Sequence[str] = ()
    event_id: str | None = None
