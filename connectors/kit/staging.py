"""Staged tables as a connector writes them: schema, batches, rejects, counted signals, splitting of pieces.

Belongs here: what every dataset's `split` and `read` share. Does not belong here: Parquet and guards
(pipelines, warehouse) or any one registry's columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from itertools import islice
from typing import Any, BinaryIO, Final, TypeVar

import polars as pl

from connectors.contract.dataset import META_SCHEMA, PresentRows
from connectors.contract.pieces import REJECT_COLUMNS, ArchiveMember, Batch, Signal, UnreadableFileError
from connectors.kit.archive import members as archive_members
from connectors.kit.archive.bounded_stream import archive_errors_as_unreadable
from connectors.kit.archive.members import ArchiveError
from connectors.kit.formats import HEAD, BodyFormat, detect_body_format
from warehouse.schema.types import SUBJECT_NUMBER, ColumnKind, Table

_Frame = TypeVar("_Frame", pl.DataFrame, pl.LazyFrame)
_Row = TypeVar("_Row")

RejectedRecord = tuple[object, str, object]  # key or row number, reason, excerpt

EXCERPT: Final = 200  # characters kept of a rejected record
EXAMPLES: Final = 5
_READ_BYTES: Final = 256 << 10  # per read; a buffer of the requested size is allocated each time

TYPES: Final[Mapping[ColumnKind, pl.DataType]] = {
    ColumnKind.TEXT: pl.String(),
    ColumnKind.TEXTS: pl.List(pl.String()),
    ColumnKind.JSON: pl.String(),
    ColumnKind.INTEGER: pl.Int64(),
    ColumnKind.MONEY: pl.Int64(),
    ColumnKind.PERCENT: pl.Decimal(9, 4),
    ColumnKind.BOOLEAN: pl.Boolean(),
    ColumnKind.DATE: pl.Date(),
    ColumnKind.INSTANT: pl.Datetime("us", "UTC"),
}
# What rows of shared tables take over from the staged rows of a company
ORIGIN: Final = (
    pl.col("_company_id").alias("company_id"),
    pl.col("_raw").alias("raw"),
    pl.col("_observed_at").alias("observed_at"),
)
REJECTS: Final = pl.Schema(dict.fromkeys(REJECT_COLUMNS, pl.String()))


class RejectedRecordError(Exception):
    """A record that is rejected; the message says why."""


@cache
def staged_schema(table: Table) -> pl.Schema:
    """The polars schema of a table's columns, in order; the same object each time, not to be changed."""
    return pl.Schema({column.name: TYPES[column.kind] for column in table.columns})


def empty_staged_frame(table: Table) -> pl.DataFrame:
    """An empty frame of a table."""
    return _cached_empty(table).clone()


# Cached: most companies are in few tables, and copying a frame is faster than declaring one
@cache
def _cached_empty(table: Table) -> pl.DataFrame:
    return pl.DataFrame(schema=staged_schema(table))


@cache
def _cached_absent(table: Table) -> pl.LazyFrame:
    extra = {SUBJECT_NUMBER: pl.Int64()} if table.has_person_marks else {}
    return pl.LazyFrame(schema={**staged_schema(table), **META_SCHEMA, **extra})


def cast_to_table(rows: _Frame, table: Table) -> _Frame:
    """Casts `rows`, lazy or not, to the columns and types of a table; others are dropped, absent ones null."""
    there = rows.collect_schema().names()
    return rows.select(
        (pl.col(name) if name in there else pl.lit(None)).cast(kind).alias(name)
        for name, kind in staged_schema(table).items()
    )


def complete_columns(rows: _Frame, table: Table) -> _Frame:
    """Mapped `rows` with the table's columns that a market does not have, as null.

    A column that the table does not declare is a programming error (ValueError): misspelled, it would be null.
    """
    undeclared = set(rows.collect_schema().names()) - set(table.names)
    if undeclared:
        raise ValueError(f"table {table.name} declares no column {', '.join(sorted(undeclared))}")
    return cast_to_table(rows, table)


def present_rows(present: PresentRows, table: Table) -> pl.LazyFrame:
    """The present rows of one staged table; empty if there are none. A table with person marks has SUBJECT_NUMBER."""
    if table.name not in present:
        return _cached_absent(table)
    extra = [SUBJECT_NUMBER] if table.has_person_marks else []
    rows = present[table.name]
    if extra and SUBJECT_NUMBER not in rows.collect_schema():  # rows that no history has compared
        rows = rows.with_columns(pl.lit(None, pl.Int64()).alias(SUBJECT_NUMBER))
    return rows.select(*table.names, *META_SCHEMA, *extra)


def present_linked_rows(present: PresentRows, table: Table) -> pl.LazyFrame:
    """Those of `present_rows` whose company is known."""
    return present_rows(present, table).filter(pl.col("_company_id").is_not_null())


def has_rows(present: PresentRows, tables: Iterable[Table]) -> bool:
    """True if any of some staged tables has a row: most companies are in few of a market's registers."""
    there = (present[table.name] for table in tables if table.name in present)
    return any(not rows.head(1).collect().is_empty() for rows in there)


def reject_rows(rows: Iterable[RejectedRecord] = ()) -> pl.DataFrame:
    """Rejects as a frame, all text, the excerpt truncated."""
    cut = [(str(record), reason, str(excerpt)[:EXCERPT]) for record, reason, excerpt in rows]
    return pl.DataFrame(cut, schema=REJECTS, orient="row")


def make_batch(
    table: Table,
    rows: pl.DataFrame | Sequence[Mapping[str, Any]],
    rejects: pl.DataFrame | None = None,
    signals: tuple[Signal, ...] = (),
) -> Batch:
    """One chunk of a staged table: columns in declared order, absent ones null, types cast to the schema.

    A column that the table does not declare is a programming error (ValueError), not drift.
    """
    due = staged_schema(table)
    if not isinstance(rows, pl.DataFrame):
        undeclared = set[str]().union(*rows) - set(due)
        frame = pl.DataFrame(rows, schema=due, orient="row") if not undeclared else None
    else:
        undeclared = set(rows.columns) - set(due)
        frame = rows
    if undeclared or frame is None:
        raise ValueError(f"table {table.name} declares no column {', '.join(sorted(undeclared))}")
    if frame.schema != due:
        missing = [pl.lit(None, kind).alias(name) for name, kind in due.items() if name not in frame.columns]
        frame = frame.with_columns(missing).select(due.names()).cast(due)
    return Batch(table.name, frame, reject_rows() if rejects is None else rejects, signals)


class SignalCounter:
    """Counts signals while a piece is read: one Signal per (code, subject), with up to five examples."""

    def __init__(self, dataset: str) -> None:
        self.dataset = dataset
        self._counts: dict[tuple[str, str], int] = {}
        self._examples: dict[tuple[str, str], dict[str, None]] = {}

    def add(self, code: str, subject: str, example: object = None, count: int = 1) -> None:
        """Counts `subject` (a value or a column) under `code`; `example` is a company number or file name."""
        key = (code, subject)
        self._counts[key] = self._counts.get(key, 0) + count
        kept = self._examples.setdefault(key, {})
        if example is not None and len(kept) < EXAMPLES:
            kept[str(example)] = None

    def drain(self) -> tuple[Signal, ...]:
        """All signals since the last drain, sorted by code and subject."""
        signals = tuple(
            Signal(self.dataset, code, subject, count, tuple(self._examples[code, subject]))
            for (code, subject), count in sorted(self._counts.items())
        )
        self._counts.clear()
        self._examples.clear()
        return signals


class BatchBuilder:
    """Collects what a reader finds out about a piece beside its rows: rejects and signals.

    build: one batch of the rows, with the rejects and signals since the last one.
    """

    def __init__(self, dataset: str) -> None:
        self.tally = SignalCounter(dataset)
        self._rejects: list[RejectedRecord] = []

    def reject(self, record: object, reason: object, excerpt: object = "") -> None:
        """Rejects one record: its key or row number, why, and the beginning of its text."""
        self._rejects.append((record, str(reason), excerpt))

    def build(self, table: Table, rows: pl.DataFrame | Iterable[Mapping[str, Any]]) -> Batch:
        """A batch of `rows`."""
        found = rows if isinstance(rows, pl.DataFrame) else list(rows)
        made = make_batch(table, found, reject_rows(self._rejects), self.tally.drain())
        self._rejects = []
        return made


def count_signals(tally: SignalCounter, code: str, subject: str, examples: pl.Series) -> None:
    """Counts one signal per value of `examples`; the first values are kept as examples."""
    if examples.is_empty():  # of nearly every response about one company: a query over no rows takes most of its time
        return
    count_subjects(tally, code, examples.alias("example").to_frame().select("example", subject=pl.lit(subject)))


def count_subjects(tally: SignalCounter, code: str, subjects: pl.DataFrame) -> None:
    """Counts one signal per row of (subject, example); the first examples of each subject are kept."""
    if subjects.is_empty():
        return
    counted = subjects.group_by("subject", maintain_order=True).agg(
        pl.len().alias("count"), pl.col("example").head(EXAMPLES).alias("examples")
    )
    for subject, rows, examples in counted.select("subject", "count", "examples").iter_rows():
        tally.add(code, str(subject), count=rows)
        for example in examples:
            tally.add(code, str(subject), example, count=0)


def row_chunks(rows: Iterable[_Row], size: int) -> Iterator[list[_Row]]:
    """Rows in lists of `size`; the last list is shorter, perhaps empty."""
    remaining = iter(rows)
    while len(chunk := list(islice(remaining, size))) == size:
        yield chunk
    yield chunk


def split_archive(
    piece: ArchiveMember, *, keep: Callable[[str], bool] | None = None, nested: int = 1
) -> Iterator[ArchiveMember]:
    """Members of a zip or tar as pieces; any other file, gzipped or not, is one piece.

    keep: which member names to yield (the full name `outer.zip!/inner/file`); None takes all.
    nested: how many levels of zips inside zips are opened.
    A bad member (hostile name, encrypted, over its cap) is a piece with an `open` that raises UnreadableFileError;
    an archive that cannot be listed raises it here. Pieces can be pickled when `piece.open` can. If the previous
    zip is given (`ArchiveMember.previous_archive`), only changed members are pieces.
    """
    try:
        if not _is_archive(piece):
            yield piece
            return
        for member in archive_members.archive_members(
            piece.open, piece.name, keep=keep, nested=nested, previous_archive=piece.previous_archive
        ):
            opener = partial(_open_member, piece.dataset, piece.name, member.open)
            yield replace(piece, member_name=member.name, open=opener, previous_archive=None)
    except ArchiveError as error:
        raise piece.unreadable_error(error) from error


def open_plain(member: ArchiveMember) -> BinaryIO:
    """The plain bytes of a piece, gunzipped if gzip. Reading raises UnreadableFileError."""
    name = member.name if member.member_name is None else f"{member.name}#{member.member_name}"
    opener = partial(archive_members.open_gunzipped, member.open, name)
    return _open_member(member.dataset, name, opener)


def read_plain(piece: ArchiveMember, largest: int, too_long: str) -> bytes:
    """The plain bytes of a piece that fits in memory.

    Raises UnreadableFileError, of more than `largest` bytes with the reason `too_long`.
    """
    body = bytearray()
    with open_plain(piece) as stream:
        while part := stream.read(_READ_BYTES):
            body += part
            if len(body) > largest:
                raise piece.unreadable_error(too_long)
    return bytes(body)


@contextmanager
def unreadable_on(
    piece: ArchiveMember, kinds: type[Exception] | tuple[type[Exception], ...], expected: str = ""
) -> Iterator[None]:
    """Turns errors of these kinds that are raised inside into UnreadableFileError.

    expected: what the file should have been, written before the error's own text («expected an Atom page: …»).
    """
    try:
        yield
    except kinds as error:
        raise piece.unreadable_error(f"{expected}: {error}" if expected else error) from error


def _is_archive(piece: ArchiveMember) -> bool:
    with piece.open() as stream:
        found = detect_body_format(stream.read(HEAD))
    if found is BodyFormat.GZIP:
        return archive_members.is_gzipped_tar(piece.open, piece.name)
    return found in (BodyFormat.ZIP, BodyFormat.TAR)


def _open_member(dataset: str, name: str, open_: Callable[[], BinaryIO]) -> BinaryIO:
    try:
        return archive_errors_as_unreadable(open_(), dataset, name)
    except ArchiveError as error:
        raise UnreadableFileError(dataset, name, str(error)) from error
