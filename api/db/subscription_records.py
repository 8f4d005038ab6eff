"""What is known of a subscription, as plain records.

Does not belong here: SQL (`api.db.subscriptions`), or how a caller sees it (`api.webhooks.shown`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class NewSubscription:
    """A subscription at the moment it is made. `companies` None: all."""

    subscription_id: str
    account_id: str
    endpoint_url: str
    event_types: Sequence[str]
    event_mask: int
    companies: Sequence[str] | None
    description: str | None
    max_per_second: int | None
    status: str
    status_reason: str | None
    created_at: datetime
    from_sequence: int
    secret: bytes = field(repr=False)
    secret_hint: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class SubscriptionRecord:
    """A subscription with the health of its lane. `companies` is a JSON array of ids as they came; None: all."""

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
class Downgraded:
    """A subscription that is paused because the account had no tier with webhooks."""

    subscription_id: str
    endpoint_url: str
    held_deliveries: int


@dataclass(frozen=True, slots=True)
class AccountTier:
    """The tier an account is on now, and whether it is served, whatever its callers were told lately."""

    tier: str
    status: str
    subscriptions: int
