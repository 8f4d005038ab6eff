"""Parameters of the webhook routes: path parameters with their texts in the OpenAPI document, and queries.

Does not belong here: parsing (`api.http.query.model`).
"""

from datetime import datetime
from typing import Annotated, TypeAlias

from api.companies.query_params import EventTypes
from api.http.query.fields import Cursor, Limit, code_field, query_instant_field, words_field
from api.http.query.model import QueryModel
from api.openapi.operation import id_parameter
from api.schemas import declare
from api.webhooks.deliveries.models import DELIVERY_STATUSES

SubscriptionId: TypeAlias = Annotated[str, id_parameter("The subscription.", "whs_01kaf3w9c8m2v7q4x1z6t5y0r2", "id")]
DeliveryId: TypeAlias = Annotated[str, id_parameter("The delivery.", "dlv_01kaf49n6m7p8q9r0s1t2v3w4x")]
ReplayId: TypeAlias = Annotated[str, id_parameter("The replay.", "rpl_01kaf5m0n1p2q3r4s5t6v7w8x9")]


class SubscriptionsParams(QueryModel):
    status: str | None = declare.word(("active", "paused"), "Only subscriptions with this status.", default=None)
    limit: Limit = 25
    cursor: Cursor = None


class DeliveriesParams(QueryModel):
    status: tuple[str, ...] = words_field(DELIVERY_STATUSES, "Only deliveries with these statuses.")
    event_type: EventTypes = ()
    event_id: str | None = code_field(
        "evt_[0-9a-z]{26}", 30, "must be the id of an event: evt_ and 26 characters", "Only deliveries of this event."
    )
    since: datetime | None = query_instant_field("Created at or after this time.")
    until: datetime | None = query_instant_field("Created before this time.")
    limit: Limit = 25
    cursor: Cursor = None
