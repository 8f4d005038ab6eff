"""Iteration over the rows of a range of companies, by company, for bulk exports.

See docs/contract/contract.md 4.15.
Rows are streamed in the order of the tables' keys, so memory does not depend on the size of the range: a market, or
one company. Each row is the object that the API serves, byte for byte. Does not belong here: the export files
(`warehouse.exports.exports`), filings (`filings`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import date

from warehouse.reader.queries import financials as queries_financials
from warehouse.reader.queries import owners as queries_owners
from warehouse.serving import codec_read

Span = tuple[str, str]


def market_id_bounds(market: str) -> Span:
    """Bounds of the ids of a market: every id lies between them, and none is equal to one."""
    return f"firm:{market}:", f"firm:{market};"  # ; is the character after :


def company_id_bounds(company_id: str) -> Span:
    """Bounds of one id: the first inclusive, the second exclusive."""
    return company_id, company_id + "\0"


def company_profiles(connection: sqlite3.Connection, ids: Span) -> Iterator[tuple[bytes, bytes]]:
    """Per company: its profile, and an object with its id and everything that `include=` can add."""
    rows = connection.execute(
        """SELECT company_id, body, unpacked('companies', parts) FROM companies
            WHERE company_id >= ? AND company_id < ? ORDER BY company_id""",
        ids,
    )
    for company_id, body, value in rows:
        parts = next(codec_read.split_rows((value,)))
        members = b",".join(inner for part in parts if (inner := part[1:-1]))
        yield single_line(body), single_line(b'{"id":"%b",%b}' % (company_id.encode(), members))


def company_ids(connection: sqlite3.Connection, ids: Span) -> Iterator[str]:
    """Ids of companies, ascending."""
    rows = connection.execute(
        "SELECT company_id FROM companies WHERE company_id >= ? AND company_id < ? ORDER BY company_id", ids
    )
    return (company_id for (company_id,) in rows)


def company_financials(connection: sqlite3.Connection, ids: Span) -> Iterator[tuple[bytes]]:
    """The newest version of every period, of the group's series and of the company's own."""
    for company_id, value in _packed_rows(connection, "financials", ids):
        for row in queries_financials.current_versions(value):
            yield (with_company_id(company_id, row),)


def company_owners(connection: sqlite3.Connection, ids: Span, day: date) -> Iterator[tuple[bytes]]:
    """Owners on one day."""
    for company_id, value in _packed_rows(connection, "owners", ids):
        for row in queries_owners.owners_on_day(day.isoformat(), value):
            yield (with_company_id(company_id, row.body),)


def _packed_rows(connection: sqlite3.Connection, table: str, ids: Span) -> Iterator[tuple[str, tuple[bytes]]]:
    rows = connection.execute(
        f"""SELECT company_id, unpacked('{table}', packed) FROM {table}
            WHERE company_id >= ? AND company_id < ? ORDER BY company_id""",
        ids,
    )
    return ((company_id, (value,)) for company_id, value in rows)


def company_events(connection: sqlite3.Connection, ids: Span, above: int = 0) -> Iterator[tuple[bytes]]:
    """Every event with a sequence greater than `above`, by company, then oldest first."""
    rows = connection.execute(
        """SELECT body FROM events WHERE company_id >= ? AND company_id < ? AND sequence > ?
            ORDER BY company_id, sequence""",
        (*ids, above),
    )
    return ((single_line(body),) for (body,) in rows)


def with_company_id(company_id: str, body: bytes) -> bytes:
    """A row as the API lists it under a company, with the company's id as first member."""
    return single_line(b'{"company_id":"%b",%b' % (company_id.encode(), body[1:]))


def single_line(body: bytes) -> bytes:
    """An object on one line: in JSON a bare newline is only whitespace between members."""
    return body.replace(b"\n", b" ")
