"""Lines of the PSC snapshot (docs/formats/uk.md 4).

Belongs here: one holder, statement or exemption -> one JSON object, keys in the registry's alphabetical order,
and the trailer without a company number. Does not belong here: zips and file names (`files`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import date
from typing import Any, Final

from sandbox.model.company import Company, Holder
from sandbox.world import World

_KINDS: Final = {
    "individual": "individual-person-with-significant-control",
    "corporate": "corporate-entity-person-with-significant-control",
    "super_secure": "super-secure-person-with-significant-control",
}
_OVERSEAS_KINDS: Final = {
    "individual": "individual-beneficial-owner",
    "corporate": "corporate-entity-beneficial-owner",
    "super_secure": "super-secure-beneficial-owner",
}
_PATHS: Final = {"individual": "individual", "corporate": "corporate-entity", "super_secure": "super-secure"}
_OVERSEAS_SUFFIX: Final = "-registered-overseas-entity"
Record = dict[str, Any]


def snapshot_lines(world: World, day: int) -> Iterator[bytes]:
    """The whole snapshot: holders in no particular order, then statements and exemptions, then the trailer."""
    holders, statements, exemptions = 0, [], []
    for company in _scattered_companies(world, day):
        for holder in company.holders:
            holders += 1
            yield _snapshot_line(company, psc_record(company, holder))
        if has_statement(company):
            statements.append(_snapshot_line(company, psc_statement(company)))
        if company.is_listed:
            exemptions.append(_snapshot_line(company, psc_exemption(company)))
    yield from statements
    yield from exemptions
    yield _json_line({"data": _trailer_record(world.date(day), holders, len(statements), len(exemptions))})


def _trailer_record(day: date, holders: int, statements: int, exemptions: int) -> Record:
    return {
        "kind": "totals#persons-of-significant-control-snapshot",
        "persons_of_significant_control_count": holders,
        "statements_count": statements,
        "exemptions_count": exemptions,
        "generated_at": f"{day}T03:40:{day.day:02d}Z",
    }


def _scattered_companies(world: World, day: int) -> Iterator[Company]:
    """Companies in a different order on every day."""
    total = world.count("UK", day)
    start = (day * 37) % total
    for place in range(total):
        yield world.company("UK", (start + place) % total, day)


def _snapshot_line(company: Company, data: Record) -> bytes:
    return _json_line({"company_number": company.number, "data": data})


def _json_line(value: Record) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode() + b"\n"


def compute_etag(*parts: object) -> str:
    """Forty hex digits that change with the record."""
    return hashlib.sha1("/".join(map(str, parts)).encode(), usedforsecurity=False).hexdigest()


def psc_record(company: Company, holder: Holder) -> Record:
    """One holder, as snapshot, REST and stream contain it."""
    overseas = company.number.startswith("OE")
    kind = (_OVERSEAS_KINDS if overseas else _KINDS)[holder.kind]
    path = _PATHS[holder.kind] + ("-beneficial-owner" if overseas else "")
    found: Record = {
        "etag": compute_etag(company.number, holder.key, holder.revision, holder.shares, holder.ceased),
        "kind": kind,
        "links": {"self": f"/company/{company.number}/persons-with-significant-control/{path}/{holder.key}"},
    }
    if holder.kind == "super_secure":
        described = "super-secure-beneficial-owner" if overseas else "super-secure-persons-with-significant-control"
        return found | {"description": described}
    found |= {
        "address": {
            "address_line_1": "Sample Road",
            "locality": "Exampleton",
            "postal_code": "ZZ1 1ZZ",
            "premises": "1",
        },
        "name": holder.name,
        "natures_of_control": control_natures(holder, overseas=overseas),
        "notified_on": holder.notified.isoformat(),
    }
    if holder.ceased:
        found["ceased_on"] = holder.ceased.isoformat()
    return found | (_corporate_fields(holder) if holder.kind == "corporate" else _person_fields(holder))


def control_natures(holder: Holder, *, overseas: bool) -> list[str]:
    """Nature-of-control codes: right, band, capacity, regime."""
    suffix = _OVERSEAS_SUFFIX if overseas else ""
    capacity = "-as-trust" if holder.is_trust else ""
    codes: list[str] = []
    for right, band in (("ownership-of-shares", holder.shares), ("voting-rights", holder.votes)):
        if band:
            codes.append(f"{right}-{band}-percent{capacity}{suffix}")
    return [*codes, *(f"{extra}{suffix}" for extra in holder.extras)]


def _person_fields(holder: Holder) -> Record:
    title, forename, surname = holder.name.split(" ")
    record: Record = {
        "country_of_residence": holder.country,
        "date_of_birth": {"month": holder.born[1], "year": holder.born[0]},
        "name_elements": {"forename": forename, "surname": surname, "title": title},
        "nationality": "French" if holder.country == "France" else "British",
    }
    if holder.verified:
        record["identity_verification_details"] = {"identity_verified_on": holder.verified.isoformat()}
    return record


def _corporate_fields(holder: Holder) -> Record:
    return {
        "identification": {
            "country_registered": holder.country,
            "legal_authority": "Companies Act 2006",
            "legal_form": "Limited Company",
            "place_registered": "Companies House",
            "registration_number": holder.number,
        }
    }


def has_statement(company: Company) -> bool:
    """Whether a company has no present holder and must state so."""
    return all(holder.ceased for holder in company.holders)


def psc_statement(company: Company) -> Record:
    """The statement that a company has no person with control."""
    key = f"s-{company.number.lower()}"
    return {
        "etag": compute_etag(company.number, "statement"),
        "kind": "persons-with-significant-control-statement",
        "links": {"self": f"/company/{company.number}/persons-with-significant-control-statements/{key}"},
        "notified_on": max(company.registered, date(2016, 4, 6)).isoformat(),
        "statement": "no-individual-or-entity-with-signficant-control",
    }


def psc_exemption(company: Company) -> Record:
    """The exemption of a listed company from naming its holders."""
    return {
        "etag": compute_etag(company.number, "exemptions"),
        "exemptions": {
            "disclosure_transparency_rules_chapter_five_applies": {
                "exemption_type": "disclosure-transparency-rules-chapter-five-applies",
                "items": [{"exempt_from": "2016-10-29"}],
            }
        },
        "kind": "exemptions",
        "links": {"self": f"/company/{company.number}/exemptions"},
    }
