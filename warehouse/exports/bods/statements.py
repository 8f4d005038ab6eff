"""Statements of the Beneficial Ownership Data Standard (BODS) 0.4 about entities, persons and relationships.

See docs/contract/contract.md 4.15a, which says what each field is made of, and https://standard.openownership.org.
Pure functions of the objects that the API serves. Does not belong here: reading them (`market_statements`), the file
(`statement_file`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from warehouse.exports.bods.interests import stated_interests
from warehouse.schema.markets import MARKETS, Market

VERSION: Final = "0.4"
LEI_SCHEME: Final = "XI-LEI"
_PUBLISHER: Final = {"name": "Firmdata"}
_ID_DIGITS: Final = 32  # of SHA-256; the standard allows 32 to 64
_COUNTRY_CODE: Final = re.compile(r"[A-Z]{2}")
_URI: Final = re.compile(r"https?://[A-Za-z0-9][!#-;=?-Z\[\]_a-z~]*")  # no character that RFC 3986 has not
_BY_ISO: Final[Mapping[str, Market]] = {code: market for market in MARKETS.values() for code in market.codes}
_UNKNOWN: Final = "informationUnknownToPublisher"
_NO_KIND: Final = "The sources do not say whether the holder is a person or an entity."
# kinds of holders that are entities (docs/contract/contract.md 4.4) as types of the standard's list entityType
ENTITY_TYPES: Final = {
    "company": "registeredEntity",
    "state": "state",
    "fund": "legalEntity",
    "nominee": "legalEntity",
    "group": "arrangement",
}
_PERSON: Final = "person"

RecordType = Literal["entity", "person", "relationship"]
Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Publication:
    """What all statements of one file say of themselves. licences: addresses of licences by register."""

    day: str
    licences: Mapping[str, str]

    def details(self, registers: Sequence[str]) -> dict[str, Any]:
        """`publicationDetails` of a statement that comes from these registers; a licence only if they share one."""
        licences = {self.licences.get(register) for register in registers}
        licence = next(iter(licences)) if len(licences) == 1 else None
        known = {} if licence is None else {"license": licence}
        return {"publicationDate": self.day, "bodsVersion": VERSION, **known, "publisher": _PUBLISHER}


@dataclass(frozen=True, slots=True)
class Holder:
    """A holder of one company: its line of ownership (None: relations alone name it), and its relations by kind.

    company_id: the company that it is, if it is known; lei: that of a holder that is no known company.
    """

    holder_id: str
    owner: Fields | None
    relations: Sequence[tuple[str, Fields]] = ()
    company_id: str | None = None
    lei: str | None = None

    @property
    def record_id(self) -> str | None:
        """The record that holds; None if it is unknown whether it is a person or an entity."""
        if self.company_id is not None:
            return self.company_id
        if self.lei is not None:
            return f"lei:{self.lei}"
        return None if self._kind is None else self.holder_id

    @property
    def sources(self) -> list[Fields]:
        """What states it, each once."""
        return list({tuple(source.values()): source for line in self._lines for source in line["sources"]}.values())

    @property
    def stated_on(self) -> str:
        """The newest day of its sources."""
        return max(line["as_of"] for line in self._lines)

    @property
    def name(self) -> str | None:
        names = [line.get("holder_name", line.get("name")) for line in self._lines]
        return next(filter(None, names), None)

    @property
    def country(self) -> str | None:
        countries = [line.get("holder_country", line.get("country")) for line in self._lines]
        return next(filter(None, countries), None)

    @property
    def _lines(self) -> list[Fields]:
        relations = [relation for _, relation in self.relations]
        return relations if self.owner is None else [self.owner, *relations]

    @property
    def _kind(self) -> str | None:
        """The kind of a holder without number and LEI; None if no source says one. Members of groups are entities."""
        stated = None if self.owner is None else self.owner["holder_type"]
        if stated == _PERSON or stated in ENTITY_TYPES:
            return stated
        return "company" if self.relations else None


@dataclass(frozen=True, slots=True)
class _Statement:
    """What a source states about one record on a day; subject: the record whose owners it is about."""

    kind: RecordType
    record_id: str
    subject: str
    day: str
    details: Fields
    sources: Sequence[Fields]
    annotations: Sequence[Fields] = ()

    def encoded(self, publication: Publication) -> bytes:
        """As JSON, with an id that depends on what is stated alone: not on the release, the file or its place."""
        stated = _without_null(
            {
                "declarationSubject": self.subject,
                "statementDate": self.day,
                "annotations": list(self.annotations) or None,
                "source": _source(self.sources),
                "recordId": self.record_id,
                "recordType": self.kind,
                "recordStatus": "new",
                "recordDetails": _without_null(self.details),
            }
        )
        digest = hashlib.sha256(msgspec.json.encode(stated, order="sorted")).hexdigest()
        registers = [source["register"] for source in self.sources]
        head = {"statementId": digest[:_ID_DIGITS], "publicationDetails": publication.details(registers)}
        return msgspec.json.encode(head | stated)


def company_statement(profile: Fields, more: Fields, publication: Publication) -> bytes:
    """The statement about a company of the release. more: what `include=` adds to its profile."""
    founded, dissolved = profile["registered_date"], more["dissolved_date"]
    is_possible = dissolved is not None and (founded is None or founded <= dissolved)
    details = {
        "isComponent": False,
        "entityType": _without_null(
            {"type": "registeredEntity", "details": more["legal_form_label"] or more["legal_form_code"]}
        ),
        "name": profile["name"],
        "jurisdiction": _country(profile["country"]),
        "identifiers": [
            _registry_identifier(profile["country"], profile["org_number"]),
            *_lei_identifiers(more["lei"]),
        ],
        "foundingDate": founded,
        "dissolutionDate": dissolved if is_possible else None,
        "publicListing": {"hasPublicListing": profile["is_listed"]},
    }
    days = [source["retrieved_at"][:10] for source in more["sources"] if source["retrieved_at"]]
    day = max(days, default=publication.day)
    return _Statement("entity", profile["id"], profile["id"], day, details, more["sources"]).encoded(publication)


def holder_statement(company_id: str, holder: Holder, publication: Publication) -> bytes | None:
    """The statement about a holder that is no company of the release; None if not even its kind is known."""
    record_id = holder.record_id
    if record_id is None:
        return None
    is_shared = holder.company_id is not None or holder.lei is not None
    is_person = not is_shared and holder.owner is not None and holder.owner["holder_type"] == _PERSON
    return _Statement(
        "person" if is_person else "entity",
        record_id,
        record_id if is_shared else company_id,
        holder.stated_on,
        _person_details(holder) if is_person else _entity_details(holder),
        holder.sources,
        () if holder.company_id is not None else _country_annotations(holder),
    ).encoded(publication)


def relationship_statement(company_id: str, holder: Holder, publication: Publication) -> bytes:
    """The statement about what one holder has in a company, of all kinds of relation at once."""
    details = {
        "isComponent": False,
        "subject": company_id,
        "interestedParty": holder.record_id or _unspecified_holder(holder),
        "interests": stated_interests(holder.owner, holder.relations),
    }
    record_id = f"{company_id}/{holder.holder_id}"
    return _Statement("relationship", record_id, company_id, holder.stated_on, details, holder.sources).encoded(
        publication
    )


def _source(sources: Sequence[Fields]) -> dict[str, Any] | None:
    """Registers and their own ids of what was filed; the address of the first that has one."""
    if not sources:
        return None
    named = [" ".join(filter(None, (source["register"], source["native_id"]))) for source in sources]
    urls = [url for source in sources if (url := source["url"]) and _URI.fullmatch(url)]
    return _without_null({"description": "; ".join(named), "url": next(iter(urls), None)})


def _person_details(holder: Holder) -> dict[str, Any]:
    """Of persons the name alone, as the API gives it."""
    if holder.name is None:
        return {"isComponent": False, "personType": "unknownPerson", "unspecifiedPersonDetails": {"reason": _UNKNOWN}}
    return {"isComponent": False, "personType": "knownPerson", "names": [{"fullName": holder.name}]}


def _entity_details(holder: Holder) -> dict[str, Any]:
    stated = None if holder.owner is None else holder.owner["holder_type"]
    identifiers = [*_lei_identifiers(holder.lei)]
    jurisdiction = None
    if holder.company_id is not None:
        _, market, number = holder.company_id.split(":", 2)
        identifiers.insert(0, _registry_identifier(market, number))
        jurisdiction = _country(market)
    is_registered = bool(identifiers) or stated not in ENTITY_TYPES
    kind = "registeredEntity" if is_registered else ENTITY_TYPES[str(stated)]
    words = stated if stated in ENTITY_TYPES and stated != "company" else None
    return {
        "isComponent": False,
        "entityType": _without_null({"type": kind, "details": words}),
        "name": holder.name,
        "jurisdiction": jurisdiction,
        "identifiers": identifiers or None,
    }


def _unspecified_holder(holder: Holder) -> dict[str, Any]:
    named = "" if holder.name is None else f" It is named {holder.name}."
    return {"reason": _UNKNOWN, "description": _NO_KIND + named}


def _country_annotations(holder: Holder) -> list[Fields]:
    """The country of a holder: registers differ in whether it is that of residence, nationality or registration."""
    if holder.country is None:
        return []
    text = f"Country of the holder: {holder.country}. Whether of residence, nationality or registration is not kept."
    return [{"statementPointerTarget": "/recordDetails", "motivation": "commenting", "description": text}]


def _registry_identifier(market: str, number: str) -> dict[str, Any]:
    """A company's number, as its register issues it."""
    register = MARKETS[market].register
    issued = number.removeprefix(MARKETS[market].number.prefix)
    return _without_null({"scheme": register.code or None, "schemeName": register.name, "id": issued})


def _lei_identifiers(lei: str | None) -> list[dict[str, Any]]:
    if lei is None:
        return []
    uri = f"https://search.gleif.org/#/record/{lei}"
    return [{"scheme": LEI_SCHEME, "schemeName": "Legal Entity Identifier", "id": lei, "uri": uri}]


def _country(code: str) -> dict[str, Any]:
    """A country with its ISO 3166-1 code; the name is known of markets alone, for others it is the code."""
    market = _BY_ISO.get(code)
    iso = code if market is None else market.iso or market.code
    known = {"code": iso} if _COUNTRY_CODE.fullmatch(iso) else {}
    return {"name": code if market is None else market.name, **known}


def _without_null(fields: Fields) -> dict[str, Any]:
    """BODS has no null: what is unknown is absent."""
    return {name: value for name, value in fields.items() if value is not None}
