"""Delivery pages: a delivery with its attempts, a manual retry, a replay of failed or held deliveries."""

import msgspec

from api.dashboard.errors import PageError
from api.dashboard.pages.webhooks import DONE, ONE, delivery_scope, require_entitled_owner, subscription_path
from api.dashboard.routing import PageRequest, dashboard_page
from api.http.responses import HttpResponse
from api.problems.problem import ProblemError
from api.webhooks.deliveries import serializer
from api.webhooks.deliveries import service as deliveries_service
from api.webhooks.deliveries.requests import parse_replay_request

_DELIVERY = f"{ONE}/deliveries/{{delivery_id:str}}"
_REPLAYED = ("failed", "held")
_VALIDATION = 422


@dashboard_page(_DELIVERY)
async def show_delivery(request: PageRequest) -> HttpResponse:
    place, delivery_id = delivery_scope(request), request.context.path_parameters["delivery_id"]
    found = await request.context.services.control_database.read(
        lambda connection: deliveries_service.delivery_detail(connection, place, delivery_id)
    )
    sent = msgspec.json.format(msgspec.json.encode(serializer.delivery_detail_json(found)["payload"])).decode()
    done = DONE["retried"] if request.context.query_string == b"done=retried" else None
    return request.render("delivery.html", delivery=found.delivery, attempts=found.attempts, sent=sent, done=done)


@dashboard_page(f"{_DELIVERY}/retry", method="POST")
async def retry_delivery(request: PageRequest) -> HttpResponse:
    require_entitled_owner(request)
    service, place, delivery_id = (
        request.context.services,
        delivery_scope(request),
        request.context.path_parameters["delivery_id"],
    )
    attempt_id, now = service.ulid_generator.make("att"), service.clock.now()
    await service.control_database.write(
        lambda connection: deliveries_service.retry_delivery(connection, place, delivery_id, attempt_id, now)
    )
    return request.redirect_to(f"{subscription_path(request)}/deliveries/{delivery_id}?done=retried")


@dashboard_page(f"{ONE}/replays", method="POST")
async def create_replay(request: PageRequest) -> HttpResponse:
    require_entitled_owner(request)
    service, place, form = request.context.services, delivery_scope(request), request.form
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
    return request.redirect_to(f"{subscription_path(request)}/replays/{replay_id}")


@dashboard_page(f"{ONE}/replays/{{replay_id:str}}")
async def show_replay(request: PageRequest) -> HttpResponse:
    place, replay_id = delivery_scope(request), request.context.path_parameters["replay_id"]
    found = await request.context.services.control_database.read(
        lambda connection: deliveries_service.find_replay(connection, place, replay_id)
    )
    return request.render("replay.html", replay=found)
