"""Circles of a directed graph: companies that hold each other, directly or through others.

Does not belong here: which companies and edges there are (`groups`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping


def find_circles(edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """The strongly connected components of two or more nodes, each sorted, sorted. Linear in the edges."""
    following: dict[str, list[str]] = {}
    for one, other in sorted(edges):
        following.setdefault(one, []).append(other)
        following.setdefault(other, [])
    search = _Search(following)
    for node in following:
        search.visit(node)
    return sorted(circle for circle in search.components if len(circle) > 1)


class _Search:
    """Tarjan's algorithm, iterative: a chain may be longer than Python's stack."""

    def __init__(self, following: Mapping[str, list[str]]) -> None:
        self.components: list[list[str]] = []
        self._following = following
        self._order: dict[str, int] = {}
        self._lowest: dict[str, int] = {}
        self._open: dict[str, None] = {}  # in the order of entry
        self._path: list[tuple[str, Iterator[str]]] = []

    def visit(self, start: str) -> None:
        """Finds the components that can be reached from a node and are not known yet."""
        if start not in self._order:
            self._enter(start)
        while self._path:
            node, rest = self._path[-1]
            other = next(rest, None)
            if other is None:
                self._leave(node)
            elif other not in self._order:
                self._enter(other)
            elif other in self._open:
                self._lowest[node] = min(self._lowest[node], self._order[other])

    def _enter(self, node: str) -> None:
        self._order[node] = self._lowest[node] = len(self._order)
        self._open[node] = None
        self._path.append((node, iter(self._following[node])))

    def _leave(self, node: str) -> None:
        self._path.pop()
        if self._path:
            above = self._path[-1][0]
            self._lowest[above] = min(self._lowest[above], self._lowest[node])
        if self._lowest[node] == self._order[node]:
            component: list[str] = []
            while not component or component[-1] != node:
                component.append(self._open.popitem()[0])
            self.components.append(sorted(component))
