"""Lines whose fields stand without quotes, each with as many as are due, read without a look at each of them.

Does not belong here: lines that have too few or too many (`ragged`); what quotes mean (`quoted`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from connectors.kit.signs import values, where
from connectors.kit.textual import NOT_AS_THEY_STAND, is_broad


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole lines, those of one kind and others.

    order: of all separators and line ends, one behind the other, which are ends. others: lines of another kind,
    without their ends, by their place among all lines (ascending).
    """

    body: bytes
    order: pl.Series
    others: Mapping[int, bytes] = field(default_factory=dict)


def rows(body: bytes, width: int, columns: Sequence[int], separator: str) -> pl.DataFrame | None:
    """Text columns («0», «1», …) of whole lines, those of `columns`; None where a line has not `width` fields."""
    numbers = values(body)
    ends = where(numbers, "\n")
    return rows_of(Lines(body, ends.filter(ends | where(numbers, separator))), width, columns, separator)


def rows_of(lines: Lines, width: int, columns: Sequence[int], separator: str) -> pl.DataFrame | None:
    """What `rows` gives, of all lines but the others; what these hold is not looked at.

    Polars cuts long rows and fills short ones in silence, so what stands between two ends is counted beforehand.
    """
    body = lines.body
    if not body.endswith(b"\n") or not _are_due(lines, width, separator):
        return None
    # polars would drop the return
    if body.startswith(NOT_AS_THEY_STAND) or b"\r" in body or b"\0" in body or is_broad(body, separator):
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
    return _without_others(frame, lines)


def _are_due(lines: Lines, width: int, separator: str) -> bool:
    """Whether all lines but the others have as many fields as are due.

    Each line has its separators, and only it, where each `width`th of all separators and line ends is a line's end.
    """
    order = _order_without_others(lines, width, separator)
    count = lines.order.sum() - len(lines.others)
    return len(order) == count * width and order.sum() == count and order.gather_every(width, width - 1).all()


def _order_without_others(lines: Lines, width: int, separator: str) -> pl.Series:
    """The order of all lines but the others, if those have as many fields as are due; else of whatever."""
    kept: list[pl.Series] = []
    since, start = 0, 0  # a line, and where it begins in the order
    for line, text in lines.others.items():
        size = (line - since) * width
        kept.append(lines.order.slice(start, size))
        since, start = line + 1, start + size + text.count(separator.encode()) + 1
    return pl.concat([*kept, lines.order.slice(start)]) if kept else lines.order


def _without_others(frame: pl.DataFrame, lines: Lines) -> pl.DataFrame | None:
    """The rows of all lines but the others; None where there are not as many rows as lines."""
    if frame.height != lines.order.sum():
        return None
    kept: list[pl.DataFrame] = []
    since = 0
    for line in lines.others:
        kept.append(frame.slice(since, line - since))
        since = line + 1
    return pl.concat([*kept, frame.slice(since)], rechunk=False) if kept else frame
