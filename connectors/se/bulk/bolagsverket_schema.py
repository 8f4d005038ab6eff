"""Fields of Bolagsverket's bulk file: the staged table in the register's own terms, and columns left in RAW."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from warehouse.schema.types import Column, ColumnKind, Table, TurningDay

KEY: Final = "se.bolagsverket"
IDENTITY: Final = "organisationsidentitet"
NUMBER: Final = "organisationsnummer"
SERIAL: Final = "namnskyddslopnummer"
NAMES: Final = "organisationsnamn"
FORM: Final = "organisationsform"
PROCEEDINGS: Final = "pagandeAvvecklingsEllerOmstruktureringsforfarande"

GRACE_PERIOD: Final = timedelta(days=60)  # how long a company may be missing from SCB's file

# Every column of the file and whether it is read. Columns that are read are mandatory.
FIELDS: Final = {
    IDENTITY: True,
    SERIAL: True,
    "registreringsland": True,
    NAMES: True,
    FORM: True,
    "avregistreringsdatum": True,
    "avregistreringsorsak": True,
    PROCEEDINGS: True,
    "registreringsdatum": True,
    "verksamhetsbeskrivning": False,  # free text, left in RAW
    "postadress": True,
}

_T: Final = ColumnKind.TEXT
ORGANISATIONS: Final = Table(
    "se_bolagsverket",
    "Rows of the bulk: one per organisation and protected name.",
    (NUMBER, SERIAL, "rad"),
    (
        Column(NUMBER, _T, "ten digits, from organisationsidentitet", nullable=False),
        Column(SERIAL, _T, "serial of the name's protection; empty text where there is none", nullable=False),
        Column("rad", ColumnKind.INTEGER, "which of several rows with the same two, from 1", nullable=False),
        Column("registreringsland", _T, "country code"),
        Column(NAMES, _T, "names: text$type$date[$activity], separated by |"),
        Column(FORM, _T, "legal form"),
        Column("avregistreringsdatum", ColumnKind.DATE, "deregistered"),
        Column("avregistreringsorsak", _T, "why"),
        Column(PROCEEDINGS, _T, "proceedings under way: code$date, separated by |"),
        Column("registreringsdatum", ColumnKind.DATE, "registered"),
        Column("postadress", _T, "street$c/o$city$postcode$country"),
    ),
    turning_days=(
        TurningDay("avregistreringsdatum"),
        TurningDay("registreringsdatum", after_days=GRACE_PERIOD.days),
        TurningDay(PROCEEDINGS),
    ),
)
