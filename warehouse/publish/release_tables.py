"""The tables of a whole release as views over its segments, for analyses and checks in DuckDB.

Does not belong here: the API's queries (`reader.queries`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import duckdb

from warehouse.publish import full_build
from warehouse.release import manifest as release_manifest
from warehouse.schema.tables import TABLES
from warehouse.serving.search_table import SEARCH
from warehouse.serving.segment_views import visible_rows_sql
from warehouse.storage.duckdb import open_database, quote_identifier
from warehouse.storage.layout import Layout

_ONE_AT_A_TIME: Final = threading.Lock()


@contextmanager
def open_release_tables(layout: Layout, number: int) -> Iterator[duckdb.DuckDBPyConnection]:
    """Opens a release read-only, each table under its name. Raises InvalidReleaseError if there is no such release.

    One at a time in a process, as an instance of DuckDB attaches a file once: others wait.
    """
    manifest = release_manifest.read_manifest(layout, number)
    folder = layout.release_folder(number)
    with (
        _ONE_AT_A_TIME,
        open_database() as connection,
        full_build.attached_segments(connection, folder, manifest.segments) as catalogs,
    ):
        for name in (*(table.name for table in TABLES), SEARCH.name, full_build.DIGESTS):
            visible = visible_rows_sql(quote_identifier(name), catalogs)
            connection.execute(f"CREATE TEMP VIEW {quote_identifier(name)} AS {visible}")
        places = " UNION ".join(f"SELECT place, names FROM {catalog}.places" for catalog in catalogs)
        connection.execute(f"CREATE TEMP VIEW places AS {places}")
        yield connection
