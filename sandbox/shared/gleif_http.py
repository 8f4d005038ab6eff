"""Simulates GLEIF's API for one day of a world, without HTTP (docs/formats/news.md 3.1).

A sandbox LEI contains its company's number, so no list is needed. Registration numbers are served in the varying
spellings of operators. Does not belong here: documents with LEIs (`esef_http`), routes and HTTP (`http.routes`,
`http.server`).
"""

from __future__ import annotations

import re
from typing import Any, Final

from sandbox.model.company import Company
from sandbox.shared.response import Query, SandboxResponse, compile_routes, json_response
from sandbox.world import World

_API: Final = "https://api.gleif.org/api/v1/lei-records"
_PREFIX: Final = "969500"
_LEI: Final = re.compile(rf"{_PREFIX}([A-Z]{{2}})([0-9A-Z]{{10}})\d\d")
AUTHORITIES: Final = {"NO": "RA000472", "SE": "RA000544", "FI": "RA000188", "UK": "RA000585", "DK": "RA000170"}
COUNTRIES: Final = {"UK": "GB"}
_LENGTHS: Final = {"NO": 9, "SE": 10, "FI": 8, "UK": 8, "DK": 8}
_MOST: Final = 200


def company_lei(company: Company) -> str:
    """LEI of a company, with its check digits (ISO 17442)."""
    stem = f"{_PREFIX}{company.market}{company.number.replace('-', '').rjust(10, '0')}"
    digits = int("".join(str(int(sign, 36)) for sign in f"{stem}00"))
    return f"{stem}{98 - digits % 97:02}"


def lei_records(world: World, day: int, query: Query) -> SandboxResponse:
    """Records of the requested LEIs."""
    return json_response(records_body(world, day, query), 200, "application/vnd.api+json")


def records_body(world: World, day: int, query: Query) -> dict[str, Any]:
    """Records of the requested LEIs; unassigned ones are missing from the response."""
    asked = query.get("filter[lei]", "").split(",")
    found = [company for lei in asked if (company := _find_company(world, day, lei)) is not None]
    size = min(int(query.get("page[size]") or 10), _MOST)
    pages = {"currentPage": 1, "perPage": size, "from": 1, "to": len(found), "total": len(found), "lastPage": 1}
    return {
        "meta": {"goldenCopy": {"publishDate": f"{world.date(day)}T00:00:00Z"}, "pagination": pages},
        "links": {"first": _API, "last": _API},
        "data": [lei_record(company) for company in found[:size]],
    }


def _find_company(world: World, day: int, lei: str) -> Company | None:
    found = _LEI.fullmatch(lei)
    if found is None or found[1] not in world.markets:
        return None
    number = found[2][-_LENGTHS[found[1]] :]
    number = f"{number[:-1]}-{number[-1]}" if found[1] == "FI" else number
    company = world.find(found[1], number, day)
    return company if company is not None and company_lei(company) == lei else None


def _typed_number(company: Company) -> str:
    """Company number in one of the spellings that operators use."""
    number = company.number
    if company.market == "NO" and company.position % 2:
        return f"{number[:3]} {number[3:6]} {number[6:]}"
    if company.market == "SE" and company.position % 2:
        return f"{number[:6]}-{number[6:]}"
    return number


def lei_record(company: Company) -> dict[str, Any]:
    """The record of a company's LEI, as the API lists it."""
    lei = company_lei(company)
    return {
        "type": "lei-records",
        "id": lei,
        "attributes": {
            "lei": lei,
            "entity": _entity_object(company),
            "registration": _registration_object(company),
            "bic": None,
            "mic": None,
            "ocid": None,
            "qcc": None,
            "spglobal": [],
            "conformityFlag": "CONFORMING",
        },
        "relationships": _relationship_links(lei),
        "links": {"self": f"{_API}/{lei}"},
    }


def _entity_object(company: Company) -> dict[str, Any]:
    country = COUNTRIES.get(company.market, company.market)
    former = [{"name": name, "language": "en", "type": "PREVIOUS_LEGAL_NAME"} for _, name in company.former_names]
    nobody = {"lei": None, "name": None}
    return {
        "legalName": {"name": company.name, "language": "en"},
        "otherNames": former,
        "transliteratedOtherNames": [],
        "legalAddress": _address_object(company, country),
        "headquartersAddress": _address_object(company, country),
        "registeredAt": _registration_authority(company),
        "registeredAs": _typed_number(company),
        "jurisdiction": country,
        "category": "GENERAL",
        "legalForm": {"id": "XXXX", "other": None},
        "associatedEntity": nobody,
        "status": "ACTIVE",
        "expiration": {"date": None, "reason": None},
        "successorEntity": nobody,
        "successorEntities": [],
        "creationDate": f"{company.registered}T00:00:00Z",
        "subCategory": None,
        "otherAddresses": [],
        "eventGroups": [],
    }


def _address_object(company: Company, country: str) -> dict[str, Any]:
    return {
        "language": "en",
        "addressLines": [company.street],
        "addressNumber": None,
        "addressNumberWithinBuilding": None,
        "mailRouting": None,
        "city": company.place.town if company.place else None,
        "region": None,
        "country": country,
        "postalCode": company.place.postcode if company.place else None,
    }


def _registration_authority(company: Company) -> dict[str, Any]:
    return {"id": AUTHORITIES[company.market], "other": None}


def _registration_object(company: Company) -> dict[str, Any]:
    return {
        "initialRegistrationDate": "2019-10-01T00:00:00Z",
        "lastUpdateDate": "2026-10-01T00:00:00Z",
        "status": "LAPSED" if company.position % 3 == 0 else "ISSUED",
        "nextRenewalDate": "2027-10-01T00:00:00Z",
        "managingLou": "969500SANDBOX0000054",
        "corroborationLevel": "FULLY_CORROBORATED",
        "validatedAt": _registration_authority(company),
        "validatedAs": _typed_number(company),
        "otherValidationAuthorities": [],
    }


def _relationship_links(lei: str) -> dict[str, Any]:
    """Relationship links only; ownership has its own endpoints."""
    plain = ("managing-lou", "lei-issuer", "field-modifications")
    found: dict[str, Any] = {name: {"links": {"related": f"{_API}/{lei}/{name}"}} for name in plain}
    for name in ("direct-parent", "ultimate-parent"):
        found[name] = {"links": {"reporting-exception": f"{_API}/{lei}/{name}-reporting-exception"}}
    return found


ROUTES: Final = compile_routes({r"/api/v1/lei-records": lei_records})
