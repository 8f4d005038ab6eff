"""The fields of the yearly shareholder register: the staged table and the file's own columns.

See docs/formats/no.md 7.

Belongs here: names, types, and the columns of each file version. Does not belong here: reading (`dataset`), or
redaction (`redact`).
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Table

_T, _I = ColumnKind.TEXT, ColumnKind.INTEGER

KEY: Final = "no.aksjonaer"
NUMBER: Final = "orgnr"
YEAR: Final = "inntektsaar"
HOLDER: Final = "innehaver"
CLASS: Final = "aksjeklasse"
SHARES: Final = "antall_aksjer"
TOTAL: Final = "antall_aksjer_selskap"

PERSON_MARK: Final = "person_mark"
HAS_UNREAD: Final = "har_ulest"

# Replaces the birth year. A second holder of the same name in one company is `person 2`.
PERSON: Final = "person"

COLUMNS: Final = (
    "Orgnr",
    "Selskap",
    "Aksjeklasse",
    "Navn aksjonær",
    "Fødselsår/orgnr",
    "Postnr/sted",
    "Landkode",
    "Antall aksjer",
    "Antall aksjer selskap",
)
OLD_COLUMNS: Final = tuple(name for name in COLUMNS if name != "Landkode")  # until about 2020

SHAREHOLDERS: Final = Table(
    "no_aksjonaer",
    "Shares by company, income year, holder and class as of 31 December; accounts of one holder added up.",
    (NUMBER, YEAR, HOLDER, CLASS),
    (
        Column(NUMBER, _T, "organisation number of the company", nullable=False),
        Column(YEAR, _I, "income year: the shares are those of its last day", nullable=False),
        Column(
            HOLDER,
            _T,
            "key of the holder: the organisation number, else made of name, place and country",
            nullable=False,
        ),
        Column(CLASS, _T, "class of shares or ISIN; empty where the file names none", nullable=False),
        Column("navn", _T, "name of the holder"),
        Column("art", _T, "person, company or unknown", nullable=False),
        Column("landkode", _T, "country of the holder, ISO 3166-1 alpha-2"),
        Column(SHARES, _I, "shares"),
        Column(TOTAL, _I, "shares of the company, all classes"),
        Column(PERSON_MARK, _T, "keyed mark of company and year of birth; null: none stated, or before 1.4.0"),
        Column(HAS_UNREAD, ColumnKind.BOOLEAN, "true: the file has lines of the company that were rejected; else null"),
    ),
)
STAGED: Final = {SHAREHOLDERS.name: SHAREHOLDERS}
