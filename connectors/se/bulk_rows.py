"""Records of the bulk files as text columns: whole lines by polars, broken ones put together again.

Both files hold line breaks and quotes inside values, neither escapes them. A line that is a whole record goes
the fast way; of the others each is joined with the lines behind it until a record is whole, or refused with
its line number. Does not belong here: names of columns, or what they mean (`bolagsverket`, `scb`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final

import polars as pl

from connectors.declare import Piece, Unreadable
from connectors.kit import staged
from connectors.kit.formats import HEAD, Format, sniff
from connectors.kit.ragged import LINE, Reader
from connectors.kit.textual import blocks
from connectors.se.doors import UNREADABLE, WITHHELD

BLOCK: Final = 8 << 20
MOST: Final = 128 << 20  # bytes without a record's beginning
LONGEST: Final = 64 << 10  # characters of a record over several lines
_TRAILER: Final = re.compile(rb"(?:^|\n)" + re.escape(WITHHELD) + rb"(\d+)\s*\Z")


@dataclass(frozen=True, slots=True)
class Shape:
    """How one file writes its records.

    names: column -> place among the fields; only these are read. prepare: bytes of whole lines to the reader's
    separator. is_whole: over the named columns, whether a line of the right width is a record by itself.
    fields: of a text that is one whole record, else None. begins: whether a line can only be a record's first.
    """

    width: int
    separator: str
    names: dict[str, int]
    prepare: Callable[[bytes], bytes]
    is_whole: pl.Expr
    fields: Callable[[str], list[str] | None]
    begins: Callable[[str], bool]


@dataclass(slots=True)
class Chunk:
    """Rows of one stretch: text columns by name. refused: (line, reason, excerpt)."""

    rows: pl.DataFrame
    refused: list[tuple[object, str, object]] = field(default_factory=list)


def header_of(piece: Piece, encoding: str) -> str:
    """The first line. Unreadable where the door refused the body, or it is no text at all."""
    with staged.opened(piece) as body:
        head = body.read(1 << 16)
    found = UNREADABLE in head and head.rpartition(UNREADABLE)[2].partition(b"\n")[0]
    if found:
        raise Unreadable(piece.dataset, piece.name, found.decode("utf-8", "replace"))
    kind = sniff(head[:HEAD])
    if kind is not Format.TEXT:
        raise Unreadable(piece.dataset, piece.name, f"text of the bulk was due, the bytes are {kind}")
    return head.decode(encoding, "replace").removeprefix("\ufeff").partition("\n")[0].rstrip("\r\n")


def chunks(piece: Piece, shape: Shape, encoding: str, tally: staged.Tally) -> Iterator[Chunk]:
    """All records behind the header."""
    reader = Reader(shape.width, list(shape.names.values()), shape.separator, None)
    line = 1
    with staged.opened(piece) as body:
        for text in _stretches(body, shape, encoding, tally, piece):
            whole = text if line > 1 else text.partition(b"\n")[2]
            line = max(line, 2)
            chunk, line = _read(reader, shape, whole, line, tally)
            yield chunk


def _stretches(
    body: BinaryIO, shape: Shape, encoding: str, tally: staged.Tally, piece: Piece
) -> Iterator[bytes]:
    """Stretches of whole records; the last one without what the door wrote behind it."""
    rest = b""
    for block in blocks(body, encoding, BLOCK):
        rest += block
        cut = _last_beginning(rest, shape)
        if cut:
            yield rest[:cut]
            rest = rest[cut:]
        elif len(rest) > MOST:
            raise Unreadable(piece.dataset, piece.name, f"no record begins within {MOST} bytes")
    if UNREADABLE in rest:
        reason = rest.rpartition(UNREADABLE)[2].decode("utf-8", "replace").strip()
        raise Unreadable(piece.dataset, piece.name, reason)
    trailer = _TRAILER.search(rest)
    if trailer is not None:
        tally.add("withheld_records", "records of persons, withheld at the door", count=int(trailer[1]))
        rest = rest[: trailer.start() + 1]
    yield rest if rest.endswith(b"\n") or not rest else rest + b"\n"


def _last_beginning(text: bytes, shape: Shape) -> int:
    """Where the last line begins that can only be a record's first; 0 where none does."""
    place = text.rfind(b"\n")
    for _ in range(64):
        place = text.rfind(b"\n", 0, place)
        if place < 0:
            return 0
        end = text.find(b"\n", place + 1)
        if shape.begins(text[place + 1 : end].decode("utf-8", "replace")):
            return place + 1
    return 0


def _read(reader: Reader, shape: Shape, text: bytes, line: int, tally: staged.Tally) -> tuple[Chunk, int]:
    # a NUL is no line and no separator: gone before lines are counted
    rows, _ = reader.read(shape.prepare(text), line, final=True)
    if rows.nuls:
        tally.add("nul_bytes", "file", f"before line {rows.line}", rows.nuls)
    for mended in rows.mended:
        tally.add("encoding_fallback", "line", f"line {mended}")
    named = {str(place): name for name, place in shape.names.items()}
    empty = pl.DataFrame(schema={LINE: pl.Int64, **dict.fromkeys(named, pl.String)})
    frame = pl.concat([empty, *rows.frames], rechunk=False).rename(named)
    whole = frame.select(shape.is_whole.fill_null(value=False)).to_series()
    if not rows.refused and whole.all():
        return Chunk(frame.drop(LINE)), rows.line
    torn = sorted({*(at for at, _, _ in rows.refused), *frame[LINE].filter(~whole).to_list()})
    good = frame.filter(whole)
    joiner = _Joiner(shape, text.replace(b"\0", b"").split(b"\n"), line)
    joiner.join(torn, good[LINE])
    mended_rows = pl.DataFrame(joiner.found, schema=dict.fromkeys(shape.names, pl.String), orient="row")
    return Chunk(pl.concat([good.drop(LINE), mended_rows]), joiner.refused), rows.line


class _Joiner:
    """Puts records together that line breaks have torn. `found`: the wanted fields of each."""

    def __init__(self, shape: Shape, lines: list[bytes], first: int) -> None:
        self._shape = shape
        self._lines = lines
        self._first = first
        self._held: list[str] = []
        self._held_at = first
        self.found: list[list[str | None]] = []
        self.refused: list[tuple[object, str, object]] = []

    def join(self, torn: list[int], good: pl.Series) -> None:
        """`torn`: numbers of lines that are no record by themselves; `good`: of those that are."""
        whole = set(good.filter(good.is_between(torn[0], torn[-1])).to_list()) if torn else set[int]()
        before = 0
        for number in torn:
            if before and any(between in whole for between in range(before + 1, number)):
                self._refuse()
            self._take(number, self._lines[number - self._first].decode("utf-8", "replace").rstrip("\r"))
            before = number
        self._refuse()

    def _take(self, number: int, line: str) -> None:
        if self._held and (self._shape.begins(line) or sum(map(len, self._held)) > LONGEST):
            self._refuse()
        if not self._held:
            self._held_at = number
        self._held.append(line)
        fields = self._shape.fields("\n".join(self._held))
        if fields is not None:
            places = self._shape.names.values()
            self.found.append([fields[place] or None for place in places])
            self._held = []

    def _refuse(self) -> None:
        if self._held:
            text = "\n".join(self._held)
            reason = f"no record of {self._shape.width} fields, alone or with the lines behind it"
            self.refused.append((f"line {self._held_at}", reason, text))
        self._held = []
