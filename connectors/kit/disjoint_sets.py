"""Sets of positions that are joined pair by pair (union-find), nearly linear in their number.

Does not belong here: what joins two positions.
"""

from __future__ import annotations


class DisjointSets:
    """Every position is a set of its own until it is joined."""

    def __init__(self) -> None:
        self._above: dict[int, int] = {}

    def root(self, place: int) -> int:
        """The first position of a set."""
        above = self._above
        while above.get(place, place) != place:
            above[place] = above.get(above[place], above[place])
            place = above[place]
        return place

    def join(self, one: int, other: int) -> None:
        """Joins the sets of two positions."""
        first, then = sorted((self.root(one), self.root(other)))
        self._above[then] = first

    def groups(self, count: int) -> list[list[int]]:
        """The sets of the first `count` positions, each in order, by their first position."""
        found: dict[int, list[int]] = {}
        for place in range(count):
            found.setdefault(self.root(place), []).append(place)
        return list(found.values())
