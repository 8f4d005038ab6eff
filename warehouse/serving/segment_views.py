"""Reading over the segments of a release: SQL for the rows that no newer segment supersedes, in both engines.

Each segment lists the companies that it replaces, with their ranks in older segments; a row is visible unless a
newer segment lists its company. Does not belong here: which segments a release has (`release.segments`), queries
(`reader.queries`). Imports no engine.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

SUPERSEDED: Final = "superseded"  # (company_id, rank) of the companies that a segment replaces; rank null for new ones
SUPERSEDED_RANKS: Final = "superseded_ranks"  # their ranks, in the name index
SYMBOL_LENGTH: Final = 8  # characters of the longest symbol: other identifiers are longer (index `known_symbols`)
SQLITE_SCHEMA: Final = f"CREATE TABLE {SUPERSEDED} (company_id TEXT PRIMARY KEY) WITHOUT ROWID"
NAMES_SCHEMA: Final = f"CREATE TABLE {SUPERSEDED_RANKS} (rank INTEGER PRIMARY KEY)"
DUCKDB_SCHEMA: Final = f"CREATE TABLE {SUPERSEDED} (company_id VARCHAR, rank BIGINT)"
SCHEMAS: Final = (SQLITE_SCHEMA, NAMES_SCHEMA, DUCKDB_SCHEMA)
_VIEWS: Final = {
    "companies": "rank, company_id, org_number, name, body, etag, parts",
    "financials": "company_id, packed",
    "owners": "company_id, packed",
    "known_as": "value, company_id",
    "relations": "company_id, minor, kind, position, holder_id, relation, holder, since, until, skips, body",
    "owners_by_holder": "holder, position, company_id, holder_id, since, until, floor",
    "leis": "company_id, lei",
}


def visible_rows_sql(table: str, catalogs: Sequence[str], key: str = "company_id") -> str:
    """DuckDB SQL for the visible rows of a table, given the catalogs of the segments, oldest first.

    key: `company_id`, or `rank` where the table has it: integers are compared faster.
    """
    arms = []
    for place, catalog in enumerate(catalogs):
        newer = " UNION ALL ".join(f"SELECT {key} FROM {one}.{SUPERSEDED}" for one in catalogs[place + 1 :])
        arms.append(f"SELECT * FROM {catalog}.{table}" + (f" ANTI JOIN ({newer}) USING ({key})" if newer else ""))
    return " UNION ALL BY NAME ".join(arms)


@dataclass(frozen=True, slots=True)
class NameIndex:
    """The name index of one segment: its schema in a connection, and those of newer segments, which hide names."""

    schema: str
    newer: tuple[str, ...] = ()

    def visible(self, rank: str) -> str:
        """SQL that restricts a statement to visible names, to be appended to its conditions."""
        return "".join(f" AND {rank} NOT IN (SELECT rank FROM {one}.{SUPERSEDED_RANKS})" for one in self.newer)


def name_indexes(schemas: Sequence[str]) -> tuple[NameIndex, ...]:
    """The name indexes of a release, given their schemas in a connection, oldest first."""
    return tuple(NameIndex(schema, tuple(schemas[place + 1 :])) for place, schema in enumerate(schemas))


def create_document_views(connection: sqlite3.Connection, schemas: Sequence[str]) -> None:
    """Creates temporary views that shadow the tables of the base, given the schemas of the documents, oldest first."""
    for table, columns in _VIEWS.items():
        arms = (
            _visible_documents_sql(f"SELECT {columns} FROM", table, schemas[place:]) for place in range(len(schemas))
        )
        connection.execute(f"CREATE TEMP VIEW {table} AS {' UNION ALL '.join(arms)}")
    events = (f"SELECT company_id, sequence, event_type, recorded_at, body FROM {schema}.events" for schema in schemas)
    connection.execute(f"CREATE TEMP VIEW events AS {' UNION ALL '.join(events)}")


def ranked_sql(indexes: Sequence[NameIndex]) -> str:
    """SQLite SQL for rank and company_id of all visible names."""
    return " UNION ALL ".join(
        f"SELECT t.rank, t.company_id FROM {index.schema}.labels AS t WHERE true{index.visible('t.rank')}"
        for index in indexes
    )


def _visible_documents_sql(select: str, table: str, schemas: Sequence[str]) -> str:
    """SQL for the rows of the first of these schemas that the others do not hide."""
    schema, *newer = schemas
    tests = " AND ".join(f"t.company_id NOT IN (SELECT company_id FROM {one}.{SUPERSEDED})" for one in newer)
    return f"{select} {schema}.{table} AS t" + (f" WHERE {tests}" if tests else "")
