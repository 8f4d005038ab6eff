"""Webhook pages: list, create, pause, resume, delete, rotate secrets; deliveries with retry and replay.

The rules are the API's (`api.webhooks`). Does not belong here: the form (`api.dashboard.subscription_form`).
"""

from datetime import timedelta
from typing import Any

import msgspec

from api.common.ids import is_ulid
from api.dashboard import one_time_secrets, subscription_form
from api.dashboard.errors import PageError
from api.dashboard.html_forms import Form
from api.dashboard.routing import PageRequest, dashboard_page
from api.dashboard.subscription_form import EMPTY
from api.http.access_control import tier_required
from api.http.body_validation import read_body
from api.http.responses import HttpResponse
from api.problems.problem import ProblemError
from api.webhooks.deliveries import serializer, test_delivery
from api.webhooks.deliveries import service as deliveries_service
from api.webhooks.deliveries.records import DELIVERY_STATUSES, DeliveryQuery, TimeWindow
from api.webhooks.deliveries.requests import parse_replay_request
from api.webhooks.deliveries.service import DeliveryScope, scope_for
from api.webhooks.subscriptions.records import SubscriptionRecord
from api.webhooks.subscriptions.requests import TestSend
from api.webhooks.subscriptions.serializer import previous_secret_expiry
from api.webhooks.subscriptions.service import NewSecret, SubscriptionOwner
from warehouse.schema.codes import EVENT_TYPES

_ALL = "/dashboard/webhooks"
_ONE = f"{_ALL}/{{id:str}}"
_DELIVERY = f"{_ONE}/deliveries/{{delivery_id:str}}"
_REPLAYED = ("failed", "held")
_LISTED = 100
_ROWS = 25
_GRACE = {"0": 0, "1": 3_600, "24": 86_400}
"""Grace periods offered by the form: hours to seconds."""
_VALIDATION = 422
_GONE = "If you have not copied it, rotate it on the page of the subscription."
_DONE = {
    "paused": "Paused. New events are held until you resume and redeliver them.",
    "resumed": "Resumed. New events are delivered; redeliver the held ones when you are ready.",
    "changed": "Changed.",
    "retried": "One more attempt was queued. Reload the page in a moment.",
    "deleted": "The subscription was deleted.",
}
"""Confirmation messages, by the `done` parameter."""


class _SecretView(msgspec.Struct):
    secret: str
    warnings: list[str]


@dashboard_page(_ALL)
async def list_webhooks(request: PageRequest) -> HttpResponse:
    return await _list_page(request)


@dashboard_page(_ALL, method="POST", form_limit=subscription_form.LIMIT)
async def create_webhook(request: PageRequest) -> HttpResponse:
    """Creates a subscription and redirects to the page that shows its secret."""
    owner = _require_entitled_owner(request)
    try:
        made = await request.context.services.subscription_service.create(
            owner, subscription_form.new_subscription_body(request.form)
        )
    except ProblemError as trouble:
        if trouble.status != _VALIDATION:
            raise
        return await _list_page(request, _VALIDATION, request.form, trouble)
    return await _redirect_to_secret(request, made)


@dashboard_page(_ONE)
async def show_webhook(request: PageRequest) -> HttpResponse:
    service, place = request.context.services, _delivery_scope(request)
    record = await _requested_subscription(request)
    status, before = _delivery_filter(request)
    query = DeliveryQuery(TimeWindow(), (status,) if status else ())
    found = await service.control_database.read(
        lambda connection: deliveries_service.list_deliveries(connection, place, query, before, _ROWS + 1)
    )
    return request.render(
        "webhook.html",
        record=record,
        previous_until=previous_secret_expiry(record, service.clock.now()),
        types=EVENT_TYPES,
        deliveries=found[:_ROWS],
        older=found[_ROWS - 1].delivery_id if len(found) > _ROWS else None,
        wanted=status,
        statuses=DELIVERY_STATUSES,
        first_day=(place.oldest + timedelta(days=1)).date(),
        done=_done_message(request),
    )


@dashboard_page(f"{_ONE}/edit")
async def edit_webhook(request: PageRequest) -> HttpResponse:
    record = await _requested_subscription(request)
    return _edit_page(request, record, subscription_form.form_values(record))


@dashboard_page(f"{_ONE}/edit", method="POST", form_limit=subscription_form.LIMIT)
async def change_webhook(request: PageRequest) -> HttpResponse:
    """Updates a subscription; rejected if it has changed since the form was rendered."""
    owner, subscriptions = _require_entitled_owner(request), request.context.services.subscription_service
    record = await _requested_subscription(request)
    body = subscription_form.merge_patch_body(request.form, record)
    try:
        await subscriptions.change(owner, record.subscription_id, body, _seen_etag(request.form))
    except ProblemError as trouble:
        if trouble.status != _VALIDATION:
            raise
        return _edit_page(request, record, request.form, trouble)
    return request.redirect_to(f"{_subscription_path(request)}?done=changed")


@dashboard_page(f"{_ONE}/status", method="POST")
async def change_webhook_status(request: PageRequest) -> HttpResponse:
    """Pauses or resumes: every account may pause, resuming needs a tier with webhooks."""
    status = request.form.get("status", "")
    owner = _request_owner(request) if status == "paused" else _require_entitled_owner(request)
    await request.context.services.subscription_service.change(
        owner, request.context.path_parameters["id"], {"status": status}, None
    )
    return request.redirect_to(f"{_subscription_path(request)}?done={'paused' if status == 'paused' else 'resumed'}")


@dashboard_page(f"{_ONE}/rotate", method="POST")
async def rotate_webhook_secret(request: PageRequest) -> HttpResponse:
    owner, grace = _require_entitled_owner(request), _GRACE.get(request.form.get("hours", ""))
    if grace is None:
        raise PageError(400, "The secret was not rotated", "Choose how long the previous secret stays valid.")
    made = await request.context.services.subscription_service.rotate(
        owner.account_id, request.context.path_parameters["id"], {"grace_period_seconds": grace}
    )
    return await _redirect_to_secret(request, made)


@dashboard_page(f"{_ONE}/secret/{{view_id:str}}")
async def show_secret(request: PageRequest) -> HttpResponse:
    """The only page that shows the secret."""
    record = await _requested_subscription(request)
    shown = await one_time_secrets.pop_once(request, request.context.path_parameters["view_id"], _SecretView, _GONE)
    return request.render("secret.html", record=record, secret=shown.secret, warnings=shown.warnings)


@dashboard_page(f"{_ONE}/test", method="POST")
async def test_webhook(request: PageRequest) -> HttpResponse:
    service = request.context.services
    _require_entitled_owner(request)
    record = await _requested_subscription(request)
    event_type = read_body(TestSend, {"event_type": request.form.get("event_type", "")}).event_type
    service.rate_limiter.check_test_sends(record.subscription_id, request.context.started_at)
    attempt = await test_delivery.send_test(
        service.webhook_client,
        record,
        service.subscription_service.secrets(record),
        event_type,
        service.ulid_generator,
        service.clock.now(),
    )
    return request.render("tested.html", record=record, attempt=attempt)


@dashboard_page(f"{_ONE}/delete", method="POST")
async def delete_webhook(request: PageRequest) -> HttpResponse:
    await request.context.services.subscription_service.remove(
        request.account_id, request.context.path_parameters["id"], None
    )
    return request.redirect_to(f"{_ALL}?done=deleted")


def _require_entitled_owner(request: PageRequest) -> SubscriptionOwner:
    """The owner, if the account's status and tier permit changes."""
    owner = _request_owner(request)
    if request.required_session.account.status != "active":
        raise PageError(
            403, "Not possible while the account is inactive", "First resolve the issue shown at the top of the page."
        )
    if not owner.tier.webhooks:
        raise tier_required(request.context.services.settings.tiers, owner.tier.name)
    return owner


async def _redirect_to_secret(visit: PageRequest, made: NewSecret) -> HttpResponse:
    view_id = await one_time_secrets.store_once(visit, _SecretView(made.secret, [one.detail for one in made.warnings]))
    return visit.redirect_to(f"{_ALL}/{made.record.subscription_id}/secret/{view_id}")


def _delivery_scope(request: PageRequest) -> DeliveryScope:
    """The subscription of the request, and the oldest instant its log can be read from."""
    service = request.context.services
    days = service.settings.webhooks.retention_days
    return scope_for(request.account_id, request.context.path_parameters["id"], days, service.clock.now())


def _subscription_path(request: PageRequest) -> str:
    """The page of the subscription; its id has already been verified."""
    return f"{_ALL}/{request.context.path_parameters['id']}"


async def _requested_subscription(request: PageRequest) -> SubscriptionRecord:
    return await request.context.services.subscription_service.get(
        request.account_id, request.context.path_parameters["id"]
    )


def _request_owner(visit: PageRequest) -> SubscriptionOwner:
    return SubscriptionOwner(visit.account_id, visit.tier)


def _seen_etag(form: Form) -> bytes:
    """The ETag that the form was rendered from; if missing, one that no subscription has."""
    revision = form.get("revision", "")
    return b'"%s"' % (revision.encode() if revision.isascii() and revision.isdigit() else b"none")


def _edit_page(
    visit: PageRequest, record: SubscriptionRecord, written: Form, trouble: ProblemError | None = None
) -> HttpResponse:
    return visit.render(
        "webhook_edit.html",
        200 if trouble is None else _VALIDATION,
        record=record,
        revision=visit.form.get("revision", record.revision),
        **_form_values(visit, written, trouble),
    )


async def _list_page(
    visit: PageRequest, status: int = 200, written: Form = EMPTY, trouble: ProblemError | None = None
) -> HttpResponse:
    records: list[SubscriptionRecord] = await visit.context.services.subscription_service.page(
        visit.account_id, None, None, _LISTED
    )
    return visit.render(
        "webhooks.html", status, records=records, done=_done_message(visit), **_form_values(visit, written, trouble)
    )


def _form_values(visit: PageRequest, written: Form, trouble: ProblemError | None) -> dict[str, Any]:
    """What the template of the form shows: its input, and the errors in it."""
    return {
        "tier": visit.tier,
        "types": EVENT_TYPES,
        "chosen": subscription_form.chosen_event_types(written),
        "written": {**EMPTY, **written},
        "errors": [] if trouble is None else subscription_form.error_messages(trouble),
    }


def _delivery_filter(visit: PageRequest) -> tuple[str | None, str | None]:
    """Status filter and position of the delivery list; invalid values are ignored."""
    (status, *_), (before, *_) = visit.query_values("status") or [""], visit.query_values("before") or [""]
    return (status if status in DELIVERY_STATUSES else None, before if is_ulid("dlv", before) else None)


def _done_message(visit: PageRequest) -> str | None:
    return _DONE.get((visit.query_values("done") or [""])[0])


@dashboard_page(_DELIVERY)
async def show_delivery(request: PageRequest) -> HttpResponse:
    place, delivery_id = _delivery_scope(request), request.context.path_parameters["delivery_id"]
    found = await request.context.services.control_database.read(
        lambda connection: deliveries_service.delivery_detail(connection, place, delivery_id)
    )
    sent = msgspec.json.format(msgspec.json.encode(serializer.delivery_detail_json(found)["payload"])).decode()
    done = _DONE["retried"] if request.context.query_string == b"done=retried" else None
    return request.render("delivery.html", delivery=found.delivery, attempts=found.attempts, sent=sent, done=done)


@dashboard_page(f"{_DELIVERY}/retry", method="POST")
async def retry_delivery(request: PageRequest) -> HttpResponse:
    _require_entitled_owner(request)
    service, place, delivery_id = (
        request.context.services,
        _delivery_scope(request),
        request.context.path_parameters["delivery_id"],
    )
    attempt_id, now = service.ulid_generator.make("att"), service.clock.now()
    await service.control_database.write(
        lambda connection: deliveries_service.retry_delivery(connection, place, delivery_id, attempt_id, now)
    )
    return request.redirect_to(f"{_subscription_path(request)}/deliveries/{delivery_id}?done=retried")


@dashboard_page(f"{_ONE}/replays", method="POST")
async def create_replay(request: PageRequest) -> HttpResponse:
    _require_entitled_owner(request)
    service, place, form = request.context.services, _delivery_scope(request), request.form
    now, replay_id = service.clock.now(), service.ulid_generator.make("rpl")
    body = {
        "since": f"{form.get('since', '').strip()}T00:00:00Z",
        "statuses": [one for one in _REPLAYED if one in form],
    }
    try:
        asked = parse_replay_request(body, now, place.oldest, place.retention_days)
    except ProblemError as trouble:
        if trouble.status != _VALIDATION:
            raise
        told = ", ".join(one.detail for one in trouble.errors) or trouble.detail
        raise PageError(
            _VALIDATION, "No replay was created", f"Check the start date and the statuses: {told}."
        ) from None
    await service.control_database.write(
        lambda connection: deliveries_service.start_replay(connection, place, asked, replay_id, now)
    )
    return request.redirect_to(f"{_subscription_path(request)}/replays/{replay_id}")


@dashboard_page(f"{_ONE}/replays/{{replay_id:str}}")
async def show_replay(request: PageRequest) -> HttpResponse:
    place, replay_id = _delivery_scope(request), request.context.path_parameters["replay_id"]
    found = await request.context.services.control_database.read(
        lambda connection: deliveries_service.find_replay(connection, place, replay_id)
    )
    return request.render("replay.html", replay=found)
