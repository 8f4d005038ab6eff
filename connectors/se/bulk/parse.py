"""Reads records of the bulk files as text columns: whole lines with polars, broken ones after rejoining them.

Both files have unescaped line breaks and quotes inside values. A line that is a whole record takes the fast
path; any other line is joined with the following lines until a record is complete, or rejected with its line
number. Does not belong here: names of columns, or what they mean (`bolagsverket`, `scb`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO, Final

import polars as pl

from connectors.contract.pieces import ArchiveMember, NotApplicable
from connectors.kit import staging
from connectors.kit.csv import fast_unquoted
from connectors.kit.csv.byte_masks import count_bytes
from connectors.kit.csv.encoding import is_utf8, utf8_blocks
from connectors.kit.csv.fast_unquoted import LineIndex
from connectors.kit.csv.rows import LINE, ParsedRows, RowReader, lines_at
from connectors.kit.formats import HEAD, BodyFormat, decompressed_head, detect_body_format
from connectors.se.bulk.redact import UNREADABLE, WITHHELD
from warehouse.storage.parallel import parallel_map

BLOCK: Final = 4 << 20  # bytes per block; small enough for intermediate copies to stay in the CPU cache
ROWS: Final = 50_000  # rows per yielded chunk
WAITING: Final = 4  # blocks read ahead while one is processed
MOST: Final = 128 << 20  # bytes without the start of a record
LONGEST: Final = 64 << 10  # characters of a multi-line record
_TORN: Final = 1_000  # lines per record: each added line rescans all of them
_TRAILER: Final = re.compile(rb"(?:^|\n)" + re.escape(WITHHELD) + rb"(\d{1,18})\s*\Z")


@dataclass(frozen=True, slots=True)
class RecordShape:
    """Record layout of one file.

    names: column -> index among the fields of a record; only these are read.
    separator, width: how the fast reader splits a line, which may differ from the field boundaries.
    columns: column -> index among those parts.
    is_whole: whether a line of the right width is a complete record; checked: further part indexes it needs
    (parts are named by their index as text).
    parted: splits a block into lines that are records if their width is right, and the others; None if it cannot.
    fields: fields of a text that is one complete record, else None.
    is_record_start: whether a line can only be the first line of a record.
    """

    names: dict[str, int]
    separator: str
    width: int
    columns: dict[str, int]
    checked: tuple[int, ...]
    is_whole: pl.Expr
    parted: Callable[[bytes], LineIndex | None]
    fields: Callable[[str], list[str] | None]
    is_record_start: Callable[[str], bool]


@dataclass(slots=True)
class RowChunk:
    """Rows of one block as text columns. rejected: (line, reason, excerpt). signals: for the tally."""

    rows: pl.DataFrame
    rejected: list[tuple[object, str, object]] = field(default_factory=list)
    signals: list[tuple[str, str, str | None, int]] = field(default_factory=list)

    def report_signals(self, tally: staging.SignalCounter) -> None:
        """Adds the signals of this block to the tally."""
        for signal in self.signals:
            tally.add(*signal)


def reason_not_bulk(head: bytes) -> NotApplicable | None:
    """Reason a file is neither a bulk zip nor its text, judged by its first bytes."""
    found = detect_body_format(decompressed_head(head))
    if found is BodyFormat.EMPTY:
        return NotApplicable("empty file")
    if found in (BodyFormat.JSON, BodyFormat.PDF):
        return NotApplicable(f"expected the bulk's zip or text, found {found}")
    return None


def check_mandatory(fields: Mapping[str, bool], names: Collection[str], header: str, member: ArchiveMember) -> None:
    """Raises UnreadableFileError if a mandatory one of `fields` is not among the `names` of the header."""
    missing = [name for name, is_needed in fields.items() if is_needed and name not in names]
    if missing:
        reason = f"mandatory column {', '.join(missing)} is missing; the header begins {header[:80]}"
        raise member.unreadable_error(reason)


def read_header(member: ArchiveMember, encoding: str) -> str:
    """First line of the file. Raises UnreadableFileError if the redaction rejected the body or it is not text."""
    with staging.open_plain(member) as body:
        head = body.read(1 << 16)
    found = UNREADABLE in head and head.rpartition(UNREADABLE)[2].partition(b"\n")[0]
    if found:
        raise member.unreadable_error(found.decode("utf-8", "replace"))
    kind = detect_body_format(head[:HEAD])
    if kind is not BodyFormat.TEXT:
        raise member.unreadable_error(f"expected text of the bulk, found {kind}")
    return head.decode(encoding, "replace").removeprefix("\ufeff").partition("\n")[0].rstrip("\r\n")


@dataclass(frozen=True, slots=True)
class _RecordBlock:
    """Whole records after the header, starting at line number `line`, and the count withheld by the redaction."""

    text: bytes
    line: int
    withheld: int


def read_chunks(member: ArchiveMember, shape: RecordShape, encoding: str) -> Iterator[RowChunk]:
    """Yields all records after the header; the next blocks are read ahead."""
    places = {*shape.columns.values(), *shape.checked}
    reader = RowReader(shape.width, list(places), shape.separator, None)
    stretches = _numbered_blocks(member, shape, encoding)
    return _group_chunks(parallel_map(stretches, partial(_read_block, reader, shape), waiting=WAITING))


def _group_chunks(found: Iterator[RowChunk]) -> Iterator[RowChunk]:
    """Concatenates blocks until there are enough rows for column-wise work to pay off."""
    held: list[RowChunk] = []
    for chunk in found:
        held.append(chunk)
        if sum(one.rows.height for one in held) >= ROWS:
            yield _concat_chunks(held)
            held = []
    if held:
        yield _concat_chunks(held)


def _concat_chunks(chunks: list[RowChunk]) -> RowChunk:
    return RowChunk(
        pl.concat([chunk.rows for chunk in chunks], rechunk=True),
        [refused for chunk in chunks for refused in chunk.rejected],
        [signal for chunk in chunks for signal in chunk.signals],
    )


def _numbered_blocks(piece: ArchiveMember, shape: RecordShape, encoding: str) -> Generator[_RecordBlock, None, None]:
    line = 1
    with staging.open_plain(piece) as body:
        for found, withheld in _read_blocks(body, shape, encoding, piece):
            text = _normalise_line_ends(found if line > 1 else found.partition(b"\n")[2])
            line = max(line, 2)
            yield _RecordBlock(text, line, withheld)
            line += count_bytes(text, "\n")


def _read_blocks(
    body: BinaryIO, shape: RecordShape, encoding: str, piece: ArchiveMember
) -> Iterator[tuple[bytes, int]]:
    """Yields blocks of whole records and, with the last, the withheld count from the redaction's trailer line."""
    rest = b""
    for block in utf8_blocks(body, encoding, BLOCK):
        cut = _last_record_start(block, shape)
        if cut:  # nearly always; the remainder is then copied only once
            yield b"".join((rest, memoryview(block)[:cut])), 0
            rest = block[cut:]
            continue
        rest += block
        cut = _last_record_start(rest, shape)
        if cut:
            yield rest[:cut], 0
            rest = rest[cut:]
        elif len(rest) > MOST:
            raise piece.unreadable_error(f"no record begins within {MOST} bytes")
    if UNREADABLE in rest:
        reason = rest.rpartition(UNREADABLE)[2].decode("utf-8", "replace").strip()
        raise piece.unreadable_error(reason)
    trailer = _TRAILER.search(rest)
    if trailer is not None:
        rest = rest[: trailer.start() + 1]
    yield rest if rest.endswith(b"\n") or not rest else rest + b"\n", int(trailer[1]) if trailer else 0


def _last_record_start(text: bytes, shape: RecordShape) -> int:
    """Offset of the last line that can only start a record; 0 if there is none."""
    place = text.rfind(b"\n")
    for _ in range(64):
        place = text.rfind(b"\n", 0, place)
        if place < 0:
            return 0
        end = text.find(b"\n", place + 1)
        if shape.is_record_start(text[place + 1 : end].decode("utf-8", "replace")):
            return place + 1
    return 0


def _normalise_line_ends(text: bytes) -> bytes:
    """Text with line endings normalised to line feeds; a lone carriage return is a line break inside a value."""
    return text.replace(b"\r\n", b"\n").replace(b"\r", b" ") if b"\r" in text else text


def _read_block(reader: RowReader, shape: RecordShape, stretch: _RecordBlock) -> RowChunk:
    """Reads the records of a block."""
    chunk = _read_fast(reader, shape, stretch.text, stretch.line)
    if chunk is None:
        chunk = _read_line_by_line(reader, shape, stretch.text, stretch.line)
    if stretch.withheld:
        told = "records of persons, withheld before storage"
        chunk.signals.append(("withheld_records", told, None, stretch.withheld))
    return chunk


def _read_fast(reader: RowReader, shape: RecordShape, text: bytes, line: int) -> RowChunk | None:
    """Fast path with the result of `_read_line_by_line`, for blocks where nearly all lines are records."""
    nuls = count_bytes(text, "\0") if b"\0" in text else 0
    parted = shape.parted(text.replace(b"\0", b"") if nuls else text)
    if parted is None:
        return None
    rows = fast_unquoted.parse_unquoted_except(parted, shape.width, list(shape.columns.values()), shape.separator)
    if rows is None or _may_contain_records(reader, shape, parted.others.values()):
        return None
    end = line + rows.height + len(parted.others)
    texts = {line + at: other.decode("utf-8", "replace") for at, other in parted.others.items()}
    torn = {at: other for at, other in texts.items() if other.strip()}
    return _build_chunk(shape, rows, torn, lambda number: number not in texts, _nul_signals(nuls, end))


def _may_contain_records(reader: RowReader, shape: RecordShape, lines: Collection[bytes]) -> bool:
    """True if any of the lines is a complete record, or would be in another encoding."""
    text = b"".join(line + b"\n" for line in lines)
    separators = {line.count(shape.separator.encode()) for line in lines}
    if shape.width - 1 not in separators and is_utf8(text):
        return False
    rows, frame = _cut_fields(reader, shape, text, 0)
    return bool(rows.repaired_lines) or frame.select(shape.is_whole.any()).item()


def _read_line_by_line(reader: RowReader, shape: RecordShape, text: bytes, line: int) -> RowChunk:
    """Slow path: reads the records, checking each line."""
    rows, frame = _cut_fields(reader, shape, text, line)
    signals = _nul_signals(rows.nuls, rows.line)
    signals += [("encoding_fallback", "line", f"line {mended}", 1) for mended in rows.repaired_lines]
    whole = frame.select(shape.is_whole.fill_null(value=False).alias("whole"))["whole"]
    good = frame if whole.all() else frame.filter(whole)
    torn = {at: text for at, _, text in rows.rejected}
    others = sorted(at - line for at in frame[LINE].filter(~whole).to_list() if at not in torn)
    found = lines_at(text, others)
    torn |= {at + line: found[at].replace(b"\0", b"").decode("utf-8", "replace") for at in others}
    numbers = set[int](good[LINE].to_list()) if torn else set[int]()
    return _build_chunk(shape, good, torn, numbers.__contains__, signals)


def _cut_fields(reader: RowReader, shape: RecordShape, text: bytes, line: int) -> tuple[ParsedRows, pl.DataFrame]:
    """Lines split at each separator; lines of another width are returned separately."""
    # NUL is neither line break nor separator: removed before lines are counted
    rows, _ = reader.read(text, line, final=True)
    places = dict.fromkeys(map(str, (*shape.columns.values(), *shape.checked)), pl.String)
    names = [LINE, *places]
    if not rows.frames:
        return rows, pl.DataFrame(schema={LINE: pl.Int64, **places})
    return rows, pl.concat((frame.select(names) for frame in rows.frames), rechunk=False)


def _nul_signals(number: int, line: int) -> list[tuple[str, str, str | None, int]]:
    return [("nul_bytes", "file", f"before line {line}", number)] if number else []


def _build_chunk(
    shape: RecordShape,
    good: pl.DataFrame,
    torn: Mapping[int, str],
    is_good: Callable[[int], bool],
    signals: list[tuple[str, str, str | None, int]],
) -> RowChunk:
    """Builds a chunk from complete lines and from torn lines (by line number) that can be joined."""
    rows = good.select(pl.col(str(place)).alias(name) for name, place in shape.columns.items())
    if not torn:
        return RowChunk(rows, [], signals)
    joiner = _RecordJoiner(shape, torn)
    joiner.join(is_good)
    mended = pl.DataFrame(joiner.found, schema=dict.fromkeys(shape.columns, pl.String), orient="row")
    return RowChunk(pl.concat([rows, mended]), joiner.refused, signals)


class _RecordJoiner:
    """Rejoins records split by line breaks. `found`: the requested fields of each."""

    def __init__(self, shape: RecordShape, lines: Mapping[int, str]) -> None:
        self._shape = shape
        self._lines = lines
        self._held: list[str] = []
        self._held_at = 0
        self._size = 0  # characters buffered
        self.found: list[list[str | None]] = []
        self.refused: list[tuple[object, str, object]] = []

    def join(self, is_good: Callable[[int], bool]) -> None:
        """Joins torn lines. `is_good`: whether a line is a complete record; joining never crosses such a line."""
        before = 0
        for number in sorted(self._lines):
            if before and any(map(is_good, range(before + 1, number))):
                self._reject_pending()
            self._add_line(number, self._lines[number])
            before = number
        self._reject_pending()

    def _add_line(self, number: int, line: str) -> None:
        is_enough = self._size > LONGEST or len(self._held) == _TORN
        if self._held and (is_enough or self._shape.is_record_start(line)):
            self._reject_pending()
        if not self._held:
            self._held_at, self._size = number, 0
        self._held.append(line)
        self._size += len(line)
        fields = self._shape.fields("\n".join(self._held))
        if fields is not None:
            places = self._shape.names.values()
            self.found.append([fields[place].replace("\n", " ") or None for place in places])
            self._held = []

    def _reject_pending(self) -> None:
        if self._held:
            text = "\n".join(self._held)
            reason = "no whole record, alone or with the lines behind it"
            self.refused.append((f"line {self._held_at}", reason, text))
        self._held = []
