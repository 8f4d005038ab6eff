"""The interface of destinations: a batch of events goes in, the result of one request comes out.

Every destination sends through the one egress (docs/contract/delivery.md 5), so that its guard holds for queues and
buckets too. Does not belong here: choosing events for a batch (`api.webhooks.delivery.batches`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from api.webhooks.egress.attempt_result import AttemptResult
from api.webhooks.egress.payload import EventPayload, OutgoingRequest


class RequestSender(Protocol):
    """The egress as destinations use it (`api.webhooks.egress.http_client.WebhookClient`)."""

    async def send(self, request: OutgoingRequest) -> AttemptResult: ...


@dataclass(frozen=True, slots=True)
class OutgoingEvent:
    """One event of a batch, with the delivery that it is of and the number of the attempt."""

    event: EventPayload
    delivery_id: str
    number: int


@dataclass(frozen=True, slots=True)
class EventBatch:
    """Events to send in one request, ascending by `sequence`; one, unless the destination takes more."""

    events: Sequence[OutgoingEvent]
    started_at: datetime
    secrets: Sequence[str] = field(repr=False)
    """Signing secrets, as for `signature_headers`."""
    is_test: bool = False

    @property
    def only(self) -> OutgoingEvent:
        """The event of a batch of one; raises ValueError for any other."""
        [event] = self.events
        return event


@dataclass(frozen=True, slots=True)
class DeliveryOutcome:
    """What became of a batch, all of it alike, and the URL that the log shows (without a query string)."""

    result: AttemptResult
    request_url: str


class Destination(Protocol):
    """A place that takes events. Raises `WebhookBodyTooLargeError` for an event that no attempt could send."""

    @property
    def takes_batches(self) -> bool:
        """Whether one request may have several events."""
        ...

    @property
    def keeps_order(self) -> bool:
        """Whether readers see the order of requests, so that one is made at a time."""
        ...

    async def deliver(self, batch: EventBatch, sender: RequestSender) -> DeliveryOutcome: ...
