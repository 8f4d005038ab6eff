"""Companies in stretches of their ids: every row is in one of them, and what is made so is what all at once gives."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.warehouse.helpers import segment_file
from tests.warehouse.world import learn, member, period, publish
from warehouse.publish import full_build
from warehouse.reader.leases import leased_release
from warehouse.reader.reader import FinancialsQuery, ReleaseReader
from warehouse.release import manifest
from warehouse.release.segments import ROWS
from warehouse.serving import id_ranges
from warehouse.storage.duckdb import open_database
from warehouse.storage.layout import Layout

_IDS = st.sets(st.text(min_size=1, max_size=3).filter(lambda text: "\0" not in text))


@settings(max_examples=30)
@given(_IDS, _IDS, st.integers(1, 4))
def test_every_row_meets_one_condition_and_they_come_in_order(companies: set[str], others: set[str], size: int) -> None:
    with open_database() as connection:
        connection.execute("CREATE TABLE companies (company_id VARCHAR)")
        connection.execute("CREATE TABLE rows (company_id VARCHAR)")
        for table, ids in (("companies", companies), ("rows", companies | others)):
            if ids:
                connection.executemany(f"INSERT INTO {table} VALUES ($1)", [[one] for one in ids])
        conditions = id_ranges.id_range_predicates(connection, "companies", size)
        found = [
            [one for (one,) in connection.execute(f"FROM rows WHERE {part} ORDER BY 1").fetchall()]
            for part in conditions
        ]
        ordered = [one for (one,) in connection.execute("FROM rows ORDER BY 1").fetchall()]
    assert len(conditions) == max(1, -(-len(companies) // size))
    assert [one for part in found for one in part] == ordered
    assert all(len(companies.intersection(part)) <= size for part in found)


def test_a_release_made_in_stretches_is_the_one_made_at_once(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    members = [member("NO", place) for place in range(1, 8)]
    ids = [one["company_id"] for one in members]
    years = [period(company, year) for company in ids for year in (2023, 2024)]
    learn(layout, "NO", 0, companies=members, financials=years)
    publish(layout, "NO", full=True)
    monkeypatch.setattr(id_ranges, "id_range_predicates", partial(id_ranges.id_range_predicates, size=3))
    publish(layout, "NO", full=True)
    for table in ("financials", "companies", "digests", "search", "places"):
        first, second = (_lying(layout, number, f"FROM {table}") for number in (1, 2))
        assert len(first) == {"financials": 14, "places": 0}.get(table, 7)
        assert first == second
    assert _answers(layout, 1, ids) == _answers(layout, 2, ids)


def test_rows_of_companies_that_are_none_are_not_served(layout: Layout) -> None:
    """Whatever lies between two companies is read with them."""
    stranger = member("NO", 2)["company_id"]
    members = [member("NO", place) for place in (1, 3)]
    ids = [one["company_id"] for one in members]
    learn(layout, "NO", 0, companies=members, financials=[period(one, 2024) for one in (*ids, stranger)])
    publish(layout, "NO")
    with leased_release(layout) as held:
        packed = [one for (one,) in held.serving.execute("SELECT company_id FROM financials ORDER BY 1")]
    assert packed == ids


def _lying(layout: Layout, number: int, what: str) -> list[tuple[object, ...]]:
    """Rows of a release's table in the order in which they lie."""
    with open_database(segment_file(layout, number, ROWS), read_only=True) as connection:
        return connection.execute(what).fetchall()


def _answers(layout: Layout, number: int, ids: list[str]) -> list[object]:
    """What is answered while a release is served."""
    manifest.write_pointer(layout, number)
    reader = ReleaseReader(layout)
    with reader.pin_release() as snapshot:
        answers = [
            (
                snapshot.profile(one),
                snapshot.profile_parts(one),
                snapshot.company_financials(one, FinancialsQuery(), None, 9).rows,
            )
            for one in ids
        ]
    reader.close()
    return answers


@pytest.mark.slow
def test_rows_that_lie_in_a_few_runs_are_taken_as_they_lie_and_others_put_in_order(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = [member("NO", place) for place in range(1, 6)]
    ids = [one["company_id"] for one in members]
    came = [ids[place] for place in (3, 1, 4, 0)]  # in three runs
    for day in range(len(came)):
        learn(layout, "NO", day, companies=members, financials=[period(one, 2024) for one in came[: day + 1]])
    # one statement takes them all: one for each stretch would give the companies stretch by stretch
    monkeypatch.setattr(id_ranges, "id_range_predicates", partial(id_ranges.id_range_predicates, size=2))
    publish(layout, "NO", full=True)
    monkeypatch.setattr(full_build, "MOST_UNSORTED_RUNS", 1)
    publish(layout, "NO", full=True)
    lying = [
        [company for (company,) in _lying(layout, number, "SELECT company_id FROM financials")] for number in (1, 2)
    ]
    assert lying == [came, sorted(came)]
    assert _answers(layout, 1, came) == _answers(layout, 2, came)
    assert len({manifest.read_manifest(layout, number).content_fingerprint for number in (1, 2)}) == 1
