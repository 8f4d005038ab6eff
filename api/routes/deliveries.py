"""The delivery log of a subscription: list deliveries, get one with its attempts, retry one manually.

See docs/contract/contract.md 4.8.
"""

import msgspec

from api.answers import Answer, plain_answer
from api.call import Call
from api.db.delivery_records import DeliveryQuery, DeliveryRecord, Window
from api.endpoints import endpoint
from api.pages import after, own_page_answer
from api.pagination import Binding, filter_hash
from api.parameters import NO_PARAMETERS, Values
from api.queries import (
    DELIVERIES,
    DELIVERY_STATUS,
    EVENT_ID,
    EVENT_TYPE,
    LIMIT,
    MATCHED_SINCE,
    MATCHED_UNTIL,
)
from api.webhooks import log, redelivery
from api.webhooks.redelivery import Place, place_in

_PATH = "/api/v1/webhooks/{id:str}/deliveries"


@endpoint(_PATH, secret_only=True)
async def list_webhook_deliveries(call: Call) -> Answer:
    values = DELIVERIES.read(call.query)
    binding = _binding(call, values)
    key = after(call, values, binding)
    before = None if key is None else str(key[0])
    place, asked, limit = place_of(call), _asked(values), values[LIMIT]
    found = await call.service.control.read(
        lambda connection: redelivery.page(connection, place, asked, before, limit + 1)
    )
    shown = found[:limit]
    following = call.service.cursors.issue(binding, (shown[-1].delivery_id,)) if len(found) > limit else None
    return own_page_answer(call, [_row(record) for record in shown], following)


@endpoint(f"{_PATH}/{{delivery_id:str}}", secret_only=True)
async def get_webhook_delivery(call: Call) -> Answer:
    NO_PARAMETERS.read(call.query)
    place, delivery_id = place_of(call), call.places["delivery_id"]
    found = await call.service.control.read(
        lambda connection: redelivery.detail(connection, place, delivery_id)
    )
    return plain_answer(200, msgspec.json.encode(log.detail(found)))


@endpoint(f"{_PATH}/{{delivery_id:str}}/retry", method="POST", secret_only=True, needs_webhooks=True)
async def retry_webhook_delivery(call: Call) -> Answer:
    NO_PARAMETERS.read(call.query)
    place, delivery_id = place_of(call), call.places["delivery_id"]
    attempt_id, now = call.service.ulids.make("att"), call.service.clock.now()
    found = await call.service.control.write(
        lambda connection: redelivery.retry(connection, place, delivery_id, attempt_id, now)
    )
    return plain_answer(202, _row(found))


def place_of(call: Call) -> Place:
    """The subscription of the request, and the oldest instant its log can be read from."""
    days = call.service.settings.webhooks.retention_days
    return place_in(call.account_id, call.places["id"], days, call.service.clock.now())


def _row(record: DeliveryRecord) -> bytes:
    return msgspec.json.encode(log.delivery(record))


def _asked(values: Values) -> DeliveryQuery:
    return DeliveryQuery(
        window=Window(values[MATCHED_SINCE], values[MATCHED_UNTIL]),
        statuses=values[DELIVERY_STATUS],
        event_types=values[EVENT_TYPE],
        event_id=values[EVENT_ID],
    )


def _binding(call: Call, values: Values) -> Binding:
    filters = filter_hash(call.places["id"], values.filters())
    return Binding(call.account_id, "deliveries", filters, "desc")
