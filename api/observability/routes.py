"""Routes without a key: health, readiness, and Prometheus metrics for operators (`GET /metrics`).

Metrics are no part of the API or its OpenAPI document: only for callers on this machine or in private networks,
unless FIRM_METRICS allows more; others get 404. Does not belong here: counting (`api.observability.metrics`).
"""

import asyncio
from typing import Any

import msgspec
from litestar import get

from api.common.releases import read_release
from api.http.client_ip import FORWARDING, is_local_address
from api.http.context import NO_KEY, PlainRequest, RequestContext
from api.http.response_headers import NO_STORE, VARY
from api.http.responses import HttpResponse, json_response
from api.observability.data_health import data_health_gauges, disk_gauges
from api.observability.delivery_health import DeliveryHealth, delivery_health, read_queue_sizes
from api.observability.prometheus import CONTENT_TYPE, Gauges, prometheus_text
from api.problems.problem import not_found_problem
from warehouse.reader.reader import PinnedRelease


@get("/healthz", policy=NO_KEY)
async def healthz() -> HttpResponse:
    return json_response(200, b'{"status":"ok"}')


@get("/readyz", policy=NO_KEY)
async def readyz(request: PlainRequest) -> HttpResponse:
    """Readiness: 200 if a release can be read (else 503), with its age and the delivery backlog."""
    context = request.context
    stands = await delivery_health(context)
    with context.services.release_reader.pin_release() as snapshot:
        return json_response(200, msgspec.json.encode(_readiness_body(context, snapshot, stands)))


def _readiness_body(call: RequestContext, snapshot: PinnedRelease, stands: DeliveryHealth | None) -> dict[str, Any]:
    age = call.services.clock.now() - snapshot.built_at
    return {
        "status": "ready",
        "release": snapshot.release_number,
        "built_at": f"{snapshot.built_at:%Y-%m-%dT%H:%M:%SZ}",
        "age_seconds": max(0, int(age.total_seconds())),
        "last_sequence": snapshot.last_sequence,
        "deliveries": None if stands is None else _delivery_status(stands),
    }


def _delivery_status(stands: DeliveryHealth) -> dict[str, Any]:
    return {
        "matching": stands.has_leader,
        "unmatched_events": stands.unmatched_events,
        "lag_seconds": int(stands.lag_seconds),
    }


@get("/metrics", policy=NO_KEY)
async def get_metrics(request: PlainRequest) -> HttpResponse:
    context = request.context
    if not _may_read(context):
        raise not_found_problem("/metrics")
    service = context.services
    gauges = {**_release_gauges(context), **disk_gauges(service.settings.data), **await _delivery_gauges(context)}
    labelled = await asyncio.to_thread(data_health_gauges, service.release_reader, service.clock.now())
    body = prometheus_text(service.metrics.counts(), gauges, labelled)
    told = [(b"content-type", CONTENT_TYPE.encode()), (b"content-length", b"%d" % len(body))]
    return HttpResponse(200, [*told, NO_STORE, VARY], body)


def _may_read(call: RequestContext) -> bool:
    chosen = call.services.settings.metrics
    return chosen == "public" or (chosen == "local" and _is_near(call))


def _is_near(call: RequestContext) -> bool:
    """True if the caller is local, and not just behind a local proxy."""
    peer = call.scope.get("client")
    if peer is not None and not is_local_address(peer[0]):
        return False
    passed_on = any(name in call.request_headers for name in FORWARDING)
    return is_local_address(call.client_ip) and (not passed_on or call.services.client_ip_resolver.trusted_proxies)


def _release_gauges(call: RequestContext) -> Gauges:
    now, reader = call.services.clock.now(), call.services.release_reader
    released = read_release(reader, lambda snapshot: (snapshot.release_number, now - snapshot.built_at))
    if released is None:
        return {}
    number, age = released
    return {
        "release_number": ("Number of the release being served.", number),
        "release_age_seconds": ("Seconds since that release was built.", age.total_seconds()),
    }


async def _delivery_gauges(call: RequestContext) -> Gauges:
    """Gauges of webhook delivery; only `database_reachable` while the database is unavailable."""
    stands, counted = await delivery_health(call), await read_queue_sizes(call)
    is_there = stands is not None and counted is not None
    reachable: Gauges = {"database_reachable": ("1 if the control-plane database responds, otherwise 0.", is_there)}
    if stands is None or counted is None:
        return reachable
    since = counted.mail_since
    oldest = 0.0 if since is None else (call.services.clock.now() - since).total_seconds()
    return {
        **reachable,
        "mail_oldest_seconds": ("Seconds the oldest of these notices has been waiting.", oldest),
        "webhook_unmatched_events": ("Published events not matched yet.", stands.unmatched_events),
        "webhook_events_ahead": ("Events matched before that the served ledger lacks.", stands.events_ahead),
        "webhook_lag_seconds": ("Seconds the most overdue attempt is late.", stands.lag_seconds),
        "webhook_queued": ("Attempts queued, now or later.", counted.queued),
        "webhook_held": ("Deliveries waiting for a replay.", counted.held),
        "webhook_led": ("1 if a process is matching events, otherwise 0.", stands.has_leader),
        "mail_waiting": ("Notices not yet accepted by a mail server.", counted.mails),
    }
