"""Sets of positions that are joined pair by pair."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from connectors.kit.disjoint_sets import DisjointSets

COUNT = 12


@given(st.lists(st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1))))
def test_disjoint_sets_groups_are_what_is_connected(pairs: list[tuple[int, int]]) -> None:
    sets = DisjointSets()
    connected = [{place} for place in range(COUNT)]
    for one, other in pairs:
        sets.join(one, other)
        both = connected[one] | connected[other]
        for place in both:
            connected[place] = both
    expected = sorted({tuple(sorted(group)) for group in connected})
    assert [tuple(group) for group in sets.groups(COUNT)] == expected
    assert all(sets.root(place) == group[0] for group in expected for place in group)
