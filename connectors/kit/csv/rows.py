"""Reads rows of delimited text with polars where its result can be verified; rejects bad lines one by one.

Polars silently fills short rows with nulls and cuts long ones. So a marker is appended to every line as one
more field: a row with its marker in another place has too few or too many fields. The number of rows must
also equal that of lines; otherwise a quoted field holds a line end or a stray quote swallowed one. Such a block,
and one with a quote in the wrong place, is cut into smaller ones until the defect is isolated, and only there
records are assembled line by line with Python's csv. A line that makes no record alone or with the following
lines is rejected alone, so a stray quote costs one row.

Does not belong here: names and meaning of columns (`reader`).
"""

from __future__ import annotations

import csv
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from connectors.kit.csv import fast_quoted, fast_unquoted
from connectors.kit.csv.byte_masks import as_uint8, byte_mask
from connectors.kit.csv.encoding import POLARS_MISREAD_PREFIXES, exceeds_max_columns, is_utf8, repair_to_utf8

LINE: Final = "line"
_MORE: Final = "more"
_MARK: Final = "\x1e\x1f"
_MARK_BYTE: Final = b"\x1e"
MARKED_BYTES: Final = 256 << 10  # bytes marked at once: fits in a core's cache
_PARTS: Final = 16  # number of parts that a suspect block is cut into
LINEWISE_BYTES: Final = 32 << 10  # bytes below which records are assembled line by line
_SPAN: Final = 64 << 10  # bytes of the longest record over several lines
_TRIES: Final = 3  # line ends with balanced quotes that are tried before a quote counts as stray


@dataclass(slots=True)
class ParsedRows:
    """Result of reading some lines.

    line: the number of the line that comes next. frames: text columns named by index, with LINE. rejected:
    (line, reason, excerpt). repaired_lines: lines that were not UTF-8. nuls: NUL bytes dropped.
    """

    line: int
    frames: list[pl.DataFrame] = field(default_factory=list)
    rejected: list[tuple[int, str, str]] = field(default_factory=list)
    repaired_lines: list[int] = field(default_factory=list)
    nuls: int = 0


class RowReader:
    """Reads blocks of whole lines of one file. `columns` are the indexes of the wanted fields."""

    def __init__(self, width: int, columns: Sequence[int], separator: str, quote: str | None) -> None:
        self._width = width
        self._columns = sorted(columns)  # the order in which polars returns them
        self._separator = separator
        self._quote = quote
        self._names = [str(index) for index in self._columns]
        self._fields = {**{str(index): pl.String for index in range(width)}, _MORE: pl.String}
        self._read = [*self._columns, width]
        self._ending = f"{separator}{_MARK}\n".encode()

    def read(self, body: bytes, line: int, final: bool) -> tuple[ParsedRows, bytes]:
        """Rows of whole lines from line number `line` on, and an unfinished tail to prepend to the next block."""
        rows = ParsedRows(line=line)
        if self._read_uniform(body, rows) or self._read_crlf(body, rows):
            return rows, b""
        body = body.replace(b"\r\n", b"\n") if b"\r" in body else body
        rows.nuls = body.count(b"\0") if b"\0" in body else 0
        if self._read_marked(body, rows):
            return rows, b""
        if rows.nuls:
            body = body.replace(b"\0", b"")
        if not is_utf8(body):
            body, wrong = repair_to_utf8(body)
            rows.repaired_lines = [line + index for index in wrong]
        stack, tail = [body], b""
        while stack:
            part = stack.pop()
            # After an unfinished record only line by line: cut again it would never be finished.
            if not tail and self._read_marked(part, rows):
                continue
            if not tail and len(part) > LINEWISE_BYTES and len(pieces := _cut_lines(part)) > 1:
                stack.extend(reversed(pieces))
            else:
                tail = self._read_line_by_line(tail + part, rows, final and not stack)
        return rows, tail

    def fields(self, text: str) -> list[str] | None:
        """One record's fields; None if its text is not a whole record."""
        return self._parse_record(text)[0]

    def record(self, body: bytes) -> tuple[list[str], bytes] | None:
        """The first record of the body, of any width (a header), and the rest."""
        lines = body.replace(b"\r\n", b"\n").split(b"\n")
        for end in range(1, min(len(lines), 64) + 1):
            fields, _ = self._parse_record(b"\n".join(lines[:end]).decode(errors="replace"))
            if fields is not None:
                return fields, b"\n".join(lines[end:])
        return None

    def _read_uniform(self, body: bytes, rows: ParsedRows) -> bool:
        """Reads the block if all fields are quoted, or none is; True if it was read."""
        if self._quote is None:
            frame = fast_unquoted.parse_unquoted(body, self._width, self._columns, self._separator)
        elif len(self._columns) == self._width:
            frame = fast_quoted.parse_fully_quoted(body, self._width, self._separator, self._quote)
        else:
            frame = None
        if frame is not None:
            self._take(frame, rows)
        return frame is not None

    def _read_crlf(self, body: bytes, rows: ParsedRows) -> bool:
        """Reads the block if all lines are rows that end with CRLF; True if it was read.

        The carriage return itself becomes the line's mark, which saves a pass over all bytes. As there are as
        many of both, a misplaced one leaves another line without its mark, and then the block is not read.
        """
        if b"\r" not in body or b"\0" in body or body.count(b"\r") != body.count(b"\n"):
            return False
        return self._read_marked(body, rows, b"\r")

    def _read_marked(self, body: bytes, rows: ParsedRows, end: bytes = b"\n") -> bool:
        """Tries polars on the block; accepts its rows only if their number equals the number of lines.

        `end`: the part of a line end that is replaced by the mark.
        """
        if not body:
            return True
        marked, counted = self._mark_lines(body, end)
        frame = self._parse_marked(marked) if self._has_sound_quotes(marked) else None
        if frame is None or frame.height != counted[-1]:
            return False
        whole = frame.drop_in_place(_MORE).eq_missing(_MARK)
        if end != b"\n" and not whole.all():
            return False
        if not whole.all():
            self._read_single_lines(lines_at(body, (~whole).arg_true().to_list(), counted), rows)
        self._take(frame, rows, None if whole.all() else whole)
        return True

    def _has_sound_quotes(self, marked: bytes) -> bool:
        """True if quotes open and close fields in turn, or are doubled inside one; polars drops any other.

        It reads `""x""` as «x», and `"x"y""` as «xy».
        """
        numbers = as_uint8(marked)
        quotes = byte_mask(numbers, self._quote) if self._quote else pl.Series([False])
        if not quotes.any():
            return True
        edges = quotes | byte_mask(numbers, self._separator) | byte_mask(numbers, "\n")
        behind_edge = pl.Series([True]).append(edges.slice(0, len(edges) - 1)).filter(quotes)
        before_edge = edges.slice(1).append(pl.Series([True])).filter(quotes)
        return behind_edge.gather_every(2).all() and before_edge.gather_every(2, 1).all()

    def _take(self, frame: pl.DataFrame, rows: ParsedRows, whole: pl.Series | None = None) -> None:
        """Adds a block's rows with their line numbers; only the whole ones if some are not."""
        numbers = pl.int_range(rows.line, rows.line + frame.height, dtype=pl.Int64, eager=True).alias(LINE)
        frame.insert_column(0, numbers)
        rows.frames.append(frame if whole is None else frame.filter(whole))
        rows.line += len(numbers)

    def _parse_marked(self, marked: bytes) -> pl.DataFrame | None:
        """Parses marked lines with polars; None if it cannot."""
        if marked.startswith((_MARK_BYTE, *POLARS_MISREAD_PREFIXES)) or exceeds_max_columns(marked, self._separator):
            return None
        try:
            return pl.read_csv(
                marked,
                has_header=False,
                schema=self._fields,
                columns=self._read,
                separator=self._separator,
                quote_char=self._quote,
                null_values=None if self._quote is None else [""],  # unquoted it is null already
                truncate_ragged_lines=True,
            )
        except pl.exceptions.PolarsError:
            return None

    def _mark_lines(self, body: bytes, end: bytes) -> tuple[bytes, list[int]]:
        """The body with marked lines and without NULs, and the cumulative number of lines after each piece.

        A body that contains the mark itself is returned as the mark's first byte.
        """
        marked: list[bytes] = []
        counted: list[int] = []
        ending = self._ending if end == b"\n" else self._ending[:-1]
        lines, longer = 0, len(ending) - 1
        for start in range(0, len(body), MARKED_BYTES):
            piece = body[start : start + MARKED_BYTES]
            if _MARK_BYTE in piece:
                return _MARK_BYTE, [0]
            if b"\0" in piece:
                piece = piece.replace(b"\0", b"")
            marked.append(piece.replace(end, ending))
            lines += (len(marked[-1]) - len(piece)) // longer
            counted.append(lines)
        return b"".join(marked), counted

    def _read_single_lines(self, lines: dict[int, bytes], rows: ParsedRows) -> None:
        kept: list[tuple[int, list[str]]] = []
        for index, line in lines.items():
            self._accept_or_reject(line.replace(b"\0", b"").decode(errors="replace"), rows.line + index, kept, rows)
        self._add_records(kept, rows)

    def _read_line_by_line(self, body: bytes, rows: ParsedRows, final: bool) -> bytes:
        lines = body.split(b"\n")
        if not lines[-1]:
            lines.pop()
        kept: list[tuple[int, list[str]]] = []
        index, tail = 0, b""
        while index < len(lines):
            used = self._record_line_count(lines, index)
            if used == 0 and not final and sum(map(len, lines[index:])) < _SPAN:
                tail = b"\n".join(lines[index:]) + b"\n"
                break
            text = b"\n".join(lines[index : index + max(used, 1)]).decode(errors="replace")
            self._accept_or_reject(text, rows.line + index, kept, rows)
            index += max(used, 1)
        rows.line += index
        self._add_records(kept, rows)
        return tail

    def _record_line_count(self, lines: list[bytes], index: int) -> int:
        """Number of lines of the record: 1 if it cannot be completed, 0 if more input is needed."""
        if self._quote is None:
            return 1
        fields, open_quote = self._parse_record(lines[index].decode(errors="replace"))
        if fields is not None or not open_quote:
            return 1
        quote, separator = self._quote.encode(), self._separator.encode()
        quotes, size, tries = 0, 0, 0
        for end in range(index, len(lines)):
            quotes += lines[end].count(quote)
            size += len(lines[end])
            if size > _SPAN or tries == _TRIES:
                return 1
            if end > index and quotes % 2 == 0:
                tries += 1
                record = b"\n".join(lines[index : end + 1])
                if record.count(separator) < self._width - 1:
                    continue
                fields, _ = self._parse_record(record.decode(errors="replace"))
                if fields is not None and len(fields) == self._width:
                    return end + 1 - index
        return 0

    def _accept_or_reject(self, text: str, line: int, kept: list[tuple[int, list[str]]], rows: ParsedRows) -> None:
        if not text.strip():
            return
        fields, open_quote = self._parse_record(text)
        if fields is not None and len(fields) == self._width:
            kept.append((line, fields))
        elif fields is not None:
            rows.rejected.append((line, f"expected {self._width} fields, found {len(fields)}", text))
        else:
            reason = "a quote that nothing closes" if open_quote else "a quote inside a quoted field"
            rows.rejected.append((line, reason, text))

    def _parse_record(self, text: str) -> tuple[list[str] | None, bool]:
        """Fields of a text that is one record, or None and whether a quote stayed open."""
        quoting = csv.QUOTE_NONE if self._quote is None else csv.QUOTE_MINIMAL
        lines = [text.replace("\r", " ")]
        reader = csv.reader(lines, delimiter=self._separator, quotechar=self._quote, quoting=quoting, strict=True)
        try:
            return next(reader, []), False
        except csv.Error as error:
            return None, "unexpected end" in str(error)

    def _add_records(self, kept: list[tuple[int, list[str]]], rows: ParsedRows) -> None:
        if not kept:
            return
        columns: dict[str, list[int] | list[str | None]] = {LINE: [line for line, _ in kept]}
        for index, name in zip(self._columns, self._names, strict=True):
            columns[name] = [fields[index] or None for _, fields in kept]
        rows.frames.append(pl.DataFrame(columns, schema={LINE: pl.Int64, **dict.fromkeys(self._names, pl.String)}))


def lines_at(body: bytes, indexes: Sequence[int], counted: Sequence[int] = ()) -> dict[int, bytes]:
    """Lines of a body by index (ascending), without splitting all of it.

    counted: cumulative number of line ends after each piece, if known.
    """
    found: dict[int, bytes] = {}
    start, index = 0, 0  # start of a block, and the index of its first line
    lines: list[bytes] = []  # of the block last split
    for wanted in indexes:
        if wanted < index + len(lines) - 1:  # after the last line end: empty, or a partial line
            found[wanted] = lines[wanted - index]
            continue
        pieces = bisect_left(counted, wanted)  # pieces before the line
        if pieces * MARKED_BYTES > start:
            start = body.find(b"\n", pieces * MARKED_BYTES - 1) + 1
            index = counted[pieces - 1] + (start > pieces * MARKED_BYTES)
        while True:
            end = body.find(b"\n", start + LINEWISE_BYTES) + 1 or len(body)
            inside = body.count(b"\n", start, end)
            if wanted < index + inside or end == len(body):
                break
            start, index = end, index + inside
        lines = body[start:end].split(b"\n")
        found[wanted] = lines[wanted - index]
    return found


def _cut_lines(body: bytes) -> list[bytes]:
    """Splits the body into blocks of whole lines."""
    step = max(len(body) // _PARTS, LINEWISE_BYTES // 2)
    pieces: list[bytes] = []
    start = 0
    while start < len(body):
        end = body.find(b"\n", min(start + step, len(body)) - 1) + 1
        pieces.append(body[start : end or len(body)])
        start = end or len(body)
    return pieces
