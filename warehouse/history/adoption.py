"""Makes the state of another history file, a replay without some batches, the current state of a history.

What was known stays as it was known: the caller merges the tables of the companies that differ as of an instant
(`scd2`), so that superseded rows keep the time at which they were believed. Source records and watermarks have no
known time: they are replaced. Does not belong here: locks and transactions (`history`), or which batches a replay
leaves out (`pipelines.maintenance.retraction_state`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from warehouse import schema_render
from warehouse.history.current_records import COMPLETE_MARK, UPDATING
from warehouse.schema.tables import EVENTS, TABLES
from warehouse.schema.types import Table
from warehouse.storage.duckdb import (
    LostWriteError,
    database_name,
    has_rows,
    open_database,
    query_frame,
    query_int,
    quote_identifier,
    quoted_columns,
    registered_frame,
    set_memory_limit,
    string_literal,
)

_NAME: Final = "replayed"
_KNOWN: Final = "known"  # marks: as in `history`
_TICK: Final = timedelta(microseconds=1)


@contextmanager
def attached_state(
    connection: duckdb.DuckDBPyConnection, path: Path, companies: pl.Series | None = None
) -> Iterator[ReplayedState]:
    """Attaches a history file that no process writes to; it is detached after the caller's transaction.

    companies: the state is limited to them.
    """
    connection.execute(f"ATTACH {string_literal(str(path.resolve()))} AS {_NAME} (READ_ONLY)")
    try:
        set_memory_limit(connection, UPDATING)
        found = _differing_companies(connection)
        if companies is not None:
            found = found.filter(found.is_in(companies.implode()))
        yield ReplayedState(connection, found)
    finally:
        connection.execute(f"DETACH {_NAME}")


def differing_companies(path: Path, other: Path) -> pl.Series:
    """Companies with any other row in one history file than in another; no process writes to either."""
    with open_database(path, read_only=True) as connection, attached_state(connection, other) as state:
        return state.companies


@dataclass(frozen=True)
class ReplayedState:
    """The state of an attached file. companies: those with any other row than the history, sorted."""

    connection: duckdb.DuckDBPyConnection
    companies: pl.Series

    def first_instant_from(self, instant: datetime) -> datetime:
        """An instant, or the first one after all that the file knows."""
        known = [
            *self.connection.execute("SELECT max(high_water) FROM replayed.datasets").fetchall(),
            *self.connection.execute(
                "SELECT max(key::TIMESTAMPTZ) FROM replayed.marks WHERE step = $1", [_KNOWN]
            ).fetchall(),
        ]
        return max([instant, *(one + _TICK for (one,) in known if one is not None)])

    def current_rows(self, table: Table, companies: pl.Series) -> pl.DataFrame:
        """The file's current rows of some companies."""
        return self._rows("open", table, table.names, companies).cast(schema_render.polars_schema(table))

    def earlier_rows(self, table: Table, companies: pl.Series) -> pl.DataFrame:
        """The file's past versions in valid time of some companies, with `valid_to`."""
        return self._rows("versions", table, (*table.names, "valid_to"), companies)

    def derived_events(self) -> pl.DataFrame:
        """Every event that the replay has derived."""
        return schema_render.conform_frame(EVENTS, query_frame(self.connection, f"FROM {_NAME}.outbox"))

    def versioned_keys(self, table: Table, companies: pl.Series) -> pl.DataFrame:
        """Keys of these companies with past versions in valid time, in the history or in the file."""
        places = (f"versions.{quote_identifier(table.name)}", f"{_NAME}.versions.{quote_identifier(table.name)}")
        keys = quoted_columns(table.key)
        selects = (f"SELECT {keys} FROM {place} SEMI JOIN wanted USING (company_id)" for place in places)
        with registered_frame(self.connection, "wanted", companies.rename("company_id").to_frame()):
            return query_frame(self.connection, " UNION ".join(selects))

    def _rows(self, schema: str, table: Table, names: tuple[str, ...], companies: pl.Series) -> pl.DataFrame:
        place = f"{_NAME}.{schema}.{quote_identifier(table.name)}"
        with registered_frame(self.connection, "wanted", companies.rename("company_id").to_frame()):
            return query_frame(
                self.connection, f"SELECT {quoted_columns(names)} FROM {place} SEMI JOIN wanted USING (company_id)"
            )

    def end_known_time(self, instant: datetime) -> None:
        """Ends what the history knows before an instant: a batch dated ahead has put its content after it."""
        cap = instant - _TICK
        for table in TABLES:
            name = quote_identifier(table.name)
            for schema in ("open", "versions"):
                self.connection.execute(
                    f"UPDATE {schema}.{name} SET known_from = $1::TIMESTAMPTZ WHERE known_from > $1", [cap]
                )
            self.connection.execute(f"DELETE FROM closed.{name} WHERE known_from >= $1", [cap])
            self.connection.execute(f"UPDATE closed.{name} SET known_to = $1::TIMESTAMPTZ WHERE known_to > $1", [cap])
        self.connection.execute("DELETE FROM marks WHERE step = $1", [_KNOWN])

    def adopt_provenance(self) -> None:
        """Copies the columns that are not compared: equal values have the provenance of the file."""
        with registered_frame(self.connection, "wanted", self.companies.rename("company_id").to_frame()):
            self._copy_provenance()

    def _copy_provenance(self) -> None:
        for table in TABLES:
            columns = [name for name in table.names if name not in table.business and name not in table.key]
            values = ", ".join(f"{quote_identifier(name)} = r.{quote_identifier(name)}" for name in columns)
            differs = " OR ".join(
                f"o.{quote_identifier(name)} IS DISTINCT FROM r.{quote_identifier(name)}" for name in columns
            )
            for schema, keys in (("open", table.key), ("versions", (*table.key, "valid_to"))):
                same = " AND ".join(
                    f"o.{quote_identifier(name)} IS NOT DISTINCT FROM r.{quote_identifier(name)}" for name in keys
                )
                place = f"{schema}.{quote_identifier(table.name)}"
                if columns:
                    self.connection.execute(
                        f"""UPDATE {place} AS o SET {values} FROM {_NAME}.{place} AS r
                            WHERE {same} AND ({differs}) AND o.company_id IN (SELECT company_id FROM wanted)"""
                    )

    def adopt_sources(self, steps: Collection[str]) -> None:
        """Replaces source records, watermarks, and the marks of these steps by those of the file."""
        own, found = (self._record_tables(name) for name in (database_name(self.connection), _NAME))
        for table in sorted(own.keys() | found.keys()):
            self._adopt_records(f"present.{quote_identifier(table)}", own.get(table, {}), found.get(table))
        self.connection.execute("DELETE FROM datasets")
        self.connection.execute(f"INSERT INTO datasets BY NAME FROM {_NAME}.datasets")
        for step in (COMPLETE_MARK, *steps):
            self.connection.execute("DELETE FROM marks WHERE step = $1", [step])
            self.connection.execute(f"INSERT INTO marks BY NAME FROM {_NAME}.marks WHERE step = $1", [step])

    def _adopt_records(self, place: str, own: dict[str, str], found: dict[str, str] | None) -> None:
        if not own:
            self.connection.execute(f"CREATE TABLE {place} AS FROM {_NAME}.{place}")
            return
        for column, kind in (found or {}).items():
            if column not in own:
                self.connection.execute(f"ALTER TABLE {place} ADD COLUMN {quote_identifier(column)} {kind}")
        self.connection.execute(f"DELETE FROM {place}")
        if found is not None:
            self.connection.execute(f"INSERT INTO {place} BY NAME FROM {_NAME}.{place}")
        expected = 0 if found is None else query_int(self.connection, f"SELECT count(*) FROM {_NAME}.{place}")
        stored = query_int(self.connection, f"SELECT count(*) FROM {place}")
        if stored != expected:
            raise LostWriteError(place, stored, expected)

    def _record_tables(self, database: str) -> dict[str, dict[str, str]]:
        """Columns with their types, by table of source records."""
        rows = self.connection.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() "
            "WHERE database_name = $1 AND schema_name = 'present' ORDER BY table_name, column_index",
            [database],
        ).fetchall()
        found: dict[str, dict[str, str]] = {}
        for table, column, kind in rows:
            found.setdefault(table, {})[column] = kind
        return found


def _differing_companies(connection: duckdb.DuckDBPyConnection) -> pl.Series:
    """Companies with any other current or past version than in the attached file, provenance included.

    Tables without rows in both are not compared: planning that takes most of the time where a market is small.
    """
    parts = []
    for table in TABLES:
        for schema, names in (("open", table.names), ("versions", (*table.names, "valid_to"))):
            place, columns = f"{schema}.{quote_identifier(table.name)}", quoted_columns(names)
            if not any(has_rows(connection, one) for one in (place, f"{_NAME}.{place}")):
                continue
            own, other = f"SELECT {columns} FROM {place}", f"SELECT {columns} FROM {_NAME}.{place}"
            parts += [f"({own} EXCEPT ALL {other})", f"({other} EXCEPT ALL {own})"]
    if not parts:
        return pl.Series("company_id", [], pl.String)
    found = " UNION ".join(f"SELECT company_id FROM {part}" for part in parts)
    return query_frame(connection, f"SELECT company_id FROM ({found}) ORDER BY 1")["company_id"].cast(pl.String)
