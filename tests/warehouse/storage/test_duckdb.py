"""What memory does not hold goes to the disk beside a release, never into it; what it need not hold, it does not."""

import gc
import os
import subprocess
import sys
import weakref

import polars as pl
import pytest

from warehouse.storage import atomic_files, duckdb

TIGHT = "60MB"
WIDE = "SELECT range AS number, md5(range::VARCHAR) || md5((range + 1)::VARCHAR) AS told FROM range(1500000)"


@pytest.fixture
def tight(monkeypatch):
    """DuckDB with little memory for the folders of one test."""
    monkeypatch.setitem(duckdb.CONNECTION_SETTINGS, "memory_limit", TIGHT)
    duckdb.shared_instance.cache_clear()
    yield
    duckdb.shared_instance.cache_clear()


@pytest.mark.slow
def test_what_is_spilled_stands_beside_the_folder_and_goes_with_its_duckdb(tmp_path, tight):
    release = tmp_path / "0000000001"
    release.mkdir()
    with duckdb.open_database(release / "warehouse.duckdb") as connection:
        connection.execute(f"CREATE TEMP TABLE held AS {WIDE}")
        assert len(list(tmp_path.glob(".spilled-*/*"))) > 0
        assert duckdb.query_int(connection, "SELECT count(DISTINCT told) FROM held") == 1_500_000
    assert [path.name for path in release.iterdir()] == ["warehouse.duckdb"]
    duckdb.shared_instance.cache_clear()
    assert not list(tmp_path.glob(".spilled-*"))


def test_two_folders_side_by_side_share_no_room(tmp_path):
    rooms = set()
    for name in ("0000000001", "0000000002"):
        (tmp_path / name).mkdir()
        with duckdb.open_database(tmp_path / name / "warehouse.duckdb") as connection:
            rooms |= set(connection.execute("SELECT current_setting('temp_directory')").fetchall())
    assert len(rooms) == 2


def test_what_a_dead_process_spilled_is_removed_and_a_living_ones_stays(tmp_path):
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    here = atomic_files.process_space()
    dead = tmp_path / f".spilled-{here}-{int(ended.stdout)}-1"
    living = tmp_path / f".spilled-{here}-{os.getppid()}-1"
    elsewhere = tmp_path / f".spilled-{int(here) + 1}-{int(ended.stdout)}-1"  # of another container: nothing is known
    left = tmp_path / f".spilled-{int(here) + 1}-{int(ended.stdout)}-2"
    for room in (dead, living, elsewhere, left):
        room.mkdir()
        (room / "duckdb_temp_storage_DEFAULT-0.tmp").write_bytes(b"0")
    os.utime(left, (0, 0))
    (tmp_path / "0000000001").mkdir()
    with duckdb.open_database(tmp_path / "0000000001" / "warehouse.duckdb"):
        assert not dead.exists()
        assert living.exists()
        assert elsewhere.exists()
        assert not left.exists()


def test_a_transaction_lets_go_of_a_frame_that_a_statement_went_over(monkeypatch):
    shown, to_arrow = [], pl.DataFrame.to_arrow

    def noted(frame, **how):
        table = to_arrow(frame, **how)
        shown.append(weakref.ref(table))
        return table

    monkeypatch.setattr(pl.DataFrame, "to_arrow", noted)
    rows = pl.DataFrame({"number": [1, 2]})
    with duckdb.open_database() as connection:
        connection.execute("BEGIN")
        duckdb.run_over_frame(connection, "given", rows, "CREATE TEMP TABLE kept AS SELECT sum(number) FROM given")
        with duckdb.registered_frame(connection, "given", rows):
            connection.execute("SELECT count(*) FROM given").fetchall()
        gc.collect()
        over, registered = (table() for table in shown)
        assert connection.execute("FROM kept").fetchall() == [(3,)]
        assert over is None
        assert registered is not None, "DuckDB lets go of it by itself: nothing but `registered` is needed"
