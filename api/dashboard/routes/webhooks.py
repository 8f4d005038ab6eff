"""Webhook pages: list, create, pause, resume, delete, rotate secrets; the rules are the API's.

Does not belong here: deliveries (`api.dashboard.routes.deliveries`).
"""

from datetime import timedelta
from urllib.parse import parse_qs

import msgspec

from api.answers import Answer
from api.dashboard import showing, subscription_form
from api.dashboard.forms import Form
from api.dashboard.pages import Visit, page
from api.dashboard.refusals import Refused
from api.dashboard.subscription_form import EMPTY
from api.db.delivery_records import DELIVERY_STATUSES, DeliveryQuery, Window
from api.db.subscription_records import SubscriptionRecord
from api.problems import Problem
from api.ulids import is_ulid
from api.webhooks import redelivery, test_send, validation
from api.webhooks.redelivery import Place, place_in
from api.webhooks.refusals import tier_required
from api.webhooks.shown import live_previous
from api.webhooks.subscriptions import NewSecret, Owner
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


class _Shown(msgspec.Struct):
    secret: str
    warnings: list[str]


@page(ALL)
async def list_webhooks(visit: Visit) -> Answer:
    return await _listed(visit)


@page(ALL, method="POST", form_limit=subscription_form.LIMIT)
async def create_webhook(visit: Visit) -> Answer:
    """Creates a subscription and redirects to the page that shows its secret."""
    owner = entitled(visit)
    try:
        made = await visit.call.service.subscriptions.create(owner, subscription_form.new_body(visit.form))
    except Problem as trouble:
        if trouble.status != _VALIDATION:
            raise
        return await _listed(visit, _VALIDATION, visit.form, trouble)
    return await _to_secret(visit, made)


@page(ONE)
async def show_webhook(visit: Visit) -> Answer:
    service, place = visit.call.service, place_of(visit)
    record = await service.subscriptions.get(visit.account_id, place.subscription_id)
    status, before = _asked(visit)
    query = DeliveryQuery(Window(), (status,) if status else ())
    found = await service.control.read(
        lambda connection: redelivery.page(connection, place, query, before, _ROWS + 1)
    )
    return visit.render(
        "webhook.html",
        record=record,
        previous_until=live_previous(record, service.clock.now()),
        types=EVENT_TYPES,
        deliveries=found[:_ROWS],
        older=found[_ROWS - 1].delivery_id if len(found) > _ROWS else None,
        wanted=status,
        statuses=DELIVERY_STATUSES,
        first_day=(place.oldest + timedelta(days=1)).date(),
        done=_done(visit),
    )


@page(f"{ONE}/edit")
async def edit_webhook(visit: Visit) -> Answer:
    record = await visit.call.service.subscriptions.get(visit.account_id, visit.call.places["id"])
    return _editing(visit, record, subscription_form.written(record))


@page(f"{ONE}/edit", method="POST", form_limit=subscription_form.LIMIT)
async def change_webhook(visit: Visit) -> Answer:
    """Updates a subscription; rejected if it has changed since the form was rendered."""
    owner, subscriptions = entitled(visit), visit.call.service.subscriptions
    record = await subscriptions.get(owner.account_id, visit.call.places["id"])
    body = subscription_form.changes(visit.form, record)
    try:
        await subscriptions.change(owner, record.subscription_id, body, _seen(visit.form))
    except Problem as trouble:
        if trouble.status != _VALIDATION:
            raise
        return _editing(visit, record, visit.form, trouble)
    return visit.go(f"{path_of(visit)}?done=changed")


@page(f"{ONE}/status", method="POST")
async def change_status(visit: Visit) -> Answer:
    """Pauses or resumes: every account may pause, resuming needs a tier with webhooks."""
    status = visit.form.get("status", "")
    owner = _owner(visit) if status == "paused" else entitled(visit)
    await visit.call.service.subscriptions.change(owner, visit.call.places["id"], {"status": status}, None)
    return visit.go(f"{path_of(visit)}?done={'paused' if status == 'paused' else 'resumed'}")


@page(f"{ONE}/rotate", method="POST")
async def rotate_secret(visit: Visit) -> Answer:
    owner, grace = entitled(visit), _GRACE.get(visit.form.get("hours", ""))
    if grace is None:
        raise Refused(400, "The secret was not rotated", "Choose how long the previous secret stays valid.")
    made = await visit.call.service.subscriptions.rotate(
        owner.account_id, visit.call.places["id"], {"grace_period_seconds": grace}
    )
    return await _to_secret(visit, made)


@page(f"{ONE}/secret/{{view_id:str}}")
async def show_secret(visit: Visit) -> Answer:
    """The only page that shows the secret."""
    record = await visit.call.service.subscriptions.get(visit.account_id, visit.call.places["id"])
    shown = await showing.take(visit, visit.call.places["view_id"], _Shown, _GONE)
    return visit.render("secret.html", record=record, secret=shown.secret, warnings=shown.warnings)


@page(f"{ONE}/test", method="POST")
async def test_webhook(visit: Visit) -> Answer:
    service, owner = visit.call.service, entitled(visit)
    record = await service.subscriptions.get(owner.account_id, visit.call.places["id"])
    event_type = validation.test_type({"event_type": visit.form.get("event_type", "")})
    service.limits.check_test(record.subscription_id, visit.call.started)
    attempt = await test_send.sent(
        service.sender,
        record,
        service.subscriptions.secrets(record),
        event_type,
        service.ulids,
        service.clock.now(),
    )
    return visit.render("tested.html", record=record, attempt=attempt)


@page(f"{ONE}/delete", method="POST")
async def delete_webhook(visit: Visit) -> Answer:
    await visit.call.service.subscriptions.remove(visit.account_id, visit.call.places["id"], None)
    return visit.go(f"{ALL}?done=deleted")


def entitled(visit: Visit) -> Owner:
    """The owner, if the account's status and tier permit changes."""
    owner = _owner(visit)
    if visit.known.account.status != "active":
        raise Refused(
            403,
            "Not possible while the account is inactive",
            "First resolve the issue shown at the top of the page.",
        )
    if not owner.tier.webhooks:
        raise tier_required(visit.call.service.settings.tiers, owner.tier.name)
    return owner


async def _to_secret(visit: Visit, made: NewSecret) -> Answer:
    view_id = await showing.keep(visit, _Shown(made.secret, [one.detail for one in made.warnings]))
    return visit.go(f"{ALL}/{made.record.subscription_id}/secret/{view_id}")


def place_of(visit: Visit) -> Place:
    """The subscription of the request, and the oldest instant its log can be read from."""
    service = visit.call.service
    days = service.settings.webhooks.retention_days
    return place_in(visit.account_id, visit.call.places["id"], days, service.clock.now())


def path_of(visit: Visit) -> str:
    """The page of the subscription; its id has already been verified."""
    return f"{ALL}/{visit.call.places['id']}"


def _owner(visit: Visit) -> Owner:
    account = visit.known.account
    return Owner(account.account_id, visit.call.service.settings.tiers.named(account.tier))


def _seen(form: Form) -> bytes:
    """The ETag that the form was rendered from; if missing, one that no subscription has."""
    revision = form.get("revision", "")
    return b'"%s"' % (revision.encode() if revision.isascii() and revision.isdigit() else b"none")


def _editing(
    visit: Visit, record: SubscriptionRecord, written: Form, trouble: Problem | None = None
) -> Answer:
    account = visit.known.account
    return visit.render(
        "webhook_edit.html",
        200 if trouble is None else _VALIDATION,
        record=record,
        revision=visit.form.get("revision", record.revision),
        tier=visit.call.service.settings.tiers.named(account.tier),
        types=EVENT_TYPES,
        chosen=subscription_form.chosen(written),
        written={**EMPTY, **written},
        errors=[] if trouble is None else subscription_form.errors(trouble),
    )


async def _listed(
    visit: Visit, status: int = 200, written: Form = EMPTY, trouble: Problem | None = None
) -> Answer:
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
        chosen=subscription_form.chosen(written),
        written={**EMPTY, **written},
        errors=[] if trouble is None else subscription_form.errors(trouble),
        done=_done(visit),
    )


def _asked(visit: Visit) -> tuple[str | None, str | None]:
    """Status filter and position of the delivery list; invalid values are ignored."""
    query = parse_qs(visit.call.query.decode("latin-1"))
    (status, *_), (before, *_) = query.get("status", [""]), query.get("before", [""])
    return (
        status if status in DELIVERY_STATUSES else None,
        before if is_ulid("dlv", before) else None,
    )


def _done(visit: Visit) -> str | None:
    query = parse_qs(visit.call.query.decode("latin-1"))
    return DONE.get(query.get("done", [""])[0])
