"""Rows deleted by rowid: as many are gone as were chosen, or the run ends."""

from typing import cast

import duckdb
import pytest

from warehouse.storage.duckdb import LostWriteError, delete_rows


class _ForgetfulConnection:
    """A connection that reports deletions and does not make them, as DuckDB 2.0.0 did now and then."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def execute(self, statement: str, *parameters: object) -> object:
        return self if statement.startswith("DELETE") else self._connection.execute(statement, *parameters)


@pytest.fixture
def connection() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect()
    made.execute("CREATE TABLE kept AS SELECT * FROM range(3) r(n)")
    made.execute("CREATE TABLE chosen AS SELECT rowid AS old FROM kept WHERE n < 2 UNION ALL SELECT NULL")
    return made


def test_delete_rows_of_chosen_rowids_leaves_the_others(connection: duckdb.DuckDBPyConnection) -> None:
    delete_rows(connection, "kept", "chosen")
    assert connection.execute("FROM kept").fetchall() == [(2,)]


def test_delete_rows_with_a_lost_deletion_raises(connection: duckdb.DuckDBPyConnection) -> None:
    forgetful = cast("duckdb.DuckDBPyConnection", _ForgetfulConnection(connection))
    with pytest.raises(LostWriteError, match="kept has 3 rows after an update and should have 1"):
        delete_rows(forgetful, "kept", "chosen")
