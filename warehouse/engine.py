"""DuckDB as this package uses it: files opened with one time zone, identifiers quoted, frames in and out.

Starting DuckDB takes sixty times as long as attaching a file to one that runs, and an ingest opens ten: the files
of a folder are attached to one. Does not belong here: statements about any table (`history`, `release`, `queries`).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Final
from weakref import WeakKeyDictionary

import duckdb
import polars as pl

from warehouse import files

_KEPT: Final = 4  # folders: of histories, and of releases that are written or read
_SPILLED: Final = ".spilled"  # beside the folder, where there is room: what memory does not hold
MEMORY: Final = "2500MB"  # of one folder's DuckDB; left to itself it takes four fifths of the machine
CONNECTION_SETTINGS: Final = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "memory_limit": MEMORY,
}
_names = count(1)
_ensured: WeakKeyDictionary[duckdb.DuckDBPyConnection, dict[str, frozenset[str]]] = WeakKeyDictionary()


@lru_cache(maxsize=_KEPT)
def running_database(folder: Path | None) -> duckdb.DuckDBPyConnection:
    """A DuckDB for the files of one folder. Nothing is fetched from anywhere."""
    spilled = {} if folder is None else {"temp_directory": str(_room(folder))}
    return duckdb.connect(":memory:", config={**CONNECTION_SETTINGS, **spilled})


def _room(folder: Path) -> Path:
    """Where what does not fit into memory goes: no two processes, and no two folders, share one.

    DuckDB makes it when it is needed and removes it at its end. What a killed process left is removed here.
    """
    for left in folder.parent.glob(f"{_SPILLED}-*-*"):
        if not files.lives(int(left.name.split("-")[1])):
            shutil.rmtree(left, ignore_errors=True)  # another process may be removing it too
    return folder.parent / f"{_SPILLED}-{os.getpid()}-{next(_names)}"


@contextmanager
def opened(path: Path | None = None, *, read_only: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """A file (None: nothing but memory) as the database of a connection. Instants are UTC on both sides.

    Of one file there is one writer or any number of readers; what is not committed at the end is not kept.
    """
    connection = running_database(None if path is None else path.parent.resolve()).cursor()
    name = f"opened_{next(_names)}"
    try:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET enable_progress_bar = false")  # standard output is the caller's
        place = ":memory:" if path is None else str(path.resolve())
        connection.execute(f"ATTACH {text(place)} AS {name}{' (READ_ONLY)' if read_only else ''}")
        connection.execute(f"USE {name}")
        yield connection
    finally:
        _let_go(connection, name)


def _let_go(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    with suppress(duckdb.TransactionException):  # there is none
        connection.rollback()
    try:
        connection.execute("USE memory")
        connection.execute(f"DETACH DATABASE IF EXISTS {name}")
    except duckdb.Error:
        running_database.cache_clear()  # what cannot be written back stays attached: the next use begins anew
        raise
    finally:
        connection.close()


def database_of(connection: duckdb.DuckDBPyConnection) -> str:
    """The name under which a connection's file is attached."""
    return connection.execute("SELECT current_database()").fetchall()[0][0]


@contextmanager
def cursor(connection: duckdb.DuckDBPyConnection, database: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """Another connection to the same databases, for another thread; it uses the one named."""
    with connection.cursor() as other:
        other.execute(f"USE {quoted(database)}")
        yield other


@contextmanager
def beside(connection: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """Another connection to the same database: one reads on while the other writes."""
    with cursor(connection, database_of(connection)) as other:
        yield other


def allow(connection: duckdb.DuckDBPyConnection, memory: str) -> None:
    """Gives the DuckDB of a connection's folder so much memory from now on, as `MEMORY` says it."""
    connection.execute(f"SET GLOBAL memory_limit = {text(memory)}")


def copied(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Writes everything of the connection's database to a file that is not there yet."""
    connection.execute(f"ATTACH {text(str(path))} AS anew")
    connection.execute(f"COPY FROM DATABASE {quoted(database_of(connection))} TO anew")
    connection.execute("DETACH anew")


def text(value: str) -> str:
    """A text as SQL writes it, where no parameter can stand."""
    return "'" + value.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """An identifier as SQL writes it: staged column names are a registry's own words."""
    return '"' + name.replace('"', '""') + '"'


def columns(names: tuple[str, ...] | list[str], prefix: str = "") -> str:
    """A list of quoted columns, each after `prefix` (as `b.`)."""
    return ", ".join(prefix + quoted(name) for name in names)


def ensure_table(
    connection: duckdb.DuckDBPyConnection, schema: str, table: str, declared: Mapping[str, str]
) -> None:
    """Makes a table of these columns and types, or adds the columns it lacks; keeps what it has beyond.

    Asked before every use of a table: what a connection has ensured is looked at once (`forget`).
    """
    name = f"{quoted(schema)}.{quoted(table)}"
    ensured = _ensured.setdefault(connection, {})
    if declared.keys() <= ensured.get(name, frozenset()):
        return
    shape = ", ".join(f"{quoted(column)} {kind}" for column, kind in declared.items())
    connection.execute(f"CREATE TABLE IF NOT EXISTS {name} ({shape})")
    present = columns_of(connection, schema, table)
    for column, kind in declared.items():
        if column not in present:
            connection.execute(f"ALTER TABLE {name} ADD COLUMN {quoted(column)} {kind}")
    ensured[name] = present | declared.keys()


def columns_of(connection: duckdb.DuckDBPyConnection, schema: str, table: str) -> frozenset[str]:
    """Columns of a table that is there."""
    name = f"{quoted(schema)}.{quoted(table)}"
    ensured = _ensured.get(connection, {})
    # The list of all columns of a catalog takes ten times as long.
    return ensured.get(name) or frozenset(connection.sql(f"FROM {name}").columns)


def forget(connection: duckdb.DuckDBPyConnection) -> None:
    """Tables are looked at again: what a transaction made is gone with it when it is rolled back."""
    _ensured.pop(connection, None)


def frame(
    source: duckdb.DuckDBPyConnection, statement: str, parameters: Sequence[object] | None = None
) -> pl.DataFrame:
    """The answer to a statement as a frame."""
    found = pl.from_arrow(source.sql(statement, params=list(parameters or ())).to_arrow_table())
    if not isinstance(found, pl.DataFrame):
        raise TypeError("a statement answers with a table")
    return found


def streamed(
    source: duckdb.DuckDBPyConnection, statement: str, rows: int
) -> Generator[pl.DataFrame, None, None]:
    """The answer to a statement, some rows at a time: `frame` would hold all of it in memory."""
    for chunk in source.sql(statement).to_arrow_reader(rows):
        if (found := pl.DataFrame(chunk)).height:
            yield found


def number(
    source: duckdb.DuckDBPyConnection, statement: str, parameters: Sequence[object] | None = None
) -> int:
    """The answer to a statement that gives one whole number."""
    rows = source.execute(statement, parameters).fetchall()  # all: a result left open blocks the connection
    return int(rows[0][0]) if rows else 0


def over(connection: duckdb.DuckDBPyConnection, name: str, frame: pl.DataFrame, statement: str) -> None:
    """Runs a statement without parameters over a frame under a name, and lets go of the frame.

    What is `registered` in a transaction is held in memory until that ends, though its name is taken back: of a
    register that comes in stretches all would be.
    """
    connection.from_arrow(frame.to_arrow(compat_level=pl.CompatLevel.newest())).query(name, statement)


@contextmanager
def registered(connection: duckdb.DuckDBPyConnection, name: str, frame: pl.DataFrame) -> Iterator[None]:
    """Shows a frame to SQL under a name, without copying it. For large ones in long transactions: `over`."""
    connection.register(name, frame.to_arrow(compat_level=pl.CompatLevel.newest()))
    try:
        yield
    finally:
        connection.unregister(name)
