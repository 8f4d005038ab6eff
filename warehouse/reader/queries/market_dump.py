"""Iteration over all rows of one market by company, for bulk exports.

See docs/contract/contract.md 4.15.
Rows are streamed in the order of the tables' keys, so memory does not depend on the size of the market. Each
row is the object that the API serves, byte for byte. Does not belong here: the export files
(`warehouse.exports.exports`).
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
    """Bounds of the ids of a market, both exclusive."""
    return f"firm:{market}:", f"firm:{market};"  # ; is the character after :


def market_profiles(connection: sqlite3.Connection, market: str) -> Iterator[tuple[bytes, bytes]]:
    """Per company: its profile, and an object with its id and everything that `include=` can add."""
    rows = connection.execute(
        """SELECT company_id, body, unpacked('companies', parts) FROM companies
            WHERE company_id > ? AND company_id < ? ORDER BY company_id""",
        market_id_bounds(market),
    )
    for company_id, body, value in rows:
        parts = next(codec_read.split_rows((value,)))
        members = b",".join(inner for part in parts if (inner := part[1:-1]))
        yield _single_line(body), _single_line(b'{"id":"%b",%b}' % (company_id.encode(), members))


def market_financials(connection: sqlite3.Connection, market: str) -> Iterator[tuple[bytes]]:
    """The newest version of every period, of the group's series and of the company's own."""
    for company_id, value in _packed_rows(connection, "financials", market):
        for row in queries_financials.current_versions(value):
            yield (_with_company_id(company_id, row),)


def market_owners(connection: sqlite3.Connection, market: str, day: date) -> Iterator[tuple[bytes]]:
    """Owners of all companies on one day."""
    for company_id, value in _packed_rows(connection, "owners", market):
        for row in queries_owners.owners_on_day(day.isoformat(), value):
            yield (_with_company_id(company_id, row.body),)


def _packed_rows(connection: sqlite3.Connection, table: str, market: str) -> Iterator[tuple[str, tuple[bytes]]]:
    rows = connection.execute(
        f"""SELECT company_id, unpacked('{table}', packed) FROM {table}
            WHERE company_id > ? AND company_id < ? ORDER BY company_id""",
        market_id_bounds(market),
    )
    return ((company_id, (value,)) for company_id, value in rows)


def market_events(connection: sqlite3.Connection, market: str) -> Iterator[tuple[bytes]]:
    """Every event, by company, then oldest first."""
    rows = connection.execute(
        """SELECT body FROM events WHERE company_id > ? AND company_id < ?
            ORDER BY company_id, sequence""",
        market_id_bounds(market),
    )
    return ((_single_line(body),) for (body,) in rows)


def _with_company_id(company_id: str, body: bytes) -> bytes:
    """A row as the API lists it under a company, with the company's id as first member."""
    return _single_line(b'{"company_id":"%b",%b' % (company_id.encode(), body[1:]))


def _single_line(body: bytes) -> bytes:
    """An object on one line: in JSON a bare newline is only whitespace between members."""
    return body.replace(b"\n", b" ")
