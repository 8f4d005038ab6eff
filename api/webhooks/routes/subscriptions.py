"""Webhook subscriptions: create, list, get, update, delete; rotate secrets; send tests.

See docs/contract/contract.md 4.8.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from api.http.body_validation import read_body
from api.http.content_negotiation import MERGE_PATCH_TYPES
from api.http.context import RequestContext
from api.http.json_body import BodyPolicy
from api.http.pagination.cursors import CursorBinding, filter_hash
from api.http.pagination.responses import account_page_response, after_key
from api.http.query.model import NoParameters
from api.http.response_headers import NO_STORE, VARY
from api.http.responses import Header, HttpResponse, json_response
from api.http.routing import endpoint
from api.webhooks.deliveries import serializer as deliveries_serializer
from api.webhooks.deliveries import test_delivery
from api.webhooks.query_params import SubscriptionsParams
from api.webhooks.subscriptions import serializer as subscriptions_serializer
from api.webhooks.subscriptions.records import SubscriptionRecord
from api.webhooks.subscriptions.requests import TestSend
from api.webhooks.subscriptions.service import SubscriptionOwner

_ALL = "/api/v1/webhooks"
_ONE = f"{_ALL}/{{id:str}}"
_COMPANIES_LIMIT = 1 << 20  # 10,000 entity_ids exceed the default body limit


@endpoint(_ALL, method="POST", body=BodyPolicy(_COMPANIES_LIMIT), is_secret_key_only=True, needs_webhooks=True)
async def create_webhook(context: RequestContext) -> HttpResponse:
    NoParameters.read(context.query_string)
    made = await context.services.subscription_service.create(_request_owner(context), context.required_json_body)
    more = {"secret": made.secret, "warnings": made.warnings}
    location = f"{_ALL}/{made.record.subscription_id}"
    return _subscription_response(context, 201, made.record, more, [(b"location", location.encode())])


@endpoint(_ALL, is_secret_key_only=True)
async def list_webhooks(context: RequestContext) -> HttpResponse:
    values = SubscriptionsParams.read(context.query_string)
    binding = CursorBinding(context.account_id, "webhooks", filter_hash(values.filters()), "desc")
    key, limit = after_key(context, values.cursor, binding), values.limit
    before = None if key is None else str(key[0])
    found = await context.services.subscription_service.page(context.account_id, values.status, before, limit + 1)
    page, now = found[:limit], context.services.clock.now()
    following = None
    if len(found) > limit:
        following = context.services.cursor_signer.issue(binding, (page[-1].subscription_id,))
    rows = [msgspec.json.encode(subscriptions_serializer.subscription_json(record, now)) for record in page]
    return account_page_response(context, rows, following)


@endpoint(_ONE, is_secret_key_only=True)
async def get_webhook(context: RequestContext) -> HttpResponse:
    NoParameters.read(context.query_string)
    record = await context.services.subscription_service.get(context.account_id, context.path_parameters["id"])
    return _subscription_response(context, 200, record)


@endpoint(
    _ONE, method="PATCH", body=BodyPolicy(_COMPANIES_LIMIT, media_types=MERGE_PATCH_TYPES), is_secret_key_only=True
)
async def update_webhook(context: RequestContext) -> HttpResponse:
    NoParameters.read(context.query_string)
    changed = await context.services.subscription_service.change(
        _request_owner(context),
        context.path_parameters["id"],
        context.required_json_body,
        context.request_headers.get(b"if-match"),
    )
    return _subscription_response(context, 200, changed.record, {"warnings": changed.warnings})


@endpoint(_ONE, method="DELETE", is_secret_key_only=True)
async def delete_webhook(context: RequestContext) -> HttpResponse:
    NoParameters.read(context.query_string)
    await context.services.subscription_service.remove(
        context.account_id, context.path_parameters["id"], context.request_headers.get(b"if-match")
    )
    return HttpResponse(204, [NO_STORE, VARY], b"")


@endpoint(
    f"{_ONE}/secret/rotate",
    method="POST",
    body=BodyPolicy(is_optional=True),
    is_secret_key_only=True,
    needs_webhooks=True,
)
async def rotate_webhook_secret(context: RequestContext) -> HttpResponse:
    NoParameters.read(context.query_string)
    made = await context.services.subscription_service.rotate(
        context.account_id, context.path_parameters["id"], context.required_json_body
    )
    now = context.services.clock.now()
    told = {
        "id": made.record.subscription_id,
        "secret": made.secret,
        "secret_hint": made.record.secret_hint,
        "previous_secret_expires_at": subscriptions_serializer.format_instant(
            subscriptions_serializer.previous_secret_expiry(made.record, now)
        ),
    }
    return json_response(200, msgspec.json.encode(told))


@endpoint(
    f"{_ONE}/test", method="POST", body=BodyPolicy(is_optional=True), is_secret_key_only=True, needs_webhooks=True
)
async def test_webhook(context: RequestContext) -> HttpResponse:
    NoParameters.read(context.query_string)
    service, event_type = context.services, read_body(TestSend, context.required_json_body).event_type
    record = await service.subscription_service.get(context.account_id, context.path_parameters["id"])
    service.rate_limiter.check_test_sends(record.subscription_id, context.started_at)
    secrets = service.subscription_service.secrets(record)
    attempt = await test_delivery.send_test(
        service.webhook_client, record, secrets, event_type, service.ulid_generator, service.clock.now()
    )
    return json_response(200, msgspec.json.encode(deliveries_serializer.attempt_json(attempt)))


def _request_owner(call: RequestContext) -> SubscriptionOwner:
    return SubscriptionOwner(call.account_id, call.required_caller.account_limits.tier)


def _subscription_response(
    call: RequestContext,
    status: int,
    record: SubscriptionRecord,
    more: dict[str, Any] | None = None,
    extra: Sequence[Header] = (),
) -> HttpResponse:
    """Response with a subscription and its strong ETag."""
    body = msgspec.json.encode(
        subscriptions_serializer.subscription_json(record, call.services.clock.now()) | (more or {})
    )
    return json_response(status, body, [(b"etag", b'"%d"' % record.revision), *extra])
