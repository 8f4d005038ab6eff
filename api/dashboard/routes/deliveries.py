"""Delivery pages: a delivery with its attempts, a manual retry, a replay of failed or held deliveries."""

import msgspec

from api.answers import Answer
from api.dashboard.pages import Visit, page
from api.dashboard.refusals import Refused
from api.dashboard.routes.webhooks import DONE, ONE, entitled, path_of, place_of
from api.problems import Problem
from api.webhooks import log, redelivery
from api.webhooks.replay_bodies import replay_request

_DELIVERY = f"{ONE}/deliveries/{{delivery_id:str}}"
_REPLAYED = ("failed", "held")
_VALIDATION = 422


@page(_DELIVERY)
async def show_delivery(visit: Visit) -> Answer:
    place, delivery_id = place_of(visit), visit.call.places["delivery_id"]
    found = await visit.call.service.control.read(
        lambda connection: redelivery.detail(connection, place, delivery_id)
    )
    sent = msgspec.json.format(msgspec.json.encode(log.detail(found)["payload"])).decode()
    done = DONE["retried"] if visit.call.query == b"done=retried" else None
    return visit.render(
        "delivery.html", delivery=found.delivery, attempts=found.attempts, sent=sent, done=done
    )


@page(f"{_DELIVERY}/retry", method="POST")
async def retry_delivery(visit: Visit) -> Answer:
    entitled(visit)
    service, place, delivery_id = visit.call.service, place_of(visit), visit.call.places["delivery_id"]
    attempt_id, now = service.ulids.make("att"), service.clock.now()
    await service.control.write(
        lambda connection: redelivery.retry(connection, place, delivery_id, attempt_id, now)
    )
    return visit.go(f"{path_of(visit)}/deliveries/{delivery_id}?done=retried")


@page(f"{ONE}/replays", method="POST")
async def create_replay(visit: Visit) -> Answer:
    entitled(visit)
    service, place, form = visit.call.service, place_of(visit), visit.form
    now, replay_id = service.clock.now(), service.ulids.make("rpl")
    body = {
        "since": f"{form.get('since', '').strip()}T00:00:00Z",
        "statuses": [one for one in _REPLAYED if one in form],
    }
    try:
        asked = replay_request(body, now, place.oldest, place.retention_days)
    except Problem as trouble:
        if trouble.status != _VALIDATION:
            raise
        told = ", ".join(one.detail for one in trouble.errors) or trouble.detail
        raise Refused(
            _VALIDATION, "No replay was created", f"Check the start date and the statuses: {told}."
        ) from None
    await service.control.write(
        lambda connection: redelivery.replay(connection, place, asked, replay_id, now)
    )
    return visit.go(f"{path_of(visit)}/replays/{replay_id}")


@page(f"{ONE}/replays/{{replay_id:str}}")
async def show_replay(visit: Visit) -> Answer:
    place, replay_id = place_of(visit), visit.call.places["replay_id"]
    found = await visit.call.service.control.read(
        lambda connection: redelivery.progress(connection, place, replay_id)
    )
    return visit.render("replay.html", replay=found)
