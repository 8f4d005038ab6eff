"""Releases that follow one of an earlier version, which lacks a table of this one."""

from __future__ import annotations

from tests.warehouse.world import learn, member, owner, publish
from warehouse.publish import full_build
from warehouse.publish.full_build import MarketHistoryFile
from warehouse.release.segments import ROWS
from warehouse.schema.tables import COMPANIES, OWNERS, RELATIONS
from warehouse.storage.duckdb import open_database
from warehouse.storage.layout import Layout


def test_a_market_without_a_history_is_carried_over_without_the_table(layout: Layout) -> None:
    owners = [owner("firm:NO:900000001", "own_a", "5")]
    learn(layout, "NO", 0, companies=[member("NO", 1)], owners=owners)
    made = publish(layout, "NO")
    assert made is not None
    folder = layout.release_folder(made.release)
    with open_database(folder / made.segments[0].files[ROWS]) as connection:
        connection.execute(f"DROP TABLE {RELATIONS.name}")
    target = layout.root / "base.duckdb"
    full_build.build_base(target, [MarketHistoryFile("NO", None)], made.segments, folder)
    with open_database(target, read_only=True) as connection:
        counts = full_build.table_row_counts(connection)
    assert (counts[COMPANIES.name], counts[OWNERS.name], counts[RELATIONS.name]) == (1, 1, 0)
