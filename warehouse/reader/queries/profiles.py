"""Company profiles by id, the hot path of the API, the documents of a page by rank, and ids by other identifiers.

Other identifiers are LEI, ISIN, ticker symbol, VAT number, EUID and CIK. The whole text is compared, ignoring
blanks and case; a CIK with and without leading zeros, a share class after a point, a blank or a dash (BRK.B, BRK B,
BRK-B). Does not belong here: the registers' own numbers (`warehouse.schema.identifiers`) and names (`names`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Final

from warehouse.reader.types import CompanyHeader, ProfileDocument
from warehouse.serving import codec_read

PARTS: Final = ("detail", "identifiers", "address", "sources")  # optional parts of a profile
_PROFILE: Final = "SELECT body, etag FROM companies WHERE company_id = ?"
_PARTS: Final = "SELECT unpacked('companies', parts) FROM companies WHERE company_id = ?"
_HEAD: Final = "SELECT org_number, name FROM companies WHERE company_id = ?"
MOST: Final = 10  # companies with one symbol: several markets may use it
LONGEST: Final = 60
_CIK_DIGITS: Final = 10


def company_profile(connection: sqlite3.Connection, company_id: str) -> ProfileDocument | None:
    """The profile document."""
    row = connection.execute(_PROFILE, (company_id,)).fetchone()
    return ProfileDocument(company_id, row[0], row[1]) if row else None


def profile_parts(connection: sqlite3.Connection, company_id: str) -> Mapping[str, bytes]:
    """The optional parts of a profile, by name."""
    return named_parts(connection.execute(_PARTS, (company_id,)).fetchone())


def named_parts(value: tuple[bytes] | None) -> Mapping[str, bytes]:
    """The optional parts of a profile in an unpacked value, by name."""
    found = codec_read.split_rows(value)
    named: dict[str, bytes] = {}
    for parts in found:
        named.update(zip(PARTS, parts, strict=True))
    return named


def company_header(connection: sqlite3.Connection, company_id: str) -> CompanyHeader | None:
    """Number and name."""
    row = connection.execute(_HEAD, (company_id,)).fetchone()
    return CompanyHeader(company_id, row[0], row[1]) if row else None


def ids_by_rank(connection: sqlite3.Connection, ranks: Sequence[int]) -> dict[int, str]:
    """Ids of companies, by rank."""
    marks = ", ".join("?" * len(ranks))
    return dict(connection.execute(f"SELECT rank, company_id FROM ranked WHERE rank IN ({marks})", ranks).fetchall())


def bodies_by_rank(connection: sqlite3.Connection, ranks: Sequence[int]) -> dict[int, bytes]:
    """Documents of one page of companies, by rank."""
    rank_of = {company_id: rank for rank, company_id in ids_by_rank(connection, ranks).items()}
    marks = ", ".join("?" * len(rank_of))
    rows = connection.execute(f"SELECT company_id, body FROM companies WHERE company_id IN ({marks})", tuple(rank_of))
    return {rank_of[company_id]: body for company_id, body in rows}


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
