"""Routes of health and readiness, without a key."""

from typing import Any

import msgspec

from api.http.context import RequestContext
from api.http.responses import HttpResponse, json_response
from api.http.routing import endpoint
from api.observability.delivery_health import DeliveryHealth, delivery_health
from warehouse.reader.types import PinnedRelease


@endpoint("/healthz", is_public=True)
async def healthz(context: RequestContext) -> HttpResponse:  # noqa: ARG001 -- every handler has it
    return json_response(200, b'{"status":"ok"}')


@endpoint("/readyz", is_public=True)
async def readyz(context: RequestContext) -> HttpResponse:
    """Readiness: 200 if a release can be read (else 503), with its age and the delivery backlog."""
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
