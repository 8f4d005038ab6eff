"""Strict records: used keys are popped, remaining ones counted; types are checked, never coerced.

Two interfaces: `Record` takes one JSON object apart (single answers, small files). `decode` reads large JSON
arrays and NDJSON into msgspec Structs, chunk by chunk, counting unknown keys of every chunk.
Does not belong here: cutting a stream into chunks (`chunks`), the meaning of a field.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, BinaryIO, Final, Generic, TypeVar

import msgspec
import polars as pl

from connectors.declare import Piece, Unreadable
from connectors.kit import chunks
from connectors.kit.known import Known
from connectors.kit.record import Record, RecordError
from connectors.kit.staged import Tally, opened, reject_rows

__all__ = ["Decoded", "Record", "RecordError", "columns", "decode", "decode_lines", "taken"]

T = TypeVar("T")
Made = TypeVar("Made")

_HEAD: Final = 1 << 16
_WHOLE: Final = 64 << 20  # bytes up to which one object is read as a whole


@dataclass(frozen=True, slots=True)
class Decoded(Generic[T]):
    """One chunk: the records, and those that did not fit their type as rejects."""

    records: list[T]
    rejects: pl.DataFrame


def decode(
    piece: Piece, kind: type[T], tally: Tally, *, key: str, block: int = chunks.BLOCK
) -> Iterator[Decoded[T]]:
    """Records of a JSON array, one JSON object, or NDJSON (plain or gzip), in bounded memory.

    kind: a msgspec Struct declared with `forbid_unknown_fields=True` (nested ones too). While that decodes,
    the chunk has no unknown key. Otherwise the chunk is read untyped, unknown keys are counted (signal
    `unknown_key`, example: the record's `key`) and dropped, and each record is checked separately. Raises
    Unreadable for a body that is not JSON; an invalid line of NDJSON is a reject.
    """
    yield from taken(piece, kind, tally, Decoded, key=key, block=block)


def taken(
    piece: Piece,
    kind: type[T],
    tally: Tally,
    take: Callable[[list[T], pl.DataFrame], Made],
    *,
    key: str,
    block: int = chunks.BLOCK,
) -> Iterator[Made]:
    """Yields `take(records, rejects)` for each chunk of a body that `decode` can read.

    Records not kept by `take` are freed before the garbage collector runs.
    """
    reader = _Reader(kind, tally, key, take)
    try:
        with opened(piece) as stream:
            head = stream.read(_HEAD)
        with opened(piece) as stream:
            yield from reader.read(stream, head, block)
    except chunks.NotJson as error:
        raise Unreadable(piece.dataset, piece.name, str(error)) from error
    except chunks.MALFORMED as error:
        reason = f"malformed JSON near record {reader.seen}: {error}"
        raise Unreadable(piece.dataset, piece.name, reason) from error


def decode_lines(part: bytes, kind: type[T], tally: Tally, *, key: str, seen: int = 0) -> Decoded[T]:
    """One block of whole lines of NDJSON (`chunks.lines`), read like `decode`; `seen`: lines before it."""
    reader = _Reader(kind, tally, key, Decoded)
    reader.seen = seen
    return reader.lines(part)


def columns(records: Sequence[Any], paths: Mapping[str, str]) -> dict[str, list[Any]]:
    """Columns from Structs: column name -> dotted attribute path; a null on the path gives null."""
    return {name: _values(records, path) for name, path in paths.items()}


def _values(records: Sequence[Any], path: str) -> list[Any]:
    try:
        return list(map(attrgetter(path), records))
    except AttributeError:
        steps = path.split(".")
        return [_step(record, steps) for record in records]


def _step(value: Any, steps: list[str]) -> Any:
    for step in steps:
        if value is None:
            return None
        value = getattr(value, step)
    return value


def _one_object(head: bytes, start: bytes) -> bool:
    """True if the text is one object over several lines, not one object per line."""
    line, end, rest = start.partition(b"\n")
    if not end and len(head) == _HEAD:
        return False  # a first line longer than the head: NDJSON with large records
    try:
        msgspec.json.decode(line)
    except chunks.MALFORMED:
        # A broken first line of NDJSON is followed by another record, a pretty-printed object by its keys.
        return not rest.startswith(b"{")
    return not rest.strip()


@contextmanager
def _uncollected() -> Iterator[None]:
    """Disables the garbage collector: JSON has no cycles, and it would scan a chunk of records many times."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class _Reader(Generic[T, Made]):
    """Decodes chunks of records, on the fast path until a record does not fit."""

    def __init__(
        self, kind: type[T], tally: Tally, key: str, take: Callable[[list[T], pl.DataFrame], Made]
    ) -> None:
        self._many = msgspec.json.Decoder(list[kind])
        self._one = msgspec.json.Decoder(kind)
        self._kind = kind
        self._known = Known.of(kind)
        self._tally = tally
        self._key = key
        self._take = take
        self.seen = 0

    def read(self, stream: BinaryIO, head: bytes, block: int) -> Iterator[Made]:
        """The records of a stream that begins with `head`, in any of the three shapes."""
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        stream.read(len(head) - len(start))
        if start.startswith(b"["):
            yield from chunks.arrays(stream, self.array, block)
        elif not start.startswith(b"{"):
            raise chunks.NotJson(f"expected JSON, the text begins {start[:40]!r}")
        elif _one_object(head, start):
            yield self.array(stream.read(_WHOLE))
        else:
            yield from map(self.lines, chunks.lines(stream, block))

    def array(self, part: chunks.Part) -> Made:
        try:
            with _uncollected():
                return self._make_chunk(self._many.decode(b"[%b]" % part), [])
        except msgspec.ValidationError:
            return self._decode_singly([bytes(raw) for raw in chunks.records(part)])

    def lines(self, part: bytes) -> Made:
        try:
            with _uncollected():
                return self._make_chunk(self._one.decode_lines(part), [])
        except chunks.MALFORMED:
            return self._decode_singly([line for line in part.split(b"\n") if line.strip()])

    def _make_chunk(self, records: list[T], rejects: list[tuple[object, str, object]]) -> Made:
        self.seen += len(records) + len(rejects)
        return self._take(records, reject_rows(rejects))

    def _decode_singly(self, raws: list[bytes]) -> Made:
        records: list[T] = []
        rejects: list[tuple[object, str, object]] = []
        for number, raw in enumerate(raws, self.seen + 1):
            name: object = f"record {number}"
            try:
                value = msgspec.json.decode(raw)
                name = value.get(self._key) or name if isinstance(value, dict) else name
                self._known.strip(value, _counter(self._tally, name))
                records.append(msgspec.convert(value, self._kind))
            except chunks.MALFORMED as error:
                rejects.append((name, str(error), raw[:1000].decode(errors="replace")))
        return self._make_chunk(records, rejects)


def _counter(tally: Tally, example: object) -> Callable[[str], None]:
    def count(path: str) -> None:
        tally.add("unknown_key", path, example)

    return count
