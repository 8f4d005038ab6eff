"""Test sends: an example of an event, sent as deliveries are, answered at once, stored nowhere.

See docs/contract/contract.md 4.8.

Every test is another event, for a receiver drops what it has seen; `"test":true` in its data tells it apart.
Does not belong here: how often (`api.limits`), or the sending itself (`api.webhooks.sending`).
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
    """One test, made and over; of the type asked for, else the first that the subscription asks for."""
    outcome = await sender.send(prepared(record, secrets, event_type, ulids, at))
    return attempt(record, outcome, ulids.make("att"), at)


def prepared(
    record: SubscriptionRecord, secrets: Sequence[str], event_type: str | None, ulids: Ulids, at: datetime
) -> Post:
    """The request of a test: of the type asked for, else the first that the subscription asks for."""
    chosen = event_type or record.event_types[0]
    data = msgspec.json.encode(DELIVERIES[chosen]["data"] | {"test": True})
    event = Sent(ulids.make("evt"), chosen, data)
    return post(record.endpoint_url, secrets, event, ulids.make("dlv"), _FIRST, at)


def attempt(
    record: SubscriptionRecord, outcome: Outcome, attempt_id: str, started: datetime
) -> AttemptRecord:
    """What came of it, in the form of any other attempt."""
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
