"""Lines whose fields stand without quotes, each with as many as are due, read without a look at each of them.

Does not belong here: lines that have too few or too many (`ragged`); what quotes mean (`quoted`).
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from connectors.kit.signs import where
from connectors.kit.textual import NOT_AS_THEY_STAND


def rows(body: bytes, width: int, columns: Sequence[int], separator: str) -> pl.DataFrame | None:
    """Text columns («0», «1», …) of some whole lines, those of `columns`; None where a line has not `width` fields.

    Polars cuts long rows and fills short ones in silence. But where each line has its separators, and only there,
    each `width`th of all separators and line ends is a line's end.
    """
    ends = where(body, "\n")
    order = ends.filter(ends | where(body, separator))
    lines = len(order) // width
    if not lines or len(order) % width or int(ends.sum()) != lines:
        return None
    if not order.gather_every(width, width - 1).all() or not body.endswith(b"\n"):
        return None
    # polars would drop the return
    if body.startswith(NOT_AS_THEY_STAND) or b"\r" in body or b"\0" in body:
        return None
    try:
        frame = pl.read_csv(
            body,
            has_header=False,
            schema={str(index): pl.String for index in range(width)},
            columns=sorted(columns),
            separator=separator,
            quote_char=None,
            truncate_ragged_lines=True,
        )
    except pl.exceptions.PolarsError:
        return None
    return frame if frame.height == lines else None
