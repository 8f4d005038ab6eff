"""Parses members in this process, or in a process pool if there is enough to parse.

A member that kills its worker is rejected without failing the run: after a worker's death each member in
progress is parsed again in a process of its own. A member on which a parser raises is rejected too, since its
body would otherwise block the market in every later run. Does not belong here: what a member contains
(`connectors`), or where rows go (`pipelines.steps`).
"""

from __future__ import annotations

import csv
import multiprocessing
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from io import BytesIO
from itertools import chain, islice
from typing import Final, overload

import polars as pl

from connectors.contract.pieces import ArchiveMember, Batch, Signal, UnreadableFileError
from warehouse.raw.archive import CorruptBlobError

CHUNK: Final = 64  # documents handed to a worker at once
AHEAD: Final = 3  # queued chunks per worker: workers never wait, memory stays bounded
MANY_BYTES: Final = 256 << 20  # size in bytes, as delivered, from which even a few members are worth the pool
PLAIN_BYTES: Final = (
    1 << 30
)  # bytes of uncompressed frames per member; further frames are compressed until the member ends
DIED: Final = "the process that parsed it died"
# Errors that unexpected data can cause in a parser; a full disk or lack of memory is not the file's fault.
FAULTS: Final = (
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RecursionError,
    csv.Error,
    pl.exceptions.PolarsError,
)
_READERS: Final = "connectors/"

Read = Callable[[ArchiveMember], Iterator[Batch]]


@dataclass(frozen=True, slots=True)
class ParseOutcome:
    """Result of parsing one member: batches, or the reason why it cannot be parsed at all.

    is_damaged: the archive's own copy is corrupt, which says nothing about the source's file.
    """

    member: ArchiveMember
    batches: Sequence[Batch] = ()
    reason: str | None = None
    is_damaged: bool = False


@dataclass(frozen=True, slots=True)
class _PackedBatch:
    """A batch with compressed frames, about a fifth of their size."""

    table: str
    rows: bytes
    rejects: bytes
    signals: tuple[Signal, ...]

    @classmethod
    def of(cls, batch: Batch) -> _PackedBatch:
        return cls(batch.table, _pack_frame(batch.rows), _pack_frame(batch.rejects), batch.signals)

    def batch(self) -> Batch:
        return Batch(self.table, pl.read_ipc(self.rows), pl.read_ipc(self.rejects), self.signals)


class _BufferedBatches(Sequence[Batch]):
    """The batches of a member until it is parsed to its end; compressed once they are large."""

    def __init__(self, batches: Iterable[Batch]) -> None:
        self._held: list[Batch | _PackedBatch] = []
        size = 0
        for batch in batches:
            self._held.append(batch if size < PLAIN_BYTES else _PackedBatch.of(batch))
            size += batch.rows.estimated_size()

    def __len__(self) -> int:
        return len(self._held)

    @overload
    def __getitem__(self, index: int) -> Batch: ...
    @overload
    def __getitem__(self, index: slice) -> list[Batch]: ...
    def __getitem__(self, index: int | slice) -> Batch | list[Batch]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        held = self._held[index]
        return held.batch() if isinstance(held, _PackedBatch) else held


def parse_member(read: Read, member: ArchiveMember) -> ParseOutcome:
    """Parses one member to its end: an unreadable one yields nothing, not half of it."""
    try:
        return ParseOutcome(member, _BufferedBatches(read(member)))
    except CorruptBlobError as error:
        return ParseOutcome(member, reason=str(error), is_damaged=True)
    except (UnreadableFileError, *FAULTS) as error:
        return ParseOutcome(member, reason=rejection_reason(error))


def rejection_reason(error: Exception) -> str:
    """Why a member is rejected: its reader's reason, or the place where the reader failed unexpectedly.

    The message of an unexpected error may quote the file, and persons in it, so only its type and place are
    reported.
    """
    if isinstance(error, UnreadableFileError):
        return error.reason
    where = f"{type(error).__name__}{_failing_line(error)}"
    return f"the parser failed on it ({where}): a defect, please report this file"


def _failing_line(error: Exception) -> str:
    """The last line of a reader that was being executed."""
    readers = [frame for frame in traceback.extract_tb(error.__traceback__) if _READERS in frame.filename]
    if not readers:
        return ""
    last = readers[-1]
    return f" in {_READERS}{last.filename.rpartition(_READERS)[2]}:{last.lineno}"


@dataclass(frozen=True, slots=True)
class _PackedOutcome:
    """An outcome on its way between processes, with frames compressed, which is cheaper to send.

    It is decompressed on access.
    """

    member: ArchiveMember
    batches: tuple[_PackedBatch, ...]
    reason: str | None
    is_damaged: bool

    @classmethod
    def of(cls, outcome: ParseOutcome) -> _PackedOutcome:
        packed = tuple(map(_PackedBatch.of, outcome.batches))
        return cls(outcome.member, packed, outcome.reason, outcome.is_damaged)

    def outcome(self) -> ParseOutcome:
        batches = tuple(packed.batch() for packed in self.batches)
        return ParseOutcome(self.member, batches, self.reason, self.is_damaged)


def _pack_frame(frame: pl.DataFrame) -> bytes:
    stream: BytesIO = frame.write_ipc(None, compression="lz4")
    return stream.getvalue()


def parse_chunk(read: Read, members: list[ArchiveMember]) -> list[_PackedOutcome]:
    """Parses a chunk in a worker process."""
    return [_PackedOutcome.of(parse_member(read, member)) for member in members]


class ParserPool:
    """Parses members sequentially, or in worker processes that stay warm until `close`."""

    def __init__(self, processes: int, pool_documents: int, chunk: int = CHUNK) -> None:
        self._processes = processes
        self._pool_documents = pool_documents
        self._chunk = chunk
        self._pool: ProcessPoolExecutor | None = None

    def parse_members(self, read: Read, members: Iterable[ArchiveMember], size: int = 0) -> Iterator[ParseOutcome]:
        """Outcomes in the order of the members; `size` is their total size in bytes, where known."""
        rest = iter(members)
        chunk = self._chunk if size < MANY_BYTES else 1
        few = self._pool_documents if size < MANY_BYTES else 2
        first = list(islice(rest, few))
        if self._processes < 2 or len(first) < few:  # noqa: PLR2004 - one worker only adds copying
            return (parse_member(read, member) for member in chain(first, rest))
        return self._parse_in_parallel(read, chain(first, rest), chunk)

    def close(self) -> None:
        """Ends the worker processes."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def _running_pool(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")  # fork would copy the locked threads of polars
            self._pool = ProcessPoolExecutor(self._processes, mp_context=context)
        return self._pool

    def _parse_in_parallel(self, read: Read, members: Iterator[ArchiveMember], size: int) -> Iterator[ParseOutcome]:
        under_way: deque[tuple[list[ArchiveMember], Future[list[_PackedOutcome]]]] = deque()
        for chunk in _split_chunks(members, size):
            under_way.append((chunk, self._submit_chunk(read, chunk)))
            if len(under_way) >= self._processes * AHEAD:
                yield from self._next_outcomes(read, under_way)
        while under_way:
            yield from self._next_outcomes(read, under_way)

    def _submit_chunk(self, read: Read, chunk: list[ArchiveMember]) -> Future[list[_PackedOutcome]]:
        try:
            return self._running_pool().submit(parse_chunk, read, chunk)
        except BrokenProcessPool as error:
            broken: Future[list[_PackedOutcome]] = Future()
            broken.set_exception(error)
            return broken

    def _next_outcomes(
        self, read: Read, under_way: deque[tuple[list[ArchiveMember], Future[list[_PackedOutcome]]]]
    ) -> Iterator[ParseOutcome]:
        chunk, future = under_way.popleft()
        try:
            sent = future.result()
        except BrokenProcessPool:
            self.close()
            yield from [self._parse_alone(read, member) for member in chunk]
            return
        while sent:
            yield sent.pop(0).outcome()

    def _parse_alone(self, read: Read, member: ArchiveMember) -> ParseOutcome:
        """Parses a suspect member alone, where its death affects no other member."""
        try:
            (sent,) = self._running_pool().submit(parse_chunk, read, [member]).result()
        except BrokenProcessPool:
            self.close()
            return ParseOutcome(member, reason=DIED)
        return sent.outcome()


def _split_chunks(members: Iterator[ArchiveMember], size: int) -> Iterator[list[ArchiveMember]]:
    while chunk := list(islice(members, size)):
        yield chunk
