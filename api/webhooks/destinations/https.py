"""Delivery to an https endpoint: one signed POST for one event (docs/contract/contract.md 4.7)."""

from dataclasses import dataclass

from api.webhooks.destinations.destination import DeliveryOutcome, EventBatch, RequestSender
from api.webhooks.egress.payload import build_request
from api.webhooks.egress.url_policy import without_query


@dataclass(frozen=True, slots=True)
class HttpsEndpoint:
    """An endpoint of the subscriber's own; any status 2xx acknowledges."""

    takes_batches = False
    keeps_order = False
    url: str

    async def deliver(self, batch: EventBatch, sender: RequestSender) -> DeliveryOutcome:
        one = batch.only
        request = build_request(self.url, batch.secrets, one.event, one.delivery_id, one.number, batch.started_at)
        return DeliveryOutcome(await sender.send(request), without_query(self.url))
