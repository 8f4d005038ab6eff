"""Subscriptions and event types: plain records, their response models, and records as JSON in the contract's order.

See docs/contract/contract.md 4.8. A secret is never serialized. Does not belong here: SQL
(`api.webhooks.subscriptions.repository`), what clients send (`api.webhooks.subscriptions.requests`), or the delivery
log (`api.webhooks.deliveries.models`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Final

import msgspec
from pydantic import Field

from api.schemas import declare, shared
from api.schemas.declare import OMITTED, ResponseModel
from api.webhooks.destinations.models import SubscriptionDestination
from api.webhooks.destinations.opening import StoredDestination, destination_members
from api.webhooks.filters.models import Filters, SubscriptionFilters
from warehouse.schema.codes import EVENT_TYPES

EVENT_BITS: Final = {event_type: 1 << place for place, event_type in enumerate(EVENT_TYPES)}
"""The bit of each event type in `event_mask`."""


@dataclass(frozen=True, slots=True)
class SubscriptionRecord(StoredDestination):
    """A subscription with its endpoint's health.

    `companies` is a JSON array of ids in the client's order; None: all companies. `filters`: those that are set.
    """

    subscription_id: str
    account_id: str
    event_types: Sequence[str]
    companies: bytes | None
    filters: Filters | None
    description: str | None
    max_per_second: int | None
    status: str
    status_reason: str | None
    status_changed_at: datetime
    created_at: datetime
    updated_at: datetime
    revision: int
    secret_hint: str
    previous_secret_expires_at: datetime | None
    last_attempt_at: datetime | None
    last_success_at: datetime | None
    last_failure_at: datetime | None
    consecutive_failures: int
    held_deliveries: int
    secret: bytes = field(repr=False)
    previous_secret: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class DowngradedSubscription:
    """A subscription paused because the account's tier had no webhooks."""

    subscription_id: str
    endpoint_url: str
    held_deliveries: int


MOST_COMPANIES: Final = 10_000
"""Maximum per subscription, in the largest built-in tier."""
COUNT: Final = 2**53
ENDPOINT: Final = "URL that receives deliveries: https, a public host, port 443, 8443, or 1024 and above."
Description = Annotated[str | None, declare.text(256, "Free text for your own use.")]
PerSecond = Annotated[int | None, declare.integer(1, 100, "Maximum deliveries per second; null means no limit.")]
SubscriptionStatus = Annotated[
    str, declare.word(("active", "paused"), "While `paused`, events are held until a replay.")
]
_SubscriptionId = Annotated[str, declare.natural_id("whs", "The subscription.")]
_Secret = Annotated[
    str, declare.text(50, "Store it securely: it is not shown again.", pattern="^whsec_[A-Za-z0-9+/]{43}=$")
]
_Hint = Annotated[str, declare.text(20, "The secret's last characters.", pattern="^whsec_….{4}$")]
_PreviousEnd = Annotated[
    datetime | None, declare.instant("Until when the previous secret also signs; null if it does not.")
]


class Warning(ResponseModel):  # noqa: A001 -- its name in the document
    """One warning."""

    code: str = declare.open_word(("event_type_alias", "repeated_company", "unused_filter"), "Code of the warning.")
    detail: str = declare.text(1000, "Human-readable description.")
    pointer: str = declare.text(1000, "JSON Pointer into the body.", pattern="^(/[^/]*)*$")


_Warnings = Annotated[list[Warning], declare.array(100, "Accepted input that should be changed.")]


class Subscription(ResponseModel):
    """A webhook subscription."""

    id: _SubscriptionId
    endpoint_url: str = declare.url(
        "URL that receives deliveries: the endpoint, the queue, or the bucket with its prefix."
    )
    destination: SubscriptionDestination = Field(
        default=OMITTED, description="Where events go; for an endpoint, its URL once more."
    )
    event_types: list[shared.EventTypeName] = declare.array(20, "Canonical names.")
    entity_ids: list[shared.CompanyId] | None = declare.array(MOST_COMPANIES, "Only these companies; null means all.")
    filters: SubscriptionFilters | None = Field(
        default=None, description="Only events that pass all of these; with `entity_ids` both hold. Null: no filter."
    )
    description: Description
    max_per_second: PerSecond
    status: SubscriptionStatus
    status_reason: str | None = declare.word(
        ("manual", "retries_exhausted", "tier_downgraded"), "Reason for the pause; null while active."
    )
    status_changed_at: datetime = declare.instant("When the status last changed.")
    created_at: datetime = declare.instant("When it was created.")
    updated_at: datetime = declare.instant("When it was last changed.")
    last_attempt_at: datetime | None = declare.instant(
        "Time of the last attempt. Tests and manual retries are not counted, here and below."
    )
    last_success_at: datetime | None = declare.instant("Time of the last successful attempt.")
    last_failure_at: datetime | None = declare.instant("Time of the last failed attempt.")
    consecutive_failures: int = declare.integer(0, COUNT, "Failed attempts since the last success.")
    held_deliveries: int = declare.integer(0, COUNT, "Number of deliveries waiting for a replay.")
    secret_hint: _Hint
    previous_secret_expires_at: _PreviousEnd


class UpdatedSubscription(Subscription):
    """An updated subscription."""

    warnings: _Warnings


class CreatedSubscription(Subscription):
    """A subscription with its secret, returned only once."""

    secret: _Secret
    warnings: _Warnings


class SubscriptionList(shared.Page[Subscription]):
    """The account's subscriptions."""


class RotatedSecret(ResponseModel):
    """The new secret, returned only once."""

    id: _SubscriptionId
    secret: _Secret
    secret_hint: _Hint
    previous_secret_expires_at: _PreviousEnd


class EventType(ResponseModel):
    """One event type."""

    event_type: str = declare.open_word(EVENT_TYPES, "Name used in subscriptions.")
    description: str = declare.text(300, "When it is sent.")
    aliases: list[
        Annotated[str, declare.text(30, "A deprecated alias, still accepted.", pattern="^[a-z]+[.][a-z]+$")]
    ] = declare.array(20, "Deprecated aliases.")
    schema_ref: str = declare.text(
        200, "Schema of the body in this document.", pattern="^/api/openapi[.]json#/[A-Za-z/]+$"
    )


class EventTypeList(shared.Page[EventType]):
    """All event types."""


def subscription_json(record: SubscriptionRecord, now: datetime) -> dict[str, Any]:
    """Serializes a subscription; `now` decides whether the previous secret still signs."""
    return Subscription.members(
        record,
        id=record.subscription_id,
        destination=destination_members(record),
        entity_ids=None if record.companies is None else msgspec.Raw(record.companies),
        previous_secret_expires_at=previous_secret_expiry(record, now),
    )


def previous_secret_expiry(record: SubscriptionRecord, now: datetime) -> datetime | None:
    """When the previous secret stops signing; None if it no longer signs."""
    until = record.previous_secret_expires_at
    return until if until is not None and until > now else None
