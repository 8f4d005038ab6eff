"""Declarations of the merged tables: tables of the data dictionary that an export keeps up to date elsewhere.

Columns, types and keys are those of `warehouse.schema.tables`, without pointers into our archive; what a release adds
to a table (the end of valid time, the ledger's number of an event) is added here. Does not belong here: rows
(`release_rows`), or how an engine stores them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from warehouse.schema import tables
from warehouse.schema.types import Column, ColumnKind, Table

_OURS: Final = "raw"  # points into our archive: of no use elsewhere
_VALID_TO: Final = Column("valid_to", ColumnKind.DATE, "end of the row's valid time, exclusive; null: still valid")


def _merged_table(table: Table) -> Table:
    """A table of the data dictionary as releases have it: with all versions in valid time, each with its end."""
    columns = tuple(column for column in table.columns if column.name != _OURS)
    if table.valid_from is None:
        return replace(table, columns=columns)
    return replace(table, columns=(*columns, _VALID_TO), key=(*table.key, table.valid_from))


COMPANIES: Final = _merged_table(tables.COMPANIES)
IDENTIFIERS: Final = _merged_table(tables.IDENTIFIERS)
FILINGS: Final = _merged_table(tables.FILINGS)
FINANCIALS: Final = _merged_table(tables.FINANCIALS)
OWNERS: Final = _merged_table(tables.OWNERS)
EVENTS: Final = Table(
    "events",
    "Every event, numbered; `data` is the webhook's `data` object.",
    tables.EVENTS.key,
    (
        Column("sequence", ColumnKind.INTEGER, "the ledger's number of the event", nullable=False),
        *(column for column in tables.EVENTS.columns if column.name not in {"known_at", "data"}),
        Column("recorded_at", ColumnKind.INSTANT, "when it was published", nullable=False),
        tables.EVENTS.column("data"),
    ),
)
# By which the next export finds what has changed; written last, so that it never is ahead of the others
DIGESTS: Final = Table(
    "digests",
    "One row per company: while the digest is the same, so are the company's rows in all tables but events.",
    ("company_id",),
    (tables.COMPANY_ID, Column("digest", ColumnKind.INTEGER, "hash of the company's rows", nullable=False)),
)
BY_COMPANY: Final = (COMPANIES, IDENTIFIERS, FILINGS, FINANCIALS, OWNERS, DIGESTS)
MERGED: Final = (COMPANIES, IDENTIFIERS, FILINGS, FINANCIALS, OWNERS, EVENTS, DIGESTS)
