"""Strict records: used keys are popped, remaining ones counted; types are checked, never coerced.

Two interfaces: `Record` takes one JSON object apart (single answers, small files). `decode_into` reads large
JSON arrays and NDJSON into msgspec Structs, chunk by chunk, counting unknown keys of every chunk.
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

from connectors.contract.pieces import ArchiveMember
from connectors.kit.json import chunks
from connectors.kit.json.known_keys import KeyTree
from connectors.kit.json.record import JsonRecord, RecordError
from connectors.kit.staging import SignalCounter, open_plain, reject_rows

__all__ = [
    "DecodedChunk",
    "JsonRecord",
    "RecordError",
    "decode_chunks",
    "decode_into",
    "decode_lines",
    "struct_columns",
]

T = TypeVar("T")
Made = TypeVar("Made")

_HEAD: Final = 1 << 16
_WHOLE: Final = 64 << 20  # bytes up to which one object is read as a whole


@dataclass(frozen=True, slots=True)
class DecodedChunk(Generic[T]):
    """One chunk: the records, and those that did not fit their type as rejects."""

    records: list[T]
    rejects: pl.DataFrame


def decode_chunks(
    member: ArchiveMember, kind: type[T], tally: SignalCounter, *, key: str, block: int = chunks.BLOCK
) -> Iterator[DecodedChunk[T]]:
    """Records of a JSON array, one JSON object, or NDJSON (plain or gzip), in bounded memory.

    kind: a msgspec Struct declared with `forbid_unknown_fields=True` (nested ones too). While that decodes,
    the chunk has no unknown key. Otherwise the chunk is read untyped, unknown keys are counted (signal
    `unknown_key`, example: the record's `key`) and dropped, and each record is checked separately. Raises
    UnreadableFileError for a body that is not JSON; an invalid line of NDJSON is a reject.
    """
    yield from decode_into(member, kind, tally, DecodedChunk, key=key, block=block)


def decode_into(
    member: ArchiveMember,
    kind: type[T],
    tally: SignalCounter,
    take: Callable[[list[T], pl.DataFrame], Made],
    *,
    key: str,
    block: int = chunks.BLOCK,
) -> Iterator[Made]:
    """Yields `take(records, rejects)` for each chunk of a body that `decode_chunks` can read.

    Records not kept by `take` are freed before the garbage collector runs.
    """
    reader = _ChunkReader(kind, tally, key, take)
    try:
        with open_plain(member) as stream:
            head = stream.read(_HEAD)
        with open_plain(member) as stream:
            yield from reader.read(stream, head, block)
    except chunks.NotJsonError as error:
        raise member.unreadable_error(error) from error
    except chunks.MALFORMED as error:
        reason = f"malformed JSON near record {reader.seen}: {error}"
        raise member.unreadable_error(reason) from error


def decode_lines(
    part: bytes, kind: type[T], tally: SignalCounter, *, key: str, records_before: int = 0
) -> DecodedChunk[T]:
    """One block of whole lines of NDJSON, read like `decode_chunks`; `records_before`: lines before it."""
    reader = _ChunkReader(kind, tally, key, DecodedChunk)
    reader.seen = records_before
    return reader.lines(part)


def struct_columns(records: Sequence[Any], paths: Mapping[str, str]) -> dict[str, list[Any]]:
    """Columns from Structs: column name -> dotted attribute path; a null on the path gives null."""
    return {name: _column_values(records, path) for name, path in paths.items()}


def _column_values(records: Sequence[Any], path: str) -> list[Any]:
    try:
        return list(map(attrgetter(path), records))
    except AttributeError:
        steps = path.split(".")
        return [_value_at_path(record, steps) for record in records]


def _value_at_path(value: Any, steps: list[str]) -> Any:
    for step in steps:
        if value is None:
            return None
        value = getattr(value, step)
    return value


def _is_single_object(head: bytes, start: bytes) -> bool:
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
def _gc_paused() -> Iterator[None]:
    """Disables the garbage collector: JSON has no cycles, and it would scan a chunk of records many times."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class _ChunkReader(Generic[T, Made]):
    """Decodes chunks of records, on the fast path until a record does not fit."""

    def __init__(
        self, kind: type[T], tally: SignalCounter, key: str, take: Callable[[list[T], pl.DataFrame], Made]
    ) -> None:
        self._many = msgspec.json.Decoder(list[kind])
        self._one = msgspec.json.Decoder(kind)
        self._kind = kind
        self._known = KeyTree.of(kind)
        self._tally = tally
        self._key = key
        self._take = take
        self.seen = 0

    def read(self, stream: BinaryIO, head: bytes, block: int) -> Iterator[Made]:
        """The records of a stream that begins with `head`, in any of the three shapes."""
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        stream.read(len(head) - len(start))
        if start.startswith(b"["):
            yield from chunks.read_array(stream, self.array, block)
        elif not start.startswith(b"{"):
            raise chunks.NotJsonError(f"expected JSON, the text begins {start[:40]!r}")
        elif _is_single_object(head, start):
            yield self.array(stream.read(_WHOLE))
        else:
            yield from map(self.lines, chunks.read_line_blocks(stream, block))

    def array(self, part: chunks.Part) -> Made:
        try:
            with _gc_paused():
                return self._make_chunk(self._many.decode(b"[%b]" % part), [])
        except msgspec.ValidationError:
            return self._decode_singly([bytes(raw) for raw in chunks.split_records(part)])

    def lines(self, part: bytes) -> Made:
        try:
            with _gc_paused():
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
                self._known.strip(value, _unknown_key_counter(self._tally, name))
                records.append(msgspec.convert(value, self._kind))
            except chunks.MALFORMED as error:
                rejects.append((name, str(error), raw[:1000].decode(errors="replace")))
        return self._make_chunk(records, rejects)


def _unknown_key_counter(tally: SignalCounter, example: object) -> Callable[[str], None]:
    def count(path: str) -> None:
        tally.add("unknown_key", path, example)

    return count
