"""Iceberg tables are the release: after the first export, after a day, at a past snapshot, after kills and maintenance."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from pyiceberg.table import Table as IcebergTable

from tests.warehouse.handed import HOSTILE, hostile_world
from tests.warehouse.helpers import day, killed_at
from tests.warehouse.lakehouse import (
    assert_same,
    by_duckdb,
    iceberg_frames,
    in_order,
    members,
    next_day,
    opened,
    release_frames,
    write_iceberg,
)
from tests.warehouse.world import learn, owner, period, publish
from warehouse.exports.exports import InvalidReleaseError, NoReleaseError
from warehouse.exports.iceberg.catalogs import NAME
from warehouse.exports.merged.results import MergeRefusedError
from warehouse.exports.merged.tables import COMPANIES, MERGED
from warehouse.publish.publisher import ReleaseStore
from warehouse.storage.layout import Layout

FIRST: tuple[int, ...] = tuple(range(1, 31))


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return tmp_path / "lake"


@pytest.fixture(scope="module")
def stored_market(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """Thirty companies with accounts and owners, and a second market of one company."""
    layout = Layout(tmp_path_factory.mktemp("stored") / "data")
    companies = members(*FIRST)
    accounts = [period(one["company_id"], 2024, filing_id=f"fil_{one['org_number']}") for one in companies]
    owners = [owner(one["company_id"], "own_a", "10") for one in companies]
    learn(layout, "NO", 0, companies=companies, financials=accounts, owners=owners)
    learn(layout, "SE", 0, companies=[{**members(1)[0], "company_id": "firm:SE:900000001", "country": "SE"}])
    publish(layout, "NO", "SE")
    return layout


@pytest.fixture
def market(stored_market: Layout, layout: Layout) -> Layout:
    """The same of the test's own."""
    shutil.copytree(stored_market.root, layout.root)
    return layout


def change_one_day(layout: Layout, at: int) -> None:
    """One company is renamed, one removed, one new; accounts and owners stay with those that are there."""
    companies = [*members(*(one for one in FIRST if one not in {2, 3})), *members(3, name=f"Ny {at}"), *members(40)]
    next_day(layout, at, companies=companies)


def table_of(layout: Layout, lake: Path, name: str) -> IcebergTable:
    with opened(layout, lake) as catalog:
        return catalog.load_table((NAME, name))


@pytest.mark.slow
def test_first_export_is_the_release_with_every_hostile_value(layout: Layout, lake: Path) -> None:
    hostile_world(layout)
    made = write_iceberg(layout, lake)
    assert (made.release, made.sequence, made.is_new) == (3, 6, True)
    assert {one.table: one.rows for one in made.tables}["financials"] == 7
    with opened(layout, lake) as catalog:
        found = iceberg_frames(catalog)
    assert_same(found, release_frames(layout))
    assert found["companies"].filter(pl.col("country") == "NO")["name"].to_list() == HOSTILE
    assert found["companies"]["employees"].null_count() == 7
    assert found["filings"].height == 4


@pytest.mark.slow
def test_a_day_is_merged_by_position_deletes_and_the_past_stays_readable(
    market: Layout, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLARS_ICEBERG_PLANNER", "pyiceberg")
    before = release_frames(market)
    write_iceberg(market, lake)
    change_one_day(market, 1)
    after = release_frames(market)
    made = write_iceberg(market, lake)
    assert {one.table: one.written for one in made.tables}["companies"] == 2
    with opened(market, lake) as catalog:
        assert_same(iceberg_frames(catalog), after)
        assert_same(iceberg_frames(catalog, "release-1"), before)
        for table in MERGED:
            stored = catalog.load_table((NAME, table.name))
            first = stored.snapshot_by_name("release-1")
            assert first is not None
            for snapshot_id, expected in ((None, after), (first.snapshot_id, before)):
                others = (by_duckdb(stored, snapshot_id), pl.scan_iceberg(stored, snapshot_id=snapshot_id).collect())
                for read in others:
                    assert in_order(table, read).rows() == expected[table.name].rows()
        stored = catalog.load_table((NAME, "companies"))
        summary = stored.current_snapshot().summary.additional_properties  # type: ignore[union-attr]
    assert (summary["total-position-deletes"], summary["total-data-files"]) == ("2", "3")
    assert (summary["firmdata.release"], summary["firmdata.last-sequence"]) == ("2", "1")


def test_the_same_release_makes_no_second_snapshot(market: Layout, lake: Path) -> None:
    write_iceberg(market, lake)
    made = write_iceberg(market, lake)
    assert (made.is_new, {one.written for one in made.tables}) == (False, {0})
    for table in MERGED:
        assert len(table_of(market, lake, table.name).metadata.snapshots) == 1


@pytest.mark.slow
def test_a_release_without_changes_is_a_snapshot_without_files(market: Layout, lake: Path) -> None:
    write_iceberg(market, lake)
    next_day(market, 1)
    write_iceberg(market, lake)
    with opened(market, lake) as catalog:
        assert_same(iceberg_frames(catalog, "release-2"), release_frames(market))
        stored = catalog.load_table((NAME, "owners"))
    assert [one.summary["added-data-files"] for one in stored.metadata.snapshots if one.summary] == ["1", None]


@pytest.mark.slow
def test_a_market_that_becomes_empty_and_one_that_always_was(market: Layout, lake: Path) -> None:
    write_iceberg(market, lake)
    next_day(market, 1, companies=[], financials=[], owners=[])
    write_iceberg(market, lake)
    with opened(market, lake) as catalog:
        found = iceberg_frames(catalog)
    assert_same(found, release_frames(market))
    assert found["companies"]["country"].to_list() == ["SE"]
    assert found["owners"].height == 0


@pytest.mark.slow
def test_many_days_at_once_and_one_by_one_end_alike(market: Layout, lake: Path, tmp_path: Path) -> None:
    late = tmp_path / "late"
    write_iceberg(market, late)
    write_iceberg(market, lake, keep=2)
    for at in range(1, 6):
        change_one_day(market, at)
        write_iceberg(market, lake, keep=2)
    write_iceberg(market, late)
    for folder in (lake, late):
        with opened(market, folder) as catalog:
            assert_same(iceberg_frames(catalog), release_frames(market))
    stored = table_of(market, lake, "companies")
    assert sorted(stored.metadata.refs) == ["main", "release-5", "release-6"]
    assert len(stored.metadata.snapshots) == 2


@pytest.mark.slow
def test_a_rollback_is_merged_as_any_release(market: Layout, lake: Path) -> None:
    write_iceberg(market, lake)
    change_one_day(market, 1)
    write_iceberg(market, lake)
    ReleaseStore(market, clock=lambda: day(2)).rollback(1)
    write_iceberg(market, lake)
    with opened(market, lake) as catalog:
        assert_same(iceberg_frames(catalog), release_frames(market))


@pytest.mark.slow
def test_a_rewrite_leaves_no_earlier_row_on_disk(market: Layout, lake: Path) -> None:
    write_iceberg(market, lake)
    change_one_day(market, 1)
    write_iceberg(market, lake)
    write_iceberg(market, lake, rewrite=True)
    with opened(market, lake) as catalog:
        assert_same(iceberg_frames(catalog, "release-2"), release_frames(market))
        stored = catalog.load_table((NAME, "companies"))
        live = {task.file.file_path.removeprefix("file://") for task in stored.scan().plan_files()}
    assert len(stored.metadata.snapshots) == 1
    assert {str(path) for path in (lake / "companies" / "data").rglob("*.parquet")} == live


@pytest.mark.slow
def test_a_rewrite_names_what_keeps_earlier_rows_readable(market: Layout, lake: Path) -> None:
    write_iceberg(market, lake)
    with opened(market, lake) as catalog:
        stored = catalog.load_table((NAME, "owners"))
        first = stored.current_snapshot()
        assert first is not None
        stored.manage_snapshots().create_tag(first.snapshot_id, "audit").commit()
    assert write_iceberg(market, lake).kept_by == ()
    assert write_iceberg(market, lake, rewrite=True).kept_by == ("owners: audit",)
    with opened(market, lake) as catalog:
        catalog.load_table((NAME, "owners")).manage_snapshots().remove_tag("audit").commit()
    assert write_iceberg(market, lake, rewrite=True).kept_by == ()


@pytest.mark.slow
def test_an_erased_event_is_erased_from_the_table(market: Layout, lake: Path) -> None:
    next_day(market, 1)
    write_iceberg(market, lake)
    path = market.ledger_folder / "0000000002.parquet"
    erased = pl.read_parquet(path).with_columns(data=pl.lit('{"occurred_at":"x"}'))
    erased.write_parquet(path)
    next_day(market, 2)
    write_iceberg(market, lake)
    with opened(market, lake) as catalog:
        found = iceberg_frames(catalog)
    assert_same(found, release_frames(market))
    assert '{"occurred_at":"x"}' in found["events"]["data"].to_list()


@pytest.mark.slow
def test_an_older_release_and_another_installation_are_refused(market: Layout, lake: Path, tmp_path: Path) -> None:
    change_one_day(market, 1)
    write_iceberg(market, lake)
    other = Layout(tmp_path / "other")
    learn(other, "NO", 0, companies=members(1))
    publish(other, "NO")
    for given in ({}, {"rewrite": True}):
        with pytest.raises(MergeRefusedError, match="has release 2, which is newer than 1, the current one here"):
            write_iceberg(other, lake, **given)
    learn(other, "NO", 1, companies=members(1, name="Ny"))
    publish(other, "NO", at=1)
    with pytest.raises(MergeRefusedError, match="has a release 2 with other content, so another installation"):
        write_iceberg(other, lake)
    with opened(market, lake) as catalog:
        assert_same(iceberg_frames(catalog), release_frames(market))


@pytest.mark.slow
def test_rows_changed_by_another_writer_are_refused_until_a_rewrite(market: Layout, lake: Path) -> None:
    write_iceberg(market, lake)
    with opened(market, lake) as catalog:
        stored = catalog.load_table((NAME, "companies"))
        stored.delete("country == 'SE'")
    change_one_day(market, 1)
    with pytest.raises(MergeRefusedError, match=r"companies was changed by another writer .* with --rewrite"):
        write_iceberg(market, lake)
    write_iceberg(market, lake, rewrite=True)
    with opened(market, lake) as catalog:
        assert_same(iceberg_frames(catalog), release_frames(market))


@pytest.mark.slow
def test_what_cannot_be_exported(layout: Layout, lake: Path, tmp_path: Path) -> None:
    with pytest.raises(NoReleaseError, match="no release yet"):
        write_iceberg(layout, lake)
    assert not lake.exists()
    learn(layout, "NO", 0, companies=members(1))
    publish(layout, "NO")
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(FileExistsError):
        write_iceberg(layout, tmp_path / "taken")
    [rows] = layout.release_folder(1).glob("rows.*.duckdb")
    rows.write_bytes(b"cut")
    with pytest.raises(InvalidReleaseError, match=r"rows\.\S+ is missing or incomplete"):
        write_iceberg(layout, lake)


@pytest.mark.slow
def test_killed_at_any_step_each_table_is_at_a_release_and_the_next_run_completes(market: Layout, lake: Path) -> None:
    former = release_frames(market)
    write_iceberg(market, lake)
    change_one_day(market, 1)
    after = release_frames(market)
    kept = lake.with_name("kept")
    shutil.copytree(lake, kept)
    for step, new in ((1, 0), (2, 1), (9, 4), (14, 7)):  # files written, committed; `digests` last
        assert killed_at(partial(_write_in_process, market.root, lake), step)
        with opened(market, lake) as catalog:
            found = iceberg_frames(catalog)
        for place, table in enumerate(MERGED):
            expected = after if place < new else former
            assert found[table.name].rows() == expected[table.name].rows(), (step, table.name)
        write_iceberg(market, lake)
        with opened(market, lake) as catalog:
            assert_same(iceberg_frames(catalog), after)
        shutil.rmtree(lake)
        shutil.copytree(kept, lake)


def _write_in_process(root: Path, lake: Path, on_step: Any) -> None:
    write_iceberg(Layout(root), lake, on_step=on_step)


@pytest.mark.slow
def test_a_kill_and_then_another_release_ends_as_if_nothing_had_happened(market: Layout, lake: Path) -> None:
    write_iceberg(market, lake)
    change_one_day(market, 1)
    assert killed_at(partial(_write_in_process, market.root, lake), 6)
    next_day(market, 2, companies=members(*FIRST))  # back to what `digests` still has
    write_iceberg(market, lake)
    with opened(market, lake) as catalog:
        assert_same(iceberg_frames(catalog), release_frames(market))


def test_columns_carry_their_description_and_keys_are_identifiers(market: Layout, lake: Path) -> None:
    write_iceberg(market, lake)
    for table in MERGED:
        schema = table_of(market, lake, table.name).schema()
        assert {schema.find_column_name(one) for one in schema.identifier_field_ids} == set(table.key)
        assert [field.name for field in schema.fields] == list(table.names)
    schema = table_of(market, lake, "companies").schema()
    assert schema.find_field("name").doc == COMPANIES.column("name").description
