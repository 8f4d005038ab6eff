"""Records of the bulk files as text columns: whole lines by polars, broken ones put together again.

Both files hold line breaks and quotes inside values, neither escapes them. A line that is a whole record goes
the fast way; of the others each is joined with the lines behind it until a record is whole, or refused with
its line number. Does not belong here: names of columns, or what they mean (`bolagsverket`, `scb`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, Final

import polars as pl

from connectors.declare import Piece, Unreadable
from connectors.kit import staged
from connectors.kit.ahead import ahead
from connectors.kit.formats import HEAD, Format, sniff
from connectors.kit.ragged import LINE, Reader, lines_at
from connectors.kit.textual import blocks
from connectors.se.doors import UNREADABLE, WITHHELD

BLOCK: Final = 16 << 20
MOST: Final = 128 << 20  # bytes without a record's beginning
LONGEST: Final = 64 << 10  # characters of a record over several lines
_TRAILER: Final = re.compile(rb"(?:^|\n)" + re.escape(WITHHELD) + rb"(\d+)\s*\Z")


@dataclass(frozen=True, slots=True)
class Shape:
    """How one file writes its records.

    names: column -> place among the fields of a record; only these are read. separator, width: as the fast
    reader cuts a line, which need not be where the fields are cut; columns: column -> place among those parts.
    checked: further places that `is_whole` looks at (all by number, as text): whether a line of the right
    width is a record by itself. fields: of a text that is one whole record, else None. begins: whether a line
    can only be a record's first.
    """

    names: dict[str, int]
    separator: str
    width: int
    columns: dict[str, int]
    checked: tuple[int, ...]
    is_whole: pl.Expr
    fields: Callable[[str], list[str] | None]
    begins: Callable[[str], bool]


@dataclass(slots=True)
class Chunk:
    """Rows of one stretch: text columns by name. refused: (line, reason, excerpt). signals: what `tell` tells."""

    rows: pl.DataFrame
    refused: list[tuple[object, str, object]] = field(default_factory=list)
    signals: list[tuple[str, str, str | None, int]] = field(default_factory=list)

    def tell(self, tally: staged.Tally) -> None:
        """Counts what was met while the stretch was read."""
        for code, subject, example, count in self.signals:
            tally.add(code, subject, example, count)


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


def chunks(piece: Piece, shape: Shape, encoding: str) -> Iterator[Chunk]:
    """All records behind the header, the next stretch read while one is used."""
    return ahead(_chunks(piece, shape, encoding))


def _chunks(piece: Piece, shape: Shape, encoding: str) -> Generator[Chunk, None, None]:
    places = {*shape.columns.values(), *shape.checked}
    reader = Reader(shape.width, list(places), shape.separator, None)
    line = 1
    with staged.opened(piece) as body:
        for text, withheld in _stretches(body, shape, encoding, piece):
            whole = text if line > 1 else text.partition(b"\n")[2]
            line = max(line, 2)
            chunk, line = _read(reader, shape, whole, line)
            if withheld:
                chunk.signals.append(
                    ("withheld_records", "records of persons, withheld at the door", None, withheld)
                )
            yield chunk


def _stretches(body: BinaryIO, shape: Shape, encoding: str, piece: Piece) -> Iterator[tuple[bytes, int]]:
    """Stretches of whole records; the last one without what the door wrote behind it: how many it withheld."""
    rest = b""
    for block in blocks(body, encoding, BLOCK):
        cut = _last_beginning(block, shape)
        if cut:  # nearly always: then what is left over is copied once
            yield b"".join((rest, memoryview(block)[:cut])), 0
            rest = block[cut:]
            continue
        rest += block
        cut = _last_beginning(rest, shape)
        if cut:
            yield rest[:cut], 0
            rest = rest[cut:]
        elif len(rest) > MOST:
            raise Unreadable(piece.dataset, piece.name, f"no record begins within {MOST} bytes")
    if UNREADABLE in rest:
        reason = rest.rpartition(UNREADABLE)[2].decode("utf-8", "replace").strip()
        raise Unreadable(piece.dataset, piece.name, reason)
    trailer = _TRAILER.search(rest)
    if trailer is not None:
        rest = rest[: trailer.start() + 1]
    yield rest if rest.endswith(b"\n") or not rest else rest + b"\n", int(trailer[1]) if trailer else 0


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


def _read(reader: Reader, shape: Shape, text: bytes, line: int) -> tuple[Chunk, int]:
    if b"\r" in text:  # by itself it breaks a line inside a value
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b" ")
    # a NUL is no line and no separator: gone before lines are counted
    rows, _ = reader.read(text, line, final=True)
    signals: list[tuple[str, str, str | None, int]] = []
    if rows.nuls:
        signals.append(("nul_bytes", "file", f"before line {rows.line}", rows.nuls))
    signals += [("encoding_fallback", "line", f"line {mended}", 1) for mended in rows.mended]
    places = dict.fromkeys(map(str, (*shape.columns.values(), *shape.checked)), pl.String)
    empty = pl.DataFrame(schema={LINE: pl.Int64, **places})
    frame = pl.concat([empty, *(frame.select(empty.columns) for frame in rows.frames)], rechunk=False)
    whole = frame.select(shape.is_whole.fill_null(value=False).alias("whole"))["whole"]
    named = [pl.col(str(place)).alias(name) for name, place in shape.columns.items()]
    if not rows.refused and whole.all():
        return Chunk(frame.select(named), [], signals), rows.line
    good = frame.filter(whole)
    texts = {at: text for at, _, text in rows.refused}
    torn = sorted({*texts, *frame[LINE].filter(~whole).to_list()})
    others = [at - line for at in torn if at not in texts]
    found = lines_at(text, others)
    texts |= {at + line: found[at].replace(b"\0", b"").decode("utf-8", "replace") for at in others}
    joiner = _Joiner(shape, texts)
    joiner.join(torn, good[LINE])
    mended_rows = pl.DataFrame(joiner.found, schema=dict.fromkeys(shape.columns, pl.String), orient="row")
    return Chunk(pl.concat([good.select(named), mended_rows]), joiner.refused, signals), rows.line


class _Joiner:
    """Puts records together that line breaks have torn. `found`: the wanted fields of each."""

    def __init__(self, shape: Shape, lines: Mapping[int, str]) -> None:
        self._shape = shape
        self._lines = lines
        self._held: list[str] = []
        self._held_at = 0
        self.found: list[list[str | None]] = []
        self.refused: list[tuple[object, str, object]] = []

    def join(self, torn: list[int], good: pl.Series) -> None:
        """`torn`: numbers of lines that are no record by themselves; `good`: of those that are."""
        whole = set(good.filter(good.is_between(torn[0], torn[-1])).to_list()) if torn else set[int]()
        before = 0
        for number in torn:
            if before and any(between in whole for between in range(before + 1, number)):
                self._refuse()
            self._take(number, self._lines[number])
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
            self.found.append([fields[place].replace("\n", " ") or None for place in places])
            self._held = []

    def _refuse(self) -> None:
        if self._held:
            text = "\n".join(self._held)
            reason = "no whole record, alone or with the lines behind it"
            self.refused.append((f"line {self._held_at}", reason, text))
        self._held = []
