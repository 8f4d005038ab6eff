"""Cutting pages out of ordered rows, and the keys they go on after.

Does not belong here: any order itself; a key is whatever the question sorts by.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from warehouse.reading import BadKey, Key, Page
from warehouse.schema.types import LARGEST_INTEGER, LEAST_INTEGER

_INTEGERS: Final = range(LEAST_INTEGER, LARGEST_INTEGER + 1)


def page(rows: Iterable[tuple[Key, bytes]], limit: int) -> Page:
    """The first `limit` rows, and whether another follows. Takes no more rows than it must."""
    taken = list(islice(rows, limit + 1))
    kept = taken[:limit]
    return Page(tuple(body for _, body in kept), tuple(key for key, _ in kept), len(taken) > limit)


def parts(key: Key, *kinds: type | tuple[type, ...]) -> tuple[Any, ...]:
    """The parts of a key to go on after, each of its kind; BadKey if it is none of this list.

    It may be of another list, or of an older edition of this one.
    """
    if len(key) != len(kinds) or not all(map(_is, key, kinds)):
        raise BadKey(f"a key of {len(kinds)} parts was due, not {key!r}")
    return tuple(key)


def _is(part: object, kind: type | tuple[type, ...]) -> bool:
    """Exactly of the kind: a truth value is no number, nor is one that no row can have."""
    exact = type(part) in (kind if isinstance(kind, tuple) else (kind,))
    return exact and (not isinstance(part, int) or part in _INTEGERS)
