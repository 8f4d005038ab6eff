"""Converts PSC bodies to staged rows, block by block (docs/formats/uk.md 4, 5.3, 7).

Belongs here: splitting a body into records, collecting rows, and checking a whole snapshot against its trailer.
Does not belong here: one record (`rows`), regular lines by columns (`parse_snapshot`), signals about values
(`signals`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final

import polars as pl

from connectors.contract.pieces import ArchiveMember, Batch, Scope
from connectors.kit import staging
from connectors.kit.csv.reader import GATHERED
from connectors.kit.json import chunks, structs
from connectors.uk.bulk_download import is_full_register
from connectors.uk.psc import parse_snapshot
from connectors.uk.psc.rows import Row, RowsByTable
from connectors.uk.psc.schema import EXEMPTIONS, OTHERS, PSC, STATEMENTS, TABLES, TOTALS, PscLine, PscRecord
from connectors.uk.psc.signals import count_anomalies

_HEAD: Final = 1 << 16
BLOCK_BYTES: Final = 4 << 20  # bytes of lines per block
_SNAPSHOT: Final = re.compile(rb'\s*\{\s*"company_number"\s*:[^\n]*\}\s*\n\s*\{')
_NUMBER: Final = "company_number"


@dataclass(frozen=True, slots=True)
class _RowBlock:
    """Rows by table and rejects of a block of lines."""

    rows: Mapping[str, pl.DataFrame]
    rejects: pl.DataFrame = field(default_factory=staging.reject_rows)


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields rows, rejects and signals of one body. Raises UnreadableFileError if it is truncated or no JSON."""
    tally = staging.SignalCounter(member.dataset)
    count = Counter[str]()
    totals: list[Row] = []
    for stretches in _group_blocks(_read_blocks(member, tally, count)):
        for batch in _block_batches(stretches, tally, member.observed_at.date()):
            count[batch.table] += len(batch.rows)
            if batch.table == TOTALS.name:
                totals.extend(batch.rows.iter_rows())
            yield batch
    if member.scope is Scope.FULL and is_full_register(member.name):
        _check_trailer(member, count, totals, tally)
    yield staging.make_batch(PSC, staging.empty_staged_frame(PSC), None, tally.drain())


def _read_blocks(piece: ArchiveMember, tally: staging.SignalCounter, count: Counter[str]) -> Iterator[_RowBlock]:
    """Yields a body block by block: regular snapshot lines by columns, everything else by records."""
    with staging.open_plain(piece) as stream:
        head = stream.read(_HEAD)
    if _SNAPSHOT.match(head) is None:
        for chunk in structs.decode_chunks(piece, PscLine, tally, key=_NUMBER):
            yield _read_by_record(piece, chunk, count)
        return
    seen = 0
    try:
        with staging.open_plain(piece) as stream:
            for part in chunks.read_line_blocks(stream, BLOCK_BYTES):
                rows = parse_snapshot.parse_plain_lines(part)
                if rows is None:
                    chunk = structs.decode_lines(part, PscLine, tally, key=_NUMBER, records_before=seen)
                    yield _read_by_record(piece, chunk, count)
                    seen += len(chunk.records) + len(chunk.rejects)
                else:
                    yield _RowBlock(rows)
                    seen += sum(map(len, rows.values()))
    except chunks.NotJsonError as error:
        raise piece.unreadable_error(error) from error


def _read_by_record(piece: ArchiveMember, chunk: structs.DecodedChunk[PscLine], count: Counter[str]) -> _RowBlock:
    """Converts one chunk record by record. Erased records are counted but make no row."""
    rows = RowsByTable()
    for line in chunk.records:
        if line.withheld is not None:
            count[line.withheld] += 1
            continue
        for data in _records_of_line(piece, line):
            rows.add(data, line)
    return _RowBlock(rows.frames(), pl.concat([chunk.rejects, staging.reject_rows(rows.rejects)]))


def _group_blocks(stretches: Iterator[_RowBlock]) -> Iterator[list[_RowBlock]]:
    """Groups several blocks: computing signals is expensive per batch, cheap per row."""
    held: list[_RowBlock] = []
    for stretch in stretches:
        held.append(stretch)
        if sum(len(rows) for one in held for rows in one.rows.values()) >= GATHERED:
            yield held
            held = []
    yield held


def _block_batches(stretches: list[_RowBlock], tally: staging.SignalCounter, observed_on: date) -> Iterator[Batch]:
    """Yields one batch per table with rows; rejects go with the holders, since most concern these."""
    rejects = pl.concat([staging.reject_rows(), *(stretch.rejects for stretch in stretches)])
    for table in TABLES:
        given = [stretch.rows[table.name] for stretch in stretches if table.name in stretch.rows]
        if given or (table is PSC and len(rejects)):
            frame = pl.concat([staging.empty_staged_frame(table), *given])
            count_anomalies(table, frame, tally, observed_on)
            yield staging.make_batch(table, frame, rejects if table is PSC else None)


def _records_of_line(piece: ArchiveMember, line: PscLine) -> Iterator[PscRecord]:
    """Yields the records of one line; a list response has several, or none."""
    if line.unreadable is not None:
        raise piece.unreadable_error(line.unreadable)
    if line.items is not None:
        yield from line.items
    elif line.data is not None:
        yield line.data
    elif line.event is not None:
        yield PscRecord()  # deleted, without data
    else:
        yield line


def _check_trailer(
    piece: ArchiveMember, count: Mapping[str, int], totals: list[Row], tally: staging.SignalCounter
) -> None:
    """Checks a whole snapshot against the totals of its trailer: more gives a signal, fewer a truncated file.

    The trailer is the last line: without it the file is truncated, and missing records have not ceased. A record of
    an unmapped kind counts towards the totals.
    """
    _, *promised = totals[-1] if totals else (None,)
    if not any(due is not None for due in promised):
        raise piece.unreadable_error("a whole snapshot without the trailer that counts its records: cut off")
    spare = count[OTHERS.name]
    for table, due in zip((PSC, STATEMENTS, EXEMPTIONS), promised, strict=True):
        held = count[table.name]
        if due is None:
            tally.add("no_trailer", table.name, piece.name)
        elif held + spare < due:
            raise piece.unreadable_error(f"{held} of the {due} {table.name} records that its trailer counts")
        elif held > due:
            tally.add("more_than_promised", table.name, piece.name, held - due)
        else:
            spare -= due - held
