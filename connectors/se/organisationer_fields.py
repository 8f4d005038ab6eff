"""The answers of the API «Värdefulla datamängder»: the staged table, one row per organisation and block.

A block is what one producer answers for itself, or fails to. Each is a row of its own, so that a block that
failed leaves the one known before untouched.
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, Kind, Table

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

# The schema writes one spelling, the registry's own example the other.
SPELLINGS: Final = {"pagandeAvvecklingsEllerOmstruktureringsforfarande": PROCEEDINGS}
# Blocks whose absence from a sound answer says that there is nothing; of others it says nothing.
EMPTY_SAYS: Final = (DEREGISTRATION, REASON, PROCEEDINGS)
IGNORED: Final = ("reklamsparr", "verksamhetsbeskrivning")

_T, _D = Kind.TEXT, Kind.DATE
ANSWERS: Final = Table(
    "se_organisation",
    "Blocks of answers of the API, as each was answered last.",
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
        Column(SCHEME, _T, "edition of the code, by the day of the answer"),
    ),
)
