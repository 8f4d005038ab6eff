"""Everything of one market in the order of its companies: what the bulk hand-over holds.

See docs/contract/contract.md 4.15.

Rows come one by one and sorted by the keys of the tables, so that a market of any size needs no memory. Each is
the object that the API serves, byte for byte. Does not belong here: the files they go into (`warehouse.exports`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import date

from warehouse import packed
from warehouse.queries import holders, periods

Span = tuple[str, str]


def span(market: str) -> Span:
    """Ids of a market lie between these, both exclusive."""
    return f"firm:{market}:", f"firm:{market};"  # ; is the character after :


def profiles(connection: sqlite3.Connection, market: str) -> Iterator[tuple[bytes, bytes]]:
    """Per company its profile, and under its id what `include=` would add to that."""
    rows = connection.execute(
        """SELECT company_id, body, unpacked('companies', parts) FROM companies
            WHERE company_id > ? AND company_id < ? ORDER BY company_id""",
        span(market),
    )
    for company_id, body, value in rows:
        parts = next(packed.rows((value,)))
        members = b",".join(inner for part in parts if (inner := part[1:-1]))
        yield _line(body), _line(b'{"id":"%b",%b}' % (company_id.encode(), members))


def financials(connection: sqlite3.Connection, market: str) -> Iterator[tuple[bytes]]:
    """The newest version of every served period, of the group's series and of the company's own."""
    for company_id, value in _packed(connection, "financials", market):
        for row in periods.current(value):
            yield (_under(company_id, row),)


def owners(connection: sqlite3.Connection, market: str, day: date) -> Iterator[tuple[bytes]]:
    """Owners on one day."""
    for company_id, value in _packed(connection, "owners", market):
        for row in holders.held_on(day.isoformat(), value):
            yield (_under(company_id, row.body),)


def _packed(connection: sqlite3.Connection, table: str, market: str) -> Iterator[tuple[str, tuple[bytes]]]:
    rows = connection.execute(
        f"""SELECT company_id, unpacked('{table}', packed) FROM {table}
            WHERE company_id > ? AND company_id < ? ORDER BY company_id""",
        span(market),
    )
    return ((company_id, (value,)) for company_id, value in rows)


def events(connection: sqlite3.Connection, market: str) -> Iterator[tuple[bytes]]:
    """Every event, oldest first within a company."""
    rows = connection.execute(
        """SELECT body FROM events WHERE company_id > ? AND company_id < ?
            ORDER BY company_id, sequence""",
        span(market),
    )
    return ((_line(body),) for (body,) in rows)


def _under(company_id: str, body: bytes) -> bytes:
    """A row that the API gives in a list of one company, with that company's id before its own members."""
    return _line(b'{"company_id":"%b",%b' % (company_id.encode(), body[1:]))


def _line(body: bytes) -> bytes:
    """An object on one line: in JSON a bare newline is only space between members."""
    return body.replace(b"\n", b" ")
