"""Converts sub-units to rows: the bulk CSV and JSON bodies (bulk array, search page, single response, short body).

Belongs here: which records are kept, and the signals. Does not belong here: recognising a file, or fetching
(`dataset`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import polars as pl

from connectors.contract.pieces import ArchiveMember, Batch
from connectors.kit import staging
from connectors.kit.csv import reader
from connectors.kit.json.body import member_at
from connectors.kit.staging import SignalCounter, count_signals
from connectors.no.enheter.rows import (
    REASON,
    count_unreadable,
    parse_text_columns,
    split_by_reason,
    to_reject_rows,
    to_text_table,
)
from connectors.no.register import count_wrong_check_digits, is_number
from connectors.no.underenheter import schema as f

_NUMBER: Final = re.compile(r"[0-9]{9}")
_AS_TEXT: Final = to_text_table(f.SUB_UNITS)
LAYOUT: Final = reader.CsvFormat(
    # the bulk lists active sub-units: it has no column for deletion
    table=replace(_AS_TEXT, columns=tuple(column for column in _AS_TEXT.columns if column.name not in f.OF_DELETED)),
    mandatory=f.MANDATORY,
    key=f.NUMBER,
    aliases=f.ALIASES,
    ignored=f.IGNORED,
    patterns={f.NUMBER: "[0-9]{9}"},
)
_FORM: Final = pl.col("organisasjonsform.kode")
_REFUSED: Final = (
    pl.when(~is_number(pl.col(f.NUMBER)))
    .then(pl.lit("organisation number is not nine digits"))
    .when(_FORM.is_not_null() & ~_FORM.is_in(f.FORMS) & (_FORM.str.len_bytes() > 4))  # noqa: PLR2004
    .then(pl.lit("the legal form is not a code"))
    .when(pl.col("respons_klasse").is_null() & ~is_number(pl.col(f.PARENT)))
    .then(pl.lit("no parent: the sub-unit belongs to no entity"))
    .alias(REASON)
)


def read_csv(member: ArchiveMember) -> Iterator[Batch]:
    """Yields batches of the bulk CSV."""
    tally = SignalCounter(member.dataset)
    absent = [pl.lit(None, pl.String).alias(name) for name in f.OF_DELETED]
    for batch in reader.read_csv(member, LAYOUT):
        yield _typed_batch(batch.rows.with_columns(absent), batch.rejects, tally, batch.signals)


def records_to_batch(records: Iterable[object], tally: SignalCounter) -> Batch:
    """A batch of JSON records."""
    rows: list[dict[str, str | None]] = []
    refused: list[tuple[object, str, object]] = []
    for record in records:
        if isinstance(record, dict):
            rows.append(_record_row(record, tally))
        else:
            refused.append((None, "a sub-unit that is not an object", record))
    frame = pl.DataFrame(rows, schema=dict.fromkeys(f.SUB_UNITS.names, pl.String))
    return _typed_batch(frame, staging.reject_rows(refused), tally, ())


def _record_row(record: Mapping[str, Any], tally: SignalCounter) -> dict[str, str | None]:
    heads = {name.partition(".")[0] for name in f.SUB_UNITS.names}
    for key in record.keys() - heads - f.IGNORED_JSON:
        tally.add("unknown_key", key, record.get(f.NUMBER))
    row = {name: _scalar_text(member_at(record, *name.split("."))) for name in f.SUB_UNITS.names}
    deleted = row["respons_klasse"] in {f.DELETED, f.REMOVED} or row["slettedato"] is not None
    row["respons_klasse"] = (
        (row["respons_klasse"] if row["respons_klasse"] == f.REMOVED else f.DELETED) if deleted else None
    )
    return row


def _scalar_text(value: object) -> str | None:
    return str(value).strip() or None if isinstance(value, str | int) and not isinstance(value, bool) else None


def _typed_batch(rows: pl.DataFrame, rejects: pl.DataFrame, tally: SignalCounter, signals: tuple[Any, ...]) -> Batch:
    """Typed rows, rejects and signals of one chunk."""
    kept, refused = split_by_reason(rows, rows.select(_REFUSED).to_series())
    read = parse_text_columns(f.SUB_UNITS, kept)
    count_unreadable(kept, read, f.DATES, tally)
    form = read["organisasjonsform.kode"]
    strange = form.is_not_null() & ~form.is_in(f.FORMS)
    for code in form.filter(strange).unique().sort():
        count_signals(tally, "unknown_legal_form", code, read[f.NUMBER].filter(form == code))
    count_wrong_check_digits(read, f.NUMBER, tally)
    rejected = pl.concat([rejects, to_reject_rows(refused)])
    return staging.make_batch(f.SUB_UNITS, read, rejected, signals + tally.drain())


def removed_batch(number: str) -> Batch:
    """Batch of a 410 response: the sub-unit was removed for legal reasons; it holds nothing else."""
    return staging.make_batch(f.SUB_UNITS, [{f.NUMBER: number, "respons_klasse": f.REMOVED}])
