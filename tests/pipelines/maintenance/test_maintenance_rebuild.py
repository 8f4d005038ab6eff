"""Histories made anew: the same as before where nothing has moved, whole where something has, and never an echo."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipelines.curation.holder_decisions import DecisionRequest, record_decision
from pipelines.maintenance.rebuild import (
    LostCompaniesError,
    NoHistoryError,
    RebuildOptions,
    RebuildResult,
    WorkspaceOverrides,
    rebuild,
)
from pipelines.maintenance.replay import MissingStagedRowsError
from tests.pipelines.invented import MARKET
from tests.pipelines.places import ONE, THREE, TWO, Place, accounts, owner
from warehouse.history import database
from warehouse.ledger.ledger import Ledger
from warehouse.publish.publisher import ReleaseStore
from warehouse.schema.decisions import SAME
from warehouse.schema.ids import holder_id
from warehouse.schema.tables import TABLES
from warehouse.storage.duckdb import open_database
from warehouse.storage.locks import AlreadyLockedError, market_lock

COMPANY = f"firm:FI:{ONE}"
FIRST, SECOND = (holder_id(COMPANY, "fi.owners", native) for native in ("o1", "o2"))


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A market that has seen days, a complete one that dissolves, one held, a judgement and a late file."""
    place = Place(tmp_path_factory.mktemp("lived"))
    days(place)
    place.ingest()
    shutil.rmtree(place.folder)
    place.day("2026-01-04", "fi.register")
    place.register((ONE, "Yksi Oy", "open", ""), day="2026-01-04")  # one of three
    assert place.ingest().held
    shutil.rmtree(place.folder)
    place.day("2026-01-05", "fi.register")
    place.register((ONE, "Uusi Oy", "asleep", "2026-03-03"), (TWO, "Kaksi Oy", "open", ""), day="2026-01-05")
    place.records("accounts/a2.json", accounts("a2", ONE, 2025, 90), day="2026-01-05")
    second = owner("o2", ONE, 50, 75, holder="Åsa Ny", since="2022-01-01")
    place.records("owners/o2.json", second, day="2026-01-05")
    assert place.ingest().events
    record_decision(
        place.settings.layout, DecisionRequest(COMPANY, SECOND, FIRST, SAME, "anna", "one house"), place.now
    )
    shutil.rmtree(place.folder)
    place.records("accounts/a0-2025-06-01.json", accounts("a0", ONE, 2023, 70))  # late
    assert dict(place.ingest().events) == {}
    return place


def days(place: Place) -> None:
    place.day("2026-01-01", "fi.register")
    rows = [(number, f"Yhtiö {number} Oy", "open", "2020-01-01") for number in (ONE, TWO, THREE)]
    place.register(*rows, day="2026-01-01")
    place.records("accounts/a1.json", accounts("a1", ONE, 2024, 100), day="2026-01-01")
    place.records("owners/o1.json", owner("o1", ONE, 25, 50), day="2026-01-01")
    place.day("2026-01-02")
    place.register((ONE, "Yksi Oy", "asleep", "2026-01-02"), day="2026-01-02")
    place.day("2026-01-03", "fi.register")
    place.register(*rows[1:], (ONE, "Uusi Oy", "open", ""), day="2026-01-03")


@pytest.fixture(scope="module")
def young(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A market that has seen two runs and told one event."""
    place = Place(tmp_path_factory.mktemp("young"))
    place.plain_ingested()
    place.register((ONE, "Yksi Oy", "asleep", "2026-03-03"), (TWO, "Uusi Oy", "open", ""))
    assert dict(place.ingest().events) == {"status.changed": 1}
    return place


def copied(place: Place, to: Path) -> Place:
    shutil.copytree(place.root, to / "place")
    return Place(to / "place", place.now)


@pytest.fixture
def old(lived: Place, tmp_path: Path) -> Place:
    return copied(lived, tmp_path)


@pytest.fixture
def place(young: Place, tmp_path: Path) -> Place:
    return copied(young, tmp_path)


def rebuilt(place: Place, *, on_step: Callable[[str], None] = lambda _: None, **wishes: bool) -> RebuildResult:
    place.now += timedelta(days=1)
    overrides = WorkspaceOverrides((place.market,), place.clock, on_step)
    [told] = rebuild(place.settings, ["fi"], RebuildOptions(**wishes), place.lines.append, overrides)
    return told


def content(place: Place) -> dict[str, list[tuple[Any, ...]]]:
    """Everything that the history ever knew."""
    with open_database(place.settings.layout.history_file("FI"), read_only=True) as connection:
        names = [(schema, table.name) for schema in ("open", "closed", "versions") for table in TABLES]
        return {
            f"{schema}.{table}": sorted(connection.execute(f'FROM {schema}."{table}"').fetchall(), key=repr)
            for schema, table in names
        }


def fingerprint(place: Place) -> str:
    current = ReleaseStore(place.settings.layout).current_manifest()
    assert current is not None
    return current.content_fingerprint


def sequences(place: Place) -> list[tuple[int, str]]:
    return [(event.sequence, event.event_id) for event in Ledger(place.settings.layout).after(0, 1000)]


@pytest.mark.slow
def test_what_nothing_has_moved_comes_out_the_same(old: Place) -> None:
    place = old
    before, served, told = content(place), fingerprint(place), sequences(place)
    assert len(told) >= 4
    done = rebuilt(place)
    assert content(place) == before
    assert {name: (rows, rows) for name, (rows, _) in done.rows.items()} == done.rows
    assert done.rows["owners"][0] > 0
    assert (done.told, dict(done.untold), dict(done.missing), done.lost) == (len(told), {}, {}, ())
    assert (fingerprint(place), sequences(place)) == (served, told)
    assert not place.settings.layout.rebuild_root("FI").exists()
    report = place.ingest()
    assert (dict(report.events), report.release, report.held) == ({}, None, ()), "the next run has nothing to add"


@pytest.mark.slow
def test_rows_of_an_earlier_schema_get_what_it_lacked(place: Place) -> None:
    before, path = content(place), place.settings.layout.history_file("FI")
    assert not database.has_mixed_schema_versions(path)
    with open_database(path) as connection:  # as an edition left it that did not know the column
        for schema in ("open", "closed", "versions"):
            connection.execute(f"ALTER TABLE {schema}.companies DROP COLUMN status_source")
        connection.execute("UPDATE identity SET edition = 'former'")
    assert database.has_mixed_schema_versions(path)
    place.ingest()
    assert content(place) != before
    assert database.has_mixed_schema_versions(path), "the file has the column now, its rows have nothing in it"
    done = rebuilt(place)
    assert (dict(done.untold), dict(done.missing)) == ({}, {})
    assert {name: len(rows) for name, rows in content(place).items()} == {
        name: len(rows) for name, rows in before.items()
    }
    with open_database(path, read_only=True) as connection:
        assert connection.execute("SELECT DISTINCT status_source FROM open.companies").fetchall() == [("fi.register",)]
    assert not database.has_mixed_schema_versions(path)


def noisy(present: Mapping[str, pl.LazyFrame], today: date) -> dict[str, pl.DataFrame]:
    """Another rule: who is called so is asleep, whatever the register says."""
    shared = dict(MARKET.to_shared_tables(present, today))
    asleep = pl.col("name").replace_strict({"Yksi Oy": "active", "Uusi Oy": "dormant"}, default=pl.col("status"))
    return {**shared, "companies": shared["companies"].with_columns(status=asleep)}


@pytest.mark.slow
def test_another_rule_changes_what_is_served_and_tells_nobody_unasked(place: Place) -> None:
    told, before, served = sequences(place), content(place), fingerprint(place)
    place.market = replace(MARKET, to_shared_tables=noisy)
    looked = rebuilt(place, check=True)
    assert (dict(looked.untold), dict(looked.missing)) == ({"status.changed": 1}, {"status.changed": 1})
    assert (looked.release, content(place), fingerprint(place)) == (None, before, served)
    assert rebuilt(place).untold == looked.untold
    assert (fingerprint(place) != served, sequences(place)) == (True, told)
    assert dict(place.ingest().events) == {}
    loud = rebuilt(place, emit=True)
    assert loud.untold == looked.untold
    assert sequences(place)[: len(told)] == told
    assert len(sequences(place)) == len(told) + 1


def without_two(present: Mapping[str, pl.LazyFrame], today: date) -> dict[str, pl.DataFrame]:
    lacks = pl.col("company_id") != f"firm:FI:{TWO}"
    return {name: rows.filter(lacks) for name, rows in MARKET.to_shared_tables(present, today).items()}


@pytest.mark.slow
def test_companies_are_not_lost_by_accident(place: Place) -> None:
    before = content(place)
    place.market = replace(MARKET, to_shared_tables=without_two)
    with pytest.raises(LostCompaniesError, match=r"lacks 1 company that is served \(firm:FI:1000002-2\)"):
        rebuilt(place)
    assert content(place) == before
    assert rebuilt(place, accept_lost=True).lost == (f"firm:FI:{TWO}",)
    assert not [row for row in content(place)["open.companies"] if f"firm:FI:{TWO}" in row]


def test_what_cannot_be_rebuilt_is_said_before_anything_is_made(place: Place) -> None:
    before = content(place)
    staged = place.settings.layout.staged_folder / "fi.register"
    gone = next(staged.glob("*/fi_register.parquet"))
    gone.unlink()
    with pytest.raises(MissingStagedRowsError, match=f"rows of fi.register/{gone.parent.name} are missing from STAGED"):
        rebuilt(place)
    assert content(place) == before
    shutil.rmtree(place.settings.layout.history_folder)
    with pytest.raises(NoHistoryError, match="firm ingest fi"):
        rebuilt(place)


@pytest.mark.slow
def test_rebuild_of_an_unchanged_market_gives_the_same_rows_and_release(place: Place) -> None:
    before, served, told = content(place), fingerprint(place), sequences(place)
    done = rebuilt(place)
    assert (dict(done.untold), dict(done.missing), done.lost) == ({}, {}, ())
    assert (content(place), fingerprint(place), sequences(place)) == (before, served, told)


class KilledError(Exception):
    pass


@pytest.mark.slow
def test_killed_before_its_release_the_next_run_publishes_it(place: Place) -> None:
    def die(step: str) -> None:
        if step == "history replaced":
            raise KilledError

    before, served, told = content(place), fingerprint(place), sequences(place)
    with pytest.raises(KilledError):
        rebuilt(place, on_step=die)
    litter = place.settings.layout.rebuild_root("FI") / "history"
    litter.mkdir(parents=True)  # of a process that could not clear up
    report = place.ingest()
    assert dict(report.events) == {}
    assert not litter.exists()
    assert (content(place), fingerprint(place), sequences(place)) == (before, served, told)


@pytest.mark.slow
def test_events_on_their_way_are_not_lost(place: Place) -> None:
    def die(step: str) -> None:
        if step == "events numbered":
            raise KilledError

    place.records("accounts/a3.json", accounts("a3", ONE, 2025, 110))
    assert place.ingest(on_step=die).errors
    told = sequences(place)
    done = rebuilt(place)
    assert done.release is not None
    assert len(sequences(place)) == len(told) + 1
    assert Ledger(place.settings.layout).after(len(told), 1)[0].event_type == "filing.added"
    assert dict(place.ingest().events) == {}


@pytest.mark.slow
def test_rebuild_after_a_run_that_died_before_its_history_publishes_its_events(place: Place) -> None:
    def die(line: str) -> None:
        if line == "FI: 1 company touched":
            raise KilledError

    place.records("accounts/a3.json", accounts("a3", ONE, 2025, 110))
    told = sequences(place)
    assert place.ingest(die).errors
    assert rebuilt(place).release is not None
    assert [event.event_type for event in Ledger(place.settings.layout).after(len(told), 9)] == ["filing.added"]
    assert dict(place.ingest().events) == {}


def test_nobody_writes_the_market_meanwhile(place: Place) -> None:
    with market_lock(place.settings.layout, "FI"), pytest.raises(AlreadyLockedError, match="market FI"):
        rebuilt(place)
