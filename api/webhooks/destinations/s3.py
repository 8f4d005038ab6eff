"""Delivery to an S3 bucket: one object of NDJSON for a batch of events (docs/contract/contract.md 4.8f).

A line is the body that an https endpoint would get. The key follows from the events alone: their first and last
`sequence`, and a digest of their ids. So a repeated batch overwrites its object, and another set of events between the
same sequences, as of a replay of some types, gets an object of its own. The whole object is signed like a delivery, by
metadata. Does not belong here: which events form a batch (`api.webhooks.delivery.batches`).
"""

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from api.webhooks.destinations.aws_requests import AccessKey, signed_request
from api.webhooks.destinations.aws_results import aws_result
from api.webhooks.destinations.destination import DeliveryOutcome, EventBatch, OutgoingEvent, RequestSender
from api.webhooks.egress.payload import checked_body, event_place
from api.webhooks.egress.signing import signature_headers

_SEQUENCE_DIGITS: Final = 12
_DIGEST_CHARACTERS: Final = 12
_METADATA: Final = "x-amz-meta-"


@dataclass(frozen=True, slots=True)
class S3Bucket:
    """A prefix of a bucket of the subscriber's; `base_url` is that of the bucket with the prefix, if any."""

    takes_batches = True
    keeps_order = True
    base_url: str
    key: AccessKey

    async def deliver(self, batch: EventBatch, sender: RequestSender) -> DeliveryOutcome:
        name = f"test-{batch.only.event.event_id}.ndjson" if batch.is_test else object_name(batch.events)
        body = b"".join(checked_body(one.event, batch.started_at) + b"\n" for one in batch.events)
        signed = signature_headers(batch.secrets, name, int(batch.started_at.timestamp()), body)
        headers = {
            "Content-Type": "application/x-ndjson",
            "x-amz-checksum-sha256": b64encode(hashlib.sha256(body).digest()).decode(),
            **{_METADATA + header.lower(): value for header, value in signed.items()},
        }
        request = signed_request(self.key, "s3", self.base_url + name, headers, body)
        return DeliveryOutcome(aws_result(await sender.send(request), "bucket", self.key), request.url)


def object_name(events: Sequence[OutgoingEvent]) -> str:
    """The name of the object of these events, ascending by `sequence`: names sort as their first sequences do."""
    first, last = (event_place(one.event).sequence for one in (events[0], events[-1]))
    ids = "\n".join(one.event.event_id for one in events)
    digest = hashlib.sha256(ids.encode()).hexdigest()[:_DIGEST_CHARACTERS]
    return f"{first:0{_SEQUENCE_DIGITS}}-{last:0{_SEQUENCE_DIGITS}}-{digest}.ndjson"
