"""Replays of a subscription: redeliver a time window of the log, and get the progress.

See docs/contract/contract.md 4.8.
"""

import msgspec

from api.answers import Answer, plain_answer
from api.bodies import Body
from api.call import Call
from api.endpoints import endpoint
from api.parameters import NO_PARAMETERS
from api.routes.deliveries import place_of
from api.webhooks import log, redelivery
from api.webhooks.replay_bodies import replay_request

_PATH = "/api/v1/webhooks/{id:str}/replays"


@endpoint(_PATH, method="POST", body=Body(), secret_only=True, needs_webhooks=True)
async def create_webhook_replay(call: Call) -> Answer:
    NO_PARAMETERS.read(call.query)
    place, now = place_of(call), call.service.clock.now()
    asked = replay_request(call.body, now, place.oldest, place.retention_days)
    replay_id = call.service.ulids.make("rpl")
    made = await call.service.control.write(
        lambda connection: redelivery.replay(connection, place, asked, replay_id, now)
    )
    location = f"/api/v1/webhooks/{made.subscription_id}/replays/{made.replay_id}"
    body = msgspec.json.encode(log.replay(made))
    return plain_answer(202, body, [(b"location", location.encode())])


@endpoint(f"{_PATH}/{{replay_id:str}}", secret_only=True)
async def get_webhook_replay(call: Call) -> Answer:
    NO_PARAMETERS.read(call.query)
    place, replay_id = place_of(call), call.places["replay_id"]
    found = await call.service.control.read(
        lambda connection: redelivery.progress(connection, place, replay_id)
    )
    return plain_answer(200, msgspec.json.encode(log.replay(found)))
