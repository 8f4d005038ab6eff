"""Replays of a subscription: redeliver a time window of the log, and get the progress.

See docs/contract/contract.md 4.8.
"""

import msgspec

from api.http.context import RequestContext
from api.http.json_body import BodyPolicy
from api.http.query.params import NO_PARAMETERS
from api.http.responses import HttpResponse, json_response
from api.http.routing import endpoint
from api.webhooks.deliveries import serializer, service
from api.webhooks.deliveries.requests import parse_replay_request
from api.webhooks.routes.deliveries import delivery_scope

_PATH = "/api/v1/webhooks/{id:str}/replays"


@endpoint(_PATH, method="POST", body=BodyPolicy(), is_secret_key_only=True, needs_webhooks=True)
async def create_webhook_replay(context: RequestContext) -> HttpResponse:
    NO_PARAMETERS.read(context.query_string)
    place, now = delivery_scope(context), context.services.clock.now()
    asked = parse_replay_request(context.required_json_body, now, place.oldest, place.retention_days)
    replay_id = context.services.ulid_generator.make("rpl")
    made = await context.services.control_database.write(
        lambda connection: service.start_replay(connection, place, asked, replay_id, now)
    )
    location = f"/api/v1/webhooks/{made.subscription_id}/replays/{made.replay_id}"
    body = msgspec.json.encode(serializer.replay_json(made))
    return json_response(202, body, [(b"location", location.encode())])


@endpoint(f"{_PATH}/{{replay_id:str}}", is_secret_key_only=True)
async def get_webhook_replay(context: RequestContext) -> HttpResponse:
    NO_PARAMETERS.read(context.query_string)
    place, replay_id = delivery_scope(context), context.path_parameters["replay_id"]
    found = await context.services.control_database.read(
        lambda connection: service.find_replay(connection, place, replay_id)
    )
    return json_response(200, msgspec.json.encode(serializer.replay_json(found)))
