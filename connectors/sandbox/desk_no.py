"""Simulates Enhetsregisteret's change feeds, roles and sub-units on one day of a world, without HTTP.

Belongs here: path and query -> status, content type and body (docs/formats/no.md 3 and 4). Does not belong here:
entities, accounts and sockets (`answers`, `server`), or which entries there are (`feeds_no`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from connectors.sandbox import feeds_no, roles_no, subunits_no
from connectors.sandbox.feeds_no import Temper
from connectors.sandbox.reply import Reply
from connectors.sandbox.world import World

Query = Mapping[str, str]
_API: Final = "/enhetsregisteret/api"
_JSON: Final = "application/json"
_HAL: Final = "application/vnd.brreg.enhetsregisteret.underenhet.v2+json;charset=UTF-8"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: the world, its day, the feeds' faults, and the query parameters."""

    world: World
    day: int
    temper: Temper
    query: Query


def _json(value: Any, kind: str = _JSON, status: int = 200) -> Reply:
    return Reply(status, kind, json.dumps(value, ensure_ascii=False).encode())


def _feed(asked: Asked, stream: str) -> Reply:
    found = feeds_no.entries(asked.world, asked.day, stream, asked.temper)
    if stream == feeds_no.ROLES:
        return _json(feeds_no.events(found, asked.query, asked.temper))
    return _json(feeds_no.hal(stream, found, asked.query, asked.temper))


def _roles(asked: Asked, number: str) -> Reply:
    company = asked.world.find("NO", number, asked.day)
    if number in asked.temper.removed:
        return _json({"status": 410, "error": "Gone", "message": "Fjernet"}, status=410)
    body = roles_no.body(company) if company is not None else None
    return Reply(404, _JSON, b"") if body is None else Reply(200, _JSON, body)


def _sub_unit(asked: Asked, number: str) -> Reply:
    company = subunits_no.find(asked.world, number, asked.day)
    return Reply(404, _HAL, b"") if company is None else _json(subunits_no.answer(company), _HAL)


Route = tuple[re.Pattern[str], Callable[..., Reply]]
ROUTES: Final[tuple[Route, ...]] = (
    (re.compile(rf"{_API}/oppdateringer/(enheter|underenheter|roller)"), _feed),
    (re.compile(rf"{_API}/enheter/(\d+)/roller"), _roles),
    (re.compile(rf"{_API}/underenheter/(\d+)"), _sub_unit),
)
