"""Webhook pages: list, create, pause, resume, delete, rotate secrets; deliveries with retry and replay.

The rules are the API's (`api.webhooks`), validation too: a form is converted to the API's request body.
"""

import json
from datetime import timedelta
from typing import Any, Final

import msgspec
from litestar import get, post
from litestar.params import FromPath

from api.common.ids import is_ulid
from api.dashboard import destination_forms, filter_forms, one_time_secrets
from api.dashboard.html_forms import Form, PageError
from api.dashboard.routing import CurrentPage, PagePolicy, PageRequest
from api.http.access_control import tier_required
from api.http.responses import HttpResponse
from api.problems.problem import ProblemError
from api.watchlists.models import MOST_WATCHLISTS
from api.webhooks.deliveries import service as deliveries_service
from api.webhooks.deliveries.models import DELIVERY_STATUSES, DeliveryQuery, payload_json
from api.webhooks.deliveries.service import delivery_scope, parse_replay_request
from api.webhooks.destinations.models import Settings
from api.webhooks.destinations.opening import destination_members
from api.webhooks.parameters import DeliveryId, ReplayId, SubscriptionId
from api.webhooks.subscriptions.models import SubscriptionRecord, previous_secret_expiry
from api.webhooks.subscriptions.service import NewSecret, SubscriptionOwner
from warehouse.schema.codes import EVENT_TYPES

EMPTY: Final[Form] = {
    "entity_ids": "",
    "description": "",
    "max_per_second": "",
    **destination_forms.EMPTY,
    **filter_forms.EMPTY,
}
LIMIT: Final = 1 << 19
"""Maximum size of the form in bytes: 10,000 companies, escaped, take half of it."""
_TYPE: Final = "type "
_DIGITS: Final = 10
_NAMES: Final = {
    "endpoint_url": "Endpoint",
    "event_types": "Event types",
    "entity_ids": "Companies",
    "description": "Description",
    "max_per_second": "Maximum per second",
}


def chosen_event_types(form: Form) -> list[str]:
    """The event types that are ticked."""
    return [one for one in EVENT_TYPES if _TYPE + one in form]


def form_values(record: SubscriptionRecord) -> Form:
    """The form fields of an existing subscription."""
    companies = [] if record.companies is None else json.loads(record.companies)
    return {
        **destination_forms.destination_values(destination_members(record)),
        "entity_ids": "\n".join(companies),
        "description": record.description or "",
        "max_per_second": "" if record.max_per_second is None else str(record.max_per_second),
        **{_TYPE + one: "on" for one in record.event_types},
        **filter_forms.filter_values(record.filters),
    }


def new_subscription_body(form: Form) -> dict[str, Any]:
    """Request body of a new subscription; empty fields are omitted."""
    return {name: value for name, value in _parse_members(form).items() if value is not None}


def merge_patch_body(form: Form, record: SubscriptionRecord) -> dict[str, Any]:
    """The changes as a merge patch; empty fields are null.

    An unchanged destination is omitted: it would be resolved again, and block every change while it fails.
    """
    return _parse_members(form, destination_members(record))


def error_messages(problem: ProblemError) -> list[str]:
    """Validation errors with the form's field names."""
    said = [f"{_field_name(one.pointer)}: {one.detail}" if one.pointer else one.detail for one in problem.errors]
    return said or [problem.detail]


def _field_name(pointer: str) -> str:
    of_place = destination_forms.field_name(pointer)
    return of_place or _NAMES.get(pointer.split("/")[1]) or filter_forms.field_name(pointer)


def _parse_members(form: Form, present: Settings | None = None) -> dict[str, Any]:
    """All members, but for the `present` destination; null for empty optional fields."""
    fastest = form.get("max_per_second", "").strip()
    is_whole = fastest.isascii() and fastest.isdigit() and len(fastest) < _DIGITS
    return {
        **destination_forms.destination_body(form, present),
        "event_types": chosen_event_types(form),
        "entity_ids": form.get("entity_ids", "").replace(",", " ").split() or None,
        "filters": filter_forms.filters_body(form),
        "description": form.get("description", "").strip() or None,
        "max_per_second": int(fastest) if is_whole else fastest or None,
    }


_LONG_FORM = PagePolicy(form_limit=LIMIT)
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


@get(_ALL)
async def list_webhooks(page: CurrentPage) -> HttpResponse:
    return await _list_page(page)


@post(_ALL, access=_LONG_FORM)
async def create_webhook(page: CurrentPage) -> HttpResponse:
    """Creates a subscription and redirects to the page that shows its secret."""
    owner = _require_entitled_owner(page)
    try:
        made = await page.services.subscription_service.create(owner, new_subscription_body(page.form))
    except ProblemError as trouble:
        if trouble.status != _VALIDATION:
            raise
        return await _list_page(page, _VALIDATION, page.form, trouble)
    return await _redirect_to_secret(page, made)


@get(_ONE)
async def show_webhook(page: CurrentPage, subscription_id: SubscriptionId) -> HttpResponse:
    service, place = page.services, delivery_scope(page.context, page.account_id, subscription_id)
    record = await _requested_subscription(page, subscription_id)
    status, before = _delivery_filter(page)
    query = DeliveryQuery(statuses=(status,) if status else ())
    found = await service.control_database.read(deliveries_service.list_deliveries, place, query, before, _ROWS + 1)
    return page.render(
        "webhook.html",
        record=record,
        destination=destination_forms.destination_words(destination_members(record)),
        filters=filter_forms.filter_words(record.filters, await _watchlist_names(page)),
        previous_until=previous_secret_expiry(record, service.clock.now()),
        types=EVENT_TYPES,
        deliveries=found[:_ROWS],
        older=found[_ROWS - 1].id if len(found) > _ROWS else None,
        wanted=status,
        statuses=DELIVERY_STATUSES,
        first_day=(place.oldest + timedelta(days=1)).date(),
        done=_done_message(page),
    )


@get(f"{_ONE}/edit")
async def edit_webhook(page: CurrentPage, subscription_id: SubscriptionId) -> HttpResponse:
    record = await _requested_subscription(page, subscription_id)
    return await _edit_page(page, record, form_values(record))


@post(f"{_ONE}/edit", access=_LONG_FORM)
async def change_webhook(page: CurrentPage, subscription_id: SubscriptionId) -> HttpResponse:
    """Updates a subscription; rejected if it has changed since the form was rendered."""
    owner, subscriptions = _require_entitled_owner(page), page.services.subscription_service
    record = await _requested_subscription(page, subscription_id)
    body = merge_patch_body(page.form, record)
    try:
        await subscriptions.change(owner, record.subscription_id, body, _seen_etag(page.form))
    except ProblemError as trouble:
        if trouble.status != _VALIDATION:
            raise
        return await _edit_page(page, record, page.form, trouble)
    return page.redirect_to(f"{_ALL}/{subscription_id}?done=changed")


@post(f"{_ONE}/status")
async def change_webhook_status(page: CurrentPage, subscription_id: SubscriptionId) -> HttpResponse:
    """Pauses or resumes: every account may pause, resuming needs a tier with webhooks."""
    status = page.form.get("status", "")
    owner = _request_owner(page) if status == "paused" else _require_entitled_owner(page)
    await page.services.subscription_service.change(owner, subscription_id, {"status": status}, None)
    return page.redirect_to(f"{_ALL}/{subscription_id}?done={'paused' if status == 'paused' else 'resumed'}")


@post(f"{_ONE}/rotate")
async def rotate_webhook_secret(page: CurrentPage, subscription_id: SubscriptionId) -> HttpResponse:
    owner, grace = _require_entitled_owner(page), _GRACE.get(page.form.get("hours", ""))
    if grace is None:
        raise PageError(400, "The secret was not rotated", "Choose how long the previous secret stays valid.")
    made = await page.services.subscription_service.rotate(
        owner.account_id, subscription_id, {"grace_period_seconds": grace}
    )
    return await _redirect_to_secret(page, made)


@get(f"{_ONE}/secret/{{view_id:str}}")
async def show_secret(page: CurrentPage, subscription_id: SubscriptionId, view_id: FromPath[str]) -> HttpResponse:
    """The only page that shows the secret."""
    record = await _requested_subscription(page, subscription_id)
    shown = await one_time_secrets.pop_once(page, view_id, _SecretView, _GONE)
    return page.render("secret.html", record=record, secret=shown.secret, warnings=shown.warnings)


@post(f"{_ONE}/test")
async def test_webhook(page: CurrentPage, subscription_id: SubscriptionId) -> HttpResponse:
    account_id, body = _require_entitled_owner(page).account_id, {"event_type": page.form.get("event_type", "")}
    record, attempt = await deliveries_service.send_test(page.context, account_id, subscription_id, body)
    return page.render("tested.html", record=record, attempt=attempt)


@post(f"{_ONE}/delete")
async def delete_webhook(page: CurrentPage, subscription_id: SubscriptionId) -> HttpResponse:
    await page.services.subscription_service.remove(page.account_id, subscription_id, None)
    return page.redirect_to(f"{_ALL}?done=deleted")


def _require_entitled_owner(page: PageRequest) -> SubscriptionOwner:
    """The owner, if the account's status and tier permit changes."""
    owner = _request_owner(page)
    page.require_active_account()
    if not owner.tier.webhooks:
        raise tier_required(page.services.settings.tiers, owner.tier.name)
    return owner


async def _redirect_to_secret(visit: PageRequest, made: NewSecret) -> HttpResponse:
    view_id = await one_time_secrets.store_once(visit, _SecretView(made.secret, [one.detail for one in made.warnings]))
    return visit.redirect_to(f"{_ALL}/{made.record.subscription_id}/secret/{view_id}")


async def _requested_subscription(page: PageRequest, subscription_id: str) -> SubscriptionRecord:
    return await page.services.subscription_service.get(page.account_id, subscription_id)


def _request_owner(visit: PageRequest) -> SubscriptionOwner:
    return SubscriptionOwner(visit.account_id, visit.tier)


def _seen_etag(form: Form) -> bytes:
    """The ETag that the form was rendered from; if missing, one that no subscription has."""
    revision = form.get("revision", "")
    return b'"%s"' % (revision.encode() if revision.isascii() and revision.isdigit() else b"none")


async def _edit_page(
    visit: PageRequest, record: SubscriptionRecord, written: Form, trouble: ProblemError | None = None
) -> HttpResponse:
    return visit.render(
        "webhook_edit.html",
        200 if trouble is None else _VALIDATION,
        record=record,
        revision=visit.form.get("revision", record.revision),
        **await _form_values(visit, written, trouble),
    )


async def _list_page(
    visit: PageRequest, status: int = 200, written: Form = EMPTY, trouble: ProblemError | None = None
) -> HttpResponse:
    records: list[SubscriptionRecord] = await visit.services.subscription_service.page(
        visit.account_id, None, None, _LISTED
    )
    return visit.render(
        "webhooks.html",
        status,
        records=records,
        done=_done_message(visit),
        **await _form_values(visit, written, trouble),
    )


async def _form_values(visit: PageRequest, written: Form, trouble: ProblemError | None) -> dict[str, Any]:
    """What the template of the form shows: its input, and the errors in it."""
    return {
        "tier": visit.tier,
        "types": EVENT_TYPES,
        "chosen": chosen_event_types(written),
        "written": {**EMPTY, **written},
        "kinds": destination_forms.KINDS,
        "choices": filter_forms.CHOICES,
        "is_filtered": filter_forms.is_filtered(written),
        "watchlists": await _watchlist_names(visit),
        "errors": [] if trouble is None else error_messages(trouble),
    }


async def _watchlist_names(visit: PageRequest) -> dict[str, str]:
    """The account's watchlists, newest first: their names by id."""
    watchlists = visit.services.watchlist_service
    return {one.watchlist_id: one.name for one in await watchlists.page(visit.account_id, None, MOST_WATCHLISTS)}


def _delivery_filter(visit: PageRequest) -> tuple[str | None, str | None]:
    """Status filter and position of the delivery list; invalid values are ignored."""
    status, before = visit.query_value("status"), visit.query_value("before")
    return (status if status in DELIVERY_STATUSES else None, before if is_ulid("dlv", before) else None)


def _done_message(visit: PageRequest) -> str | None:
    return _DONE.get(visit.query_value("done"))


@get(_DELIVERY)
async def show_delivery(page: CurrentPage, subscription_id: SubscriptionId, delivery_id: DeliveryId) -> HttpResponse:
    place = delivery_scope(page.context, page.account_id, subscription_id)
    found = await page.services.control_database.read(deliveries_service.delivery_detail, place, delivery_id)
    sent = msgspec.json.format(msgspec.json.encode(payload_json(found))).decode()
    done = _DONE["retried"] if page.context.query_string == b"done=retried" else None
    return page.render("delivery.html", delivery=found.delivery, attempts=found.attempts, sent=sent, done=done)


@post(f"{_DELIVERY}/retry")
async def retry_delivery(page: CurrentPage, subscription_id: SubscriptionId, delivery_id: DeliveryId) -> HttpResponse:
    _require_entitled_owner(page)
    service, place = page.services, delivery_scope(page.context, page.account_id, subscription_id)
    attempt_id, now = service.ulid_generator.make("att"), service.clock.now()
    await service.control_database.write(deliveries_service.retry_delivery, place, delivery_id, attempt_id, now)
    return page.redirect_to(f"{_ALL}/{subscription_id}/deliveries/{delivery_id}?done=retried")


@post(f"{_ONE}/replays")
async def create_replay(page: CurrentPage, subscription_id: SubscriptionId) -> HttpResponse:
    _require_entitled_owner(page)
    service, place = page.services, delivery_scope(page.context, page.account_id, subscription_id)
    now, replay_id = service.clock.now(), service.ulid_generator.make("rpl")
    since = f"{page.form.get('since', '').strip()}T00:00:00Z"
    body = {"since": since, "statuses": [one for one in _REPLAYED if one in page.form]}
    try:
        asked = parse_replay_request(body, now, place)
    except ProblemError as trouble:
        if trouble.status != _VALIDATION:
            raise
        told = ", ".join(one.detail for one in trouble.errors) or trouble.detail
        raise PageError(
            _VALIDATION, "No replay was created", f"Check the start date and the statuses: {told}."
        ) from None
    await service.control_database.write(deliveries_service.start_replay, place, asked, replay_id, now)
    return page.redirect_to(f"{_ALL}/{subscription_id}/replays/{replay_id}")


@get(f"{_ONE}/replays/{{replay_id:str}}")
async def show_replay(page: CurrentPage, subscription_id: SubscriptionId, replay_id: ReplayId) -> HttpResponse:
    place = delivery_scope(page.context, page.account_id, subscription_id)
    found = await page.services.control_database.read(deliveries_service.find_replay, place, replay_id)
    return page.render("replay.html", replay=found)
