"""Instants are UTC on every connection to DuckDB, whatever the time zone of the machine."""

import os
import subprocess
import sys

ASKED = """
import sys, time
from pathlib import Path
from warehouse.publish import full_build
from warehouse.reader.queries.duckdb_scans import DuckdbScans, QueryDeadline
from warehouse.serving import search_table
from warehouse.storage.duckdb import open_database, sibling_connection

TOLD = "SELECT strftime(TIMESTAMPTZ '2026-01-03 23:30:00+00', '%Y-%m-%dT%H:%M:%SZ') AS told"
path = Path(sys.argv[1])
with open_database(path) as connection, sibling_connection(connection) as sibling:
    full_build.create_warehouse_tables(connection)
    search_table.build_search_tables(connection)
    print(*(one.execute(TOLD).fetchone()[0] for one in (connection, sibling)))
print(DuckdbScans([path]).rows(QueryDeadline(60, time.monotonic), TOLD, {})[0][0])
"""


def test_every_connection_has_instants_in_utc_on_a_machine_with_another_time_zone(tmp_path):
    told = subprocess.run(
        [sys.executable, "-c", ASKED, str(tmp_path / "rows.duckdb")],
        capture_output=True,
        check=True,
        text=True,
        env={**os.environ, "TZ": "Asia/Tokyo"},
    )
    assert told.stdout.split() == ["2026-01-03T23:30:00Z"] * 3
