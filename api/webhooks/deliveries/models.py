"""Deliveries, attempts and replays: plain records, their response models, and records as JSON in the contract's order.

See docs/contract/contract.md 4.8. Does not belong here: SQL
(`api.webhooks.deliveries.repository`), request bodies and rules (`api.webhooks.deliveries.service`), or the payloads
sent to receivers (`api.companies.schemas.events`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Final

import msgspec
from pydantic import Field

from api.schemas import declare, shared
from api.schemas.declare import ResponseModel
from api.webhooks.subscriptions.models import COUNT

DELIVERY_STATUSES: Final = ("pending", "retrying", "succeeded", "failed", "held", "canceled")
REPLAYABLE: Final = ("failed", "held", "succeeded")
"""Statuses a replay may pick: unfinished deliveries are sent anyway, canceled ones are no longer wanted."""
ATTEMPTS_SHOWN: Final = 100
"""Maximum number of latest attempts shown per delivery; only manual retries make more than six."""


@dataclass(frozen=True, slots=True)
class ReplayRecord:
    replay_id: str
    subscription_id: str
    since: datetime
    until: datetime
    statuses: Sequence[str]
    event_types: Sequence[str] | None
    created_at: datetime
    matched: int = 0
    succeeded: int = 0
    failed: int = 0
    completed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class DeliveryQuery:
    """Filter on a subscription's deliveries; an empty filter matches everything. `until` is exclusive."""

    since: datetime | None = None
    until: datetime | None = None
    statuses: Sequence[str] = ()
    event_types: Sequence[str] = ()
    event_id: str | None = None


REPLAY_SINCE: Final = "Events matched at or after this time; at most [[retention]] ago."
REPLAY_TYPES: Final = "Only these event types; null means all."
ReplayedStatus = Annotated[str, declare.word(REPLAYABLE, "A delivery status.")]
_ERRORS: Final = (
    "timeout",
    "dns_error",
    "connection_refused",
    "connection_reset",
    "tls_error",
    "blocked_address",
    "invalid_url",
    "redirect",
    "http_status",
    "protocol_error",
    "access_denied",
    "destination_not_found",
    "throttled",
    "message_too_large",
    "wrong_region",
)
_OUTCOMES: Final = ("succeeded", "failed")
_SubscriptionId = Annotated[str, declare.natural_id("whs", "The subscription.")]
_EventId = Annotated[str, declare.natural_id("evt", "The same for every attempt and replay.")]
_Error = Annotated[str | None, declare.open_word(_ERRORS, "Reason of the failure; null if it did not fail.")]
_ResponseStatus = Annotated[int | None, declare.integer(100, 999, "Status code returned by the endpoint.")]


class Attempt(ResponseModel):
    """One request to an endpoint, queue or bucket; events of one object have one in common."""

    id: str = declare.natural_id("att", "The attempt.")
    delivery_id: str | None = declare.natural_id("dlv", "Null for test sends.")
    number: int = declare.integer(1, 6, "Number of the attempt in its schedule.")
    trigger: str = declare.word(("schedule", "manual", "replay", "test"), "What triggered it.")
    started_at: datetime = declare.instant("Start time, before the DNS lookup of the endpoint.")
    duration_ms: int = declare.integer(0, 2**31 - 1, "Time until the outcome was known.")
    outcome: str = declare.word(_OUTCOMES, "`succeeded` means a 2xx response within [[ack_window]].")
    error: _Error
    error_detail: str | None = declare.text(500, "Human-readable; may change.")
    request_url: str = declare.url("URL it was sent to, without the query string.")
    remote_ip: str | None = declare.text(
        45, "IP address connected to; given for public addresses only.", pattern="^[0-9A-Fa-f:.]+$"
    )
    response_status: _ResponseStatus
    response_headers: dict[str, Annotated[str, declare.text(8192, "Value of the header.")]] | None = Field(
        max_length=200, description="Response headers of the endpoint, names in lower case."
    )
    response_body: str | None = declare.text(8192, "At most the first 2 KiB.")
    response_body_truncated: bool = declare.boolean("Whether the stored body is truncated.")


class Delivery(ResponseModel):
    """One event for one subscription."""

    id: str = declare.natural_id("dlv", "The delivery.")
    subscription_id: _SubscriptionId
    event_id: _EventId
    event_type: shared.EventTypeName
    company_id: shared.CompanyId
    status: str = declare.word(
        DELIVERY_STATUSES,
        "`held`: waiting for a replay. `failed`: every scheduled attempt failed. `canceled`: will not be sent.",
    )
    attempt_count: int = declare.integer(0, COUNT, "Attempts so far, including manual retries.")
    next_attempt_at: datetime | None = declare.instant("Time of the next scheduled attempt.")
    last_outcome: str | None = declare.word(_OUTCOMES, "From the last attempt.")
    last_error: _Error
    last_response_status: _ResponseStatus
    created_at: datetime = declare.instant("When the event was matched to the subscription.")
    completed_at: datetime | None = declare.instant("When it succeeded, failed or was canceled.")
    replay_id: str | None = declare.natural_id("rpl", "The latest replay that included it.")


class DeliveryList(shared.Page[Delivery]):
    """Deliveries of a subscription."""


class Payload(ResponseModel):
    """The body as last sent."""

    event_id: _EventId
    event_type: shared.EventTypeName
    delivered_at: datetime | None = declare.instant("Start of the last attempt; null before the first one.")
    data: dict[str, Any] = Field(max_length=100, description="The event's `data`, as returned by listCompanyEvents.")


class DeliveryDetail(Delivery):
    """A delivery with its attempts."""

    payload: Payload
    attempts: list[Attempt] = declare.array(ATTEMPTS_SHOWN, "The latest attempts, oldest first.")


class Replay(ResponseModel):
    """A replay and its progress."""

    id: str = declare.natural_id("rpl", "The replay.")
    subscription_id: _SubscriptionId
    since: datetime = declare.instant(REPLAY_SINCE)
    until: datetime = declare.instant("Events matched before this time.")
    statuses: list[ReplayedStatus] = declare.array(len(REPLAYABLE), "Delivery statuses included.")
    event_types: list[shared.EventTypeName] | None = declare.array(20, REPLAY_TYPES)
    status: str = declare.word(("running", "completed"), "`completed` means that no delivery of it is pending.")
    matched: int = declare.integer(0, COUNT, "Deliveries included in the replay.")
    succeeded: int = declare.integer(0, COUNT, "Of these, the number that succeeded.")
    failed: int = declare.integer(
        0, COUNT, "Of these, the number that failed, or were held or canceled in the meantime."
    )
    pending: int = declare.integer(0, COUNT, "Of these, the number not completed yet.")
    created_at: datetime = declare.instant("When it was requested.")
    completed_at: datetime | None = declare.instant("When the last delivery completed.")


@dataclass(frozen=True, slots=True)
class DetailRecord:
    """A delivery with the event's `data` and its latest attempts, oldest first."""

    delivery: Delivery
    data: bytes
    attempts: Sequence[Attempt]


def delivery_detail_json(detail: DetailRecord) -> dict[str, Any]:
    attempts = [Attempt.members(one) for one in detail.attempts]
    return DeliveryDetail.members(detail.delivery, payload=payload_json(detail), attempts=attempts)


def payload_json(found: DetailRecord) -> dict[str, Any]:
    """The body as the latest attempt sent it; `delivered_at` is null before the first attempt."""
    sent = f"{found.attempts[-1].started_at.astimezone(UTC):%FT%T.%f}"[:-3] + "Z" if found.attempts else None
    return Payload.members(found.delivery, delivered_at=sent, data=msgspec.Raw(found.data))


def replay_json(record: ReplayRecord) -> dict[str, Any]:
    return Replay.members(
        record,
        id=record.replay_id,
        status="running" if record.completed_at is None else "completed",
        pending=record.matched - record.succeeded - record.failed,
    )
