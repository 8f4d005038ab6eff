"""Lines whose every field stands in quotes, read without a look at each of them.

Many registries write so, and then the quotes alone tell whether a row has all its fields. Does not belong here:
lines of another kind, and what to do with those that lack something (`ragged`).
"""

from __future__ import annotations

import codecs
from typing import cast

import polars as pl
import pyarrow as pa


def rows(body: bytes, width: int, separator: str, quote: str) -> pl.DataFrame | None:
    """A row of text columns («0», «1», …) for each of some whole lines; None where they are not all of this kind.

    Polars refuses a row that is too long; of the others the sums tell. Every quote that is part of a value stands
    doubled in the bytes, and every field takes two more and the byte behind it. A row that lacks a field, or has
    one without quotes, leaves both sums short, and none can make up for it.
    """
    lines, quotes = count(body, b"\n"), count(body, quote.encode())
    cut = body.startswith(codecs.BOM_UTF8)  # polars would drop such a mark
    if not lines or quotes < 2 * width * lines or cut or b"\0" in body:
        return None
    try:
        frame = pl.read_csv(
            body,
            has_header=False,
            schema={str(index): pl.String for index in range(width)},
            separator=separator,
            quote_char=quote,
            null_values=[""],
        )
    except pl.exceptions.PolarsError:
        return None
    doubled = (quotes - 2 * width * lines) / 2
    around = 3 * width * lines + count(body, b"\r") + doubled
    return frame if frame.height == lines and len(body) == _bytes(frame) + around else None


def count(body: bytes, byte: bytes) -> int:
    """How often one byte stands in a body: where it is frequent, twenty times as fast as `bytes.count`."""
    values = pa.Array.from_buffers(pa.uint8(), len(body), [None, pa.py_buffer(body)])
    return int((cast("pl.Series", pl.from_arrow(values)) == byte[0]).sum())


def _bytes(frame: pl.DataFrame) -> int:
    """Bytes of all values."""
    return int(frame.select(pl.sum_horizontal(pl.all().str.len_bytes().sum())).item())
