"""JSON serializer of a subscription: keys in the contract's order, never a secret.

See docs/contract/contract.md 4.8. Does not belong here: deliveries and attempts
(`api.webhooks.deliveries.serializer`), or reading it (`api.webhooks.subscriptions.repository`).
"""

from datetime import UTC, datetime
from typing import Any

import msgspec

from api.webhooks.subscriptions.records import SubscriptionRecord


def subscription_json(record: SubscriptionRecord, now: datetime) -> dict[str, Any]:
    """Serializes a subscription; `now` decides whether the previous secret still signs."""
    return {
        "id": record.subscription_id,
        "endpoint_url": record.endpoint_url,
        "event_types": list(record.event_types),
        "entity_ids": None if record.companies is None else msgspec.Raw(record.companies),
        "description": record.description,
        "max_per_second": record.max_per_second,
        "status": record.status,
        "status_reason": record.status_reason,
        "status_changed_at": format_instant(record.status_changed_at),
        "created_at": format_instant(record.created_at),
        "updated_at": format_instant(record.updated_at),
        "last_attempt_at": format_instant(record.last_attempt_at),
        "last_success_at": format_instant(record.last_success_at),
        "last_failure_at": format_instant(record.last_failure_at),
        "consecutive_failures": record.consecutive_failures,
        "held_deliveries": record.held_deliveries,
        "secret_hint": record.secret_hint,
        "previous_secret_expires_at": format_instant(previous_secret_expiry(record, now)),
    }


def previous_secret_expiry(record: SubscriptionRecord, now: datetime) -> datetime | None:
    """When the previous secret stops signing; None if it no longer signs."""
    until = record.previous_secret_expires_at
    return until if until is not None and until > now else None


def format_instant(at: datetime | None) -> str | None:
    return None if at is None else f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
