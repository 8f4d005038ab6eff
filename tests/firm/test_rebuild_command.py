"""`firm rebuild` as an operator has it, and what `firm doctor` says of a history that wants it."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from connectors.kit.staging import staged_schema
from connectors.se import SWEDEN
from pipelines.workspace import staged_tables
from tests.api.fixtures.release_data import WORLD, make_world
from tests.firm.inside import Inside
from warehouse.history.history import MarketHistory
from warehouse.storage.duckdb import open_database


@pytest.fixture
def firm(tmp_path: Path) -> Inside:
    """A market with a history of which nothing is staged."""
    inside = Inside(tmp_path / "data")
    make_world(inside.data).publish(WORLD[:1])
    return inside


def histories(firm: Inside) -> list[list[str]]:
    lines = [line.split("\t") for line in firm.run("doctor").out.splitlines()]
    return [line for line in lines if line[1].startswith("history")]


def test_what_would_be_lost_is_said_and_stays(firm: Inside) -> None:
    said = firm.run("rebuild", "se")
    assert (said.exit_code, said.out) == (1, "")
    assert "SE: the rebuilt history lacks 1 company that is served (firm:SE:5599999991)" in said.err
    looked = firm.run("rebuild", "se", "--check", "--json").report["rebuilt"][0]
    assert (looked["market"], looked["lost"], looked["release"]) == ("SE", ["firm:SE:5599999991"], None)
    assert looked["rows"]["companies"] == [1, 0]
    assert firm.release() == 1
    none = firm.run("rebuild", "no")
    assert (none.exit_code, none.out) == (1, "")
    assert "firm ingest no" in none.err


def test_the_doctor_names_a_history_from_before_an_upgrade(firm: Inside) -> None:
    assert histories(firm) == [["ok", "history of SE", ""]]
    with open_database(firm.layout.history_file("SE")) as connection:
        connection.execute("UPDATE identity SET edition = 'former'")
    for _ in range(2):
        [[state, what, advice]] = histories(firm)
        assert (state, "before an upgrade" in what, advice) == ("warn", True, "run: firm rebuild se")
        with MarketHistory(firm.layout, "SE"):
            """What an ingest does to it: the file is of this edition then, its rows are not."""


def test_doctor_of_a_history_with_a_record_twice_names_the_table_and_the_rebuild(firm: Inside) -> None:
    table = next(iter(staged_tables(SWEDEN).values()))
    columns = {
        **staged_schema(table),
        "_company_id": pl.String,
        "_observed_at": pl.Datetime("us", "UTC"),
        "_raw": pl.String,
    }
    record = pl.DataFrame(
        {name: ["1"] if name in table.key else [None] for name in columns}, schema=columns, strict=False
    )
    seen = record.with_columns(_observed_at=datetime(2026, 11, 2, tzinfo=UTC), _raw=pl.lit("0" * 64))
    with MarketHistory(firm.layout, "SE") as history, history.transaction():
        history.upsert_present(table, seen)
    assert [state for state, *_ in histories(firm)] == ["ok"]
    with open_database(firm.layout.history_file("SE")) as connection:
        connection.execute(f"INSERT INTO present.{table.name} FROM present.{table.name}")
    [[state, what, advice]] = histories(firm)
    assert (state, what) == ("bad", f"history of SE has records with two current rows: 1 of {table.name}")
    assert advice.endswith("run: firm rebuild se")


def test_doctor_of_a_history_of_no_declared_market_warns(firm: Inside) -> None:
    firm.layout.history_file("SE").rename(firm.layout.history_file("XX"))
    [[state, what, advice]] = histories(firm)
    assert (state, what) == ("warn", "history of XX: no such market is declared")
    assert "XX.duckdb" in advice
