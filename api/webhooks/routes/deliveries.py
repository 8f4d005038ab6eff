"""The delivery log of a subscription: list deliveries, get and retry one; replay a time window, with its progress.

See docs/contract/contract.md 4.8.
"""

import msgspec

from api.http.context import RequestContext
from api.http.json_body import BodyPolicy
from api.http.pagination.cursors import CursorBinding, filter_hash
from api.http.pagination.responses import account_page_response, after_key
from api.http.query.model import NoParameters
from api.http.responses import HttpResponse, json_response
from api.http.routing import endpoint
from api.webhooks.deliveries import serializer, service
from api.webhooks.deliveries.records import DeliveryQuery, DeliveryRecord, TimeWindow
from api.webhooks.deliveries.requests import parse_replay_request
from api.webhooks.deliveries.service import DeliveryScope, scope_for
from api.webhooks.query_params import DeliveriesParams

_PATH = "/api/v1/webhooks/{id:str}/deliveries"
_REPLAYS = "/api/v1/webhooks/{id:str}/replays"


@endpoint(_PATH, is_secret_key_only=True)
async def list_webhook_deliveries(context: RequestContext) -> HttpResponse:
    values = DeliveriesParams.read(context.query_string)
    binding = _cursor_binding(context, values)
    key = after_key(context, values.cursor, binding)
    before = None if key is None else str(key[0])
    place, asked, limit = delivery_scope(context), _delivery_query(values), values.limit
    found = await context.services.control_database.read(service.list_deliveries, place, asked, before, limit + 1)
    shown = found[:limit]
    following = context.services.cursor_signer.issue(binding, (shown[-1].delivery_id,)) if len(found) > limit else None
    return account_page_response(context, [_delivery_row(record) for record in shown], following)


@endpoint(f"{_PATH}/{{delivery_id:str}}", is_secret_key_only=True)
async def get_webhook_delivery(context: RequestContext) -> HttpResponse:
    NoParameters.read(context.query_string)
    place, delivery_id = delivery_scope(context), context.path_parameters["delivery_id"]
    found = await context.services.control_database.read(service.delivery_detail, place, delivery_id)
    return json_response(200, msgspec.json.encode(serializer.delivery_detail_json(found)))


@endpoint(f"{_PATH}/{{delivery_id:str}}/retry", method="POST", is_secret_key_only=True, needs_webhooks=True)
async def retry_webhook_delivery(context: RequestContext) -> HttpResponse:
    NoParameters.read(context.query_string)
    place, delivery_id = delivery_scope(context), context.path_parameters["delivery_id"]
    attempt_id, now = context.services.ulid_generator.make("att"), context.services.clock.now()
    found = await context.services.control_database.write(service.retry_delivery, place, delivery_id, attempt_id, now)
    return json_response(202, _delivery_row(found))


@endpoint(_REPLAYS, method="POST", body=BodyPolicy(), is_secret_key_only=True, needs_webhooks=True)
async def create_webhook_replay(context: RequestContext) -> HttpResponse:
    NoParameters.read(context.query_string)
    place, now = delivery_scope(context), context.services.clock.now()
    asked = parse_replay_request(context.required_json_body, now, place.oldest, place.retention_days)
    replay_id = context.services.ulid_generator.make("rpl")
    made = await context.services.control_database.write(service.start_replay, place, asked, replay_id, now)
    location = f"/api/v1/webhooks/{made.subscription_id}/replays/{made.replay_id}"
    body = msgspec.json.encode(serializer.replay_json(made))
    return json_response(202, body, [(b"location", location.encode())])


@endpoint(f"{_REPLAYS}/{{replay_id:str}}", is_secret_key_only=True)
async def get_webhook_replay(context: RequestContext) -> HttpResponse:
    NoParameters.read(context.query_string)
    place, replay_id = delivery_scope(context), context.path_parameters["replay_id"]
    found = await context.services.control_database.read(service.find_replay, place, replay_id)
    return json_response(200, msgspec.json.encode(serializer.replay_json(found)))


def delivery_scope(context: RequestContext) -> DeliveryScope:
    """The subscription of the request, and the oldest instant its log can be read from."""
    days = context.services.settings.webhooks.retention_days
    return scope_for(context.account_id, context.path_parameters["id"], days, context.services.clock.now())


def _delivery_row(record: DeliveryRecord) -> bytes:
    return msgspec.json.encode(serializer.delivery_json(record))


def _delivery_query(values: DeliveriesParams) -> DeliveryQuery:
    return DeliveryQuery(
        window=TimeWindow(values.since, values.until),
        statuses=values.status,
        event_types=values.event_type,
        event_id=values.event_id,
    )


def _cursor_binding(call: RequestContext, values: DeliveriesParams) -> CursorBinding:
    filters = filter_hash(call.path_parameters["id"], values.filters())
    return CursorBinding(call.account_id, "deliveries", filters, "desc")
