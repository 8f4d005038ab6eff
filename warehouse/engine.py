"""DuckDB as this package uses it: connections with one time zone, identifiers quoted, frames in and out.

Does not belong here: statements about any table (`history`, `release`, `queries`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
import polars as pl


def connect(path: Path | None = None, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """Opens a file (None: in memory). Instants are UTC on both sides; nothing is fetched from anywhere."""
    connection = duckdb.connect(
        str(path) if path else ":memory:",
        read_only=read_only,
        config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"},
    )
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET enable_progress_bar = false")  # standard output is the caller's
    return connection


def quoted(name: str) -> str:
    """An identifier as SQL writes it: staged column names are a registry's own words."""
    return '"' + name.replace('"', '""') + '"'


def columns(names: tuple[str, ...] | list[str], prefix: str = "") -> str:
    """A list of quoted columns, each after `prefix` (as `b.`)."""
    return ", ".join(prefix + quoted(name) for name in names)


def ensure_table(
    connection: duckdb.DuckDBPyConnection, schema: str, table: str, declared: Mapping[str, str]
) -> None:
    """Makes a table of these columns and types, or adds the columns it lacks; keeps what it has beyond."""
    name = f"{quoted(schema)}.{quoted(table)}"
    shape = ", ".join(f"{quoted(column)} {kind}" for column, kind in declared.items())
    connection.execute(f"CREATE TABLE IF NOT EXISTS {name} ({shape})")
    # The list of all columns of a catalog takes ten times as long.
    present = set(connection.sql(f"FROM {name}").columns)
    for column, kind in declared.items():
        if column not in present:
            connection.execute(f"ALTER TABLE {name} ADD COLUMN {quoted(column)} {kind}")


def frame(
    source: duckdb.DuckDBPyConnection, statement: str, parameters: Sequence[object] | None = None
) -> pl.DataFrame:
    """The answer to a statement as a frame."""
    found = pl.from_arrow(source.sql(statement, params=list(parameters or ())).to_arrow_table())
    if not isinstance(found, pl.DataFrame):
        raise TypeError("a statement answers with a table")
    return found


def number(
    source: duckdb.DuckDBPyConnection, statement: str, parameters: Sequence[object] | None = None
) -> int:
    """The answer to a statement that gives one whole number."""
    rows = source.execute(statement, parameters).fetchall()  # all: a result left open blocks the connection
    return int(rows[0][0]) if rows else 0


@contextmanager
def registered(connection: duckdb.DuckDBPyConnection, name: str, frame: pl.DataFrame) -> Iterator[None]:
    """Shows a frame to SQL under a name, without copying it."""
    connection.register(name, frame.to_arrow(compat_level=pl.CompatLevel.newest()))
    try:
        yield
    finally:
        connection.unregister(name)
