"""Participants of Danish companies: owners, the persons behind them, management (docs/formats/dk.md 4).

Belongs here: `deltagerRelation` of a company's record, and records of the index `deltager`. Shares are fractions in
text, those of the register of owners the lower ends of bands. Does not belong here: the rest of a company's record
(`virksomhed`).
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from sandbox.companies.dk import vocabulary
from sandbox.companies.dk.initial_state import unit_number
from sandbox.dk.values import (
    attribute_record,
    dated_fields,
    form_record,
    municipality_record,
    personal_number,
    register_stamp,
)
from sandbox.model.company import Company
from sandbox.model.dk import LEGAL_OWNERS, DanishHolder
from sandbox.world import FIRST_DAY

Record = dict[str, Any]
_BODIES: Final = {"Direktion": 30, "EJERREGISTER": 31, "Reelle ejere": 32}
_HOME: Final = "DK"
_NUMBERS: Final = 5_000  # different personal numbers in addresses
_COUNTRIES: Final = {"DE": "Tyskland", "SE": "Sverige"}
LAST_WRITTEN: Final = register_stamp(FIRST_DAY - timedelta(days=300))  # of participants
_FIRST_OF_TIME: Final = "1903-01-01"  # since when the oldest registers of owners are said to be valid


def relations(company: Company) -> list[Record]:
    """Every participant once, with each body that it belongs to; some companies also have one that is missing."""
    found: dict[int, Record] = {}
    for holder in company.danish.holders:
        if holder.unit not in found:
            bodies = [_management(company)] if holder.kind == "PERSON" and company.position % 3 == 0 else []
            found[holder.unit] = {
                "deltager": _participant(company, holder),
                "kontorsteder": [],
                "organisationer": bodies,
            }
        found[holder.unit]["organisationer"].append(_register_entry(company, holder))
    missing = {"deltager": None, "kontorsteder": [], "organisationer": [_management(company)]}
    return [*found.values(), *([missing] if company.position % 25 == 3 else [])]  # noqa: PLR2004 - one in 25


def _participant(company: Company, holder: DanishHolder) -> Record:
    is_company = holder.kind == "VIRKSOMHED"
    since = company.registered.isoformat() if is_company else None
    stamp = LAST_WRITTEN
    return {
        "enhedsNummer": holder.unit,
        "enhedstype": holder.kind,
        "forretningsnoegle": int(holder.number) if holder.number else None,
        "organisationstype": None,
        "sidstIndlaest": stamp,
        "sidstOpdateret": stamp,
        "navne": [
            {
                "navn": holder.name,
                "periode": {"gyldigFra": since, "gyldigTil": None},
                "sidstOpdateret": stamp if is_company else None,
            }
        ],
        "adresseHemmelig": None if is_company else holder.is_hidden,
        "adresseHemmeligUndtagelse": None if is_company else False,
        "adresseOpdateringOphoert": None if is_company else False,
        "beliggenhedsadresse": [] if holder.is_hidden else [_address(holder)],
        "postadresse": [],
    }


def _address(holder: DanishHolder) -> Record:
    """The address of a participant: of one abroad it is free text."""
    is_home = holder.country == _HOME
    place = vocabulary.PLACES[holder.unit % len(vocabulary.PLACES)]
    return {
        "landekode": holder.country,
        "fritekst": None if is_home else f"Musterweg 5\n99999 Musterstadt\n{_COUNTRIES[holder.country]}",
        "vejkode": 205 if is_home else None,
        "kommune": municipality_record(place) if is_home else None,
        "husnummerFra": 5 if is_home else None,
        **dict.fromkeys(("adresseId", "sidstValideret", "husnummerTil", "bogstavFra", "bogstavTil", "etage")),
        **dict.fromkeys(("sidedoer", "postboks")),
        "conavn": f"c/o {personal_number(holder.unit % _NUMBERS)}" if holder.kind == "PERSON" else None,
        "vejnavn": vocabulary.STREETS[1] if is_home else None,
        "bynavn": None,
        "postnummer": int(place.postcode) if is_home else None,
        "postdistrikt": place.town if is_home else None,
        "periode": {"gyldigFra": "2019-05-06", "gyldigTil": None},
        "sidstOpdateret": "2019-05-06T08:14:15.000Z",
    }


def _body(company: Company, name: str, main_kind: str, since: str) -> Record:
    return {
        "enhedsNummerOrganisation": unit_number(company.position, _BODIES[name]),
        "hovedtype": main_kind,
        "organisationsNavn": [
            {
                "navn": name,
                "periode": {"gyldigFra": since, "gyldigTil": None},
                "sidstOpdateret": "2015-02-10T00:00:00.000+01:00",
            }
        ],
        "attributter": [attribute_record("FUNKTION", "string", [(name, company.danish.lives[0])])],
    }


def _management(company: Company) -> Record:
    function = attribute_record("FUNKTION", "string", [("DIREKTION", company.danish.lives[0])])
    body = _body(company, "Direktion", "LEDELSESORGAN", company.registered.isoformat())
    return {**body, "medlemsData": [{"attributter": [function]}]}


def _register_entry(company: Company, holder: DanishHolder) -> Record:
    """A participant's membership of one register, with each of its holdings."""
    since = _FIRST_OF_TIME if company.position % 2 else company.registered.isoformat()
    body = _body(company, holder.register, "REGISTER", since)
    return {**body, "medlemsData": [{"attributter": _holding_attributes(company, holder)}]}


def _holding_attributes(company: Company, holder: DanishHolder) -> list[Record]:
    stakes = holder.stakes[::-1] if company.position % 2 else holder.stakes
    shares = [(_fraction(one.value.shares), one) for one in stakes if one.value.shares is not None]
    votes = [(_fraction(one.value.votes), one) for one in stakes if one.value.votes is not None]
    found = [
        *([attribute_record("EJERANDEL_PROCENT", "decimal", shares)] if shares else []),
        *([attribute_record("EJERANDEL_STEMMERET_PROCENT", "decimal", votes)] if votes else []),
    ]
    if holder.register == LEGAL_OWNERS:
        notices = [((one.since or company.registered).isoformat(), one) for one in stakes]
        return [attribute_record("EJERANDEL_MEDDELELSE_DATO", "date", notices), *found]
    found.append(attribute_record("FUNKTION", "string", [("Reel ejer", one) for one in stakes]))
    if holder.role is not None:
        found.insert(0, attribute_record("BETYDELIG_INDFLYDELSE_VIA_ROLLE", "string", [(holder.role, stakes[0])]))
    return found


def _fraction(percent: Decimal) -> str:
    """A share as the register writes it: `0.6667`, and `1.0` for the whole."""
    text = str((percent / 100).normalize())
    return f"{text}.0" if "." not in text else text


def participant_record(company: Company, holder: DanishHolder) -> Record:
    """A person's record in the index `deltager`, with the company in short."""
    stamp, own = LAST_WRITTEN, company.danish
    short = {
        "enhedsNummer": unit_number(company.position),
        "enhedstype": "VIRKSOMHED",
        "fejlRegistreret": False,
        "sidstIndlaest": stamp,
        "sidstOpdateret": stamp,
        "cvrNummer": int(company.number),
        "regNummer": [],
        "navne": [{"navn": one.value, **dated_fields(one)} for one in own.names],
        "livsforloeb": [dated_fields(one) for one in own.lives],
        "status": [],
        "virksomhedsstatus": [{"status": one.value, **dated_fields(one)} for one in own.statuses],
        "virksomhedsform": [{**form_record(one.value), **dated_fields(one)} for one in own.forms],
    }
    record = {
        "forretningsnoegle": None,
        "navne": _participant(company, holder)["navne"],
        "postadresse": [],
        "beliggenhedsadresse": [] if holder.is_hidden else [_address(holder)],
        **{name: [] for name in ("forretningsadresse", "telefonNummer", "telefaxNummer", "elektroniskPost")},
        "stilling": None,
        "statusKode": None,
        "attributter": [],
        "virksomhedSummariskRelation": [{"virksomhed": short, "organisationer": [_register_entry(company, holder)]}],
        "deltagerpersonMetadata": {
            "nyesteBeliggenhedsadresse": None if holder.is_hidden else _address(holder),
            "nyesteKontaktoplysninger": [],
        },
        "samtId": 1,
        "fejlRegistreret": False,
        "dataAdgang": 0,
        "enhedsNummer": holder.unit,
        "enhedstype": holder.kind,
        "sidstIndlaest": stamp,
        "sidstOpdateret": stamp,
        "fejlVedIndlaesning": False,
        "naermesteFremtidigeDato": None,
        "fejlBeskrivelse": None,
        "virkningsAktoer": "PO",
    }
    return {"Vrdeltagerperson": record}
