"""The staged table of sub-units, and the keys of their records left in RAW.

See docs/formats/no.md 2.1, last lines.

A sub-unit is not a company: it belongs to its parent (`overordnetEnhet`). Does not belong here: reading
(`dataset`, `rows`).
"""

from __future__ import annotations

from typing import Final

from connectors.no.enheter.schema import IGNORED_OF_ALL
from warehouse.schema.types import Column, ColumnKind, Table

KEY: Final = "no.underenheter"
NUMBER: Final = "organisasjonsnummer"
PARENT: Final = "overordnetEnhet"
DATES: Final = (
    "registreringsdatoEnhetsregisteret",
    "oppstartsdato",
    "datoEierskifte",
    "nedleggelsesdato",
    "slettedato",
)

SUB_UNITS: Final = Table(
    "no_underenheter",
    "Sub-units with their parents; deleted ones keep their row, without a parent.",
    (NUMBER,),
    (
        Column(NUMBER, ColumnKind.TEXT, "number of the sub-unit", nullable=False),
        Column("navn", ColumnKind.TEXT, "name"),
        Column("organisasjonsform.kode", ColumnKind.TEXT, "BEDR or AAFY"),
        Column(PARENT, ColumnKind.TEXT, "number of the parent"),
        Column("naeringskode1.kode", ColumnKind.TEXT, "first industry code, with its dot"),
        Column("beliggenhetsadresse.kommunenummer", ColumnKind.TEXT, "municipality of the site"),
        *(Column(name, ColumnKind.DATE, name) for name in DATES),
        Column("respons_klasse", ColumnKind.TEXT, "SlettetUnderEnhet, or Fjernet for status 410; else null"),
    ),
)
STAGED: Final = {SUB_UNITS.name: SUB_UNITS}
FORMS: Final = ("BEDR", "AAFY")
OF_DELETED: Final = ("slettedato", "respons_klasse")
DELETED: Final = "SlettetUnderEnhet"
REMOVED: Final = "Fjernet"
MANDATORY: Final = (NUMBER, "navn", "organisasjonsform.kode", PARENT)
ALIASES: Final = {"registreringsdatoIEnhetsregisteret": "registreringsdatoEnhetsregisteret"}

_ADDRESS: Final = ("adresse", "poststed", "postnummer", "kommune", "kommunenummer", "land", "landkode")
# Employee counts are left in RAW: they change every month, and companies have their own
IGNORED: Final = (
    *IGNORED_OF_ALL,
    "organisasjonsform.beskrivelse",
    "naeringskode1.beskrivelse",
    "harRegistrertAntallAnsatte",
    "antallAnsatte",
    "hjemmeside",
    *(f"postadresse.{part}" for part in _ADDRESS),
    *(f"beliggenhetsadresse.{part}" for part in _ADDRESS if part != "kommunenummer"),
)
IGNORED_JSON: Final = frozenset(
    {name.partition(".")[0] for name in IGNORED}
    | {"historiskeNavn", "_links", "links", "aktivitet", "paategninger", "maalform"}
)
