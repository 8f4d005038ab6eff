"""Reads CSV and TSV as text columns of a staged table, at polars' speed, with every row accounted for.

A row is read, or it is a reject with its line number and reason; never silently shifted (`rows`). Columns
are matched by name (case and blanks ignored); unknown columns are counted and dropped; a missing mandatory
column makes the file Unreadable. Everything stays text; an empty cell is null. Does not belong here: the
meaning of a column.

Signals: unknown_column (count: rows), missing_columns (declared and absent: names as examples),
encoding_fallback (lines that were not UTF-8, read as cp1252), nul_bytes (NUL bytes, dropped).
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from connectors.contract.pieces import ArchiveMember, Batch
from connectors.kit import staging
from connectors.kit.csv.encoding import repair_to_utf8, utf8_blocks
from connectors.kit.csv.rows import LINE, ParsedRows, RowReader
from connectors.kit.formats import BodyFormat, detect_body_format
from warehouse.schema.types import ColumnKind, Table
from warehouse.storage.parallel import prefetch

BLOCK: Final = 8 << 20  # bytes per read: larger blocks are slower, as their memory is allocated each time
GATHERED: Final = 60_000  # rows per batch: later steps cost much per batch, little per row
_NOT_TABLES: Final = (
    BodyFormat.HTML,
    BodyFormat.XML,
    BodyFormat.JSON,
    BodyFormat.ZIP,
    BodyFormat.PDF,
    BodyFormat.UNKNOWN,
)


@dataclass(frozen=True, slots=True)
class CsvFormat:
    """CSV format of one dataset.

    table: the staged table; all its columns are TEXT (a column the file lacks is null).
    mandatory: columns without which the file is Unreadable.
    key: the column that identifies a row to people (examples).
    order: column names, in order, of a file that may come without a header line.
    aliases: header spelling -> column, for sources with several spellings (case is ignored anyway).
    ignored: known, unused columns: no signal for them.
    ignored_prefixes: prefixes of such columns, where there are hundreds of them.
    patterns: column -> regular expression its value must match entirely (null fails); other rows are rejects.
    quote: None if a quote is an ordinary character.
    encoding: the source's encoding; a line that is not valid UTF-8 is read as cp1252 with a signal.
    """

    table: Table
    mandatory: tuple[str, ...]
    key: str
    separator: str = ","
    quote: str | None = '"'
    encoding: str = "utf-8"
    order: tuple[str, ...] | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    ignored_prefixes: tuple[str, ...] = ()
    patterns: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        typed = [column.name for column in self.table.columns if column.kind is not ColumnKind.TEXT]
        if typed:
            raise ValueError(f"table {self.table.name}: staged columns of a file are text, not so {typed}")
        for name in (*self.mandatory, self.key, *self.patterns, *self.aliases.values()):
            self.table.column(name)


@dataclass(frozen=True, slots=True)
class _TableHeader:
    """The header: number of fields, positions of known columns, unknown columns."""

    width: int
    columns: Mapping[str, int]
    unknown: tuple[str, ...]
    is_row: bool  # no header: the first line is a row


def read_csv(member: ArchiveMember, layout: CsvFormat) -> Iterator[Batch]:
    """The rows of a piece (plain or gzip) as batches of bounded size, at least one. Raises UnreadableFileError."""
    tally = staging.SignalCounter(member.dataset)
    with staging.open_plain(member) as stream:
        source = utf8_blocks(stream, layout.encoding, BLOCK)
        first = next(source, b"")
        header, rest, line = _read_header(member, layout, first)
        reader = RowReader(header.width, list(header.columns.values()), layout.separator, layout.quote)
        total = 0
        for rows in _gather_rows(_count_repairs(prefetch(_read_blocks(reader, rest, source, line)), tally)):
            frame, rejects = _split_valid_rows(rows, header, layout)
            total += frame.height
            yield staging.make_batch(layout.table, frame, rejects, tally.drain())
    _signal_drift(layout, header, total, tally)
    yield staging.make_batch(layout.table, staging.empty_staged_frame(layout.table), None, tally.drain())


def _read_header(piece: ArchiveMember, layout: CsvFormat, first: bytes) -> tuple[_TableHeader, bytes, int]:
    """The header, the bytes after it, and the line number where they begin."""
    found = detect_body_format(first)
    if found in _NOT_TABLES:
        raise piece.unreadable_error(f"expected a table, found {found.value}")
    reader = RowReader(0, (), layout.separator, layout.quote)
    text, _ = repair_to_utf8(first[: 1 << 18])
    record = reader.record(text)
    if record is None or not any(cell.strip() for cell in record[0]):
        raise piece.unreadable_error("expected a table, there is no first line")
    header = _match_header(record[0], layout)
    if isinstance(header, str):
        raise piece.unreadable_error(header)
    if header.is_row:
        return header, first, 1
    lines = text.replace(b"\r\n", b"\n").count(b"\n") - record[1].count(b"\n")
    return header, _after_lines(first, lines), 1 + lines


def _after_lines(body: bytes, lines: int) -> bytes:
    position = 0
    for _ in range(lines):
        position = body.find(b"\n", position) + 1
    return body[position:] if lines else b""


def _normalised_name(name: str) -> str:
    return re.sub(r"\s+", " ", name.replace("\ufeff", "")).strip().casefold()


def _match_header(cells: Sequence[str], layout: CsvFormat) -> _TableHeader | str:
    """The header given by the cells, or why they are not one."""
    known = {_normalised_name(name): name for name in layout.table.names}
    known |= {_normalised_name(name): column for name, column in layout.aliases.items()}
    ignored = {_normalised_name(name) for name in layout.ignored}
    beginnings = tuple(_normalised_name(name) for name in layout.ignored_prefixes)
    spelled = [_normalised_name(cell) for cell in cells]
    matched = sum(name in known or name in ignored for name in spelled if name)
    if layout.order is not None and matched == 0:
        return _header_from_order(cells, layout, known)
    columns: dict[str, int] = {}
    for index, name in enumerate(spelled):
        column = known.get(name)
        if column in columns:
            return f"column {column} occurs twice in the header"
        if column is not None:
            columns[column] = index
    missing = [name for name in layout.mandatory if name not in columns]
    if missing:
        shown = ", ".join(cell.strip()[:40] for cell in cells[:8])
        return f"mandatory column {', '.join(missing)} is missing; the header begins {shown}"
    unknown = [
        cells[index].strip()
        for index, name in enumerate(spelled)
        if name not in known and name not in ignored and not name.startswith(beginnings)
    ]
    return _TableHeader(len(cells), columns, tuple(unknown), is_row=False)


def _header_from_order(cells: Sequence[str], layout: CsvFormat, known: Mapping[str, str]) -> _TableHeader | str:
    order = layout.order or ()
    if len(cells) != len(order):
        return f"no header: expected {len(order)} fields, found {len(cells)}"
    columns = {
        known[_normalised_name(name)]: index for index, name in enumerate(order) if _normalised_name(name) in known
    }
    return _TableHeader(len(order), columns, (), is_row=True)


def _read_blocks(
    reader: RowReader, first: bytes, source: Iterator[bytes], line: int
) -> Generator[ParsedRows, None, None]:
    """Yields the rows of one block of whole lines after the other."""
    carry, block = b"", first
    while True:
        following = next(source, None)
        end = len(block) if following is None else block.rfind(b"\n") + 1
        ending = b"\n" if following is None and block and not block.endswith(b"\n") else b""
        whole = b"".join((carry, memoryview(block)[:end], ending)) if end else b""
        rows, tail = reader.read(whole, line, final=following is None)
        line = rows.line
        carry = tail + block[end:] if end else carry + block
        yield rows
        if following is None:
            return
        block = following


def _gather_rows(stretches: Iterator[ParsedRows]) -> Iterator[ParsedRows]:
    """Merges rows of several blocks."""
    held: ParsedRows | None = None
    for rows in stretches:
        if held is None:
            held = rows
        else:
            held.frames += rows.frames
            held.rejected += rows.rejected
        if sum(frame.height for frame in held.frames) >= GATHERED:
            yield held
            held = None
    if held is not None:
        yield held


def _count_repairs(stretches: Iterator[ParsedRows], tally: staging.SignalCounter) -> Iterator[ParsedRows]:
    """Counts repairs as signals; done here because the tally belongs to this thread."""
    for rows in stretches:
        if rows.nuls:
            tally.add("nul_bytes", "file", f"before line {rows.line}", rows.nuls)
        for line in rows.repaired_lines:
            tally.add("encoding_fallback", "line", f"line {line}")
        yield rows


def _split_valid_rows(rows: ParsedRows, header: _TableHeader, layout: CsvFormat) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows under their column names, and all rejects."""
    refused: list[tuple[object, str, object]] = [(f"line {line}", why, text) for line, why, text in rows.rejected]
    names = {str(index): column for column, index in header.columns.items()}
    if not rows.frames:
        return staging.empty_staged_frame(layout.table), staging.reject_rows(refused)
    frame = pl.concat(rows.frames, rechunk=False).rename(names)
    for column, pattern in layout.patterns.items():
        fits = frame.get_column(column).str.contains(f"^(?:{pattern})$").fill_null(value=False)
        if not fits.all():
            refused.extend(_pattern_rejects(frame.filter(~fits), column))
            frame = frame.filter(fits)
    frame.drop_in_place(LINE)  # `drop` would copy all columns into one chunk
    return frame, staging.reject_rows(refused)


def _pattern_rejects(wrong: pl.DataFrame, column: str) -> Iterator[tuple[object, str, object]]:
    for row in wrong.iter_rows(named=True):
        value = row[column]
        why = f"{column} is empty" if value is None else f"{column} is {value[:40]!r}, which is not a valid value"
        line = row.pop(LINE)
        yield f"line {line}", why, ",".join(text or "" for text in row.values())


def _signal_drift(layout: CsvFormat, header: _TableHeader, rows: int, tally: staging.SignalCounter) -> None:
    for name in header.unknown:
        tally.add("unknown_column", name or "(no name)", count=max(rows, 1))
    for name in layout.table.names:
        if name not in header.columns:
            tally.add("missing_columns", "header", name)
