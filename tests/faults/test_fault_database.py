"""PostgreSQL, where Dagster's records are in it, is away from one step of a run on: told, harmless, healed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.faults import of_databases
from tests.faults.declared import Cell, played_by
from tests.faults.world import Prepared, State, at, is_healed, is_unharmed, prepare, watched
from tests.once import made_once
from tests.stoppable import Stoppable, stoppable

pytestmark = pytest.mark.slow
ALWAYS = ("history",)
"""Played by every run of the tests; the others where FIRM_TESTS is `full`, for each costs two ingests."""

CELLS = [
    cell
    for cell in played_by(of_databases.TEST, of_databases.CELLS)
    if os.environ.get("FIRM_TESTS") == "full" or cell.step in ALWAYS
]


@pytest.fixture(scope="module")
def server() -> Iterator[Stoppable]:
    with stoppable() as running:
        yield running


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.step)
def test_a_database_that_is_gone(
    cell: Cell,
    server: Stoppable,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Dagster asks six times for everything that it notes, six seconds long
    monkeypatch.setattr("dagster_postgres.utils.time", SimpleNamespace(sleep=lambda _: None))
    prepared = Prepared(made_once(tmp_path_factory, "faults", prepare))
    firm = prepared.loaded.copy(tmp_path / "data")
    given = {"FIRM_DAGSTER_DATABASE_URL": server.new_database()}
    command = ("ingest", "--from", prepared.days[1])
    place, nth = of_databases.PLACES[cell.step]
    if not place:
        server.stop()
    try:
        with watched(at(place, server.stop, nth)):
            met = firm.run(*command, **given)
    finally:
        server.start()
    assert met.exit_code == cell.exit_code, met.err
    assert cell.is_said_in(met.err), met.err
    if cell.step == "release":
        assert State.of(firm.data) == prepared.after, "a publish that has begun asks Dagster for nothing"
    else:
        assert is_unharmed(prepared, firm.data)
    again = firm.run(*command, **given)
    assert again.exit_code == 0, again.err
    assert is_healed(prepared, firm.data)
