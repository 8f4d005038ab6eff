"""Plain records of webhook subscriptions.

Does not belong here: SQL (`api.webhooks.subscriptions.repository`), or the JSON shape
(`api.webhooks.subscriptions.serializer`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from warehouse.schema.codes import EVENT_TYPES

EVENT_BITS: Final = {event_type: 1 << place for place, event_type in enumerate(EVENT_TYPES)}
"""The bit of each event type in `event_mask`."""


@dataclass(frozen=True, slots=True)
class SubscriptionRecord:
    """A subscription with its endpoint's health.

    `companies` is a JSON array of ids in the client's order; None: all companies.
    """

    subscription_id: str
    account_id: str
    endpoint_url: str
    event_types: Sequence[str]
    companies: bytes | None
    description: str | None
    max_per_second: int | None
    status: str
    status_reason: str | None
    status_changed_at: datetime
    created_at: datetime
    updated_at: datetime
    revision: int
    secret_hint: str
    previous_secret_expires_at: datetime | None
    last_attempt_at: datetime | None
    last_success_at: datetime | None
    last_failure_at: datetime | None
    consecutive_failures: int
    held_deliveries: int
    secret: bytes = field(repr=False)
    previous_secret: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class DowngradedSubscription:
    """A subscription paused because the account's tier had no webhooks."""

    subscription_id: str
    endpoint_url: str
    held_deliveries: int


@dataclass(frozen=True, slots=True)
class AccountTier:
    """Current tier and status of an account, read from the database, not from the key cache."""

    tier: str
    status: str
    subscriptions: int
