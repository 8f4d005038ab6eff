"""The staged table of `fi.notices`, and the codes of the register (docs/formats/fi.md 4)."""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Table

KEY: Final = "fi.notices"
NUMBER: Final = "businessId"
DAY: Final = "registrationDate"
TYPE: Final = "typeOfRegistration"
RECORD: Final = "recordNumber"

NOTICES: Final = Table(
    "fi_ilmoitus",
    "Registered notices: one row per notice of a company.",
    (NUMBER, DAY, RECORD, TYPE),
    (
        Column(NUMBER, ColumnKind.TEXT, "business id", nullable=False),
        Column(DAY, ColumnKind.DATE, "day the notice was registered", nullable=False),
        Column(RECORD, ColumnKind.TEXT, "number of the record; empty where none is given", nullable=False),
        Column(TYPE, ColumnKind.TEXT, "kind of notice (NRT); empty where none is given", nullable=False),
        Column("entryCodes", ColumnKind.TEXTS, "what was entered (EC), as given"),
    ),
)

DIGITAL: Final = Table(
    "fi_ilmoitus_digitaalinen",
    "Statements registered on the days of the notices: these notices announce a document reported elsewhere.",
    (NUMBER, DAY),
    (
        Column(NUMBER, ColumnKind.TEXT, "business id", nullable=False),
        Column(DAY, ColumnKind.DATE, "day a digital statement was registered", nullable=False),
    ),
)

ACCOUNTS: Final = "TA"
TYPES: Final = ("TA", "M", "U", "OI", "JH", "FUU", "DIF", "H", "T", "VA", "KM", "END", "TASE")
