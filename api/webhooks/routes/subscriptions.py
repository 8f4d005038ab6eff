"""Webhook subscriptions: create, list, get, update, delete; new secrets; tests (docs/contract/contract.md 4.8)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
from litestar import delete, get, patch, post
from litestar.status_codes import HTTP_200_OK

from api.http.content_negotiation import MERGE_PATCH_TYPES
from api.http.context import SECRET_KEY, WEBHOOKS_TIER, ApiRequest, PlainRequest, RequestContext
from api.http.idempotency import idempotent
from api.http.json_body import BodyPolicy
from api.http.pagination.cursors import CursorBinding, filter_hash
from api.http.pagination.responses import account_page_response, after_key
from api.http.response_headers import NO_STORE, VARY
from api.http.responses import Header, HttpResponse, json_response
from api.openapi.examples import webhooks as examples
from api.openapi.operation import FROM_SUBSCRIPTION, Operation, RequestBody
from api.openapi.response_headers import OF_ACCOUNT, OF_ACCOUNT_PAGE, OF_SUBSCRIPTION
from api.webhooks.deliveries.models import Attempt
from api.webhooks.deliveries.service import send_test
from api.webhooks.parameters import SubscriptionId, SubscriptionsParams
from api.webhooks.subscriptions.models import (
    CreatedSubscription,
    RotatedSecret,
    Subscription,
    SubscriptionList,
    SubscriptionRecord,
    UpdatedSubscription,
    previous_secret_expiry,
    subscription_json,
)
from api.webhooks.subscriptions.requests import NewSubscription, SecretRotation, SubscriptionChanges, TestSend
from api.webhooks.subscriptions.service import SubscriptionOwner

_ALL = "/api/v1/webhooks"
_ONE = f"{_ALL}/{{id:str}}"
_COMPANIES_LIMIT = 1 << 20  # 10,000 entity_ids exceed the default body limit


@post(
    _ALL,
    policy=replace(WEBHOOKS_TIER, body=BodyPolicy(_COMPANIES_LIMIT)),
    summary="Create a webhook subscription",
    description="Events published from now on are sent to the endpoint. The signing secret is "
    "returned in this response only. The tier limits the number of subscriptions "
    "and of companies per subscription.",
    operation=Operation(
        CreatedSubscription,
        (*OF_SUBSCRIPTION, "Location"),
        examples.CREATED_SUBSCRIPTION,
        FROM_SUBSCRIPTION,
        body=RequestBody(NewSubscription, examples.NEW_SUBSCRIPTION),
    ),
)
@idempotent
async def create_webhook(request: PlainRequest) -> HttpResponse:
    context = request.context
    made = await context.services.subscription_service.create(_request_owner(context), context.required_json_body)
    more, location = {"secret": made.secret, "warnings": made.warnings}, f"{_ALL}/{made.record.subscription_id}"
    return _subscription_response(context, 201, made.record, more, [(b"location", location.encode())])


@get(
    _ALL,
    policy=SECRET_KEY,
    summary="List webhook subscriptions",
    description="Newest first, without secrets.",
    operation=Operation(SubscriptionList, OF_ACCOUNT_PAGE, examples.SUBSCRIPTION_LIST),
)
async def list_webhooks(request: ApiRequest[SubscriptionsParams]) -> HttpResponse:
    context, values = request.context, request.values
    binding = CursorBinding(context.account_id, "webhooks", filter_hash(values.filters()), "desc")
    key, limit = after_key(context, values.cursor, binding), values.limit
    before = None if key is None else str(key[0])
    found = await context.services.subscription_service.page(context.account_id, values.status, before, limit + 1)
    page, now = found[:limit], context.services.clock.now()
    following = None
    if len(found) > limit:
        following = context.services.cursor_cipher.issue(binding, (page[-1].subscription_id,))
    rows = [msgspec.json.encode(subscription_json(record, now)) for record in page]
    return account_page_response(context, rows, following)


@get(
    _ONE,
    policy=SECRET_KEY,
    summary="Get a webhook subscription",
    description="Settings, status and delivery statistics. The ETag identifies the revision of "
    "settings and status; delivery statistics do not change it.",
    operation=Operation(Subscription, OF_SUBSCRIPTION, examples.SUBSCRIPTION),
)
async def get_webhook(request: PlainRequest, subscription_id: SubscriptionId) -> HttpResponse:
    context = request.context
    record = await context.services.subscription_service.get(context.account_id, subscription_id)
    return _subscription_response(context, 200, record)


@patch(
    _ONE,
    policy=replace(SECRET_KEY, body=BodyPolicy(_COMPANIES_LIMIT, media_types=MERGE_PATCH_TYPES)),
    summary="Update a webhook subscription",
    description="Members left out keep their value; null for `entity_ids` means all companies. "
    "Only subscriptions with `status` active deliver. While paused, undelivered and new events are "
    "held; after reactivation only new events are delivered. Use a replay to deliver the held ones.",
    operation=Operation(
        UpdatedSubscription,
        OF_SUBSCRIPTION,
        examples.UPDATED_SUBSCRIPTION,
        body=RequestBody(SubscriptionChanges, examples.CHANGES),
    ),
)
async def update_webhook(request: PlainRequest, subscription_id: SubscriptionId) -> HttpResponse:
    context = request.context
    record, warnings = await context.services.subscription_service.change(
        _request_owner(context), subscription_id, context.required_json_body, context.request_headers.get(b"if-match")
    )
    return _subscription_response(context, 200, record, {"warnings": warnings})


@delete(
    _ONE,
    policy=SECRET_KEY,
    summary="Delete a webhook subscription",
    description="Deletes the subscription and its log; undelivered events are canceled.",
    response_description="Deleted.",
    response_headers={name.decode(): value.decode() for name, value in (NO_STORE, VARY)},
    operation=Operation(None, OF_ACCOUNT),
)
async def delete_webhook(request: PlainRequest, subscription_id: SubscriptionId) -> None:
    context = request.context
    await context.services.subscription_service.remove(
        context.account_id, subscription_id, context.request_headers.get(b"if-match")
    )


@post(
    f"{_ONE}/secret/rotate",
    policy=replace(WEBHOOKS_TIER, body=BodyPolicy(is_optional=True)),
    summary="Rotate the signing secret",
    description="The new secret signs from now on; the previous one also signs until the grace "
    "period ends. While a previous secret is still valid, the secret cannot be "
    "rotated again.",
    status_code=HTTP_200_OK,
    operation=Operation(
        RotatedSecret, OF_ACCOUNT, examples.ROTATED_SECRET, body=RequestBody(SecretRotation, examples.ROTATION)
    ),
)
@idempotent
async def rotate_webhook_secret(request: PlainRequest, subscription_id: SubscriptionId) -> HttpResponse:
    context = request.context
    made = await context.services.subscription_service.rotate(
        context.account_id, subscription_id, context.required_json_body
    )
    until = previous_secret_expiry(made.record, context.services.clock.now())
    new = {"id": subscription_id, "secret": made.secret, "previous_secret_expires_at": until}
    told = RotatedSecret.members(made.record, **new)
    return json_response(200, msgspec.json.encode(told))


@post(
    f"{_ONE}/test",
    policy=replace(WEBHOOKS_TIER, body=BodyPolicy(is_optional=True)),
    summary="Send a test event",
    description="Sends an example event of the type, with `test` true in its `data`, in the "
    "same way as a delivery, and returns the outcome. A test is not retried, "
    "stored or counted as a failure. At most 10 per minute.",
    status_code=HTTP_200_OK,
    operation=Operation(Attempt, OF_ACCOUNT, examples.TEST_ATTEMPT, body=RequestBody(TestSend, examples.TEST)),
)
@idempotent
async def test_webhook(request: PlainRequest, subscription_id: SubscriptionId) -> HttpResponse:
    context = request.context
    _, attempt = await send_test(context, context.account_id, subscription_id, context.required_json_body)
    return json_response(200, msgspec.json.encode(Attempt.members(attempt)))


def _request_owner(call: RequestContext) -> SubscriptionOwner:
    return SubscriptionOwner(call.account_id, call.required_caller.account_limits.tier)


def _subscription_response(
    call: RequestContext,
    status: int,
    record: SubscriptionRecord,
    more: dict[str, Any] | None = None,
    extra: Sequence[Header] = (),
) -> HttpResponse:
    body = msgspec.json.encode(subscription_json(record, call.services.clock.now()) | (more or {}))
    return json_response(status, body, [(b"etag", b'"%d"' % record.revision), *extra])
