"""msgspec structs of a company's record (docs/formats/dk.md 2), in the source's own spelling.

Belongs here: every member of the editions of 2017, 2018 and 2022, so that anything else is drift. Nearly every value is
a list of elements with a period each. Does not belong here: which element counts (`periods`), or what fields mean.
Records hold no cycles, so the garbage collector skips them (`gc=False`).
"""
# ruff: noqa: N815 - attribute names are the source's

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from warehouse.schema.types import LARGEST_INTEGER, LEAST_INTEGER

# A number that a column holds: of another the record is rejected, and not its whole page
Whole = Annotated[int, msgspec.Meta(ge=LEAST_INTEGER, le=LARGEST_INTEGER)]

_LEFT: Final = msgspec.Raw()  # unused members are not decoded


class Period(msgspec.Struct, gc=False):
    """First and last day; null: unknown, or open."""

    gyldigFra: str | None = None
    gyldigTil: str | None = None


class Element(msgspec.Struct, gc=False, kw_only=True):
    """What every element of a list has."""

    periode: Period | None = None
    sidstOpdateret: str | None = None


class Name(Element, gc=False):
    """A name."""

    navn: str | None = None


class LifeSpan(Element, gc=False):
    """A time in which the company exists."""


class Status(Element, gc=False):
    """A status, as the register writes it."""

    status: str | None = None


class LegalForm(Element, gc=False):
    """A legal form."""

    virksomhedsformkode: int | str | None = None
    kortBeskrivelse: str | None = None
    langBeskrivelse: str | None = None
    ansvarligDataleverandoer: msgspec.Raw = _LEFT


class Industry(Element, gc=False):
    """An industry."""

    branchekode: str | int | None = None
    branchetekst: str | None = None


class Municipality(msgspec.Struct, gc=False):
    """A municipality, its code without leading zeros."""

    kommuneKode: int | str | None = None
    kommuneNavn: str | None = None
    periode: msgspec.Raw = _LEFT
    sidstOpdateret: msgspec.Raw = _LEFT


class Address(Element, gc=False):
    """An address; a foreign one is free text. Names of persons in it (`conavn`) are not read."""

    landekode: str | None = None
    fritekst: str | None = None
    vejnavn: str | None = None
    husnummerFra: int | str | None = None
    husnummerTil: int | str | None = None
    bogstavFra: str | None = None
    bogstavTil: str | None = None
    etage: str | None = None
    sidedoer: str | None = None
    postboks: int | str | None = None
    bynavn: str | None = None
    postnummer: int | str | None = None
    postdistrikt: str | None = None
    kommune: Municipality | None = None
    vejkode: msgspec.Raw = _LEFT
    adresseId: msgspec.Raw = _LEFT
    sidstValideret: msgspec.Raw = _LEFT
    conavn: msgspec.Raw = _LEFT


class Contact(Element, gc=False):
    """A website, or another way to reach the company."""

    kontaktoplysning: str | None = None
    hemmelig: bool = False


class Employment(msgspec.Struct, gc=False):
    """Statistics of one year, quarter or month: a number, or only an interval."""

    aar: int | None = None
    kvartal: int | None = None
    maaned: int | None = None
    antalAnsatte: Whole | None = None
    antalAarsvaerk: msgspec.Raw = _LEFT
    antalInklusivEjere: msgspec.Raw = _LEFT
    intervalKodeAntalAnsatte: msgspec.Raw = _LEFT
    intervalKodeAntalAarsvaerk: msgspec.Raw = _LEFT
    intervalKodeAntalInklusivEjere: msgspec.Raw = _LEFT
    sidstOpdateret: msgspec.Raw = _LEFT


class Value(Element, gc=False):
    """A value of an attribute."""

    vaerdi: str | None = None


class Attribute(msgspec.Struct, gc=False):
    """An attribute with its values."""

    type: str | None = None
    vaerdier: list[Value] = []
    sekvensnr: msgspec.Raw = _LEFT
    vaerditype: msgspec.Raw = _LEFT


class Member(msgspec.Struct, gc=False):
    """What one member of an organisation has."""

    attributter: list[Attribute] = []


class Organisation(msgspec.Struct, gc=False):
    """An organ of the company in which somebody takes part, as the register of owners."""

    hovedtype: str | None = None
    organisationsNavn: list[Name] = []
    medlemsData: list[Member] = []
    enhedsNummerOrganisation: msgspec.Raw = _LEFT
    attributter: msgspec.Raw = _LEFT


class Country(Address, gc=False):
    """The address of a participant, of which the country alone is read, and kept."""


class Participant(msgspec.Struct, gc=False):
    """Who takes part."""

    enhedsNummer: int | None = None
    enhedstype: str | None = None
    forretningsnoegle: int | str | None = None
    navne: list[Name] = []
    beliggenhedsadresse: list[Country] = []
    adresseHemmelig: bool | None = None
    adresseHemmeligUndtagelse: msgspec.Raw = _LEFT
    adresseOpdateringOphoert: msgspec.Raw = _LEFT
    organisationstype: msgspec.Raw = _LEFT
    postadresse: msgspec.Raw = _LEFT
    sidstIndlaest: msgspec.Raw = _LEFT
    sidstOpdateret: msgspec.Raw = _LEFT


class Relation(msgspec.Struct, gc=False):
    """A participant and the organs in which it takes part."""

    deltager: Participant | None = None
    organisationer: list[Organisation] = []
    kontorsteder: msgspec.Raw = _LEFT


class Metadata(msgspec.Struct, gc=False):
    """The newest values, put together by the register."""

    nyesteNavn: Name | None = None
    nyesteVirksomhedsform: LegalForm | None = None
    nyesteBeliggenhedsadresse: Address | None = None
    nyesteHovedbranche: Industry | None = None
    nyesteAarsbeskaeftigelse: Employment | None = None
    nyesteKvartalsbeskaeftigelse: Employment | None = None
    nyesteMaanedsbeskaeftigelse: Employment | None = None
    nyesteErstMaanedsbeskaeftigelse: Employment | None = None
    sammensatStatus: str | None = None
    stiftelsesDato: str | None = None
    virkningsDato: msgspec.Raw = _LEFT
    nyesteBinavne: msgspec.Raw = _LEFT
    nyesteBibranche1: msgspec.Raw = _LEFT
    nyesteBibranche2: msgspec.Raw = _LEFT
    nyesteBibranche3: msgspec.Raw = _LEFT
    nyesteStatus: msgspec.Raw = _LEFT
    nyesteKontaktoplysninger: msgspec.Raw = _LEFT
    antalPenheder: msgspec.Raw = _LEFT


class RegisteredCompany(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """One record. Absent means unknown: members come and go between editions of the index."""

    cvrNummer: int | str | None = None
    regNummer: msgspec.Raw = _LEFT
    brancheAnsvarskode: msgspec.Raw = _LEFT
    reklamebeskyttet: bool = False
    navne: list[Name] = []
    binavne: msgspec.Raw = _LEFT
    postadresse: msgspec.Raw = _LEFT
    beliggenhedsadresse: list[Address] = []
    telefonNummer: msgspec.Raw = _LEFT
    telefaxNummer: msgspec.Raw = _LEFT
    sekundaertTelefonNummer: msgspec.Raw = _LEFT
    sekundaertTelefaxNummer: msgspec.Raw = _LEFT
    elektroniskPost: msgspec.Raw = _LEFT
    hjemmeside: list[Contact] = []
    obligatoriskEmail: msgspec.Raw = _LEFT
    livsforloeb: list[LifeSpan] = []
    hovedbranche: list[Industry] = []
    bibranche1: msgspec.Raw = _LEFT
    bibranche2: msgspec.Raw = _LEFT
    bibranche3: msgspec.Raw = _LEFT
    status: msgspec.Raw = _LEFT
    virksomhedsstatus: list[Status] = []
    virksomhedsform: list[LegalForm] = []
    aarsbeskaeftigelse: msgspec.Raw = _LEFT
    kvartalsbeskaeftigelse: msgspec.Raw = _LEFT
    maanedsbeskaeftigelse: msgspec.Raw = _LEFT
    erstMaanedsbeskaeftigelse: msgspec.Raw = _LEFT
    attributter: list[Attribute] = []
    penheder: msgspec.Raw = _LEFT
    deltagerRelation: list[Relation] | None = None
    fusioner: msgspec.Raw = _LEFT
    spaltninger: msgspec.Raw = _LEFT
    virksomhedMetadata: Metadata | None = None
    samtId: Whole | None = None
    fejlRegistreret: bool = False
    dataAdgang: msgspec.Raw = _LEFT
    enhedsNummer: Whole | None = None
    enhedstype: str | None = None
    sidstIndlaest: msgspec.Raw = _LEFT
    sidstOpdateret: str | None = None
    fejlVedIndlaesning: msgspec.Raw = _LEFT
    naermesteFremtidigeDato: msgspec.Raw = _LEFT
    fejlBeskrivelse: msgspec.Raw = _LEFT
    virkningsAktoer: msgspec.Raw = _LEFT
    left_out: list[str] = msgspec.field(name="_left_out", default=[])  # by `redact`: members that are not documented


class Source(msgspec.Struct, gc=False):
    """The record of a hit; None where the hit is of another index."""

    Vrvirksomhed: RegisteredCompany | None = None


class CompanyHit(msgspec.Struct, gc=False):
    """One hit, or one line with the record alone."""

    id: str | None = msgspec.field(name="_id", default=None)
    source: Source | None = msgspec.field(name="_source", default=None)
    Vrvirksomhed: RegisteredCompany | None = None
    index: msgspec.Raw = msgspec.field(name="_index", default=_LEFT)
    kind: msgspec.Raw = msgspec.field(name="_type", default=_LEFT)
    score: msgspec.Raw = msgspec.field(name="_score", default=_LEFT)
    sort: msgspec.Raw = _LEFT

    @property
    def company(self) -> RegisteredCompany | None:
        """The record, however it is wrapped."""
        return self.Vrvirksomhed if self.source is None else self.source.Vrvirksomhed
