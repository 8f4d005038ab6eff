"""The delivery log of a subscription: lists, one delivery, retries, replays (docs/contract/contract.md 4.8)."""

from dataclasses import replace

import msgspec
from litestar import get, post
from litestar.status_codes import HTTP_202_ACCEPTED

from api.http.context import SECRET_KEY, WEBHOOKS_TIER, ApiRequest, PlainRequest
from api.http.idempotency import idempotent
from api.http.json_body import BodyPolicy
from api.http.pagination.cursors import CursorBinding, filter_hash
from api.http.pagination.responses import account_page_response, after_key
from api.http.responses import HttpResponse, json_response
from api.openapi.examples import webhooks as examples
from api.openapi.operation import FROM_DELIVERY, FROM_REPLAY, Operation, RequestBody
from api.openapi.response_headers import OF_ACCOUNT, OF_ACCOUNT_PAGE
from api.webhooks.deliveries import models, service
from api.webhooks.deliveries.models import Delivery, DeliveryDetail, DeliveryList, DeliveryQuery, Replay
from api.webhooks.deliveries.service import NewReplay, delivery_scope, parse_replay_request
from api.webhooks.parameters import DeliveriesParams, DeliveryId, ReplayId, SubscriptionId

_PATH = "/api/v1/webhooks/{id:str}/deliveries"
_REPLAYS = "/api/v1/webhooks/{id:str}/replays"


@get(
    _PATH,
    policy=SECRET_KEY,
    summary="List deliveries of a subscription",
    description="Deliveries of the last [[retention]], newest first.",
    operation=Operation(DeliveryList, OF_ACCOUNT_PAGE, examples.DELIVERY_LIST),
)
async def list_webhook_deliveries(
    request: ApiRequest[DeliveriesParams], subscription_id: SubscriptionId
) -> HttpResponse:
    context, values = request.context, request.values
    binding = CursorBinding(context.account_id, "deliveries", filter_hash(subscription_id, values.filters()), "desc")
    key = after_key(context, values.cursor, binding)
    before = None if key is None else str(key[0])
    asked = DeliveryQuery(values.since, values.until, values.status, values.event_type, values.event_id)
    place, limit = delivery_scope(context, context.account_id, subscription_id), values.limit
    found = await context.services.control_database.read(service.list_deliveries, place, asked, before, limit + 1)
    shown = found[:limit]
    following = context.services.cursor_cipher.issue(binding, (shown[-1].id,)) if len(found) > limit else None
    rows = [msgspec.json.encode(Delivery.members(record)) for record in shown]
    return account_page_response(context, rows, following)


@get(
    f"{_PATH}/{{delivery_id:str}}",
    policy=SECRET_KEY,
    summary="Get a delivery",
    description="Includes the body as last sent and the latest 100 attempts.",
    operation=Operation(DeliveryDetail, OF_ACCOUNT, examples.DELIVERY_DETAIL),
)
async def get_webhook_delivery(
    request: PlainRequest, subscription_id: SubscriptionId, delivery_id: DeliveryId
) -> HttpResponse:
    context = request.context
    place = delivery_scope(context, context.account_id, subscription_id)
    found = await context.services.control_database.read(service.delivery_detail, place, delivery_id)
    return json_response(200, msgspec.json.encode(models.delivery_detail_json(found)))


@post(
    f"{_PATH}/{{delivery_id:str}}/retry",
    policy=WEBHOOKS_TIER,
    summary="Retry a delivery",
    description="Makes one additional attempt, even if the subscription is paused. The retry "
    "schedule is not affected; a success completes the delivery. Canceled "
    "deliveries cannot be retried.",
    status_code=HTTP_202_ACCEPTED,
    response_description="Accepted; the attempt follows. Returns the delivery's current state.",
    operation=Operation(Delivery, OF_ACCOUNT, examples.DELIVERY_EXAMPLE, FROM_DELIVERY),
)
@idempotent
async def retry_webhook_delivery(
    request: PlainRequest, subscription_id: SubscriptionId, delivery_id: DeliveryId
) -> HttpResponse:
    context = request.context
    place = delivery_scope(context, context.account_id, subscription_id)
    attempt_id, now = context.services.ulid_generator.make("att"), context.services.clock.now()
    found = await context.services.control_database.write(service.retry_delivery, place, delivery_id, attempt_id, now)
    return json_response(202, msgspec.json.encode(Delivery.members(found)))


@post(
    _REPLAYS,
    policy=replace(WEBHOOKS_TIER, body=BodyPolicy()),
    summary="Create a replay",
    description="Redelivers the failed and held deliveries of a time window, and succeeded "
    "ones if requested. Event ids stay the same; each delivery starts a new retry "
    "schedule. The subscription must be active.",
    status_code=HTTP_202_ACCEPTED,
    response_description="Accepted; the deliveries follow.",
    operation=Operation(
        Replay, ("Location",), examples.REPLAY, FROM_REPLAY, body=RequestBody(NewReplay, examples.NEW_REPLAY)
    ),
)
@idempotent
async def create_webhook_replay(request: PlainRequest, subscription_id: SubscriptionId) -> HttpResponse:
    context = request.context
    place, now = delivery_scope(context, context.account_id, subscription_id), context.services.clock.now()
    asked = parse_replay_request(context.required_json_body, now, place)
    replay_id = context.services.ulid_generator.make("rpl")
    made = await context.services.control_database.write(service.start_replay, place, asked, replay_id, now)
    location = f"/api/v1/webhooks/{made.subscription_id}/replays/{made.replay_id}"
    body = msgspec.json.encode(models.replay_json(made))
    return json_response(202, body, [(b"location", location.encode())])


@get(
    f"{_REPLAYS}/{{replay_id:str}}",
    policy=SECRET_KEY,
    summary="Get a replay",
    description="The counters are updated as deliveries complete.",
    operation=Operation(Replay, OF_ACCOUNT, examples.REPLAY),
)
async def get_webhook_replay(
    request: PlainRequest, subscription_id: SubscriptionId, replay_id: ReplayId
) -> HttpResponse:
    context = request.context
    place = delivery_scope(context, context.account_id, subscription_id)
    found = await context.services.control_database.read(service.find_replay, place, replay_id)
    return json_response(200, msgspec.json.encode(models.replay_json(found)))
