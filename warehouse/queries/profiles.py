"""Companies by id, the hot path of the service, and the documents of a page by rank."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final

from warehouse.reading import Document, Head

_PROFILE: Final = (
    "SELECT body, etag, detail, identifiers, address, sources FROM companies WHERE company_id = ?"
)
_HEAD: Final = "SELECT org_number, name FROM companies WHERE company_id = ?"


def profile(connection: sqlite3.Connection, company_id: str) -> Document | None:
    """The ready profile with its parts."""
    row = connection.execute(_PROFILE, (company_id,)).fetchone()
    if row is None:
        return None
    body, etag, detail, identifiers, address, sources = row
    parts = {"detail": detail, "identifiers": identifiers, "address": address, "sources": sources}
    return Document(company_id, body, etag, parts)


def head(connection: sqlite3.Connection, company_id: str) -> Head | None:
    """Number and name."""
    row = connection.execute(_HEAD, (company_id,)).fetchone()
    return Head(company_id, row[0], row[1]) if row else None


def bodies(connection: sqlite3.Connection, ranks: Sequence[int]) -> dict[int, bytes]:
    """The documents of companies by their ranks, of one page."""
    marks = ", ".join("?" * len(ranks))
    rows = connection.execute(f"SELECT rank, body FROM companies WHERE rank IN ({marks})", ranks)
    return dict(rows.fetchall())
