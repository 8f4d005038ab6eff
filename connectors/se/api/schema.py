"""Staged table of the API «Värdefulla datamängder»: one row per organisation and block.

A block is the part of a response that one producer supplies or fails to supply. Each is its own row, so a failed
block leaves the previously known one untouched.
"""

from __future__ import annotations

from typing import Final

from connectors.se.bulk.bolagsverket_schema import GRACE_PERIOD
from warehouse.schema.types import Column, ColumnKind, Table, TurningDay

KEY: Final = "se.organisationer"
NUMBER: Final = "organisationsnummer"
SERIAL: Final = "namnskyddslopnummer"
BLOCK: Final = "block"
SCHEME: Final = "sni_version"

NAMES: Final = "organisationsnamn"
FORM: Final = "organisationsform"
COUNTRY: Final = "registreringsland"
DEREGISTRATION: Final = "avregistreradOrganisation"
REASON: Final = "avregistreringsorsak"
PROCEEDINGS: Final = "pagaendeAvvecklingsEllerOmstruktureringsforfarande"
REGISTRATION: Final = "organisationsdatum"
ADDRESS: Final = "postadressOrganisation"
STATISTICAL_FORM: Final = "juridiskForm"
ACTIVITY: Final = "verksamOrganisation"
INDUSTRY: Final = "naringsgrenOrganisation"

# The schema has one spelling, the registry's example the other.
SPELLINGS: Final = {"pagandeAvvecklingsEllerOmstruktureringsforfarande": PROCEEDINGS}
# For these blocks, absence from a complete response means there is nothing; for others it means unknown.
EMPTY_SAYS: Final = (DEREGISTRATION, REASON, PROCEEDINGS)
IGNORED: Final = ("reklamsparr", "verksamhetsbeskrivning")

_T, _D = ColumnKind.TEXT, ColumnKind.DATE
ANSWERS: Final = Table(
    "se_organisation",
    "Blocks of API responses, latest version of each.",
    (NUMBER, SERIAL, BLOCK),
    (
        Column(NUMBER, _T, "ten digits", nullable=False),
        Column(SERIAL, _T, "serial of the name's protection; empty text where there is none", nullable=False),
        Column(BLOCK, _T, "key of the block", nullable=False),
        Column("namn", _T, "names in the bulk's spelling: text$type$date, separated by |"),
        Column("kod", _T, "code of a block that is one: form, country, reason, statistical form, activity"),
        Column("klartext", _T, "its label"),
        Column("datum", _D, "deregistered or registered"),
        Column("forfaranden", _T, "proceedings in the bulk's spelling: code$date, separated by |"),
        Column("adress", _T, "street$c/o$city$postcode$country"),
        Column("sni", _T, "first industry code, five digits"),
        Column("sni_klartext", _T, "its label"),
        Column(SCHEME, _T, "version of the code, as in se_scb"),
    ),
    turning_days=(TurningDay("datum"), TurningDay("datum", after_days=GRACE_PERIOD.days), TurningDay("forfaranden")),
)
