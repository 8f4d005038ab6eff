"""Staged table of SCB's register API: one row per legal unit, in the register's own terms and codes.

Does not belong here: what a code means for a profile (`statements`).
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Table

KEY: Final = "se.foretagsregister"
HOST: Final = "apiafr.scb.se"
NUMBER: Final = "organisationsnummer"
SCHEME: Final = "sni_version"
UNITS: Final = "jes"  # the list of a page
PAGINATION: Final = "pagination"

# Leave before the archive: they can be a person's
CONTACTS: Final = ("tel", "epost")
# Known and left in RAW
IGNORED: Final = (
    *("orgNr", "namn", "foretagsnamn", "foretagsnamnAnt", "postAdress", "aeAnt", "startDat", "slutDat", "regDat"),
    *("expImp", "omsAr", "omsKl", "agKat", "arbGivStat", "fSkattStat", "bolStat", "privPubl", "sektor"),
    *("reklamSparrTyp", "telefonSparrTyp", "epostSparrTyp", "ftgStat"),
)
PERSONS_FORMS: Final = ("10", "91")  # natural persons, estates

_T: Final = ColumnKind.TEXT
LEGAL_UNITS: Final = Table(
    "se_foretag",
    "Legal units as the API of SCB's register of enterprises has them.",
    (NUMBER,),
    (
        Column(NUMBER, _T, "ten digits, from peOrgNr without its 16", nullable=False),
        Column("kommunSate", _T, "municipality of the seat, four digits; null where unknown"),
        Column("lanSate", _T, "county of the seat, two digits; null for 00 (unknown) and 99 (none in Sweden)"),
        Column("anstKl", _T, "class of employees, 1 (none) to 16 (10,000 and more); null for 0 (not stated)"),
        Column("momsStat", _T, "VAT: 0 never registered, 1 registered, 3 by a representative, 9 deregistered"),
        Column("jurform", _T, "legal form, two digits"),
        Column("naringsgren", _T, "first industry code, five digits"),
        Column(SCHEME, _T, "version of the code, as in se_scb"),
    ),
)
