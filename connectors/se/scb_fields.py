"""The fields of SCB's bulk: the staged table in its own words, and what is left in RAW."""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, Kind, Table

KEY: Final = "se.scb"
IDENTITY: Final = "PeOrgNr"
NUMBER: Final = "organisationsnummer"
SCHEME: Final = "sni_version"  # ours: no record names the edition of its industry codes
UNKNOWN_INDUSTRY: Final = "00000"

# Columns that are read, and whether a file without them is refused.
FIELDS: Final = {
    IDENTITY: True,
    "Namn": True,
    "FtgStat": True,
    "JEStat": False,
    "JurForm": True,
    "Ng1": True,
    "PostNr": True,
    "PostOrt": False,
    "Gatuadress": False,
    "COAdress": False,
    "RegDatKtid": True,
    "Reklamsparrtyp": False,
}
# Known and left in RAW: further industries, the change type and the markers, whose meaning is not documented.
IGNORED: Final = frozenset(
    name.lower()
    for name in (
        *("ForAndrTyp", "Foretagsnamn", "Ng2", "Ng3", "Ng4", "Ng5", "mForetagsnamn"),
        *(f"m{name}" for name in (*FIELDS, "Ng2", "Ng3", "Ng4", "Ng5") if name != IDENTITY),
    )
)

_T: Final = Kind.TEXT
STATISTICS: Final = Table(
    "se_scb",
    "Legal persons as SCB's business register has them.",
    (NUMBER,),
    (
        Column(NUMBER, _T, "ten digits, from PeOrgNr without its 16", nullable=False),
        Column("Namn", _T, "name in capitals"),
        Column("FtgStat", _T, "0 never active, 1 active, 9 no longer active"),
        Column("JEStat", _T, "0, 1, 2 in the population, 9 left it"),
        Column("JurForm", _T, "legal form, two digits"),
        Column("Ng1", _T, "first industry code, five digits; null where 00000"),
        Column(SCHEME, _T, "edition of the code, by the day of the snapshot: SNI2007 or SNI2025"),
        Column("PostNr", _T, "postal code"),
        Column("PostOrt", _T, "postal place"),
        Column("Gatuadress", _T, "street"),
        Column("COAdress", _T, "c/o"),
        Column("RegDatKtid", Kind.DATE, "registered"),
        Column("Reklamsparrtyp", _T, "1 accepts advertising, 2 declines it"),
    ),
)
