"""What one company owns in others on one day: the lines of ownership that name it as holder.

See docs/contract/contract.md 4.4c. Does not belong here: relations of other kinds (`relations`), or the owners of one
company (`owners`).
"""

from __future__ import annotations

import sqlite3
from datetime import date
from decimal import ROUND_CEILING, Decimal
from typing import Final

import msgspec

from warehouse.reader.queries.owners import UNITS, owners_on_day
from warehouse.reader.queries.paging import key_parts
from warehouse.reader.types import Key, ResultPage

_HELD: Final = """SELECT position, company_id, holder_id FROM owners_by_holder
    WHERE holder = ? AND (position, company_id, holder_id) > (?, ?, ?) AND since <= ? AND (until = '' OR until > ?)
        AND (? OR floor >= ?)
    ORDER BY position, company_id, holder_id, since LIMIT ?"""
_OWNERS: Final = "SELECT unpacked('owners', packed) FROM owners WHERE company_id = ?"
_NAME: Final = "SELECT name FROM companies WHERE company_id = ?"
_FIRST: Final = (-(2**63), "", "")


def company_holdings(
    connection: sqlite3.Connection, company_id: str, as_of: date, min_pct: str | None, after: Key | None, limit: int
) -> ResultPage:
    """What the company owned on that day, largest share first, unknown shares last; then by company and holder id.

    min_pct: as in `owners.company_owners`.
    """
    day = as_of.isoformat()
    start = key_parts(after, int, str, str) if after is not None else _FIRST
    least = None if min_pct is None else int((Decimal(min_pct) * UNITS).to_integral_value(ROUND_CEILING))
    values = (company_id, *start, day, day, least is None, least, limit + 1)
    keys = [tuple(row) for row in connection.execute(_HELD, values)]
    shown = keys[:limit]
    rows = tuple(_line(connection, held, holder_id, day) for _, held, holder_id in shown)
    return ResultPage(rows, tuple(shown), len(keys) > limit)


def _line(connection: sqlite3.Connection, company_id: str, holder_id: str, day: str) -> bytes:
    """A line of ownership as the API lists it, with the company that is owned as first members."""
    packed = connection.execute(_OWNERS, (company_id,)).fetchone()
    body = next(row.body for row in owners_on_day(day, packed) if row.holder_id == holder_id)
    (name,) = connection.execute(_NAME, (company_id,)).fetchone()
    head = msgspec.json.encode({"company_id": company_id, "name": name, "country": company_id.split(":")[1]})
    return head[:-1] + b"," + body[1:]
