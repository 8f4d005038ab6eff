"""Vocabulary of invented Danish companies: words, people, streets, places, industries and register terms.

Belongs here: plain tables used by first states, stories and writers. Companies, streets and holders are invented;
municipalities, post codes and classes of industries are real, because the connector looks them up. Does not belong
here: randomness (`initial_state`), or any file format (`sandbox.dk`).
"""

from __future__ import annotations

from datetime import date
from typing import Final

from sandbox.vocabulary import Industry, Place

FIRST: Final = (
    "Bøgelund", "Havørn", "Lyngbakke", "Strandager", "Vesterå", "Tornehave", "Kløverby", "Solhjørnet", "Ravnsholt",
    "Mosekær", "Elmegård", "Fyrtårnet", "Klitgræs", "Nørrevang", "Æblehaven", "Åbrinken", "Fjordlys", "Hyldebo",
)  # fmt: skip
SECOND: Final = (
    "Byg", "Transport", "Software", "Rengøring", "Ejendomme", "Maskinfabrik", "Revision", "Rådgivning", "Gartneri",
    "Tømrer", "Handel", "Energi", "Møbler", "Logistik",
)  # fmt: skip
STREETS: Final = ("Eksempelvej", "Prøvegade", "Mønsterstræde", "Sandkassevej", "Tænkt Allé")
FORENAMES: Final = ("Asta", "Birk", "Dagny", "Emil", "Frode", "Gry", "Ingrid", "Lærke", "Mads", "Sørine", "Tove", "Åse")
SURNAMES: Final = ("Eksempelsen", "Prøvegaard", "Mønsterlund", "Tænkthoff", "Sandkær", "Opfundet")

HOVEDSTADEN, SJAELLAND = "Region Hovedstaden", "Region Sjælland"
SYDDANMARK, MIDTJYLLAND, NORDJYLLAND = "Region Syddanmark", "Region Midtjylland", "Region Nordjylland"
# The register has the municipality in upper case and no region.
PLACES: Final = (
    Place("København Ø", "2100", "København", "101", HOVEDSTADEN),
    Place("Nivå", "2990", "Fredensborg", "210", HOVEDSTADEN),
    Place("Rønne", "3700", "Bornholm", "400", HOVEDSTADEN),
    Place("Roskilde", "4000", "Roskilde", "265", SJAELLAND),
    Place("Køge", "4600", "Køge", "259", SJAELLAND),
    Place("Odense C", "5000", "Odense", "461", SYDDANMARK),
    Place("Esbjerg", "6700", "Esbjerg", "561", SYDDANMARK),
    Place("Vejle", "7100", "Vejle", "630", SYDDANMARK),
    Place("Aarhus C", "8000", "Aarhus", "751", MIDTJYLLAND),
    Place("Viborg", "8800", "Viborg", "791", MIDTJYLLAND),
    Place("Aalborg", "9000", "Aalborg", "851", NORDJYLLAND),
)

# The same activity in DB07 and in DB25, which every company has had since the first day of 2025 (docs/formats/dk.md 3).
# The classes, of four digits, are real; what is national in DB25 is invented.
_EDITIONS: Final = (
    (Industry("412000", "Opførelse af bygninger"), Industry("410000", "Opførelse af bygninger")),
    (Industry("433200", "Tømrer- og bygningssnedkervirksomhed"), Industry("433200", "Tømrerarbejde")),
    (Industry("494100", "Vejgodstransport"), Industry("494100", "Vejgodstransport")),
    (Industry("620100", "Computerprogrammering"), Industry("621000", "Computerprogrammering")),
    (
        Industry("620200", "Konsulentbistand vedrørende informationsteknologi"),
        Industry("622000", "Konsulentbistand vedrørende informationsteknologi"),
    ),
    (
        Industry("682040", "Udlejning af erhvervsejendomme"),
        Industry("682000", "Udlejning og drift af egen eller lejet fast ejendom"),
    ),
    (
        Industry("692000", "Bogføring og revision: skatterådgivning"),
        Industry("692000", "Bogføring, revision og skatterådgivning"),
    ),
    (
        Industry("702200", "Virksomhedsrådgivning og anden rådgivning om driftsledelse"),
        Industry("702000", "Virksomhedsrådgivning"),
    ),
    (Industry("812100", "Almindelig rengøring i bygninger"), Industry("812100", "Almindelig rengøring i bygninger")),
)
INDUSTRIES: Final = tuple(new for _, new in _EDITIONS)
HOLDINGS: Final = Industry("642100", "Holdingselskabers aktiviteter")
FORMER_INDUSTRIES: Final = {
    **{new: old for old, new in _EDITIONS},
    HOLDINGS: Industry("642020", "Ikke-finansielle holdingselskaber"),
}
NEW_EDITION: Final = date(2025, 1, 1)

STOCK, PRIVATE, SOLE, FOUNDATION, PARTNERSHIP = "60", "80", "10", "90", "40"
# code -> short and long name, as the register spells them
FORMS: Final = {
    STOCK: ("A/S", "Aktieselskab"),
    PRIVATE: ("APS", "Anpartsselskab"),
    SOLE: ("ENK", "Enkeltmandsvirksomhed"),
    FOUNDATION: ("FON", "Erhvervsdrivende fond"),
    PARTNERSHIP: ("K/S", "Kommanditselskab"),
}
ENDINGS: Final = {STOCK: " A/S", PRIVATE: " ApS", PARTNERSHIP: " K/S"}
WITHOUT_STATUS: Final = frozenset({SOLE, FOUNDATION})  # forms whose records have no `virksomhedsstatus`

NORMAL, ACTIVE, CEASED = "NORMAL", "Aktiv", "Ophørt"
BANKRUPTCY, LIQUIDATION = "UNDER KONKURS", "UNDER FRIVILLIG LIKVIDATION"
FORCED_DISSOLUTION, RECONSTRUCTION = "UNDER TVANGSOPLØSNING", "UNDER REKONSTRUKTION"
ENDED_BY_BANKRUPTCY, ENDED_BY_FORCE = "OPLØST EFTER KONKURS", "TVANGSOPLØST"
ENDED_BY_LIQUIDATION = "OPLØST EFTER FRIVILLIG LIKVIDATION"
