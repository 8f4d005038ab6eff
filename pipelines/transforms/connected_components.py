"""Connected components of lists with common elements.

Does not belong here: why two places are in one list (`holders.match_rules`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence


def connected_components(shared: Iterable[Sequence[int]]) -> Iterator[list[int]]:
    """Groups of places connected by common lists, directly or through others; in ascending order."""
    above: dict[int, int] = {}

    def root(place: int) -> int:
        while above.setdefault(place, place) != place:
            place = above[place]
        return place

    for places in shared:
        for place in places[1:]:
            first, second = sorted((root(places[0]), root(place)))
            above[second] = first
    members: dict[int, list[int]] = defaultdict(list)
    for place in sorted(above):
        members[root(place)].append(place)
    yield from (places for places in members.values() if len(places) > 1)
