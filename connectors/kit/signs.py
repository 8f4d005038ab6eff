"""Where single bytes stand in a body: a truth for each byte, in bits, so that a look at millions costs little.

Does not belong here: what the bytes mean (`quoted`, `bare`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, cast

import polars as pl
import pyarrow as pa

_STRETCH: Final = 1 << 16  # bytes that are looked at one by one


def values(body: bytes) -> pl.Series:
    """The bytes of a body as numbers, without a copy."""
    numbers = pa.Array.from_buffers(pa.uint8(), len(body), [None, pa.py_buffer(body)])
    return cast("pl.Series", pl.from_arrow(numbers))


def where(numbers: pl.Series, sign: str) -> pl.Series:
    """Whether each of a body's `values` is a sign of ASCII."""
    return numbers == ord(sign)


def count(body: bytes, sign: str) -> int:
    """How often a sign stands in a body: where it is frequent, twenty times as fast as `bytes.count`."""
    return int(where(values(body), sign).sum())


def beginnings(ends: pl.Series, lines: Sequence[int]) -> Iterator[int]:
    """Where some lines begin, by their places among all (ascending); `ends`: where lines end."""
    start, passed = 0, 0  # of a stretch, and how many lines end before it
    inside = int(ends[:_STRETCH].sum())
    for line in lines:
        while line and passed + inside < line:
            start, passed = start + _STRETCH, passed + inside
            inside = int(ends.slice(start, _STRETCH).sum())
        yield start + int(ends.slice(start, _STRETCH).arg_true()[line - passed - 1]) + 1 if line else 0
