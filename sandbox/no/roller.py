"""Roles of Norwegian entities (docs/formats/no.md 4): owners, and other roles without ownership.

Belongs here: the roles of a company, and the register's response in its own words, including persons' birth
dates, which the service must not keep. Does not belong here: which events a change makes (`companies.no.stories`,
`expected`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any, Final

from sandbox import numbers, vocabulary
from sandbox.companies.no.initial_state import ELSEWHERE
from sandbox.model.company import Company
from sandbox.model.no import RoleOwner
from sandbox.no.enheter import HOST
from sandbox.random import seeded_random
from sandbox.world import World

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


def roles_record(company: Company) -> Record | None:
    """The response of `/enheter/{orgnr}/roller`; None (404) for a company without roles."""
    groups = list(_role_groups(company))
    if not groups:
        return None
    here = f"{HOST}/enheter/{company.number}"
    return {"rollegrupper": groups, "_links": {"self": {"href": f"{here}/roller"}, "enhet": {"href": here}}}


def roles_body(company: Company) -> bytes | None:
    """The encoded response body."""
    found = roles_record(company)
    return None if found is None else json.dumps(found, ensure_ascii=False, indent=2).encode()


def role_file_chunks(world: World, day: int) -> Iterator[bytes]:
    """The complete file: an array of entities, each with its number and groups."""
    separator = b"["
    for company in world.all("NO", day):
        found = roles_record(company) if company.is_in_register else None
        if found is not None:
            record = {"organisasjonsnummer": company.number, **found}
            yield separator + json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
            separator = b","
    yield b"[]" if separator == b"[" else b"]"


def _role_groups(company: Company) -> Iterator[Record]:
    if not company.is_in_register:
        return
    if company.form in {"AS", "ASA", "DA"}:
        yield _role_group("DAGL", [_person_role("DAGL", company, 0)], date(2019, 3, 4))
        yield _role_group(
            "STYR", [_person_role("LEDE", company, 0), _person_role("MEDL", company, 1)], date(2021, 6, 1)
        )
    if company.status_detail == "bankruptcy":
        yield _role_group("BOBE", [_administrator_role()], company.status_date or date(2026, 1, 2))
    roles = [_owner_role(owner, place, company) for place, owner in enumerate(company.norwegian.owners)]
    if roles:
        kind = company.norwegian.owners[0].role
        left = [_former_partner(company)] if kind == "DTPR" else []
        yield _role_group(_GROUPS.get(kind, kind), [*roles, *left], company.norwegian.since)


def _role_group(kind: str, roles: list[Record], since: date) -> Record:
    return {"type": _type_record(kind, "rollegruppetyper"), "sistEndret": since.isoformat(), "roller": roles}


def _type_record(code: str, path: str) -> Record:
    href = f"{HOST}/roller/{path}/{code}"
    return {"kode": code, "beskrivelse": _LABELS.get(code, code), "_links": {"self": {"href": href}}}


def _person_role(role: str, company: Company, place: int) -> Record:
    rng = seeded_random(0, "NO", company.position, f"{role}{place}")
    return {
        "type": _type_record(role, "rolletyper"),
        "person": {
            "fodselsdato": _birth_date(rng.randint(1940, 2000), rng.randint(1, 12), rng.randint(1, 28)),
            "navn": {"fornavn": rng.choice(vocabulary.FORENAMES), "etternavn": rng.choice(vocabulary.SURNAMES)},
            "erDoed": False,
        },
        "avregistrert": False,
        "rekkefolge": place,
    }


def _birth_date(year: int, month: int, day: int) -> str:
    return date(year, month, day).isoformat()


def _administrator_role() -> Record:
    address = {"landkode": "NO", "postnummer": "0001", "poststed": "OSLO", "adresse": ["Postboks 1"]}
    return {
        "type": _type_record("BOBE", "rolletyper"),
        "bostyrer": {"navn": "Adv. Oppdiktet Bostyrer", "postadresse": address, "erDoed": False},
        "avregistrert": False,
        "rekkefolge": 0,
    }


def _former_partner(company: Company) -> Record:
    """A former partner, still listed."""
    number = numbers.norwegian_number(ELSEWHERE + 3 * company.position)
    gone = RoleOwner("DTPR", ("FORHENVÆRENDE", "AS"), number, "AS", "50%", Decimal(50))
    return {**_owner_role(gone, 9, company), "fratraadt": True}


def _owner_role(owner: RoleOwner, place: int, company: Company) -> Record:
    role: Record = {"type": _type_record(owner.role, "rolletyper")}
    if owner.number is None:
        rng = seeded_random(0, "NO", company.position, "born")
        first, between, last = owner.name
        name = {"fornavn": first, **({"mellomnavn": between} if between else {}), "etternavn": last}
        born = _birth_date(rng.randint(1940, 2000), rng.randint(1, 12), rng.randint(1, 28))
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
