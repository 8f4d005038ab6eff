"""Cutting pages out of ordered rows.

Does not belong here: any order itself; a key is whatever the question sorts by.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from warehouse.reading import Key, Page


def page(rows: Iterable[tuple[Key, bytes]], limit: int) -> Page:
    """The first `limit` rows, and whether another follows. Takes no more rows than it must."""
    taken = list(islice(rows, limit + 1))
    kept = taken[:limit]
    return Page(tuple(body for _, body in kept), tuple(key for key, _ in kept), len(taken) > limit)
