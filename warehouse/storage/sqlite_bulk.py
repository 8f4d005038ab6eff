"""Bulk loading of SQLite files under construction: opened and filled from frames.

Frames are loaded by ADBC, which binds columns and releases the GIL: Python rows take twice as long and block
every other thread. No other connection may have the file open meanwhile. Does not belong here: the content
(`serving.documents_db`, `serving.name_index`), or a file that is being read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import polars as pl

Fill = Callable[[str, pl.DataFrame], None]  # inserts a frame into a table with the same column names

# As in `open_for_building`, but with a smaller cache: rows arrive in key order.
_PRAGMAS: Final = ("journal_mode = OFF", "synchronous = OFF", "cache_size = -32768", "temp_store = MEMORY")


def open_for_building(path: Path) -> sqlite3.Connection:
    """Opens a SQLite file under construction: without a journal, as a kill discards the file."""
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


@contextmanager
def bulk_inserter(path: Path) -> Iterator[Fill]:
    """Inserts rows into tables of a file, in one transaction."""
    from adbc_driver_sqlite import dbapi  # here, because it loads pyarrow's data sets, which only a release needs

    with dbapi.connect(str(path), autocommit=True) as connection, connection.cursor() as cursor:
        for pragma in _PRAGMAS:
            cursor.execute(f"PRAGMA {pragma}")
            cursor.fetchall()

        def fill(table: str, rows: pl.DataFrame) -> None:
            if rows.height:
                # the driver does not support string views
                cursor.adbc_ingest(table, rows.to_arrow(compat_level=pl.CompatLevel.oldest()), mode="append")

        connection.adbc_connection.set_autocommit(False)
        yield fill
        connection.adbc_connection.commit()
