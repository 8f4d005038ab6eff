"""Boolean masks of byte positions, one bit per byte, so that scanning millions is cheap.

Does not belong here: what the bytes mean (`fast_quoted`, `fast_unquoted`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, cast

import polars as pl
import pyarrow as pa

_STRETCH: Final = 1 << 16  # bytes per scanned block


def as_uint8(body: bytes) -> pl.Series:
    """The bytes of a body as numbers, without a copy."""
    numbers = pa.Array.from_buffers(pa.uint8(), len(body), [None, pa.py_buffer(body)])
    return cast("pl.Series", pl.from_arrow(numbers))


def byte_mask(numbers: pl.Series, sign: str) -> pl.Series:
    """Mask of the bytes (`as_uint8`) equal to an ASCII character."""
    return numbers == ord(sign)


def count_bytes(body: bytes, sign: str) -> int:
    """Number of occurrences of a character: twenty times as fast as `bytes.count` if it is frequent."""
    return int(byte_mask(as_uint8(body), sign).sum())


def line_offsets(ends: pl.Series, lines: Sequence[int]) -> Iterator[int]:
    """Start positions of lines by index (ascending); `ends`: mask of line ends."""
    start, passed = 0, 0  # start of a block, and the number of line ends before it
    inside = int(ends[:_STRETCH].sum())
    for line in lines:
        while line and passed + inside < line:
            start, passed = start + _STRETCH, passed + inside
            inside = int(ends.slice(start, _STRETCH).sum())
        yield start + int(ends.slice(start, _STRETCH).arg_true()[line - passed - 1]) + 1 if line else 0
