"""Test sends: an example event, sent like a delivery, its result returned at once and not stored.

See docs/contract/contract.md 4.8.

Every test is a new event, as receivers drop duplicates; `"test":true` in its data marks it. Does not belong
here: rate limits (`api.rate_limits.limiter`), or the sending itself (`api.webhooks.egress.http_client`).
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import msgspec

from api.common.ids import UlidGenerator
from api.openapi.examples import DELIVERIES
from api.webhooks.deliveries.records import AttemptRecord
from api.webhooks.egress.http_client import WebhookClient
from api.webhooks.egress.payload import EventPayload, build_request
from api.webhooks.egress.url_policy import without_query
from api.webhooks.subscriptions.records import SubscriptionRecord

_FIRST: Final = 1


async def send_test(
    sender: WebhookClient,
    record: SubscriptionRecord,
    secrets: Sequence[str],
    event_type: str | None,
    ulids: UlidGenerator,
    at: datetime,
) -> AttemptRecord:
    """Sends one test, of the requested type or else the subscription's first, and returns the attempt."""
    chosen = event_type or record.event_types[0]
    data = msgspec.json.encode(DELIVERIES[chosen]["data"] | {"test": True})
    event = EventPayload(ulids.make("evt"), chosen, data)
    outcome = await sender.send(build_request(record.endpoint_url, secrets, event, ulids.make("dlv"), _FIRST, at))
    return AttemptRecord(
        attempt_id=ulids.make("att"),
        delivery_id=None,
        number=_FIRST,
        trigger="test",
        started_at=at,
        duration_ms=outcome.duration_ms,
        outcome="succeeded" if outcome.has_succeeded else "failed",
        error=outcome.error,
        error_detail=outcome.error_detail,
        request_url=without_query(record.endpoint_url),
        remote_ip=outcome.remote_ip,
        response_status=outcome.response_status,
        response_headers=outcome.response_headers,
        response_body=outcome.response_body,
        response_body_truncated=outcome.response_body_truncated,
    )
