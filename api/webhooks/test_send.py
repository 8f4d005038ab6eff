"""Test sends: an example event, sent like a delivery, its result returned at once and not stored.

See docs/contract/contract.md 4.8.

Every test is a new event, as receivers drop duplicates; `"test":true` in its data marks it. Does not belong
here: rate limits (`api.limits`), or the sending itself (`api.webhooks.sending`).
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import msgspec

from api.db.delivery_records import AttemptRecord
from api.db.subscription_records import SubscriptionRecord
from api.schemas.event_examples import DELIVERIES
from api.ulids import Ulids
from api.webhooks.posts import Post, Sent, post
from api.webhooks.sending import Outcome, Sender
from api.webhooks.targets import without_query

_FIRST: Final = 1


async def sent(
    sender: Sender,
    record: SubscriptionRecord,
    secrets: Sequence[str],
    event_type: str | None,
    ulids: Ulids,
    at: datetime,
) -> AttemptRecord:
    """Sends one test, of the requested type or else the subscription's first, and returns the attempt."""
    outcome = await sender.send(prepared(record, secrets, event_type, ulids, at))
    return attempt(record, outcome, ulids.make("att"), at)


def prepared(
    record: SubscriptionRecord, secrets: Sequence[str], event_type: str | None, ulids: Ulids, at: datetime
) -> Post:
    """Builds the request of a test, of the requested type or else the subscription's first."""
    chosen = event_type or record.event_types[0]
    data = msgspec.json.encode(DELIVERIES[chosen]["data"] | {"test": True})
    event = Sent(ulids.make("evt"), chosen, data)
    return post(record.endpoint_url, secrets, event, ulids.make("dlv"), _FIRST, at)


def attempt(
    record: SubscriptionRecord, outcome: Outcome, attempt_id: str, started: datetime
) -> AttemptRecord:
    """Converts the result of a test to an attempt record."""
    return AttemptRecord(
        attempt_id=attempt_id,
        delivery_id=None,
        number=_FIRST,
        trigger="test",
        started_at=started,
        duration_ms=outcome.duration_ms,
        outcome="succeeded" if outcome.succeeded else "failed",
        error=outcome.error,
        error_detail=outcome.error_detail,
        request_url=without_query(record.endpoint_url),
        remote_ip=outcome.remote_ip,
        response_status=outcome.response_status,
        response_headers=outcome.response_headers,
        response_body=outcome.response_body,
        response_body_truncated=outcome.response_body_truncated,
    )
