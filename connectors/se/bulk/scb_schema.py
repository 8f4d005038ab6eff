"""Fields of SCB's bulk file: the staged table in its own terms, and columns left in RAW."""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Table

KEY: Final = "se.scb"
IDENTITY: Final = "PeOrgNr"
NUMBER: Final = "organisationsnummer"
SCHEME: Final = "sni_version"  # added by us: records do not state the version of their industry codes
UNKNOWN_INDUSTRY: Final = "00000"

# Columns that are read, and whether a file without them is rejected.
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
# Known and left in RAW: further industries, the change type and the markers (meaning undocumented).
IGNORED: Final = frozenset(
    name.lower()
    for name in (
        *("ForAndrTyp", "Foretagsnamn", "Ng2", "Ng3", "Ng4", "Ng5", "mForetagsnamn"),
        *(f"m{name}" for name in (*FIELDS, "Ng2", "Ng3", "Ng4", "Ng5") if name != IDENTITY),
    )
)

_T: Final = ColumnKind.TEXT
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
        Column(
            SCHEME, _T, "version of the code: of the list that has it, by the date of the snapshot where both have it"
        ),
        Column("PostNr", _T, "postal code"),
        Column("PostOrt", _T, "postal place"),
        Column("Gatuadress", _T, "street"),
        Column("COAdress", _T, "c/o"),
        Column("RegDatKtid", ColumnKind.DATE, "registered"),
        Column("Reklamsparrtyp", _T, "1 accepts advertising, 2 declines it"),
    ),
)
