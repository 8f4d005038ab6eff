"""Scenes of `test_problem` that operations on webhooks make: each gives the answer that is the problem."""

import asyncio

from warehouse.exports.exports import ExportStore

WEBHOOKS = "/api/v1/webhooks"
WATCHLISTS = "/api/v1/watchlists"
NEW = {"endpoint_url": "https://hooks.example.com/company-events", "event_types": ["ownership.changed"]}
UNKNOWN = f"{WEBHOOKS}/whs_01kaf3w9c8m2v7q4x1z6t5y0r2"


def post(service, path=WEBHOOKS, body=None, **headers):
    return service.client.post(path, headers=service.headers | headers, json=NEW if body is None else body)


def made(service, **more):
    """The path of a new subscription."""
    answer = post(service, body=NEW | more)
    assert answer.status_code == 201, answer.text
    return answer.headers["location"]


def malformed_json(on):
    service = on.service
    headers = service.headers | {"Content-Type": "application/json"}
    return service.client.post(WEBHOOKS, headers=headers, content=b'{"endpoint_url":"')


def tier_required(on):
    service = on.service
    service.accounts.set_tier("owner@example.com", "starter")
    return post(service)


def subscription_limit_reached(on):
    service = on.service
    for _ in range(10):
        made(service)
    return post(service)


def watchlist_limit_reached(on):
    service = on.service
    service.accounts.set_tier("owner@example.com", "basic")
    service.hands.seconds += 3_600  # until when keys are believed without asking
    path = post(service, WATCHLISTS, {"name": "Suppliers"}).headers["location"]
    return post(service, f"{path}/companies", {"add": [f"firm:NO:{900_000_000 + one}" for one in range(101)]})


def watchlist_in_use(on):
    service = on.service
    path = post(service, WATCHLISTS, {"name": "Suppliers"}).headers["location"]
    made(service, filters={"watchlist_id": path.rsplit("/", 1)[1]})
    return service.client.delete(path, headers=service.headers)


def idempotency_in_progress(on):
    """The second request comes while the first asks for the endpoint's address."""
    answers = []
    once = {"Idempotency-Key": "once"}

    async def asked(host):
        if not answers:
            answers.append(None)
            answers.append(await asyncio.to_thread(post, service, **once))
        return ["93.184.215.14"]

    service = on.serve(on.world, resolver=asked)
    assert post(service, **once).status_code == 201
    return answers[1]


def invalid_state(on):
    service = on.service
    path = made(service, status="paused")
    return post(service, f"{path}/replays", {"since": "2026-11-20T00:00:00Z"})


def precondition_failed(on):
    service = on.service
    headers = service.headers | {"If-Match": '"999"'}
    return service.client.patch(made(service), headers=headers, json={"status": "paused"})


def idempotency_key_reused(on):
    service = on.service
    once = {"Idempotency-Key": "once"}
    assert post(service, **once).status_code == 201
    return post(service, body=NEW | {"description": "another"}, **once)


def below(path):
    def asked(on):
        service = on.service
        return service.get(made(service) + path)

    return asked


def range_not_satisfiable(on):
    service = on.service
    service.accounts.set_tier("owner@example.com", "business")
    folder = service.parts.settings.data / "exports"
    list(ExportStore(on.world.layout, folder=folder).write(["SE"], ["csv"]))
    address = service.get("/api/v1/exports?limit=1").json()["data"][0]["url"]
    return service.client.get(address.removeprefix("https://api.example.com"), headers={"Range": "bytes=99999999-"})


SCENES = {
    ("malformed_json", 400): malformed_json,
    ("invalid_idempotency_key", 400): lambda on: post(on.service, **{"Idempotency-Key": "k" * 256}),
    ("tier_required", 403): tier_required,
    ("subscription_limit_reached", 403): subscription_limit_reached,
    ("watchlist_limit_reached", 403): watchlist_limit_reached,
    ("watchlist_not_found", 404): lambda on: on.get(f"{WATCHLISTS}/wl_01kaf3w9c8m2v7q4x1z6t5y0r2"),
    ("webhook_not_found", 404): lambda on: on.get(UNKNOWN),
    ("delivery_not_found", 404): below("/deliveries/dlv_01kaf49n6m7p8q9r0s1t2v3w4x"),
    ("replay_not_found", 404): below("/replays/rpl_01kaf5m0n1p2q3r4s5t6v7w8x9"),
    ("export_not_available", 404): lambda on: on.service.client.get("/api/v1/exports/files/firm_link_00"),
    ("range_not_satisfiable", 416): range_not_satisfiable,
    ("method_not_allowed", 405): lambda on: on.service.client.put(UNKNOWN),
    ("idempotency_in_progress", 409): idempotency_in_progress,
    ("watchlist_in_use", 409): watchlist_in_use,
    ("invalid_state", 409): invalid_state,
    ("precondition_failed", 412): precondition_failed,
    ("validation_failed", 422): lambda on: post(
        on.service, body=NEW | {"event_types": ["filing.addded"], "entity_ids": []}
    ),
    ("endpoint_not_allowed", 422): lambda on: post(on.service, body=NEW | {"endpoint_url": "https://127.0.0.1/"}),
    ("idempotency_key_reused", 422): idempotency_key_reused,
}
