"""What operators' Prometheus reads: `GET /metrics`, outside the interface and its document.

Only for callers on this machine or in private networks, unless FIRM_METRICS says otherwise; others are told that
there is nothing. Does not belong here: what is counted (`api.metrics`).
"""

import asyncio

from api.answers import Answer
from api.call import Call
from api.endpoints import endpoint
from api.exposition import CONTENT_TYPE, Gauges, exposition
from api.problems import nothing_at
from api.proxies import FORWARDING, is_local
from api.stamps import NO_STORE, VARY
from api.standing import sizes, standing
from api.watching import disk, watched
from warehouse.reader import NoRelease


@endpoint("/metrics", public=True)
async def get_metrics(call: Call) -> Answer:
    if not _may_read(call):
        raise nothing_at("/metrics")
    service = call.service
    gauges = {**_release(call), **disk(service.settings.data), **await _deliveries(call)}
    labelled = await asyncio.to_thread(watched, service.reader, service.clock.now())
    body = exposition(service.metrics.counts(), gauges, labelled)
    told = [(b"content-type", CONTENT_TYPE.encode()), (b"content-length", b"%d" % len(body))]
    return Answer(200, [*told, NO_STORE, VARY], body)


def _may_read(call: Call) -> bool:
    chosen = call.service.settings.metrics
    return chosen == "public" or (chosen == "local" and _is_near(call))


def _is_near(call: Call) -> bool:
    """Whether the caller is local, and not only the proxy that passes it on."""
    peer = call.scope.get("client")
    if peer is not None and not is_local(peer[0]):
        return False
    passed_on = any(name in call.incoming for name in FORWARDING)
    return is_local(call.client) and (not passed_on or call.service.proxies.believes)


def _release(call: Call) -> Gauges:
    try:
        with call.service.reader.pin() as snapshot:
            age = call.service.clock.now() - snapshot.built_at
            return {
                "release_number": ("Number of the release that is served.", snapshot.number),
                "release_age_seconds": ("Seconds since that release was built.", age.total_seconds()),
            }
    except NoRelease:
        return {}


async def _deliveries(call: Call) -> Gauges:
    """Nothing but that while the database is away."""
    stands, counted = await standing(call), await sizes(call)
    is_there = stands is not None and counted is not None
    reachable: Gauges = {"database_reachable": ("1 while the control-plane database answers.", is_there)}
    if stands is None or counted is None:
        return reachable
    since = counted.mail_since
    oldest = 0.0 if since is None else (call.service.clock.now() - since).total_seconds()
    return {
        **reachable,
        "mail_oldest_seconds": ("Seconds that the oldest of these notices waits.", oldest),
        "webhook_unmatched_events": (
            "Events that are published and not matched yet.",
            stands.unmatched_events,
        ),
        "webhook_lag_seconds": ("Seconds that the attempt due longest is overdue.", stands.lag_seconds),
        "webhook_queued": ("Attempts to be made, now or later.", counted.queued),
        "webhook_held": ("Deliveries that wait for a replay.", counted.held),
        "webhook_led": ("1 while some process matches events.", stands.is_led),
        "mail_waiting": ("Notices that no mail server has taken yet.", counted.mails),
    }
