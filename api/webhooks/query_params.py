"""Query parameters of the webhook operations: subscriptions and deliveries.

Does not belong here: parsing (`api.http.query.params`).
"""

from typing import Final

from api.companies.query_params import EVENT_TYPE
from api.http.pagination.responses import CURSOR, LIMIT
from api.http.query.params import QueryParams
from api.http.query.types import code_param, instant_param, list_param, one_of_param
from api.webhooks.deliveries.records import DELIVERY_STATUSES

SUBSCRIPTION_STATUS: Final = one_of_param("status", ("active", "paused"), None, "Only subscriptions with this status.")
SUBSCRIPTIONS: Final = QueryParams(SUBSCRIPTION_STATUS, LIMIT, CURSOR)

DELIVERY_STATUS: Final = list_param("status", DELIVERY_STATUSES, "Only deliveries with these statuses.")
EVENT_ID: Final = code_param(
    "event_id", "evt_[0-9a-z]{26}", 30, "the id of an event: evt_ and 26 characters", "Only deliveries of this event."
)
MATCHED_SINCE: Final = instant_param("since", "Created at or after this time.")
MATCHED_UNTIL: Final = instant_param("until", "Created before this time.")
DELIVERIES: Final = QueryParams(DELIVERY_STATUS, EVENT_TYPE, EVENT_ID, MATCHED_SINCE, MATCHED_UNTIL, LIMIT, CURSOR)
