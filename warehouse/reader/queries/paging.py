"""Keyset paging: cuts pages out of ordered rows, and validates the keys they continue after.

Does not belong here: any order; a key is whatever the query sorts by.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from warehouse.reader.types import InvalidPageKeyError, Key, ResultPage
from warehouse.schema.types import LARGEST_INTEGER, LEAST_INTEGER

_INTEGERS: Final = range(LEAST_INTEGER, LARGEST_INTEGER + 1)


def build_page(rows: Iterable[tuple[Key, bytes]], limit: int) -> ResultPage:
    """The first `limit` rows, and whether more follow. Consumes at most one row more."""
    taken = list(islice(rows, limit + 1))
    kept = taken[:limit]
    return ResultPage(tuple(body for _, body in kept), tuple(key for key, _ in kept), len(taken) > limit)


def key_parts(key: Key, *kinds: type | tuple[type, ...]) -> tuple[Any, ...]:
    """The validated parts of a paging key; raises InvalidPageKeyError if it does not fit this list.

    It may come from another list, or from an older version of the software.
    """
    if len(key) != len(kinds) or not all(map(_is_kind, key, kinds)):
        raise InvalidPageKeyError(f"expected a key of {len(kinds)} parts, not {key!r}")
    return tuple(key)


def _is_kind(part: object, kind: type | tuple[type, ...]) -> bool:
    """Exact type check: a boolean is not an integer, nor is an integer outside the allowed range."""
    exact = type(part) in (kind if isinstance(kind, tuple) else (kind,))
    return exact and (not isinstance(part, int) or part in _INTEGERS)
