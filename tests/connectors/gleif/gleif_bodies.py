"""LEI records by hand, in the three editions that GLEIF publishes."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from typing import Any

import polars as pl

from connectors.contract.dataset import ArchiveMember, Batch, Dataset, Scope
from connectors.gleif.level1 import schema as level1_schema
from connectors.gleif.level1.dataset import lei_dataset

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
NORWEGIAN = "969500NO030000004573"
FILLER = tuple(f"Entity.OtherEntityNames.OtherEntityName.{number}" for number in range(1, 328))
HEADER = (*level1_schema.CDF.values(), *FILLER)
DATASETS = {market: lei_dataset(market, {"xx_named": "lei"}) for market in ("NO", "SE", "FI", "UK", "DK")}


def lei(stem: str) -> str:
    """An LEI of 18 characters and its check digits."""
    body = stem.rjust(18, "0")
    return f"{body}{98 - int(''.join(str(int(sign, 36)) for sign in body + '00')) % 97:02}"


def record(code: str, authority: str | None, number: str | None, law: str = "NO", **given: Any) -> dict[str, Any]:
    """One record of the API."""
    plain = {"name": "Eksempel AS", "category": "GENERAL", "status": "ISSUED", "updated": "2026-01-01T00:00:00Z"}
    said = {**plain, **given}
    return {
        "type": "lei-records",
        "id": code,
        "attributes": {
            "lei": code,
            "entity": {
                "legalName": {"name": said["name"]},
                "legalAddress": {"country": law[:2]},
                "registeredAt": {"id": authority},
                "registeredAs": number,
                "jurisdiction": law,
                "category": said["category"],
                "status": "ACTIVE",
            },
            "registration": {"status": said["status"], "lastUpdateDate": said["updated"]},
        },
    }


def answer(*records: dict[str, Any], published: str = "2026-11-16T08:00:00Z") -> bytes:
    meta = {"goldenCopy": {"publishDate": published}}
    return json.dumps({"meta": meta, "data": list(records)}).encode()


def golden(*records: dict[str, Any]) -> bytes:
    """The same records as the JSON golden copy has them."""
    return b'{"records":[\n' + b",\n".join(json.dumps(_golden(made)).encode() for made in records) + b"\n]}\n"


def _golden(made: dict[str, Any]) -> dict[str, Any]:
    said, entity = made["attributes"], made["attributes"]["entity"]
    authority = {"RegistrationAuthorityID": entity["registeredAt"]["id"]}
    authority |= {"RegistrationAuthorityEntityID": entity["registeredAs"]}
    return {
        "LEI": {"$": said["lei"]},
        "Entity": {
            "LegalName": {"@xml:lang": "no", "$": entity["legalName"]["name"]},
            "LegalAddress": {"Country": {"$": entity["legalAddress"]["country"]}},
            "RegistrationAuthority": {key: {"$": value} for key, value in authority.items() if value},
            "LegalJurisdiction": {"$": entity["jurisdiction"]},
            "EntityCategory": {"$": entity["category"]},
        },
        "Registration": {"RegistrationStatus": {"$": said["registration"]["status"]}},
        "Extension": None,
    }


def cdf(*records: dict[str, Any]) -> bytes:
    """The same records as LEI-CDF; every other one repeats the declaration of its prefix."""
    space = 'xmlns:lei="http://www.gleif.org/data/schema/leidata/2016"'
    parts = [_element(made, space if place % 2 else "") for place, made in enumerate(records)]
    head = "<lei:LEIHeader><lei:ContentDate>2026-11-16T08:20:51Z</lei:ContentDate></lei:LEIHeader>"
    body = f"{head}<lei:LEIRecords>{''.join(parts)}</lei:LEIRecords>"
    return f'<?xml version="1.0"?><lei:LEIData {space}>{body}</lei:LEIData>'.encode()


def _element(made: dict[str, Any], space: str) -> str:
    said, entity = made["attributes"], made["attributes"]["entity"]
    registered = (
        f"<lei:RegistrationAuthorityID>{entity['registeredAt']['id']}</lei:RegistrationAuthorityID>"
        f"<lei:RegistrationAuthorityEntityID>{entity['registeredAs']}</lei:RegistrationAuthorityEntityID>"
    )
    return (
        f"<lei:LEIRecord {space}><lei:LEI>{said['lei']}</lei:LEI><lei:Entity>"
        f'<lei:LegalName xml:lang="no">{entity["legalName"]["name"]}</lei:LegalName>'
        f"<lei:RegistrationAuthority>{registered}</lei:RegistrationAuthority>"
        f"<lei:LegalJurisdiction>{entity['jurisdiction']}</lei:LegalJurisdiction>"
        f"<lei:EntityCategory>{entity['category']}</lei:EntityCategory></lei:Entity>"
        f"<lei:Registration><lei:RegistrationStatus>{said['registration']['status']}</lei:RegistrationStatus>"
        "</lei:Registration></lei:LEIRecord>"
    )


def table(*made: dict[str, Any], header: tuple[str, ...] = HEADER) -> bytes:
    """The same records as the CSV has them: quoted, columns found by name alone."""
    text = io.StringIO()
    sheet = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    sheet.writerow(header)
    for one in made:
        said, entity = one["attributes"], one["attributes"]["entity"]
        values = {
            "LEI": said["lei"],
            "Entity.LegalName": entity["legalName"]["name"],
            f"{level1_schema.AUTHORITY}ID": entity["registeredAt"]["id"] or "",
            f"{level1_schema.AUTHORITY}EntityID": entity["registeredAs"] or "",
            "Entity.LegalJurisdiction": entity["jurisdiction"],
            "Entity.LegalAddress.Country": entity["legalAddress"]["country"],
            "Entity.EntityCategory": entity["category"],
            "Entity.EntityStatus": entity["status"],
            "Registration.RegistrationStatus": said["registration"]["status"],
            "Registration.LastUpdateDate": said["registration"]["lastUpdateDate"],
        }
        sheet.writerow([values.get(name, "") for name in header])
    return text.getvalue().encode()


def piece(dataset: Dataset, body: bytes, name: str = "x.json") -> ArchiveMember:
    return ArchiveMember(dataset.key, name, "sha", NOON, Scope.PART, "b", lambda: io.BytesIO(body))


def read(market: str, body: bytes) -> list[Batch]:
    dataset = DATASETS[market]
    return list(dataset.read_batches(piece(dataset, body)))


def rows(market: str, body: bytes) -> list[dict[str, Any]]:
    return pl.concat(batch.rows for batch in read(market, body)).to_dicts()
