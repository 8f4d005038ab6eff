"""JSON serializers of deliveries, attempts and replays: keys in the contract's order.

See docs/contract/contract.md 4.8.

Test sends use the same `attempt_json`. Does not belong here: reading them (`api.webhooks.deliveries.repository`).
"""

from datetime import UTC, datetime
from typing import Any

import msgspec

from api.webhooks.deliveries.records import AttemptRecord, DeliveryDetail, DeliveryRecord, ReplayRecord
from api.webhooks.subscriptions.serializer import format_instant


def delivery_json(record: DeliveryRecord) -> dict[str, Any]:
    """Serializes one row of the delivery log."""
    return {
        "id": record.delivery_id,
        "subscription_id": record.subscription_id,
        "event_id": record.event_id,
        "event_type": record.event_type,
        "company_id": record.company_id,
        "status": record.status,
        "attempt_count": record.attempt_count,
        "next_attempt_at": format_instant(record.next_attempt_at),
        "last_outcome": record.last_outcome,
        "last_error": record.last_error,
        "last_response_status": record.last_response_status,
        "created_at": format_instant(record.created_at),
        "completed_at": format_instant(record.completed_at),
        "replay_id": record.replay_id,
    }


def delivery_detail_json(detail: DeliveryDetail) -> dict[str, Any]:
    """Serializes one delivery with its payload and attempts."""
    return delivery_json(detail.delivery) | {
        "payload": _payload_json(detail),
        "attempts": [attempt_json(record) for record in detail.attempts],
    }


def attempt_json(record: AttemptRecord) -> dict[str, Any]:
    """Serializes one attempt: request and response."""
    return {
        "id": record.attempt_id,
        "delivery_id": record.delivery_id,
        "number": record.number,
        "trigger": record.trigger,
        "started_at": format_instant(record.started_at),
        "duration_ms": record.duration_ms,
        "outcome": record.outcome,
        "error": record.error,
        "error_detail": record.error_detail,
        "request_url": record.request_url,
        "remote_ip": record.remote_ip,
        "response_status": record.response_status,
        "response_headers": record.response_headers,
        "response_body": record.response_body,
        "response_body_truncated": record.response_body_truncated,
    }


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
