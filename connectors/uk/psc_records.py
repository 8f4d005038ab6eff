"""PSC bodies to staged rows: one record at a time, whichever door it came through (FORMAT 4, 5.3, 7).

Belongs here: which table a record goes to, its key, and its columns. Does not belong here: what the codes
mean (`natures`, `holdings`), or signals about their values (`psc_signals`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
import polars as pl

from connectors.declare import Batch, Piece, Scope, Unreadable
from connectors.kit import chunks, staged, strict
from connectors.kit.tabular import GATHERED
from connectors.uk import psc_columns
from connectors.uk.editions import is_whole
from connectors.uk.numbers import canonical_number
from connectors.uk.psc_schema import (
    EXEMPTIONS,
    HOLDERS,
    OTHERS,
    PSC,
    STATEMENT,
    STATEMENTS,
    TABLES,
    TOTALS,
    Data,
    Identification,
    Line,
    NameElements,
)
from connectors.uk.psc_signals import count_strange
from warehouse.schema.types import Table

_TOTALS: Final = "totals#"
_HEAD: Final = 1 << 16
_BLOCK: Final = 4 << 20  # bytes of lines at a time
_SNAPSHOT: Final = re.compile(rb'\s*\{\s*"company_number"\s*:[^\n]*\}\s*\n\s*\{')
_NUMBER: Final = "company_number"
TABLES_BY_NAME: Final = {table.name: table for table in TABLES}
_COMPANY: Final = re.compile(r"company/([A-Za-z0-9]+)")
_NO_NAME: Final = NameElements()
_NO_PAPERS: Final = Identification()
_UNIT: Final = "\x1f"  # ASCII's own separator: no code holds it
_YES: Final = {"1", "true", "yes"}

_Row = tuple[Any, ...]


class _Refused(Exception):  # noqa: N818 - becomes a reject
    """Why a record is no row."""


class _Rows:
    """Rows of one chunk by table, and the records that could not be placed."""

    def __init__(self) -> None:
        self.by_table: dict[str, list[_Row]] = {table.name: [] for table in TABLES}
        self.rejects: list[tuple[object, str, object]] = []

    def add(self, data: Data, line: Line) -> None:
        """Put one record where it belongs."""
        try:
            table, row = _placed(data, line)
        except _Refused as refused:
            self.rejects.append((line.company_number or line.resource_uri, str(refused), data.kind))
        else:
            self.by_table[table.name].append(row)

    def frames(self) -> dict[str, pl.DataFrame]:
        """The rows by table; no table without any."""
        return {name: _frame(TABLES_BY_NAME[name], rows) for name, rows in self.by_table.items() if rows}


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Rows by table and rejects of a stretch of lines."""

    rows: Mapping[str, pl.DataFrame]
    rejects: pl.DataFrame = field(default_factory=staged.reject_rows)


def read(piece: Piece) -> Iterator[Batch]:
    """Rows, rejects and signals of one body. Raises Unreadable for what was cut off or is no JSON."""
    tally = staged.Tally(piece.dataset)
    count = Counter[str]()
    totals: list[_Row] = []
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
    """A body stretch by stretch: lines of a snapshot by columns wherever they are plain, all else by records."""
    with staged.opened(piece) as stream:
        head = stream.read(_HEAD)
    if _SNAPSHOT.match(head) is None:
        for chunk in strict.decode(piece, Line, tally, key=_NUMBER):
            yield _by_record(piece, chunk, count)
        return
    seen = 0
    try:
        with staged.opened(piece) as stream:
            for part in chunks.lines(stream, _BLOCK):
                rows = psc_columns.frames(part)
                if rows is None:
                    chunk = strict.decode_lines(part, Line, tally, key=_NUMBER, seen=seen)
                    yield _by_record(piece, chunk, count)
                else:
                    yield _Stretch(rows)
                seen += part.count(b"\n")
    except chunks.NotJson as error:
        raise Unreadable(piece.dataset, piece.name, str(error)) from error


def _by_record(piece: Piece, chunk: strict.Decoded[Line], count: Counter[str]) -> _Stretch:
    """One chunk, record by record. What was taken out of the body counts, and is no row."""
    rows = _Rows()
    for line in chunk.records:
        if line.withheld is not None:
            count[line.withheld] += 1
            continue
        for data in _records(piece, line):
            rows.add(data, line)
    return _Stretch(rows.frames(), pl.concat([chunk.rejects, staged.reject_rows(rows.rejects)]))


def _gathered(stretches: Iterator[_Stretch]) -> Iterator[list[_Stretch]]:
    """Several stretches at a time: signals cost much per batch and little per row."""
    held: list[_Stretch] = []
    for stretch in stretches:
        held.append(stretch)
        if sum(len(rows) for one in held for rows in one.rows.values()) >= GATHERED:
            yield held
            held = []
    yield held


def _batches(stretches: list[_Stretch], tally: staged.Tally) -> Iterator[Batch]:
    """One batch per table that has rows; the rejects go with the holders, which they most often are."""
    rejects = pl.concat([staged.reject_rows(), *(stretch.rejects for stretch in stretches)])
    for table in TABLES:
        given = [stretch.rows[table.name] for stretch in stretches if table.name in stretch.rows]
        if given or (table is PSC and len(rejects)):
            frame = pl.concat([staged.empty(table), *given])
            count_strange(table, frame, tally)
            yield staged.batch(table, frame, rejects if table is PSC else None)


def _records(piece: Piece, line: Line) -> Iterator[Data]:
    """The records that one line holds: a list answer holds several, or none."""
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


def _placed(data: Data, line: Line) -> tuple[Table, _Row]:
    kind = data.kind or ""
    if kind.startswith(_TOTALS):
        return TOTALS, _totals(data)
    address = (data.links.self_ if data.links else None) or line.resource_uri
    number = _number(line, address)
    if address is None:
        raise _Refused("no links.self: the record has no key")
    identity = address.rstrip("/").rpartition("/")[2]
    table = table_of(kind, address)
    delivery = _delivery(data, line)
    if table is PSC:
        return PSC, (number, identity, *_holder(data), *delivery)
    if table is STATEMENTS:
        return STATEMENTS, (number, identity, *_statement(data), *delivery)
    if table is EXEMPTIONS:
        return EXEMPTIONS, (number, _exemptions(data), *delivery)
    return OTHERS, (number, identity, kind or None, *delivery)


def table_of(kind: str, address: str) -> Table:
    """By kind; a deletion may come without one, then by address."""
    if kind in HOLDERS:
        return PSC
    if kind == STATEMENT or (not kind and "-control-statements/" in address):
        return STATEMENTS
    if kind == "exemptions" or (not kind and address.endswith("/exemptions")):
        return EXEMPTIONS
    return PSC if not kind and "/persons-with-significant-control/" in address else OTHERS


def _number(line: Line, address: str | None) -> str:
    """The company's number: of the line, else of the event's address, else of the record's own."""
    text = line.company_number
    if text is None:
        found = _COMPANY.search(line.resource_uri or address or "")
        text = found.group(1) if found else ""
    number = canonical_number(text)
    if number is None:
        raise _Refused(f"no company number: {text!r}")
    return number


def _delivery(data: Data, line: Line) -> _Row:
    event = line.event
    if event is None:
        return data.etag, False, None
    return data.etag, event.type == "deleted", event.timepoint


def _holder(data: Data) -> _Row:
    name = data.name_elements or _NO_NAME
    papers = data.identification or _NO_PAPERS
    return (
        data.kind,
        data.name,
        name.title,
        name.forename,
        name.middle_name or name.other_forenames,
        name.surname,
        data.nationality,
        data.country_of_residence,
        papers.legal_authority,
        papers.legal_form,
        papers.country_registered,
        papers.place_registered,
        papers.registration_number,
        data.natures_of_control or [],
        data.notified_on,
        data.ceased_on,
        _flag(data.ceased),
        data.description,
        data.is_sanctioned,
    )


def _flag(value: bool | int | str | None) -> bool | None:
    """`ceased` comes as a boolean, as 0 and 1, and as "0" and "1"."""
    return None if value is None else str(value).lower() in _YES


def _statement(data: Data) -> _Row:
    return (
        data.statement,
        data.linked_psc_name,
        data.restrictions_notice_withdrawal_reason,
        data.notified_on,
        data.ceased_on,
    )


def _exemptions(data: Data) -> str:
    periods = [
        {"key": key, "exempt_from": item.exempt_from, "exempt_to": item.exempt_to}
        for key, exemption in sorted((data.exemptions or {}).items())
        for item in exemption.items or []
    ]
    return msgspec.json.encode(periods).decode()


def _totals(data: Data) -> _Row:
    return (
        data.generated_at or "",
        data.persons_of_significant_control_count,
        data.statements_count,
        data.exemptions_count,
    )


def _frame(table: Table, rows: list[_Row]) -> pl.DataFrame:
    schema = staged.schema(table)
    columns: Any = zip(*rows, strict=True) if rows else [()] * len(schema)
    return pl.DataFrame(
        [
            _texts(name, values) if isinstance(kind, pl.List) else pl.Series(name, values, dtype=kind)
            for (name, kind), values in zip(schema.items(), columns, strict=True)
        ]
    )


def _texts(name: str, lists: Iterable[list[str]]) -> pl.Series:
    """A column of lists, made of joined texts: a Python list for each row costs ten times as much."""
    joined = pl.DataFrame({name: pl.Series([_UNIT.join(texts) for texts in lists], dtype=pl.String)})
    split = pl.col(name).str.split(_UNIT)
    return joined.select(pl.when(pl.col(name) != "").then(split).otherwise([])).to_series().alias(name)


def _check(piece: Piece, count: Mapping[str, int], totals: list[_Row], tally: staged.Tally) -> None:
    """A whole snapshot must hold what its trailer promises; more is curious, less is a file cut off."""
    if not totals:
        tally.add("no_trailer", "totals", piece.name)
        return
    _, *promised = totals[-1]
    for table, due in zip((PSC, STATEMENTS, EXEMPTIONS), promised, strict=True):
        held = count[table.name]
        if due is not None and held < due:
            raise Unreadable(
                piece.dataset, piece.name, f"{held} {table.name} where its trailer promises {due}"
            )
        if due is not None and held > due:
            tally.add("more_than_promised", table.name, piece.name, held - due)
