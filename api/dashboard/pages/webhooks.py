"""Webhook pages: list, create, pause, resume, delete, rotate secrets; the rules are the API's.

Does not belong here: deliveries (`api.dashboard.pages.deliveries`).
"""

from datetime import timedelta
from urllib.parse import parse_qs

import msgspec

from api.common.ids import is_ulid
from api.dashboard import one_time_secrets, subscription_form
from api.dashboard.errors import PageError
from api.dashboard.html_forms import Form
from api.dashboard.routing import PageRequest, dashboard_page
from api.dashboard.subscription_form import EMPTY
from api.http.access_control import tier_required
from api.http.responses import HttpResponse
from api.problems.problem import ProblemError
from api.webhooks.deliveries import service as deliveries_service
from api.webhooks.deliveries import test_delivery
from api.webhooks.deliveries.records import DELIVERY_STATUSES, DeliveryQuery, TimeWindow
from api.webhooks.deliveries.service import DeliveryScope, scope_for
from api.webhooks.subscriptions import requests
from api.webhooks.subscriptions.records import SubscriptionRecord
from api.webhooks.subscriptions.serializer import previous_secret_expiry
from api.webhooks.subscriptions.service import NewSecret, SubscriptionOwner
from warehouse.schema.codes import EVENT_TYPES

ALL = "/dashboard/webhooks"
ONE = f"{ALL}/{{id:str}}"
_LISTED = 100
_ROWS = 25
_GRACE = {"0": 0, "1": 3_600, "24": 86_400}
"""Grace periods offered by the form: hours to seconds."""
_VALIDATION = 422
_GONE = "If you have not copied it, rotate it on the page of the subscription."
DONE = {
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


@dashboard_page(ALL)
async def list_webhooks(visit: PageRequest) -> HttpResponse:
    return await _list_page(visit)


@dashboard_page(ALL, method="POST", form_limit=subscription_form.LIMIT)
async def create_webhook(visit: PageRequest) -> HttpResponse:
    """Creates a subscription and redirects to the page that shows its secret."""
    owner = require_entitled_owner(visit)
    try:
        made = await visit.call.service.subscriptions.create(
            owner, subscription_form.new_subscription_body(visit.form)
        )
    except ProblemError as trouble:
        if trouble.status != _VALIDATION:
            raise
        return await _list_page(visit, _VALIDATION, visit.form, trouble)
    return await _redirect_to_secret(visit, made)


@dashboard_page(ONE)
async def show_webhook(visit: PageRequest) -> HttpResponse:
    service, place = visit.call.service, delivery_scope(visit)
    record = await service.subscriptions.get(visit.account_id, place.subscription_id)
    status, before = _delivery_filter(visit)
    query = DeliveryQuery(TimeWindow(), (status,) if status else ())
    found = await service.control.read(
        lambda connection: deliveries_service.list_deliveries(connection, place, query, before, _ROWS + 1)
    )
    return visit.render(
        "webhook.html",
        record=record,
        previous_until=previous_secret_expiry(record, service.clock.now()),
        types=EVENT_TYPES,
        deliveries=found[:_ROWS],
        older=found[_ROWS - 1].delivery_id if len(found) > _ROWS else None,
        wanted=status,
        statuses=DELIVERY_STATUSES,
        first_day=(place.oldest + timedelta(days=1)).date(),
        done=_done_message(visit),
    )


@dashboard_page(f"{ONE}/edit")
async def edit_webhook(visit: PageRequest) -> HttpResponse:
    record = await visit.call.service.subscriptions.get(visit.account_id, visit.call.places["id"])
    return _edit_page(visit, record, subscription_form.form_values(record))


@dashboard_page(f"{ONE}/edit", method="POST", form_limit=subscription_form.LIMIT)
async def change_webhook(visit: PageRequest) -> HttpResponse:
    """Updates a subscription; rejected if it has changed since the form was rendered."""
    owner, subscriptions = require_entitled_owner(visit), visit.call.service.subscriptions
    record = await subscriptions.get(owner.account_id, visit.call.places["id"])
    body = subscription_form.merge_patch_body(visit.form, record)
    try:
        await subscriptions.change(owner, record.subscription_id, body, _seen_etag(visit.form))
    except ProblemError as trouble:
        if trouble.status != _VALIDATION:
            raise
        return _edit_page(visit, record, visit.form, trouble)
    return visit.go(f"{subscription_path(visit)}?done=changed")


@dashboard_page(f"{ONE}/status", method="POST")
async def change_status(visit: PageRequest) -> HttpResponse:
    """Pauses or resumes: every account may pause, resuming needs a tier with webhooks."""
    status = visit.form.get("status", "")
    owner = _request_owner(visit) if status == "paused" else require_entitled_owner(visit)
    await visit.call.service.subscriptions.change(owner, visit.call.places["id"], {"status": status}, None)
    return visit.go(f"{subscription_path(visit)}?done={'paused' if status == 'paused' else 'resumed'}")


@dashboard_page(f"{ONE}/rotate", method="POST")
async def rotate_secret(visit: PageRequest) -> HttpResponse:
    owner, grace = require_entitled_owner(visit), _GRACE.get(visit.form.get("hours", ""))
    if grace is None:
        raise PageError(400, "The secret was not rotated", "Choose how long the previous secret stays valid.")
    made = await visit.call.service.subscriptions.rotate(
        owner.account_id, visit.call.places["id"], {"grace_period_seconds": grace}
    )
    return await _redirect_to_secret(visit, made)


@dashboard_page(f"{ONE}/secret/{{view_id:str}}")
async def show_secret(visit: PageRequest) -> HttpResponse:
    """The only page that shows the secret."""
    record = await visit.call.service.subscriptions.get(visit.account_id, visit.call.places["id"])
    shown = await one_time_secrets.pop_once(visit, visit.call.places["view_id"], _SecretView, _GONE)
    return visit.render("secret.html", record=record, secret=shown.secret, warnings=shown.warnings)


@dashboard_page(f"{ONE}/test", method="POST")
async def test_webhook(visit: PageRequest) -> HttpResponse:
    service, owner = visit.call.service, require_entitled_owner(visit)
    record = await service.subscriptions.get(owner.account_id, visit.call.places["id"])
    event_type = requests.parse_test_type({"event_type": visit.form.get("event_type", "")})
    service.limits.check_test(record.subscription_id, visit.call.started)
    attempt = await test_delivery.send_test(
        service.sender,
        record,
        service.subscriptions.secrets(record),
        event_type,
        service.ulids,
        service.clock.now(),
    )
    return visit.render("tested.html", record=record, attempt=attempt)


@dashboard_page(f"{ONE}/delete", method="POST")
async def delete_webhook(visit: PageRequest) -> HttpResponse:
    await visit.call.service.subscriptions.remove(visit.account_id, visit.call.places["id"], None)
    return visit.go(f"{ALL}?done=deleted")


def require_entitled_owner(visit: PageRequest) -> SubscriptionOwner:
    """The owner, if the account's status and tier permit changes."""
    owner = _request_owner(visit)
    if visit.known.account.status != "active":
        raise PageError(
            403,
            "Not possible while the account is inactive",
            "First resolve the issue shown at the top of the page.",
        )
    if not owner.tier.webhooks:
        raise tier_required(visit.call.service.settings.tiers, owner.tier.name)
    return owner


async def _redirect_to_secret(visit: PageRequest, made: NewSecret) -> HttpResponse:
    view_id = await one_time_secrets.store_once(
        visit, _SecretView(made.secret, [one.detail for one in made.warnings])
    )
    return visit.go(f"{ALL}/{made.record.subscription_id}/secret/{view_id}")


def delivery_scope(visit: PageRequest) -> DeliveryScope:
    """The subscription of the request, and the oldest instant its log can be read from."""
    service = visit.call.service
    days = service.settings.webhooks.retention_days
    return scope_for(visit.account_id, visit.call.places["id"], days, service.clock.now())


def subscription_path(visit: PageRequest) -> str:
    """The page of the subscription; its id has already been verified."""
    return f"{ALL}/{visit.call.places['id']}"


def _request_owner(visit: PageRequest) -> SubscriptionOwner:
    account = visit.known.account
    return SubscriptionOwner(account.account_id, visit.call.service.settings.tiers.named(account.tier))


def _seen_etag(form: Form) -> bytes:
    """The ETag that the form was rendered from; if missing, one that no subscription has."""
    revision = form.get("revision", "")
    return b'"%s"' % (revision.encode() if revision.isascii() and revision.isdigit() else b"none")


def _edit_page(
    visit: PageRequest, record: SubscriptionRecord, written: Form, trouble: ProblemError | None = None
) -> HttpResponse:
    account = visit.known.account
    return visit.render(
        "webhook_edit.html",
        200 if trouble is None else _VALIDATION,
        record=record,
        revision=visit.form.get("revision", record.revision),
        tier=visit.call.service.settings.tiers.named(account.tier),
        types=EVENT_TYPES,
        chosen=subscription_form.chosen_event_types(written),
        written={**EMPTY, **written},
        errors=[] if trouble is None else subscription_form.error_messages(trouble),
    )


async def _list_page(
    visit: PageRequest, status: int = 200, written: Form = EMPTY, trouble: ProblemError | None = None
) -> HttpResponse:
    service, account = visit.call.service, visit.known.account
    records: list[SubscriptionRecord] = await service.subscriptions.page(
        account.account_id, None, None, _LISTED
    )
    return visit.render(
        "webhooks.html",
        status,
        records=records,
        tier=service.settings.tiers.named(account.tier),
        types=EVENT_TYPES,
        chosen=subscription_form.chosen_event_types(written),
        written={**EMPTY, **written},
        errors=[] if trouble is None else subscription_form.error_messages(trouble),
        done=_done_message(visit),
    )


def _delivery_filter(visit: PageRequest) -> tuple[str | None, str | None]:
    """Status filter and position of the delivery list; invalid values are ignored."""
    query = parse_qs(visit.call.query.decode("latin-1"))
    (status, *_), (before, *_) = query.get("status", [""]), query.get("before", [""])
    return (
        status if status in DELIVERY_STATUSES else None,
        before if is_ulid("dlv", before) else None,
    )


def _done_message(visit: PageRequest) -> str | None:
    query = parse_qs(visit.call.query.decode("latin-1"))
    return DONE.get(query.get("done", [""])[0])
