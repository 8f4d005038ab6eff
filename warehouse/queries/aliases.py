"""Companies by what else they are known as: LEI, ISIN, symbol, VAT number, EUID, CIK.

A text is compared as a whole, without blanks and case; a CIK with and without its zeros, a class of shares behind a
point, a blank or a dash (BRK.B, BRK B, BRK-B). Does not belong here: the
registers' own numbers (`warehouse.schema.identifiers`) and names (`names`).
"""

from __future__ import annotations

import sqlite3
from typing import Final

MOST: Final = 10  # companies of one symbol: as many markets may use it
LONGEST: Final = 60
_CIK_DIGITS: Final = 10


def named(connection: sqlite3.Connection, text: str) -> tuple[str, ...]:
    """Ids of the companies that are known so, by id."""
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
