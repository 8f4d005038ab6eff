"""GLEIF's API on one day of a world, without HTTP: who an LEI is (FORMAT news 3.1).

An LEI of the sandbox spells its company's number, so that no list of them is kept. Numbers come in the spellings
that operators type. Does not belong here: who names LEIs (`esef_desk`), routes and HTTP (`answers`, `server`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from connectors.sandbox.model import Company
from connectors.sandbox.world import World

Query = Mapping[str, str]
_PREFIX: Final = "969500"
_LEI: Final = re.compile(rf"{_PREFIX}([A-Z]{{2}})([0-9A-Z]{{10}})\d\d")
_AUTHORITIES: Final = {"NO": "RA000472", "SE": "RA000544", "FI": "RA000188", "UK": "RA000585"}
_COUNTRIES: Final = {"UK": "GB"}
_LENGTHS: Final = {"NO": 9, "SE": 10, "FI": 8, "UK": 8}
_MOST: Final = 200


@dataclass(frozen=True, slots=True)
class Reply:
    """Status, kind and body of one answer."""

    status: int
    kind: str
    body: bytes


def lei_of(company: Company) -> str:
    """The company's LEI, with its check digits (ISO 17442)."""
    stem = f"{_PREFIX}{company.market}{company.number.replace('-', '').rjust(10, '0')}"
    digits = int("".join(str(int(sign, 36)) for sign in f"{stem}00"))
    return f"{stem}{98 - digits % 97:02}"


def records(world: World, day: int, query: Query) -> Reply:
    """The records of some LEIs; those that are nobody's are missing from the answer."""
    asked = query.get("filter[lei]", "").split(",")
    found = [company for lei in asked if (company := _company(world, day, lei)) is not None]
    size = min(int(query.get("page[size]") or 10), _MOST)
    body = {
        "meta": {"goldenCopy": {"publishDate": f"{world.date(day)}T00:00:00Z"}},
        "links": {"first": "https://api.gleif.org/api/v1/lei-records"},
        "data": [_record(company) for company in found[:size]],
    }
    return Reply(200, "application/vnd.api+json", json.dumps(body, ensure_ascii=False).encode())


def _company(world: World, day: int, lei: str) -> Company | None:
    found = _LEI.fullmatch(lei)
    if found is None or found[1] not in world.markets:
        return None
    number = found[2][-_LENGTHS[found[1]] :]
    number = f"{number[:-1]}-{number[-1]}" if found[1] == "FI" else number
    company = world.find(found[1], number, day)
    return company if company is not None and lei_of(company) == lei else None


def _typed(company: Company) -> str:
    """The number as one operator or another has typed it."""
    number = company.number
    if company.market == "NO" and company.position % 2:
        return f"{number[:3]} {number[3:6]} {number[6:]}"
    if company.market == "SE" and company.position % 2:
        return f"{number[:6]}-{number[6:]}"
    return number


def _record(company: Company) -> dict[str, Any]:
    lei = lei_of(company)
    country = _COUNTRIES.get(company.market, company.market)
    return {
        "type": "lei-records",
        "id": lei,
        "attributes": {
            "lei": lei,
            "entity": {
                "legalName": {"name": company.name, "language": "en"},
                "otherNames": [],
                "legalAddress": {"addressLines": [company.street], "country": country},
                "registeredAt": {"id": _AUTHORITIES[company.market], "other": None},
                "registeredAs": _typed(company),
                "jurisdiction": country,
                "category": "GENERAL",
                "legalForm": {"id": "XXXX", "other": None},
                "status": "ACTIVE",
            },
            "registration": {
                "lastUpdateDate": "2026-10-01T00:00:00Z",
                "status": "LAPSED" if company.position % 3 == 0 else "ISSUED",
            },
        },
    }


ROUTES: Final[tuple[tuple[re.Pattern[str], Callable[..., Reply]], ...]] = (
    (re.compile(r"/api/v1/lei-records"), records),
)
