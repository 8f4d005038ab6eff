"""Frames written to tables of a SQLite file that only its builder sees, a batch at a time.

By ADBC, which binds what lies in columns and lets go of Python's lock while it does: rows of Python's own take
twice as long, and every other thread waits. The file is closed everywhere else meanwhile. Does not belong here:
what is written, or a file that others read (`serving`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import polars as pl
from adbc_driver_sqlite import dbapi

Fill = Callable[[str, pl.DataFrame], None]  # adds the rows of a frame, whose columns are named as the table's

# As `naming.open_for_building` has them, but for the cache: rows come in the order of their keys.
_PRAGMAS: Final = ("journal_mode = OFF", "synchronous = OFF", "cache_size = -32768", "temp_store = MEMORY")


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
