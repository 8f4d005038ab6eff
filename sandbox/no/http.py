"""Simulates Enhetsregisteret's change feeds, roles and sub-units on one day of a world, without HTTP.

Belongs here: path and query -> status, content type and body (docs/formats/no.md 3 and 4). Does not belong here:
entities, accounts and sockets (`http.routes`, `http.server`), or which entries there are (`feeds`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sandbox.no import feeds, roller, underenheter
from sandbox.no.feeds import FeedFaults
from sandbox.shared.response import SandboxResponse
from sandbox.world import World

Query = Mapping[str, str]
_API: Final = "/enhetsregisteret/api"
_JSON: Final = "application/json"
_HAL: Final = "application/vnd.brreg.enhetsregisteret.underenhet.v2+json;charset=UTF-8"


@dataclass(frozen=True, slots=True)
class RegistryRequest:
    """A request: the world, its day, the feeds' faults, and the query parameters."""

    world: World
    day: int
    feed_faults: FeedFaults
    query: Query


def _json_response(value: Any, kind: str = _JSON, status: int = 200) -> SandboxResponse:
    return SandboxResponse(status, kind, json.dumps(value, ensure_ascii=False).encode())


def _feed_response(asked: RegistryRequest, stream: str) -> SandboxResponse:
    found = feeds.feed_entries(asked.world, asked.day, stream, asked.feed_faults)
    if stream == feeds.ROLES:
        return _json_response(feeds.cloud_events(found, asked.query, asked.feed_faults))
    return _json_response(feeds.hal_page(stream, found, asked.query, asked.feed_faults))


def _roles_response(asked: RegistryRequest, number: str) -> SandboxResponse:
    company = asked.world.find("NO", number, asked.day)
    if number in asked.feed_faults.removed:
        return _json_response({"status": 410, "error": "Gone", "message": "Fjernet"}, status=410)
    body = roller.roles_body(company) if company is not None else None
    return SandboxResponse(404, _JSON, b"") if body is None else SandboxResponse(200, _JSON, body)


def _sub_unit_response(asked: RegistryRequest, number: str) -> SandboxResponse:
    company = underenheter.find_sub_unit(asked.world, number, asked.day)
    return (
        SandboxResponse(404, _HAL, b"")
        if company is None
        else _json_response(underenheter.sub_unit_record(company), _HAL)
    )


Route = tuple[re.Pattern[str], Callable[..., SandboxResponse]]
ROUTES: Final[tuple[Route, ...]] = (
    (re.compile(rf"{_API}/oppdateringer/(enheter|underenheter|roller)"), _feed_response),
    (re.compile(rf"{_API}/enheter/(\d+)/roller"), _roles_response),
    (re.compile(rf"{_API}/underenheter/(\d+)"), _sub_unit_response),
)
