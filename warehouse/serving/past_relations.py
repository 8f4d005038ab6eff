"""Relations and LEIs in a past file: their values by company, and the indexes that find them from the other end.

A value has the rows of a company in the order of `relations`: the columns of that table (`LEADING`), then the stored
fields. `held` finds the relations of a holder, `companies_by_lei` the companies of an LEI, each up to the release that
replaced them. Does not belong here: which values a publish writes (`publish.past_relations`), reading
(`reader.past_relations`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from warehouse.serving import codec_read
from warehouse.serving.codec_read import FIELD, ROW

LEADING: Final = ("minor", "kind", "position", "holder_id", "relation", "holder", "since", "until", "skips")
HOLDER_ID: Final = LEADING.index("holder_id")
HOLDER: Final = LEADING.index("holder")
SCHEMA: Final = (
    """CREATE TABLE held (holder TEXT, position INTEGER, company_id TEXT, holder_id TEXT, relation TEXT,
        replaced INTEGER, minor INTEGER NOT NULL, kind INTEGER NOT NULL, since TEXT NOT NULL, until TEXT NOT NULL,
        PRIMARY KEY (holder, position, company_id, holder_id, relation, replaced)) WITHOUT ROWID""",
    """CREATE TABLE companies_by_lei (lei TEXT, company_id TEXT, replaced INTEGER,
        PRIMARY KEY (lei, company_id, replaced)) WITHOUT ROWID""",
)
INDEXES: Final = {
    "held": "holder, position, company_id, holder_id, relation, replaced",
    "companies_by_lei": "lei, company_id, replaced",
}
"""The tables of the indexes, with the columns of their keys."""


def rows_text(rows: Iterable[Sequence[bytes]]) -> bytes:
    """A value of these rows."""
    return ROW.encode().join(FIELD.encode().join(fields) for fields in rows)


def add_held(connection: sqlite3.Connection, company_id: str, replaced: int, value: bytes) -> None:
    """Adds the relations in an unpacked value to the index by holder, except those that skip a parent."""
    connection.executemany(
        "INSERT INTO main.held VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", _held(company_id, replaced, value)
    )


def add_leis(connection: sqlite3.Connection, company_id: str, replaced: int, value: bytes) -> None:
    """Adds the LEIs in a value to the index by LEI."""
    entries = ((lei, company_id, replaced) for lei in read_leis(value))
    connection.executemany("INSERT INTO main.companies_by_lei VALUES (?, ?, ?)", entries)


def read_leis(value: bytes | None) -> list[str]:
    """The LEIs in a value."""
    return [] if value is None else value.decode().split(ROW)


def _held(company_id: str, replaced: int, value: bytes) -> Iterator[tuple[str | int, ...]]:
    for fields in codec_read.split_rows((value,)):
        minor, kind, position, holder_id, relation, holder, since, until, skips = map(
            bytes.decode, fields[: len(LEADING)]
        )
        if holder and skips == "0":
            yield (
                *(holder, int(position), company_id, holder_id, relation, replaced),
                *(int(minor), int(kind), since, until),
            )
