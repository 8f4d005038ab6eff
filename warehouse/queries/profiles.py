"""Company profiles by id, the hot path of the API, and the documents of a page by rank."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Final

from warehouse import packed
from warehouse.reading import Document, Head

PARTS: Final = ("detail", "identifiers", "address", "sources")  # optional parts of a profile
_PROFILE: Final = "SELECT body, etag FROM companies WHERE company_id = ?"
_PARTS: Final = "SELECT unpacked('companies', parts) FROM companies WHERE company_id = ?"
_HEAD: Final = "SELECT org_number, name FROM companies WHERE company_id = ?"


def profile(connection: sqlite3.Connection, company_id: str) -> Document | None:
    """The profile document."""
    row = connection.execute(_PROFILE, (company_id,)).fetchone()
    return Document(company_id, row[0], row[1]) if row else None


def parts(connection: sqlite3.Connection, company_id: str) -> Mapping[str, bytes]:
    """The optional parts of a profile, by name."""
    found = packed.rows(connection.execute(_PARTS, (company_id,)).fetchone())
    named: dict[str, bytes] = {}
    for parts in found:
        named.update(zip(PARTS, parts, strict=True))
    return named


def head(connection: sqlite3.Connection, company_id: str) -> Head | None:
    """Number and name."""
    row = connection.execute(_HEAD, (company_id,)).fetchone()
    return Head(company_id, row[0], row[1]) if row else None


def bodies(connection: sqlite3.Connection, ranks: Sequence[int]) -> dict[int, bytes]:
    """Documents of one page of companies, by rank."""
    marks = ", ".join("?" * len(ranks))
    rows = connection.execute(
        f"""SELECT r.rank, c.body FROM ranked AS r CROSS JOIN companies AS c USING (company_id)
            WHERE r.rank IN ({marks})""",
        ranks,
    )
    return dict(rows.fetchall())
