"""Routes without a key: the OpenAPI document, health, readiness, the help pages of problems."""

from typing import Any

import msgspec

from api.answers import Answer, plain_answer, public_answer
from api.call import Call, Sharing
from api.endpoints import endpoint
from api.problem_kinds import BY_SLUG
from api.problems import nothing_at
from api.standing import Standing, standing
from warehouse.reading import Snapshot


@endpoint("/api/openapi.json", public=True, sharing=Sharing.ANYONE)
async def get_openapi(call: Call) -> Answer:
    return public_answer(call, call.service.openapi)


@endpoint("/healthz", public=True)
async def healthz(call: Call) -> Answer:  # noqa: ARG001 -- every handler has it
    return plain_answer(200, b'{"status":"ok"}')


@endpoint("/readyz", public=True)
async def readyz(call: Call) -> Answer:
    """Readiness: 200 if a release can be read (else 503), with its age and the delivery backlog."""
    stands = await standing(call)
    with call.service.reader.pin() as snapshot:
        return plain_answer(200, msgspec.json.encode(_readiness(call, snapshot, stands)))


@endpoint("/problems/{slug:str}", public=True, sharing=Sharing.ANYONE)
async def get_problem(call: Call) -> Answer:
    slug = call.places["slug"]
    kind = BY_SLUG.get(slug)
    if kind is None:
        raise nothing_at(call.path)
    page = {
        "type": kind.type_url(call.service.settings.public_url),
        "code": kind.code,
        "title": kind.title,
        "statuses": [kind.status, *kind.other_statuses],
        "explanation": kind.explanation,
        "fix": kind.fix,
    }
    return public_answer(call, msgspec.json.encode(page))


def _readiness(call: Call, snapshot: Snapshot, stands: Standing | None) -> dict[str, Any]:
    age = call.service.clock.now() - snapshot.built_at
    return {
        "status": "ready",
        "release": snapshot.number,
        "built_at": f"{snapshot.built_at:%Y-%m-%dT%H:%M:%SZ}",
        "age_seconds": max(0, int(age.total_seconds())),
        "last_sequence": snapshot.last_sequence,
        "deliveries": None if stands is None else _deliveries(stands),
    }


def _deliveries(stands: Standing) -> dict[str, Any]:
    return {
        "matching": stands.is_led,
        "unmatched_events": stands.unmatched_events,
        "lag_seconds": int(stands.lag_seconds),
    }
