"""Owners of one company on one day (docs/contract/contract.md 4.4)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

from warehouse.reader.queries.paging import build_page, key_parts
from warehouse.reader.types import Key, ResultPage
from warehouse.serving import codec_read

UNITS: Final = 10_000  # percentages are stored as integer ten-thousandths: exact and sortable
_ROWS: Final = "SELECT unpacked('owners', packed) FROM owners WHERE company_id = ?"


class OwnerRow(NamedTuple):
    """One owner row; percentages in ten-thousandths, `floor` is the lower bound."""

    holder_id: str
    pct: int | None
    floor: int | None
    body: bytes


def owners_on_day(day: str, value: tuple[bytes] | None) -> Iterator[OwnerRow]:
    """The rows of one company that are valid on a day, in stored order; rows with unknown start never are."""
    for holder_id, since, until, pct, floor, body in codec_read.split_rows(value):
        if since and since <= day.encode() and (not until or until > day.encode()):
            yield OwnerRow(holder_id.decode(), _optional_int(pct), _optional_int(floor), body)


def first_owner_day(value: tuple[bytes] | None) -> date | None:
    """The first day on which one of these rows is valid; None if none has its day."""
    days = (since for _, since, *_ in codec_read.split_rows(value) if since)
    return min((date.fromisoformat(day.decode()) for day in days), default=None)


def _optional_int(text: bytes) -> int | None:
    return int(text) if text else None


def owner_rows(connection: sqlite3.Connection, company_id: str) -> tuple[bytes] | None:
    """All rows of a company with their valid time, in stored order; None if it has none."""
    return connection.execute(_ROWS, (company_id,)).fetchone()


def select_owners(
    value: tuple[bytes] | None, as_of: date, min_pct: str | None, after: Key | None, limit: int
) -> tuple[ResultPage, str | None]:
    """Owners on that day, largest first, those with only a band last; and the sum of known percentages.

    `min_pct` is compared with the percentage or, if only a band is known, with its lower bound. The sum covers
    all owners of that day, regardless of the page.
    value: rows of a company (`owner_rows`).
    """
    day = as_of.isoformat()
    rows = list(owners_on_day(day, value))
    known = [row.pct for row in rows if row.pct is not None]
    least = Decimal(min_pct) * UNITS if min_pct is not None else None
    keyed = sorted(
        (_sort_key(row.holder_id, row.pct), row.body)
        for row in rows
        if least is None or (row.floor is not None and row.floor >= least)
    )
    start = key_parts(after, int, int, str) if after is not None else ()
    cut = build_page(((key, body) for key, body in keyed if key > start), limit)
    return cut, _percent_text(min(sum(known), 100 * UNITS)) if known else None


def _sort_key(holder_id: str, pct: int | None) -> tuple[int, int, str]:
    return (0, -pct, holder_id) if pct is not None else (1, 0, holder_id)


def _percent_text(units: int) -> str:
    """Ten-thousandths as a JSON number."""
    return format((Decimal(units) / UNITS).normalize(), "f")
