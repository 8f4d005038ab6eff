"""DuckDB helpers: files opened in UTC, quoted identifiers, frames in and out.

Starting DuckDB takes sixty times as long as attaching a file to a running instance, and an ingest opens ten:
the files of one folder share an instance. Does not belong here: statements about any table (`history.history`,
`publish.publisher`, `reader.queries`).
"""

from __future__ import annotations

import shutil
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Final
from weakref import WeakKeyDictionary, ref

import duckdb
import polars as pl

from warehouse.storage import atomic_files

_KEPT: Final = 4  # folders: of histories, and of releases that are written or read
_SPILLED: Final = ".spilled"  # spill folder next to the data folder, where there is disk space
MEMORY: Final = "2500MB"  # of one folder's DuckDB; its default is four fifths of the machine
CONNECTION_SETTINGS: Final = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "memory_limit": MEMORY,
}
_names = count(1)
_ensured: WeakKeyDictionary[duckdb.DuckDBPyConnection, dict[str, frozenset[str]]] = WeakKeyDictionary()
_instances: WeakKeyDictionary[duckdb.DuckDBPyConnection, ref[duckdb.DuckDBPyConnection]] = WeakKeyDictionary()
_limits: WeakKeyDictionary[duckdb.DuckDBPyConnection, str] = WeakKeyDictionary()  # of instances, where one is known


@lru_cache(maxsize=_KEPT)
def shared_instance(folder: Path | None) -> duckdb.DuckDBPyConnection:
    """The shared DuckDB instance for the files of one folder. Downloads no extensions."""
    spilled = {} if folder is None else {"temp_directory": str(_spill_folder(folder))}
    instance = duckdb.connect(":memory:", config={**CONNECTION_SETTINGS, **spilled})
    instance.execute("SET GLOBAL TimeZone = 'UTC'")  # of every connection: the machine's would be the default
    return instance


def _spill_folder(folder: Path) -> Path:
    """The spill folder: not shared between processes or data folders.

    DuckDB creates it when needed and removes it on exit. Leftovers of killed processes are removed here.
    """
    for left in folder.parent.glob(f"{_SPILLED}-*-*"):
        writer = left.name.removeprefix(f"{_SPILLED}-").rpartition("-")[0]
        if atomic_files.is_abandoned(left, writer):
            shutil.rmtree(left, ignore_errors=True)  # another process may be removing it too
    return folder.parent / f"{_SPILLED}-{atomic_files.writer_name()}-{next(_names)}"


@contextmanager
def open_database(path: Path | None = None, *, read_only: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """Opens a file (None: in memory) as the connection's database. Instants are UTC on both sides.

    A file has one writer or any number of readers; uncommitted changes are rolled back at the end.
    """
    instance = shared_instance(None if path is None else path.parent.resolve())
    connection = instance.cursor()
    _instances[connection] = ref(instance)
    name = f"opened_{next(_names)}"
    try:
        connection.execute("SET enable_progress_bar = false")  # standard output belongs to the caller
        place = ":memory:" if path is None else str(path.resolve())
        connection.execute(f"ATTACH {string_literal(place)} AS {name}{' (READ_ONLY)' if read_only else ''}")
        connection.execute(f"USE {name}")
        yield connection
    finally:
        _detach_and_close(connection, name)


def _detach_and_close(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    with suppress(duckdb.TransactionException):  # no open transaction
        connection.rollback()
    try:
        connection.execute("USE memory")
        connection.execute(f"DETACH DATABASE IF EXISTS {name}")
    except duckdb.Error:
        shared_instance.cache_clear()  # the file stays attached: use a new instance next time
        raise
    finally:
        connection.close()


def database_name(connection: duckdb.DuckDBPyConnection) -> str:
    """The name under which a connection's file is attached."""
    return connection.execute("SELECT current_database()").fetchall()[0][0]


@contextmanager
def open_cursor(connection: duckdb.DuckDBPyConnection, database: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """Another connection to the same databases for use in another thread, with `database` as default."""
    with connection.cursor() as other:
        other.execute(f"USE {quote_identifier(database)}")
        yield other


@contextmanager
def sibling_connection(connection: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """Another connection to the same database: one can read while the other writes."""
    with open_cursor(connection, database_name(connection)) as other:
        yield other


def set_memory_limit(connection: duckdb.DuckDBPyConnection, memory: str) -> None:
    """Sets the memory limit of the DuckDB instance behind a connection, in the notation of `MEMORY`.

    Setting the limit that it has takes as long as a query, so it is done only where another one may be set.
    """
    of_connection = _instances.get(connection)
    instance = None if of_connection is None else of_connection()
    if instance is not None and _limits.get(instance) == memory:
        return
    connection.execute(f"SET GLOBAL memory_limit = {string_literal(memory)}")
    if instance is None:
        _limits.clear()
    else:
        _limits[instance] = memory


def copy_database(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Copies the connection's whole database to a new file."""
    connection.execute(f"ATTACH {string_literal(str(path))} AS anew")
    connection.execute(f"COPY FROM DATABASE {quote_identifier(database_name(connection))} TO anew")
    connection.execute("DETACH anew")


def string_literal(value: str) -> str:
    """A SQL string literal, where no parameter is allowed."""
    return "'" + value.replace("'", "''") + "'"


def quote_identifier(name: str) -> str:
    """A quoted SQL identifier: staged columns have the registry's own names."""
    return '"' + name.replace('"', '""') + '"'


def quoted_columns(names: tuple[str, ...] | list[str], prefix: str = "") -> str:
    """A list of quoted columns, each after `prefix` (as `b.`)."""
    return ", ".join(prefix + quote_identifier(name) for name in names)


def ensure_table(connection: duckdb.DuckDBPyConnection, schema: str, table: str, declared: Mapping[str, str]) -> None:
    """Creates a table with these columns and types, or adds missing columns; extra columns are kept.

    Called before every use of a table, so the result is cached per connection (see `forget_checked_tables`).
    """
    name = f"{quote_identifier(schema)}.{quote_identifier(table)}"
    ensured = _ensured.setdefault(connection, {})
    if declared.keys() <= ensured.get(name, frozenset()):
        return
    shape = ", ".join(f"{quote_identifier(column)} {kind}" for column, kind in declared.items())
    connection.execute(f"CREATE TABLE IF NOT EXISTS {name} ({shape})")
    present = table_columns(connection, schema, table)
    for column, kind in declared.items():
        if column not in present:
            connection.execute(f"ALTER TABLE {name} ADD COLUMN {quote_identifier(column)} {kind}")
    ensured[name] = present | declared.keys()


def table_columns(connection: duckdb.DuckDBPyConnection, schema: str, table: str) -> frozenset[str]:
    """Columns of an existing table."""
    name = f"{quote_identifier(schema)}.{quote_identifier(table)}"
    ensured = _ensured.get(connection, {})
    # Querying the catalog's list of columns takes ten times as long.
    return ensured.get(name) or frozenset(connection.sql(f"FROM {name}").columns)


def checked_tables(connection: duckdb.DuckDBPyConnection) -> Mapping[str, frozenset[str]]:
    """The tables that are known to exist, with their columns."""
    return _ensured.get(connection, {})


def trust_checked_tables(connection: duckdb.DuckDBPyConnection, tables: Mapping[str, frozenset[str]]) -> None:
    """Takes over what an earlier connection to the same file knew (`checked_tables`), if it is unchanged since."""
    _ensured[connection] = dict(tables)


def forget_checked_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """Clears the cache of ensured tables: a rollback also undoes the tables that the transaction created."""
    _ensured.pop(connection, None)


def query_frame(
    source: duckdb.DuckDBPyConnection, statement: str, parameters: Sequence[object] | None = None
) -> pl.DataFrame:
    """Runs a query and returns the result as a frame."""
    found = pl.from_arrow(source.sql(statement, params=list(parameters or ())).to_arrow_table())
    if not isinstance(found, pl.DataFrame):
        raise TypeError("the statement returned no table")
    return found


def stream_frames(source: duckdb.DuckDBPyConnection, statement: str, rows: int) -> Generator[pl.DataFrame, None, None]:
    """Runs a query and yields the result in chunks: `query_frame` would hold all of it in memory."""
    for chunk in source.sql(statement).to_arrow_reader(rows):
        if (found := pl.DataFrame(chunk)).height:
            yield found


class LostWriteError(Exception):
    """The engine did not carry out a statement that it reported as done; nothing of the run is kept."""

    def __init__(self, table: str, stored: int, expected: int) -> None:
        super().__init__(
            f"{table} has {stored} rows after an update and should have {expected}: DuckDB lost a write. "
            "Nothing was stored; run the ingest again, and install the version of DuckDB in requirements.lock"
        )


def delete_rows(connection: duckdb.DuckDBPyConnection, table: str, chosen: str) -> None:
    """Deletes the rows of a table that the column `old` of the table `chosen` names by rowid.

    Raises LostWriteError if another number of rows is gone: DuckDB 2.0.0 now and then left a committed row in place
    that one DELETE removed together with rows of the same transaction.
    """
    expected = query_int(
        connection, f"SELECT (SELECT count(*) FROM {table}) - (SELECT count(DISTINCT old) FROM {chosen})"
    )
    connection.execute(f"DELETE FROM {table} WHERE rowid IN (SELECT old FROM {chosen})")
    stored = query_int(connection, f"SELECT count(*) FROM {table}")
    if stored != expected:
        raise LostWriteError(table, stored, expected)


def query_int(source: duckdb.DuckDBPyConnection, statement: str, parameters: Sequence[object] | None = None) -> int:
    """Runs a query that returns one integer; 0 without rows."""
    rows = source.execute(statement, parameters).fetchall()  # all: an unread result blocks the connection
    return int(rows[0][0]) if rows else 0


def has_rows(source: duckdb.DuckDBPyConnection, table: str) -> bool:
    """True if a table has any row: counted from its metadata, for less than a statement over no rows takes."""
    return query_int(source, f"SELECT count(*) FROM {table}") > 0


def run_over_frame(connection: duckdb.DuckDBPyConnection, name: str, frame: pl.DataFrame, statement: str) -> None:
    """Runs a statement without parameters over a frame under a name, then releases the frame.

    A frame `registered_frame` in a transaction stays in memory until the transaction ends, even if unregistered: a
    register loaded in chunks would accumulate.
    """
    connection.from_arrow(frame.to_arrow(compat_level=pl.CompatLevel.newest())).query(name, statement)


@contextmanager
def registered_frame(connection: duckdb.DuckDBPyConnection, name: str, frame: pl.DataFrame) -> Iterator[None]:
    """Registers a frame under a name in SQL without copying it. Long transactions: `run_over_frame`."""
    connection.register(name, frame.to_arrow(compat_level=pl.CompatLevel.newest()))
    try:
        yield
    finally:
        connection.unregister(name)
