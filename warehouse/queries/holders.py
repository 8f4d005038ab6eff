"""Owners of one company on one day (docs/contract/contract.md 4.4)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

from warehouse import packed
from warehouse.queries.pages import page, parts
from warehouse.reading import Key, Page

_UNITS: Final = 10_000  # percentages are stored as integer ten-thousandths: exact and sortable
_ROWS: Final = "SELECT unpacked('owners', packed) FROM owners WHERE company_id = ?"


class Holding(NamedTuple):
    """One owner row; percentages in ten-thousandths, `floor` is the lower bound."""

    holder_id: str
    pct: int | None
    floor: int | None
    body: bytes


def held_on(day: str, value: tuple[bytes] | None) -> Iterator[Holding]:
    """The rows of one company that are valid on a day, in stored order; rows with unknown start never are."""
    for holder_id, since, until, pct, floor, body in packed.rows(value):
        if since and since <= day.encode() and (not until or until > day.encode()):
            yield Holding(holder_id.decode(), _whole(pct), _whole(floor), body)


def _whole(text: bytes) -> int | None:
    return int(text) if text else None


def owners(
    connection: sqlite3.Connection,
    company_id: str,
    as_of: date,
    min_pct: str | None,
    after: Key | None,
    limit: int,
) -> tuple[Page, str | None]:
    """Owners on that day, largest first, those with only a band last; and the sum of known percentages.

    `min_pct` is compared with the percentage or, if only a band is known, with its lower bound. The sum covers
    all owners of that day, regardless of the page.
    """
    day = as_of.isoformat()
    rows = list(held_on(day, connection.execute(_ROWS, (company_id,)).fetchone()))
    known = [row.pct for row in rows if row.pct is not None]
    least = Decimal(min_pct) * _UNITS if min_pct is not None else None
    keyed = sorted(
        (_key(row.holder_id, row.pct), row.body)
        for row in rows
        if least is None or (row.floor is not None and row.floor >= least)
    )
    start = parts(after, int, int, str) if after is not None else ()
    cut = page(((key, body) for key, body in keyed if key > start), limit)
    return cut, _number(min(sum(known), 100 * _UNITS)) if known else None


def _key(holder_id: str, pct: int | None) -> tuple[int, int, str]:
    return (0, -pct, holder_id) if pct is not None else (1, 0, holder_id)


def _number(units: int) -> str:
    """Ten-thousandths as a JSON number."""
    return format((Decimal(units) / _UNITS).normalize(), "f")
