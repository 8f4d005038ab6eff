"""JSON serializers of deliveries, attempts and replays: keys in the contract's order.

See docs/contract/contract.md 4.8.

Test sends use the same `attempt_json`. Does not belong here: reading them (`api.webhooks.deliveries.repository`).
"""

from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

import msgspec

from api.webhooks.deliveries.records import AttemptRecord, DeliveryDetail, DeliveryRecord, ReplayRecord
from api.webhooks.subscriptions.serializer import format_instant


def delivery_json(record: DeliveryRecord) -> dict[str, Any]:
    """Serializes one row of the delivery log."""
    return _record_json(record, "delivery_id")


def delivery_detail_json(detail: DeliveryDetail) -> dict[str, Any]:
    """Serializes one delivery with its payload and attempts."""
    return delivery_json(detail.delivery) | {
        "payload": _payload_json(detail),
        "attempts": [attempt_json(record) for record in detail.attempts],
    }


def attempt_json(record: AttemptRecord) -> dict[str, Any]:
    """Serializes one attempt: request and response."""
    return _record_json(record, "attempt_id")


def replay_json(record: ReplayRecord) -> dict[str, Any]:
    """Serializes a replay with its progress."""
    return {
        "id": record.replay_id,
        "subscription_id": record.subscription_id,
        "since": format_instant(record.since),
        "until": format_instant(record.until),
        "statuses": list(record.statuses),
        "event_types": None if record.event_types is None else list(record.event_types),
        "status": "running" if record.completed_at is None else "completed",
        "matched": record.matched,
        "succeeded": record.succeeded,
        "failed": record.failed,
        "pending": record.matched - record.succeeded - record.failed,
        "created_at": format_instant(record.created_at),
        "completed_at": format_instant(record.completed_at),
    }


def _record_json(record: DeliveryRecord | AttemptRecord, own_id: str) -> dict[str, Any]:
    """A record's fields in its order, instants as text; `own_id`, the first one, as `id`."""
    members = {one.name: getattr(record, one.name) for one in fields(record)}
    return {"id": members.pop(own_id)} | {
        name: format_instant(value) if isinstance(value, datetime) else value for name, value in members.items()
    }


def _payload_json(found: DeliveryDetail) -> dict[str, Any]:
    """The body as the latest attempt sent it; `delivered_at` is null before the first attempt."""
    sent = found.attempts[-1].started_at if found.attempts else None
    return {
        "event_id": found.delivery.event_id,
        "event_type": found.delivery.event_type,
        "delivered_at": None if sent is None else _format_instant_ms(sent),
        "data": msgspec.Raw(found.data),
    }


def _format_instant_ms(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z"
