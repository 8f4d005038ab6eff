"""msgspec structs of an element of Enhetsregisteret's JSON (docs/formats/no.md 2.1), in the source's own spelling.

Belongs here: every documented field, so that anything else is drift. Does not belong here: what fields mean.
Elements hold no cycles, so the garbage collector skips them (`gc=False`), which saves a third of the time for a
million elements.
"""
# ruff: noqa: N815 - attribute names are the source's

from __future__ import annotations

from typing import Any, Final

import msgspec

_LEFT: Final = msgspec.Raw()  # unused objects and lists are not decoded, which saves a fifth of the time
# Accepted in place of an expected object, so that the rest of its record is not lost (`parse_json`)
Stray = list[Any] | str | int | float | bool


class CodeWithLabel(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """Code and label."""

    kode: str | None = None
    beskrivelse: str | None = None
    utgaatt: Any = None
    links: Any = None
    hal: Any = msgspec.field(default=None, name="_links")


class EntityAddress(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A Norwegian address, or a foreign one: then without postnummer, kommune and kommunenummer."""

    adresse: list[str | None] | None = None
    poststed: str | None = None
    postnummer: str | None = None
    kommune: str | None = None
    kommunenummer: str | None = None
    land: str | None = None
    landkode: str | None = None


class ShareCapital(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """Share capital and the number of shares, which exceeds 32 bits (Equinor 2,390,749,040)."""

    antallAksjer: int | float | None = None
    belop: Any = None
    type: Any = None
    valuta: Any = None
    innfortDato: Any = None
    innbetalt: Any = None
    fulltInnbetalt: Any = None
    bundet: Any = None


class FormerName(msgspec.Struct, gc=False):
    """One former name with local times «YYYY-MM-DD HH:MM:SS»."""

    navn: str | None = None
    fraDato: str | None = None
    tilDato: str | None = None


class RegisteredEntity(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """One element. Absent means unknown; some members are known and left in RAW (docs/formats/no.md 2.1).

    Fields are in the register's order, because msgspec looks for a member starting after the previous one.
    Any or Stray: a value of another type makes the field null, and the record is kept (`parse_json`).
    """

    organisasjonsnummer: str | None = None
    navn: str | None = None
    organisasjonsform: CodeWithLabel | None = None
    historiskeNavn: list[FormerName] | None = None
    hjemmeside: Any = None
    postadresse: EntityAddress | Stray | None = None
    registreringsdatoEnhetsregisteret: str | None = None
    registrertIMvaregisteret: Any = None
    frivilligMvaRegistrertBeskrivelser: msgspec.Raw = _LEFT
    naeringskode1: CodeWithLabel | Stray | None = None
    naeringskode2: msgspec.Raw = _LEFT
    naeringskode3: msgspec.Raw = _LEFT
    hjelpeenhetskode: msgspec.Raw = _LEFT
    antallAnsatte: Any = None
    harRegistrertAntallAnsatte: Any = None
    overordnetEnhet: Any = None
    registreringsdatoFrivilligMerverdiavgiftsregisteret: Any = None
    registreringsdatoMerverdiavgiftsregisteret: Any = None
    registreringsdatoMerverdiavgiftsregisteretEnhetsregisteret: Any = None
    registreringsdatoAntallAnsatteEnhetsregisteret: Any = None
    registreringsdatoAntallAnsatteNAVAaregisteret: Any = None
    epostadresse: Any = None
    telefon: Any = None
    mobil: Any = None
    forretningsadresse: EntityAddress | Stray | None = None
    stiftelsesdato: Any = None
    institusjonellSektorkode: msgspec.Raw = _LEFT
    registrertIForetaksregisteret: Any = None
    registrertIStiftelsesregisteret: Any = None
    registrertIFrivillighetsregisteret: Any = None
    sisteInnsendteAarsregnskap: Any = None
    konkurs: bool | None = None
    konkursdato: str | None = None
    underAvvikling: bool | None = None
    underAvviklingDato: str | None = None
    underTvangsavviklingEllerTvangsopplosning: bool | None = None
    tvangsopplostPgaManglendeDagligLederDato: str | None = None
    tvangsopplostPgaManglendeRevisorDato: str | None = None
    tvangsopplostPgaManglendeRegnskapDato: str | None = None
    tvangsopplostPgaMangelfulltStyreDato: str | None = None
    tvangsavvikletPgaManglendeSlettingDato: str | None = None
    underRekonstruksjonsforhandlingDato: str | None = None
    underUtenlandskInsolvensbehandlingDato: str | None = None
    maalform: Any = None
    vedtektsdato: Any = None
    vedtektsfestetFormaal: msgspec.Raw = _LEFT
    aktivitet: msgspec.Raw = _LEFT
    registreringsnummerIHjemlandet: Any = None
    utenlandskRegisterNavn: Any = None
    utenlandskRegisterAdresse: msgspec.Raw = _LEFT
    underlagtLovgivningLand: Any = None
    underlagtLovgivningLandKode: Any = None
    foretaksformIHjemlandet: Any = None
    registreringsdatoForetaksregisteret: Any = None
    registreringsdatoFrivillighetsregisteret: Any = None
    registrertIPartiregisteret: Any = None
    registreringsdatoPartiregisteret: Any = None
    paategninger: msgspec.Raw = _LEFT
    fravalgRevisjonDato: Any = None
    fravalgRevisjonBeslutningsDato: Any = None
    erIKonsern: Any = None
    kapital: ShareCapital | Stray | None = None
    slettedato: str | None = None
    links: msgspec.Raw = _LEFT
    hal: msgspec.Raw = msgspec.field(default=_LEFT, name="_links")
    respons_klasse: str | None = None
    # members of sub-units: decoded so that these records are rejected with a reason
    beliggenhetsadresse: Any = None
    oppstartsdato: Any = None
    datoEierskifte: Any = None
    nedleggelsesdato: Any = None
