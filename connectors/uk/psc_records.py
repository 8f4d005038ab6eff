"""Converts PSC bodies to staged rows, block by block (docs/formats/uk.md 4, 5.3, 7).

Belongs here: splitting a body into records, collecting rows, and checking a whole snapshot against its trailer.
Does not belong here: one record (`psc_rows`), regular lines by columns (`psc_columns`), signals about values
(`psc_signals`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from connectors.declare import Batch, Piece, Scope, Unreadable
from connectors.kit import chunks, staged, strict
from connectors.kit.tabular import GATHERED
from connectors.uk import psc_columns
from connectors.uk.editions import is_whole
from connectors.uk.psc_rows import Row, Rows
from connectors.uk.psc_schema import EXEMPTIONS, OTHERS, PSC, STATEMENTS, TABLES, TOTALS, Data, Line
from connectors.uk.psc_signals import count_strange

_HEAD: Final = 1 << 16
BLOCK_BYTES: Final = 4 << 20  # bytes of lines per block
_SNAPSHOT: Final = re.compile(rb'\s*\{\s*"company_number"\s*:[^\n]*\}\s*\n\s*\{')
_NUMBER: Final = "company_number"


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Rows by table and rejects of a block of lines."""

    rows: Mapping[str, pl.DataFrame]
    rejects: pl.DataFrame = field(default_factory=staged.reject_rows)


def read(piece: Piece) -> Iterator[Batch]:
    """Yields rows, rejects and signals of one body. Raises Unreadable if it is truncated or no JSON."""
    tally = staged.Tally(piece.dataset)
    count = Counter[str]()
    totals: list[Row] = []
    for stretches in _gathered(_stretches(piece, tally, count)):
        for batch in _batches(stretches, tally):
            count[batch.table] += len(batch.rows)
            if batch.table == TOTALS.name:
                totals.extend(batch.rows.iter_rows())
            yield batch
    if piece.scope is Scope.FULL and is_whole(piece.name):
        _check(piece, count, totals, tally)
    yield staged.batch(PSC, staged.empty(PSC), None, tally.drain())


def _stretches(piece: Piece, tally: staged.Tally, count: Counter[str]) -> Iterator[_Stretch]:
    """Yields a body block by block: regular snapshot lines by columns, everything else by records."""
    with staged.opened(piece) as stream:
        head = stream.read(_HEAD)
    if _SNAPSHOT.match(head) is None:
        for chunk in strict.decode(piece, Line, tally, key=_NUMBER):
            yield _by_record(piece, chunk, count)
        return
    seen = 0
    try:
        with staged.opened(piece) as stream:
            for part in chunks.lines(stream, BLOCK_BYTES):
                rows = psc_columns.frames(part)
                if rows is None:
                    chunk = strict.decode_lines(part, Line, tally, key=_NUMBER, seen=seen)
                    yield _by_record(piece, chunk, count)
                    seen += len(chunk.records) + len(chunk.rejects)
                else:
                    yield _Stretch(rows)
                    seen += sum(map(len, rows.values()))
    except chunks.NotJson as error:
        raise Unreadable(piece.dataset, piece.name, str(error)) from error


def _by_record(piece: Piece, chunk: strict.Decoded[Line], count: Counter[str]) -> _Stretch:
    """Converts one chunk record by record. Erased records are counted but make no row."""
    rows = Rows()
    for line in chunk.records:
        if line.withheld is not None:
            count[line.withheld] += 1
            continue
        for data in _records(piece, line):
            rows.add(data, line)
    return _Stretch(rows.frames(), pl.concat([chunk.rejects, staged.reject_rows(rows.rejects)]))


def _gathered(stretches: Iterator[_Stretch]) -> Iterator[list[_Stretch]]:
    """Groups several blocks: computing signals is expensive per batch, cheap per row."""
    held: list[_Stretch] = []
    for stretch in stretches:
        held.append(stretch)
        if sum(len(rows) for one in held for rows in one.rows.values()) >= GATHERED:
            yield held
            held = []
    yield held


def _batches(stretches: list[_Stretch], tally: staged.Tally) -> Iterator[Batch]:
    """Yields one batch per table with rows; rejects go with the holders, since most concern these."""
    rejects = pl.concat([staged.reject_rows(), *(stretch.rejects for stretch in stretches)])
    for table in TABLES:
        given = [stretch.rows[table.name] for stretch in stretches if table.name in stretch.rows]
        if given or (table is PSC and len(rejects)):
            frame = pl.concat([staged.empty(table), *given])
            count_strange(table, frame, tally)
            yield staged.batch(table, frame, rejects if table is PSC else None)


def _records(piece: Piece, line: Line) -> Iterator[Data]:
    """Yields the records of one line; a list response has several, or none."""
    if line.unreadable is not None:
        raise Unreadable(piece.dataset, piece.name, line.unreadable)
    if line.items is not None:
        yield from line.items
    elif line.data is not None:
        yield line.data
    elif line.event is not None:
        yield Data()  # deleted, without data
    else:
        yield line


def _check(piece: Piece, count: Mapping[str, int], totals: list[Row], tally: staged.Tally) -> None:
    """Checks a whole snapshot against the totals of its trailer: more gives a signal, fewer a truncated file.

    The trailer is the last line: without it the file is truncated, and missing records have not ceased. A record of
    an unmapped kind counts towards the totals.
    """
    _, *promised = totals[-1] if totals else (None,)
    if not any(due is not None for due in promised):
        raise Unreadable(
            piece.dataset, piece.name, "a whole snapshot without the trailer that counts its records: cut off"
        )
    spare = count[OTHERS.name]
    for table, due in zip((PSC, STATEMENTS, EXEMPTIONS), promised, strict=True):
        held = count[table.name]
        if due is None:
            tally.add("no_trailer", table.name, piece.name)
        elif held + spare < due:
            raise Unreadable(piece.dataset, piece.name, f"{held} {table.name} instead of the {due}")
        elif held > due:
            tally.add("more_than_promised", table.name, piece.name, held - due)
        else:
            spare -= due - held
