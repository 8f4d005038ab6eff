"""SQLite files that only their builder sees: opened, filled with frames a batch at a time, brought up to date.

Frames go by ADBC, which binds what lies in columns and lets go of Python's lock while it does: rows of Python's own
take twice as long, and every other thread waits. The file is closed everywhere else meanwhile. Does not belong
here: what is written (`serving`, `naming`), or a file that others read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import duckdb
import polars as pl
from adbc_driver_sqlite import dbapi

from warehouse.engine import registered

Fill = Callable[[str, pl.DataFrame], None]  # adds the rows of a frame, whose columns are named as the table's

# As `open_for_building` has them, but for the cache: rows come in the order of their keys.
_PRAGMAS: Final = ("journal_mode = OFF", "synchronous = OFF", "cache_size = -32768", "temp_store = MEMORY")


def open_for_building(path: Path) -> sqlite3.Connection:
    """A file that only its builder sees: a kill throws it away, so nothing is journaled."""
    connection = sqlite3.connect(path, isolation_level=None, uri=True)
    for pragma in (
        "page_size = 8192",
        "journal_mode = OFF",
        "synchronous = OFF",
        "cache_size = -131072",
        "temp_store = MEMORY",
    ):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def with_changed(target: sqlite3.Connection, source: duckdb.DuckDBPyConnection, changed: pl.Series) -> None:
    """Shows which companies have changed: to the file as `changed`, to what it is brought up to as `wanted`."""
    target.execute("CREATE TEMP TABLE changed (company_id TEXT PRIMARY KEY) WITHOUT ROWID")
    target.executemany("INSERT INTO changed VALUES (?)", ((company,) for company in changed.sort()))
    with registered(source, "wanted_companies", changed.rename("company_id").to_frame()):
        source.execute("CREATE OR REPLACE TEMP TABLE wanted AS SELECT company_id FROM wanted_companies")


@contextmanager
def filling(path: Path) -> Iterator[Fill]:
    """Adds to tables of a file, in one transaction."""
    with dbapi.connect(str(path), autocommit=True) as connection, connection.cursor() as cursor:
        for pragma in _PRAGMAS:
            cursor.execute(f"PRAGMA {pragma}")
            cursor.fetchall()

        def fill(table: str, rows: pl.DataFrame) -> None:
            if rows.height:
                # the driver knows no views of strings
                cursor.adbc_ingest(table, rows.to_arrow(compat_level=pl.CompatLevel.oldest()), mode="append")

        connection.adbc_connection.set_autocommit(False)
        yield fill
        connection.adbc_connection.commit()
