"""Fast path for CSV without quotes: verifies field counts of a whole block at once, then lets polars parse it.

Does not belong here: lines with too few or too many fields (`rows`); quoted fields (`fast_quoted`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from connectors.kit.csv.byte_masks import as_uint8, byte_mask
from connectors.kit.csv.encoding import POLARS_MISREAD_PREFIXES, exceeds_max_columns


@dataclass(frozen=True, slots=True)
class LineIndex:
    """Whole lines of the expected form, with the others listed apart.

    order: for all separators and line ends in sequence, which are line ends. others: lines of another form,
    without their line ends, by line index (ascending).
    """

    body: bytes
    order: pl.Series
    others: Mapping[int, bytes] = field(default_factory=dict)


def parse_unquoted(body: bytes, width: int, columns: Sequence[int], separator: str) -> pl.DataFrame | None:
    """Text columns («0», «1», …) of whole lines, those of `columns`; None if a line has not `width` fields."""
    numbers = as_uint8(body)
    ends = byte_mask(numbers, "\n")
    return parse_unquoted_except(
        LineIndex(body, ends.filter(ends | byte_mask(numbers, separator))), width, columns, separator
    )


def parse_unquoted_except(lines: LineIndex, width: int, columns: Sequence[int], separator: str) -> pl.DataFrame | None:
    """Like `parse_unquoted`, for all lines except the others, which are not parsed.

    Polars silently cuts long rows and fills short ones, so fields per line are counted beforehand.
    """
    body = lines.body
    if not body.endswith(b"\n") or not _has_expected_fields(lines, width, separator):
        return None
    # polars would drop the carriage return
    if (
        body.startswith(POLARS_MISREAD_PREFIXES)
        or b"\r" in body
        or b"\0" in body
        or exceeds_max_columns(body, separator)
    ):
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
    return _drop_other_lines(frame, lines)


def _has_expected_fields(lines: LineIndex, width: int, separator: str) -> bool:
    """True if all lines except the others have the expected number of fields.

    That is so if every `width`th of all separators and line ends is a line end, and no other is.
    """
    order = _order_of_main_lines(lines, width, separator)
    count = lines.order.sum() - len(lines.others)
    return len(order) == count * width and order.sum() == count and order.gather_every(width, width - 1).all()


def _order_of_main_lines(lines: LineIndex, width: int, separator: str) -> pl.Series:
    """The order of all lines except the others; meaningful only if those have `width` fields each."""
    kept: list[pl.Series] = []
    since, start = 0, 0  # a line, and its start in the order
    for line, text in lines.others.items():
        size = (line - since) * width
        kept.append(lines.order.slice(start, size))
        since, start = line + 1, start + size + text.count(separator.encode()) + 1
    return pl.concat([*kept, lines.order.slice(start)]) if kept else lines.order


def _drop_other_lines(frame: pl.DataFrame, lines: LineIndex) -> pl.DataFrame | None:
    """The rows of all lines except the others; None if the number of rows differs from that of lines."""
    if frame.height != lines.order.sum():
        return None
    kept: list[pl.DataFrame] = []
    since = 0
    for line in lines.others:
        kept.append(frame.slice(since, line - since))
        since = line + 1
    return pl.concat([*kept, frame.slice(since)], rechunk=False) if kept else frame
