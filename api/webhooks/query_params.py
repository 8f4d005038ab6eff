"""Query parameters of the webhook operations: subscriptions and deliveries.

Does not belong here: parsing (`api.http.query.model`).
"""

from datetime import datetime

from api.companies.query_params import EventTypes
from api.http.query.fields import Cursor, Limit, code_field, query_instant_field, words_field
from api.http.query.model import QueryModel
from api.schemas import declare
from api.webhooks.deliveries.records import DELIVERY_STATUSES


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
