"""Roles of Norwegian entities (docs/formats/no.md 4): owners, and other roles without ownership.

Belongs here: the roles of a company, and the register's response in its own words, including persons' birth
dates, which the service must not keep. Does not belong here: which events a change makes (`stories_no`,
`truth_no`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any, Final

from connectors.sandbox import names, numbers
from connectors.sandbox.chance import dice
from connectors.sandbox.model import Company
from connectors.sandbox.model_no import Owner
from connectors.sandbox.owners_no import ELSEWHERE
from connectors.sandbox.world import World

API: Final = "https://data.brreg.no/enhetsregisteret/api"
_LABELS: Final = {
    "DAGL": "Daglig leder",
    "STYR": "Styre",
    "LEDE": "Styrets leder",
    "DELT": "Deltakere",
    "DTPR": "Deltaker med delt ansvar",
    "INNH": "Innehaver",
    "HFOR": "Opplysninger om foretaket i hjemlandet",
    "BOBE": "Bostyrer",
}
_GROUPS: Final = {"DTPR": "DELT"}
Record = dict[str, Any]


def answer(company: Company) -> Record | None:
    """The response of `/enheter/{orgnr}/roller`; None (404) for a company without roles."""
    groups = list(_groups(company))
    if not groups:
        return None
    here = f"{API}/enheter/{company.number}"
    return {"rollegrupper": groups, "_links": {"self": {"href": f"{here}/roller"}, "enhet": {"href": here}}}


def body(company: Company) -> bytes | None:
    """The encoded response body."""
    found = answer(company)
    return None if found is None else json.dumps(found, ensure_ascii=False, indent=2).encode()


def all_chunks(world: World, day: int) -> Iterator[bytes]:
    """The complete file: an array of entities, each with its number and groups."""
    separator = b"["
    for company in world.all("NO", day):
        found = answer(company) if company.in_register else None
        if found is not None:
            record = {"organisasjonsnummer": company.number, **found}
            yield separator + json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
            separator = b","
    yield b"[]" if separator == b"[" else b"]"


def _groups(company: Company) -> Iterator[Record]:
    if not company.in_register:
        return
    if company.form in {"AS", "ASA", "DA"}:
        yield _group("DAGL", [_person("DAGL", company, 0)], date(2019, 3, 4))
        yield _group("STYR", [_person("LEDE", company, 0), _person("MEDL", company, 1)], date(2021, 6, 1))
    if company.status_detail == "bankruptcy":
        yield _group("BOBE", [_administrator()], company.status_date or date(2026, 1, 2))
    roles = [_owner(owner, place, company) for place, owner in enumerate(company.norwegian.owners)]
    if roles:
        kind = company.norwegian.owners[0].role
        left = [_left(company)] if kind == "DTPR" else []
        yield _group(_GROUPS.get(kind, kind), [*roles, *left], company.norwegian.since)


def _group(kind: str, roles: list[Record], since: date) -> Record:
    return {"type": _type(kind, "rollegruppetyper"), "sistEndret": since.isoformat(), "roller": roles}


def _type(code: str, path: str) -> Record:
    href = f"{API}/roller/{path}/{code}"
    return {"kode": code, "beskrivelse": _LABELS.get(code, code), "_links": {"self": {"href": href}}}


def _person(role: str, company: Company, place: int) -> Record:
    rng = dice(0, "NO", company.position, f"{role}{place}")
    return {
        "type": _type(role, "rolletyper"),
        "person": {
            "fodselsdato": _born(rng.randint(1940, 2000), rng.randint(1, 12), rng.randint(1, 28)),
            "navn": {"fornavn": rng.choice(names.FORENAMES), "etternavn": rng.choice(names.SURNAMES)},
            "erDoed": False,
        },
        "avregistrert": False,
        "rekkefolge": place,
    }


def _born(year: int, month: int, day: int) -> str:
    return date(year, month, day).isoformat()


def _administrator() -> Record:
    address = {"landkode": "NO", "postnummer": "0001", "poststed": "OSLO", "adresse": ["Postboks 1"]}
    return {
        "type": _type("BOBE", "rolletyper"),
        "bostyrer": {"navn": "Adv. Oppdiktet Bostyrer", "postadresse": address, "erDoed": False},
        "avregistrert": False,
        "rekkefolge": 0,
    }


def _left(company: Company) -> Record:
    """A former partner, still listed."""
    number = numbers.norwegian(ELSEWHERE + 3 * company.position)
    gone = Owner("DTPR", ("FORHENVÆRENDE", "AS"), number, "AS", "50%", Decimal(50))
    return {**_owner(gone, 9, company), "fratraadt": True}


def _owner(owner: Owner, place: int, company: Company) -> Record:
    role: Record = {"type": _type(owner.role, "rolletyper")}
    if owner.number is None:
        rng = dice(0, "NO", company.position, "born")
        first, between, last = owner.name
        name = {"fornavn": first, **({"mellomnavn": between} if between else {}), "etternavn": last}
        born = _born(rng.randint(1940, 2000), rng.randint(1, 12), rng.randint(1, 28))
        role["person"] = {"fodselsdato": born, "navn": name, "erDoed": False}
    else:
        role["enhet"] = {
            "organisasjonsnummer": owner.number,
            "organisasjonsform": {"kode": owner.form, "beskrivelse": str(owner.form)},
            "navn": list(owner.name),
            "erSlettet": False,
        }
    if owner.share is not None:
        role["ansvarsandel"] = owner.share
    return {**role, "avregistrert": False, "rekkefolge": place}
