"""One table of history brought to a new image: what differs, column by column, and keeping what was.

Three DuckDB tables carry one shared table. `open`: one row per key, what we hold true now. `versions`: what
we hold true of earlier spans of the world (tables with `valid_from` only). `closed`: what we held true once,
with `known_to`. Nothing here has an index: all are compared by joins (docs/architecture.md 4). Does not belong
here: locks, transactions, and which image comes when (`history`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import duckdb
import polars as pl

from warehouse import render
from warehouse.engine import columns, ensure_table, number, quoted, registered
from warehouse.engine import frame as frame_of
from warehouse.schema.types import Table

COMPANY: Final = "company_id"
_ROW: Final = "_row"
_STILL: Final = "NULL::TIMESTAMPTZ"


@dataclass(frozen=True, slots=True)
class Changes:
    """How one table differs from what was known, in `table.names` order, by key.

    `changed_before` and `changed_after` are row by row the same keys. `known`: companies known before this
    instant; filled for the companies table only.
    """

    table: str
    added: pl.DataFrame
    removed: pl.DataFrame
    changed_before: pl.DataFrame
    changed_after: pl.DataFrame
    known: pl.Series = field(default_factory=lambda: pl.Series(COMPANY, [], pl.String))

    @property
    def is_empty(self) -> bool:
        return self.added.is_empty() and self.removed.is_empty() and self.changed_after.is_empty()

    @property
    def companies(self) -> pl.Series:
        """Companies with any difference, each once, sorted."""
        frames = (self.added, self.removed, self.changed_after)
        return pl.concat([frame[COMPANY] for frame in frames]).unique().sort()


def nothing(table: Table) -> Changes:
    """No difference."""
    none = render.empty(table)
    return Changes(table.name, none, none, none, none)


def create(connection: duckdb.DuckDBPyConnection, table: Table) -> None:
    """Makes the tables of one shared table, and columns that the declaration has gained since."""
    shape = render.duckdb_stored(table) | {"known_from": "TIMESTAMPTZ", "valid_to": "DATE"}
    for schema in ("open", "versions"):
        ensure_table(connection, schema, table.name, shape)
    ensure_table(connection, "closed", table.name, shape | {"known_to": "TIMESTAMPTZ"})


def bring(
    connection: duckdb.DuckDBPyConnection,
    table: Table,
    rows: pl.DataFrame,
    touched: pl.Series,
    instant: datetime,
) -> Changes:
    """Compares the image of the touched companies with what is open, and makes it what is open."""
    rows = render.conform(table, rows)
    _check(table, rows)
    if rows.is_empty() and not number(connection, f"SELECT count(*) FROM open.{quoted(table.name)}"):
        return nothing(table)  # of a table that no source of the market fills
    frame = rows.with_row_index(_ROW)
    with (
        registered(connection, "image", frame),
        registered(connection, "touched", touched.rename(COMPANY).to_frame()),
    ):
        connection.execute(_difference(table))
    found = frame_of(connection, "SELECT old, row FROM difference")
    if found.is_empty():
        return nothing(table)
    changes = _changes(connection, table, rows, found)
    _keep(connection, table, instant)
    with registered(connection, "image", _gather(frame, found["row"].drop_nulls())):
        _open(connection, table, instant)
    return changes


def _check(table: Table, rows: pl.DataFrame) -> None:
    if not render.key_is_sound(table, rows):
        raise ValueError(f"{table.name}: the key ({', '.join(table.key)}) is null or twice in one image")


def _difference(table: Table) -> str:
    """Pairs by key that are not the same: `old` is a rowid of open, `row` a row of the image.

    Values are compared by two hashes of 64 bits: a join that carries the values themselves takes a third longer,
    and of twelve million rows more memory than there is.
    """
    name, keyed = quoted(table.name), columns(table.key)
    keys = " AND ".join(f"i.{quoted(column)} = o.{quoted(column)}" for column in table.key)
    values = table.business
    types, hashes = render.duckdb_types(table), _hashes(values)
    alike = ", ".join(f"{quoted(column)}::{types[column]} AS {quoted(column)}" for column in values)
    return f"""
        CREATE OR REPLACE TEMP TABLE difference AS
        SELECT o.old, i.{_ROW} AS row
        FROM (SELECT {keyed}, {_ROW}, {hashes} FROM (SELECT {_ROW}, {alike} FROM image)) AS i
        FULL JOIN (
            SELECT rowid AS old, {keyed}, {hashes} FROM open.{name} SEMI JOIN touched USING ({COMPANY})
        ) AS o ON {keys}
        WHERE o.old IS NULL OR i.{_ROW} IS NULL OR i.one <> o.one OR i.other <> o.other
    """


def _hashes(values: tuple[str, ...]) -> str:
    return f"hash({columns(values)}) AS one, hash({columns(values[::-1])}) AS other"


def _gather(frame: pl.DataFrame, rows: pl.Series) -> pl.DataFrame:
    return frame[rows.sort()]


def _changes(
    connection: duckdb.DuckDBPyConnection, table: Table, rows: pl.DataFrame, found: pl.DataFrame
) -> Changes:
    before = frame_of(
        connection,
        f"""SELECT {columns(table.names, "o.")}, d.row IS NULL AS gone
            FROM open.{quoted(table.name)} AS o JOIN difference AS d ON o.rowid = d.old""",
    )
    before = before.cast(render.polars_schema(table)).sort(table.key)
    names = list(table.names)
    both = found.drop_nulls()
    fresh = found.filter(pl.col("old").is_null())
    return Changes(
        table.name,
        added=rows[fresh["row"]].sort(table.key),
        removed=before.filter("gone").select(names),
        changed_before=before.filter(~pl.col("gone")).select(names),
        changed_after=rows[both["row"]].sort(table.key),
    )


def _keep(connection: duckdb.DuckDBPyConnection, table: Table, instant: datetime) -> None:
    """Moves what is no longer held true from open to closed.

    What was known from this instant or later is dropped instead: it was never known before something else was
    (a late edition, or two batches of one instant).
    """
    name = quoted(table.name)
    listed = columns(table.names)
    connection.execute(
        f"""CREATE OR REPLACE TEMP TABLE replaced AS
            SELECT o.* FROM open.{name} AS o JOIN difference AS d ON o.rowid = d.old""",
    )
    connection.execute(f"DELETE FROM open.{name} WHERE rowid IN (SELECT old FROM difference)")
    connection.execute(
        f"""INSERT INTO closed.{name} BY NAME
            SELECT {listed}, known_from, valid_to, $1::TIMESTAMPTZ AS known_to
            FROM replaced WHERE known_from < $1""",
        [instant],
    )


def _open(connection: duckdb.DuckDBPyConnection, table: Table, instant: datetime) -> None:
    """Writes the new rows of `image` to open, known since the instant, or since what they replace was."""
    name = quoted(table.name)
    keys = columns(table.key)
    ended = f"i.{quoted(table.ended)}" if table.ended else "NULL"
    rows = f"""
        WITH earliest AS (
            SELECT {keys}, max(moment) AS moment FROM (
                SELECT {keys}, known_from AS moment FROM replaced
                UNION ALL
                SELECT {keys}, known_to FROM closed.{name} WHERE known_to > $1
            ) GROUP BY ALL
        )
        SELECT {columns(table.names, "i.")}, greatest($1::TIMESTAMPTZ, e.moment) AS known_from,
            {ended} AS valid_to
        FROM image AS i LEFT JOIN earliest AS e USING ({keys})"""
    if table.valid_from:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE fresh AS {rows}", [instant])
        _split(connection, table)
        connection.execute(f"INSERT INTO open.{name} BY NAME FROM fresh")
    else:
        connection.execute(f"INSERT INTO open.{name} BY NAME {rows}", [instant])


def _split(connection: duckdb.DuckDBPyConnection, table: Table) -> None:
    """Cuts earlier spans of the world where the new rows begin; a later beginning makes the former row one.

    A row that begins no later than what it replaces corrects it: nothing of the former is held true any more.
    One whose beginning is unknown cuts nothing.
    """
    name, start = quoted(table.name), quoted(table.valid_from or "")
    keys, listed = columns(table.key), columns(table.names)
    connection.execute(
        f"""CREATE OR REPLACE TEMP TABLE cut AS
            SELECT v.rowid AS old, v.*, f.{start} AS cut_at, f.known_from AS cut_known
            FROM versions.{name} AS v JOIN fresh AS f USING ({keys}) WHERE v.valid_to > f.{start}"""
    )
    connection.execute(f"DELETE FROM versions.{name} WHERE rowid IN (SELECT old FROM cut)")
    connection.execute(
        f"""INSERT INTO closed.{name} BY NAME
            SELECT {listed}, known_from, valid_to, cut_known AS known_to FROM cut
            WHERE known_from < cut_known"""
    )
    connection.execute(
        f"""INSERT INTO versions.{name} BY NAME
            SELECT {listed}, greatest(known_from, cut_known) AS known_from, cut_at AS valid_to FROM cut
            WHERE {start} IS NULL OR {start} < cut_at"""
    )
    connection.execute(
        f"""INSERT INTO versions.{name} BY NAME
            SELECT {columns(table.names, "r.")}, f.known_from, least(r.valid_to, f.{start}) AS valid_to
            FROM replaced AS r JOIN fresh AS f USING ({keys})
            WHERE f.{start} > r.{start} OR (r.{start} IS NULL AND f.{start} IS NOT NULL)"""
    )


def as_of(table: Table, schemas: tuple[str, ...]) -> str:
    """Everything once held true, with both spans.

    Known_to is null while it still is, valid_to where unknown.
    """
    known_to = {"open": _STILL, "versions": _STILL, "closed": "known_to"}
    return " UNION ALL ".join(
        f"""SELECT {columns(table.names)}, known_from, {known_to[schema]} AS known_to,
            valid_to FROM {schema}.{quoted(table.name)}"""
        for schema in schemas
    )
