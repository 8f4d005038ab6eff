"""Lookup of companies by other identifiers: LEI, ISIN, ticker symbol, VAT number, EUID, CIK.

The whole text is compared, ignoring blanks and case; a CIK with and without leading zeros, a share class after
a point, a blank or a dash (BRK.B, BRK B, BRK-B). Does not belong here: the registers' own numbers
(`warehouse.schema.identifiers`) and names (`names`).
"""

from __future__ import annotations

import sqlite3
from typing import Final

MOST: Final = 10  # companies with one symbol: several markets may use it
LONGEST: Final = 60
_CIK_DIGITS: Final = 10


def ids_by_identifier(connection: sqlite3.Connection, text: str) -> tuple[str, ...]:
    """Ids of the companies with this identifier, sorted."""
    plain = "".join(text.split()).upper()
    if not plain or len(plain) > LONGEST:
        return ()
    spellings = {plain, "-".join(text.upper().replace(".", " ").split())}
    if plain.isascii() and plain.isdigit():
        spellings.add(plain.zfill(_CIK_DIGITS))
    marks = ", ".join("?" * len(spellings))
    rows = connection.execute(
        f"SELECT DISTINCT company_id FROM known_as WHERE value IN ({marks}) ORDER BY company_id LIMIT ?",
        (*sorted(spellings), MOST),
    )
    return tuple(company_id for (company_id,) in rows)
