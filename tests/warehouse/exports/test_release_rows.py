"""What merged tables write again: each company of which any exported column differs from what a target holds."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from tests.warehouse.helpers import day
from tests.warehouse.lakehouse import members
from tests.warehouse.world import learn, publish
from warehouse.exports.merged.release_rows import ReleaseRows, open_release_rows
from warehouse.exports.merged.tables import DIGESTS
from warehouse.storage.duckdb import open_database
from warehouse.storage.layout import Layout


def held_digests(layout: Layout) -> pa.Table:
    """The digests that a target has after an export of the current release."""
    with open_release_rows(layout) as rows:
        return pa.Table.from_batches(list(rows.market_rows(DIGESTS, "NO")))


def changed_since(layout: Layout, held: pa.Table) -> list[str]:
    with open_release_rows(layout) as rows:
        return rows.find_changes(held.to_reader()).companies.to_list()


@pytest.mark.parametrize(("column", "former", "later"), [("previous_names", None, []), ("address_lines", [], None)])
def test_an_unknown_list_that_becomes_an_empty_one_is_a_change(
    layout: Layout, column: str, former: Any, later: Any
) -> None:
    learn(layout, "NO", 0, companies=members(1, 2, **{column: former}))
    publish(layout, "NO")
    held = held_digests(layout)
    learn(layout, "NO", 1, companies=[*members(1, **{column: later}), *members(2, **{column: former})])
    publish(layout, "NO", at=1)
    assert changed_since(layout, held) == ["firm:NO:900000001"]


def test_the_same_facts_with_other_sources_are_a_change(layout: Layout) -> None:
    first = members(1, 2, observed_at=day(0), sources='[{"register":"no.enheter"}]')
    learn(layout, "NO", 0, companies=first)
    publish(layout, "NO")
    held = held_digests(layout)
    learn(layout, "NO", 1, companies=[*members(1, name="Ny AS"), first[1]])
    back = {**first[0], "observed_at": day(2), "sources": '[{"register":"no.oppdateringer"}]'}
    learn(layout, "NO", 2, companies=[back, first[1]])
    publish(layout, "NO", at=2)
    assert changed_since(layout, held) == ["firm:NO:900000001"]


def test_nothing_changed_is_no_change(layout: Layout) -> None:
    learn(layout, "NO", 0, companies=members(1, 2))
    publish(layout, "NO")
    held = held_digests(layout)
    publish(layout, "NO", at=1, full=True)
    assert changed_since(layout, held) == []


def test_a_release_of_an_earlier_version_is_compared_by_the_digests_that_it_has(layout: Layout) -> None:
    learn(layout, "NO", 0, companies=members(1))
    made = publish(layout, "NO")
    assert made is not None
    with open_database() as stored:
        stored.execute("CREATE TABLE digests AS SELECT 'firm:NO:900000001' AS company_id, 2::UBIGINT AS digest")
        rows = ReleaseRows(layout, made, stored)
        held = pa.Table.from_batches(list(rows.market_rows(DIGESTS, "NO")))
        assert held["digest"].to_pylist() == [2 - 2**63]
        assert rows.find_changes(held.to_reader()).companies.is_empty()
