"""Delivery to an SQS queue: one SendMessage for one event (docs/contract/contract.md 4.8f).

The message's body is the body that an https endpoint would get, byte for byte, and the signed headers are message
attributes, so that a consumer verifies it alike. A FIFO queue gets a group for each company, and drops a repeated event
within its five minutes. Does not belong here: consuming.
"""

from dataclasses import dataclass
from typing import Any, Final

import msgspec
from yarl import URL

from api.webhooks.destinations.aws_requests import AccessKey, signed_request
from api.webhooks.destinations.aws_results import aws_result
from api.webhooks.destinations.destination import DeliveryOutcome, EventBatch, RequestSender
from api.webhooks.egress.payload import build_request, event_place

_JSON: Final = "application/x-amz-json-1.0"
_NOT_SENT: Final = frozenset(("Accept", "Accept-Encoding", "User-Agent"))
FIFO: Final = ".fifo"


@dataclass(frozen=True, slots=True)
class SqsQueue:
    """A queue of the subscriber's."""

    takes_batches = False
    queue_url: str
    key: AccessKey

    @property
    def keeps_order(self) -> bool:
        return self.queue_url.endswith(FIFO)

    async def deliver(self, batch: EventBatch, sender: RequestSender) -> DeliveryOutcome:
        body = msgspec.json.encode(self._message(batch))
        headers = {"Content-Type": _JSON, "X-Amz-Target": "AmazonSQS.SendMessage"}
        service = str(URL(self.queue_url, encoded=True).origin()) + "/"
        request = signed_request(self.key, "sqs", service, headers, body)
        return DeliveryOutcome(aws_result(await sender.send(request), "queue", self.key), self.queue_url)

    def _message(self, batch: EventBatch) -> dict[str, Any]:
        one = batch.only
        post = build_request(self.queue_url, batch.secrets, one.event, one.delivery_id, one.number, batch.started_at)
        message: dict[str, Any] = {
            "QueueUrl": self.queue_url,
            "MessageBody": post.body.decode(),
            "MessageAttributes": {
                name: {"DataType": "String", "StringValue": value}
                for name, value in post.headers.items()
                if name not in _NOT_SENT
            },
        }
        if self.keeps_order:
            group = event_place(one.event).company_id
            message |= {"MessageGroupId": group, "MessageDeduplicationId": one.event.event_id}
        return message
