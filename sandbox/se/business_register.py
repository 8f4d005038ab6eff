"""Simulated responses of SCB's register of enterprises by its API on one day (docs/formats/se.md 7.4).

Belongs here: pages of legal units with persons among them, their cursors, the count, the day of the last update, the
key, errors. Does not belong here: sockets (`http.server`), or SCB's weekly file (`bulk_files`).
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from sandbox.companies.se import vocabulary
from sandbox.model.company import Company
from sandbox.se.sole_traders import SECRET, SoleTrader, find_sole_trader
from sandbox.shared.response import Query, SandboxResponse, json_response
from sandbox.world import World

HOST: Final = "apiafr.scb.se"
KEY: Final = "sandbox-afr"
PATHS: Final = re.compile(r"/v1/(api-info|juridiskaenheter/(?:count|full))")
_PROBLEM: Final = "application/problem+json"
_MOST: Final = 5_000  # units of a page
_FEWEST: Final = 20
_PAGES: Final = 3  # of a walk; the genuine register has four hundred
_NO_COUNTY: Final = "99"
_BLANKS: Final = ("", " ")  # what is missing is blank, never null
_CLASSES: Final = 17  # of employees: 0 not stated, 1 none, 2 to 16 ranges
_VAT: Final = (1, 1, 1, 9, 0, 3)  # registered, no longer, never, by a representative
Record = dict[str, Any]


def respond(world: World, day: int, call: str, query: Query, key: str) -> SandboxResponse:
    """The response to one call with the value of `X-API-Key`."""
    if key != KEY:
        return _problem(401, "Unauthorized", "Invalid or missing API key")
    if call == "api-info":
        return json_response({"apiNamn": "AFR API", "senasteUppdateringsDatum": f"{world.date(day)}T04:00:00Z"})
    if call.endswith("count"):
        return json_response({"count": len(all_units(world, day)), "path": "/juridiskaenheter"})
    return _page_response(all_units(world, day), query)


def _problem(status: int, title: str, detail: str) -> SandboxResponse:
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, "instance": "", "traceId": "0"}
    return json_response(body, status, _PROBLEM)


def _page_response(units: list[Record], query: Query) -> SandboxResponse:
    """One page, and the cursor of the next. A limit out of range and an unknown cursor are rejected."""
    asked, cursor = query.get("limit", ""), query.get("cursorId", "0")
    if not (asked.isdecimal() and 1 <= int(asked) <= _MOST):
        return _problem(400, "Bad Request", "limit must be between 1 and 5000")
    if not cursor.isdecimal() or int(cursor) >= len(units):
        return _problem(404, "Not Found", "cursorId is unknown")
    start, size = int(cursor), min(int(asked), max(_FEWEST, -(-len(units) // _PAGES)))
    return json_response(page(units[start : start + size], start + size if start + size < len(units) else None, size))


def page(units: list[Record], following: int | None, limit: int) -> Record:
    """A page; following: the cursor of the next one, None on the last."""
    pagination = {"nextCursorId": following or 0, "limit": limit, "hasMore": following is not None}
    return {"jes": units, "pagination": pagination}


def whole_register(world: World, day: int) -> bytes:
    """The register in one page, as a file."""
    units = all_units(world, day)
    return json.dumps(page(units, None, _MOST), ensure_ascii=False).encode()


def all_units(world: World, day: int) -> list[Record]:
    """Legal units and the sole traders between them, sorted by number as the register does."""
    units = [_company_unit(company) for company in world.all("SE", day) if _is_registered(company)]
    traders = filter(None, map(find_sole_trader, range(world.count("SE", day))))
    return sorted([*units, *map(_trader_unit, traders)], key=lambda unit: str(unit["peOrgNr"]))


def _is_registered(company: Company) -> bool:
    """Whether SCB knows the company; one that left the weekly file stays in the register."""
    return company.swedish.activity is not None or company.swedish.seat is not None


def _company_unit(company: Company) -> Record:
    """A unit; the same code is text in one and a number in another."""
    position, place, industry = company.position, company.swedish.seat or company.place, company.industry
    blank, seat = _BLANKS[position % 2], (place.code or "") if place else ""
    form = vocabulary.FORMS[company.form][0]
    industries: list[Record] = []
    if industry is not None and industry.bare != "00000":
        share = {"andelProcent": 100, "avdelningsKod": "X"}
        industries = [{"rangordning": 1, "naringsgren": industry.code, **share}]
    return {
        **_contacts(),
        "peOrgNr": f"16{company.number}",
        "orgNr": company.number,
        "namn": company.name.upper(),
        "foretagsnamn": blank,
        "kommunSate": int(seat) if seat and position % 4 == 0 else seat or blank,
        "lanSate": seat[:2] or _NO_COUNTY,
        "anstKl": position % _CLASSES if position % 2 else str(position % _CLASSES),
        "ftgStat": company.swedish.activity or blank,
        "jurform": int(form) if position % 3 == 0 else form,
        "startDat": f"{company.registered}T22:00:00Z",
        "slutDat": blank,
        "momsStat": str(_VAT[position % len(_VAT)]),
        "naringsgrenar": industries,
    }


def _trader_unit(trader: SoleTrader) -> Record:
    return {
        **_contacts(),
        "peOrgNr": trader.number.rjust(12, "0"),
        "orgNr": trader.number[-10:],
        "namn": trader.firms[0].upper(),
        "kommunSate": "0180",
        "lanSate": "01",
        "anstKl": "1",
        "jurform": "10",
        "momsStat": "1",
        "naringsgrenar": [{"rangordning": 1, "naringsgren": "96210", "andelProcent": 100, "avdelningsKod": "S"}],
    }


def _contacts() -> Record:
    """Telephone and mail, which may be a person's, and an address."""
    address = {"gatuAdress": "Exempelgatan 1", "coAdress": "", "postNr": "11122", "postOrt": "STOCKHOLM"}
    return {"tel": f"{SECRET} 08-000000", "epost": f"{SECRET}@post.example", "postAdress": address}
