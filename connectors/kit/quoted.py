"""Lines whose every field stands in quotes, read without a look at each of them.

Many registries write so, and then the quotes alone tell whether a row has all its fields. Belongs here: lines
with quotes doubled inside of values, and lines without any there. Does not belong here: lines of another kind,
and what to do with those that lack something (`ragged`).
"""

from __future__ import annotations

import io
from typing import Final

import polars as pl

from connectors.kit.bare import Lines
from connectors.kit.signs import beginnings, count, values, where
from connectors.kit.textual import NOT_AS_THEY_STAND, is_broad

MOST_ODD_SIGNS: Final = 1000  # signs of lines of another kind in one body: beyond that they are not rare


def rows(body: bytes, width: int, separator: str, quote: str) -> pl.DataFrame | None:
    """A row of text columns («0», «1», …) for each of some whole lines; None where they are not all of this kind.

    Polars refuses a row that is too long, and takes one whose quotes are out of order for something. What it
    takes is therefore written again: the same bytes come of nothing but what they say.
    """
    lines, quotes = count(body, "\n"), count(body, quote)
    cut = body.startswith(NOT_AS_THEY_STAND) or is_broad(body, separator)
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
    return frame if frame.height == lines and _written(frame, body, separator, quote) == body else None


def parted(body: bytes, separator: str, quote: str) -> Lines | None:
    """Lines of fields in quotes with no quote inside of any, cut at each quote; None where many are others.

    A quote opens a field behind a line's end, or behind a quote and a separator; it closes one before a line's
    end, or before a separator and a quote. In a line that begins and ends with a quote, and whose every quote does
    one of both and not both, they open and close by turns: behind one that does not close, the next cannot open. So
    nothing but one separator stands between two fields. How many fields a line has it does not tell.
    """
    if not body.startswith(quote.encode()) or not body.endswith(b"\n"):
        return None
    numbers = values(body)
    quotes, ends, separators = (where(numbers, sign) for sign in (quote, "\n", separator))
    signs = quotes | ends
    order = ends.filter(signs)
    odd = _odd_lines(signs, order, separators)
    return None if odd is None else Lines(body, order, _lines_at(body, ends, odd))


def _odd_lines(signs: pl.Series, is_end: pl.Series, separators: pl.Series) -> list[int] | None:
    """The places of lines with a quote that neither opens nor closes, or that may do both; None where many are.

    Looked at are quotes and line ends alone, one behind the other: they are few among all bytes.
    """
    is_quote = ~is_end
    beside = _next(signs, behind=False)
    touches = beside.filter(signs)  # the next one of them; and what follows: is over a separator
    is_over = (_next(separators, behind=False) & _next(beside, behind=False)).filter(signs)
    before_end = touches & _next(is_end, behind=True)
    before_quote = _next(is_quote, behind=True)  # behind the last one nothing is missing
    behind_end = _last(is_end & touches, before=True)
    between = is_quote & is_over & before_quote
    opens = behind_end | _last(between, before=False)
    closes = before_end | between
    lacks_last = is_end & ~_last(is_quote & touches, before=False)
    lacks_first = is_end & ~(touches & before_quote)
    odd = (is_quote & ~(opens ^ closes)) | lacks_last
    lacks_first = lacks_first[:-1]  # behind the last end is no line
    if int(odd.sum()) + int(lacks_first.sum()) > MOST_ODD_SIGNS:
        return None
    own = (int(is_end[:place].sum()) for place in _places(odd))
    following = (int(is_end[:place].sum()) + 1 for place in _places(lacks_first))
    return sorted({*own, *following})


def _places(marks: pl.Series) -> list[int]:
    return marks.arg_true().to_list() if marks.any() else []


def _next(marks: pl.Series, *, behind: bool) -> pl.Series:
    """Of each mark the following one."""
    return marks.slice(1).append(pl.Series([behind]))


def _last(marks: pl.Series, *, before: bool) -> pl.Series:
    """Of each mark the preceding one."""
    return pl.Series([before]).append(marks.slice(0, len(marks) - 1))


def _lines_at(body: bytes, ends: pl.Series, lines: list[int]) -> dict[int, bytes]:
    """Some lines of a body by their places among all (ascending)."""
    starts = zip(lines, beginnings(ends, lines), strict=True)
    return {line: body[start : body.index(b"\n", start)] for line, start in starts}


def _written(frame: pl.DataFrame, body: bytes, separator: str, quote: str) -> memoryview:
    """Rows with every field in quotes, their lines ended as the body ends its first."""
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
