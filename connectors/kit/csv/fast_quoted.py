"""Fast path for CSV in which every field is quoted.

Many registries write so, and then the quotes alone show whether a row has all its fields. Belongs here: lines
with and without doubled quotes inside values. Does not belong here: lines of another form, and the handling
of incomplete ones (`rows`).
"""

from __future__ import annotations

import io
from typing import Final

import polars as pl

from connectors.kit.csv.byte_masks import as_uint8, byte_mask, count_bytes, line_offsets
from connectors.kit.csv.encoding import POLARS_MISREAD_PREFIXES, exceeds_max_columns
from connectors.kit.csv.fast_unquoted import LineIndex

# quotes or line ends of lines of another form; above this number the fast path does not pay
MOST_ODD_SIGNS: Final = 1000


def parse_fully_quoted(body: bytes, width: int, separator: str, quote: str) -> pl.DataFrame | None:
    """A row of text columns («0», «1», …) for each line; None if a line is not of this form.

    Polars rejects a row that is too long, but misreads one with misplaced quotes. The result is therefore
    written again and must give the same bytes.
    """
    lines, quotes = count_bytes(body, "\n"), count_bytes(body, quote)
    cut = body.startswith(POLARS_MISREAD_PREFIXES) or exceeds_max_columns(body, separator)
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
    return frame if frame.height == lines and _write_quoted(frame, body, separator, quote) == body else None


def index_quoted_lines(body: bytes, separator: str, quote: str) -> LineIndex | None:
    """Splits lines of quoted fields without inner quotes at each quote; None if too many have another form.

    A quote opens a field after a line end, or after a quote and a separator; it closes one before a line end,
    or before a separator and a quote. In a line that begins and ends with a quote, and in which every quote
    does exactly one of both, they alternate: after one that does not close, the next cannot open. So exactly
    one separator lies between two fields. The number of fields of a line is not checked here.
    """
    if not body.startswith(quote.encode()) or not body.endswith(b"\n"):
        return None
    numbers = as_uint8(body)
    quotes, ends, separators = (byte_mask(numbers, sign) for sign in (quote, "\n", separator))
    signs = quotes | ends
    order = ends.filter(signs)
    odd = _odd_lines(signs, order, separators)
    return None if odd is None else LineIndex(body, order, _lines_at(body, ends, odd))


def _odd_lines(signs: pl.Series, is_end: pl.Series, separators: pl.Series) -> list[int] | None:
    """Indexes of lines with a quote that neither opens nor closes, or may do both; None if there are too many.

    Only quotes and line ends are examined, in sequence: they are few among all bytes.
    """
    is_quote = ~is_end
    beside = _next_marks(signs, behind=False)
    touches = beside.filter(signs)  # the sign touches the next one; is_over: it does so across a separator
    is_over = (_next_marks(separators, behind=False) & _next_marks(beside, behind=False)).filter(signs)
    before_end = touches & _next_marks(is_end, behind=True)
    before_quote = _next_marks(is_quote, behind=True)  # after the last sign nothing is missing
    behind_end = _previous_marks(is_end & touches, before=True)
    between = is_quote & is_over & before_quote
    opens = behind_end | _previous_marks(between, before=False)
    closes = before_end | between
    lacks_last = is_end & ~_previous_marks(is_quote & touches, before=False)
    lacks_first = is_end & ~(touches & before_quote)
    odd = (is_quote & ~(opens ^ closes)) | lacks_last
    lacks_first = lacks_first[:-1]  # no line follows the last line end
    if int(odd.sum()) + int(lacks_first.sum()) > MOST_ODD_SIGNS:
        return None
    own = (int(is_end[:place].sum()) for place in _marked_places(odd))
    following = (int(is_end[:place].sum()) + 1 for place in _marked_places(lacks_first))
    return sorted({*own, *following})


def _marked_places(marks: pl.Series) -> list[int]:
    return marks.arg_true().to_list() if marks.any() else []


def _next_marks(marks: pl.Series, *, behind: bool) -> pl.Series:
    """For each mark the following one."""
    return marks.slice(1).append(pl.Series([behind]))


def _previous_marks(marks: pl.Series, *, before: bool) -> pl.Series:
    """For each mark the preceding one."""
    return pl.Series([before]).append(marks.slice(0, len(marks) - 1))


def _lines_at(body: bytes, ends: pl.Series, lines: list[int]) -> dict[int, bytes]:
    """Lines of a body by index (ascending)."""
    starts = zip(lines, line_offsets(ends, lines), strict=True)
    return {line: body[start : body.index(b"\n", start)] for line, start in starts}


def _write_quoted(frame: pl.DataFrame, body: bytes, separator: str, quote: str) -> memoryview:
    """Rows written with every field in quotes, with the line ending of the body's first line."""
    into = io.BytesIO()
    first = body[: body.index(b"\n") + 1]
    frame.write_csv(
        into,
        include_header=False,
        separator=separator,
        quote_char=quote,
        quote_style="always",
        null_value="",
        line_terminator="\r\n" if first.endswith(b"\r\n") else "\n",
    )
    return into.getbuffer()
