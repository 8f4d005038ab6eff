"""The fields of Enhetsregisteret: staged tables in the register's own terms, and the fields left in RAW.

Belongs here: names and types. Every field of docs/formats/no.md 2.1 is either a column here or named in IGNORED;
anything else is drift and is signalled. Does not belong here: reading (`parse_csv`, `parse_json`,
`rows`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from warehouse.schema.types import Column, ColumnKind, Table, TurningDay

_T, _B, _D, _I = ColumnKind.TEXT, ColumnKind.BOOLEAN, ColumnKind.DATE, ColumnKind.INTEGER

NUMBER: Final = "organisasjonsnummer"
NAME: Final = "navn"
FORM: Final = "organisasjonsform.kode"
SHARE_COUNT: Final = "kapital.antallAksjer"
CODE_LIST: Final = "naeringskodeverk"  # ours: the record does not name the version of its industry codes
LINES: Final = "\n"  # between address lines, whatever separator the channel uses

EMPLOYEES: Final = "antallAnsatte"
HAS_EMPLOYEES: Final = "harRegistrertAntallAnsatte"
# some employees beside «none registered»
CONTRADICTING_EMPLOYEES: Final = (~pl.col(HAS_EMPLOYEES) & (pl.col(EMPLOYEES) > 0)).fill_null(value=False)

_NUMBER_COLUMN: Final = Column(NUMBER, _T, "organisation number, nine digits", nullable=False)
_NAMING: Final = (
    Column(NAME, _T, "name"),
    Column(FORM, _T, "legal form"),
    Column("organisasjonsform.beskrivelse", _T, "label of the legal form"),
)

BUSINESS: Final = "forretningsadresse"
POSTAL: Final = "postadresse"
PLACE_PARTS: Final = ("kommune", "kommunenummer", "landkode")
ADDRESS_PARTS: Final = ("adresse", "poststed", "postnummer", *PLACE_PARTS)
FORCED_DATES: Final = (
    "tvangsopplostPgaManglendeDagligLederDato",
    "tvangsopplostPgaManglendeRevisorDato",
    "tvangsopplostPgaManglendeRegnskapDato",
    "tvangsopplostPgaMangelfulltStyreDato",
    "tvangsavvikletPgaManglendeSlettingDato",
)
STATUS_DATES: Final = (
    "konkursdato",
    "underAvviklingDato",
    *FORCED_DATES,
    "underRekonstruksjonsforhandlingDato",
    "underUtenlandskInsolvensbehandlingDato",
)


def _address_columns(kind: str, parts: tuple[str, ...]) -> tuple[Column, ...]:
    return tuple(Column(f"{kind}.{part}", _T, f"{kind}: {part}") for part in parts)


ENTITIES: Final = Table(
    "no_enheter",
    "Main entities as last described by bulk CSV, bulk JSON, a search page or a single answer.",
    (NUMBER,),
    (
        _NUMBER_COLUMN,
        *_NAMING,
        Column("naeringskode1.kode", _T, "first industry code, with its dot"),
        Column("naeringskode1.beskrivelse", _T, "its label"),
        Column(CODE_LIST, _T, "version of the industry codes, from the version of the file: SN2007 or SN2025"),
        Column(HAS_EMPLOYEES, _B, "true without a number: one to four, withheld"),
        Column(EMPLOYEES, _I, "employees, given from five upwards"),
        Column("hjemmeside", _T, "website"),
        *_address_columns(BUSINESS, ADDRESS_PARTS),
        *_address_columns(POSTAL, PLACE_PARTS),
        Column("sisteInnsendteAarsregnskap", _T, "year of the latest registered annual accounts"),
        Column("registreringsdatoEnhetsregisteret", _D, "entry into the register"),
        Column("erIKonsern", _B, "part of a group"),
        Column(SHARE_COUNT, _I, "shares of the company, all classes"),
        Column("konkurs", _B, "bankrupt"),
        Column("konkursdato", _D, "since"),
        Column("underAvvikling", _B, "being wound up by its own decision"),
        Column("underAvviklingDato", _D, "since"),
        Column("underTvangsavviklingEllerTvangsopplosning", _B, "being wound up by a court"),
        *(Column(name, _D, "reason and date of the court's winding-up") for name in FORCED_DATES),
        Column("underRekonstruksjonsforhandlingDato", _D, "reconstruction since; the register has no flag for it"),
        Column("underUtenlandskInsolvensbehandlingDato", _D, "foreign insolvency since"),
    ),
    turning_days=tuple(TurningDay(name, after_days=-1) for name in STATUS_DATES),
)

DELETED: Final = Table(
    "no_slettet",
    "Short bodies of deleted entities, and 410. Separate, so that the profile is kept.",
    (NUMBER,),
    (
        _NUMBER_COLUMN,
        *_NAMING,
        Column("slettedato", _D, "deleted"),
        Column("respons_klasse", _T, "SlettetEnhet, or Fjernet for status 410"),
    ),
)
REMOVED: Final = "Fjernet"

FORMER_NAMES: Final = Table(
    "no_navn",
    "Former names. Separate, because only JSON has them: the bulk CSV must not delete them.",
    (NUMBER,),
    (_NUMBER_COLUMN, Column("historiskeNavn", ColumnKind.TEXTS, "former names, newest first", nullable=False)),
)

STAGED: Final = {table.name: table for table in (ENTITIES, DELETED, FORMER_NAMES)}

# Without these a row would be misinterpreted: a bankrupt company without its flag looks active.
MANDATORY: Final = (
    NUMBER,
    NAME,
    FORM,
    "naeringskode1.kode",
    "harRegistrertAntallAnsatte",
    "antallAnsatte",
    "forretningsadresse.kommune",
    "forretningsadresse.kommunenummer",
    "forretningsadresse.landkode",
    "registreringsdatoEnhetsregisteret",
    "konkurs",
    "underAvvikling",
    "underTvangsavviklingEllerTvangsopplosning",
)

# Known in records of entities and of sub-units, and left in RAW
IGNORED_OF_ALL: Final = (
    "organisasjonsform.utgaatt",
    *(f"naeringskode{place}.{part}" for place in (2, 3) for part in ("kode", "beskrivelse")),
    "hjelpeenhetskode.kode",
    "hjelpeenhetskode.beskrivelse",
    "registreringsdatoAntallAnsatteEnhetsregisteret",
    "registreringsdatoAntallAnsatteNAVAaregisteret",
    "epostadresse",
    "telefon",
    "mobil",
    "registrertIMvaregisteret",
    "registreringsdatoMerverdiavgiftsregisteret",
    "registreringsdatoMerverdiavgiftsregisteretEnhetsregisteret",
    "frivilligMvaRegistrertBeskrivelser",
    "registreringsdatoFrivilligMerverdiavgiftsregisteret",
)
# Known and left in RAW: v1 serves nothing derived from them. Names as in docs/formats/no.md 2.1, case-insensitive.
IGNORED: Final = (
    *IGNORED_OF_ALL,
    "forretningsadresse.land",
    "postadresse.land",
    "postadresse.adresse",
    "postadresse.poststed",
    "postadresse.postnummer",
    "institusjonellSektorkode.kode",
    "institusjonellSektorkode.beskrivelse",
    "stiftelsesdato",
    "registrertIForetaksregisteret",
    "registreringsdatoForetaksregisteret",
    "registrertIFrivillighetsregisteret",
    "registreringsdatoFrivillighetsregisteret",
    "registrertIStiftelsesregisteret",
    "registrertIPartiregisteret",
    "registreringsdatoPartiregisteret",
    "overordnetEnhet",
    "maalform",
    "vedtektsdato",
    "vedtektsfestetFormaal",
    "aktivitet",
    "paategninger",
    "fravalgRevisjonDato",
    "fravalgRevisjonBeslutningsDato",
    "kapital.belop",
    "kapital.type",
    "kapital.bundet",
    "kapital.valuta",
    "kapital.innbetalt",
    "kapital.fulltInnbetalt",
    "kapital.innfortDato",
    "registreringsnummerIHjemlandet",
    "utenlandskRegisterNavn",
    "utenlandskRegisterAdresse.land",
    "utenlandskRegisterAdresse.landkode",
    "utenlandskRegisterAdresse.poststed",
    "utenlandskRegisterAdresse.postnummer",
    "utenlandskRegisterAdresse.adresse",
    "underlagtLovgivningLand",
    "underlagtLovgivningLandKode",
    "foretaksformIHjemlandet.kode",
    "foretaksformIHjemlandet.beskrivelse",
    "foretaksformIHjemlandet.beskrivelseBokmaal",
)
