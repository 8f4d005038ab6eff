"""What is promised of a dataset whatever the bytes: it answers with rows that fit, rejects and signals, or Unreadable.

Does not belong here: what must not come through a redaction (`privacy`), what rows become (`mapping`).
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

import polars as pl

from connectors.contract.dataset import (
    ArchiveMember,
    Batch,
    Dataset,
    Jurisdiction,
    NotApplicable,
    RecognisedFile,
    Scope,
    Signal,
    UnreadableFileError,
)
from connectors.kit import staging
from tests.fuzz import erasing
from tests.fuzz.case import Broken, Case, Features, Target
from tests.fuzz.mapping import mapped
from tests.fuzz.privacy import told

HEAD = 65_536  # bytes that `recognise` is shown
OBSERVED = datetime(2026, 11, 2, 4, tzinfo=UTC)
_DIGITS = re.compile(r"[0-9]+|'[^']*'|\"[^\"]*\"")
_LONGEST = 60  # characters of a message that tell one from another


def of_dataset(jurisdiction: Jurisdiction, dataset: Dataset) -> Target:
    """A dataset as a target, by its declaration alone."""
    return Target(dataset.key, partial(judge, jurisdiction, dataset), partial(judged_as_read, jurisdiction, dataset))


def judge(jurisdiction: Jurisdiction, dataset: Dataset, case: Case) -> Features:
    """One body the way of every body: recognised, redacted, taken apart, read, mapped; and written again without somebody."""
    read = _read(jurisdiction, dataset, case)
    if read.frames:
        read.seen |= mapped(jurisdiction, read.frames, OBSERVED)
    read.seen |= erasing.erased(read.body, case.name, dataset.remove_records)
    return frozenset(read.seen)


def judged_as_read(jurisdiction: Jurisdiction, dataset: Dataset, case: Case) -> Features:
    """The same as far as its rows."""
    return frozenset(_read(jurisdiction, dataset, case).seen)


@dataclass(slots=True)
class _Reading:
    """What was seen of a body as the archive has it, and its rows by staged table."""

    body: bytes
    seen: set[str]
    frames: dict[str, pl.DataFrame] = field(default_factory=dict)


def _read(jurisdiction: Jurisdiction, dataset: Dataset, case: Case) -> _Reading:
    said = dataset.recognise_file(case.name, case.body[:HEAD])
    if not isinstance(said, RecognisedFile | NotApplicable):
        raise Broken("schema", f"recognise answered {type(said).__name__}")
    is_ours = isinstance(said, RecognisedFile)
    found = _Reading(_redacted(dataset, case), {"recognised" if is_ours else f"not ours: {said.reason[:_LONGEST]}"})
    scope = said.scope if is_ours else Scope.PART
    opener = partial(io.BytesIO, found.body)
    piece = ArchiveMember(dataset.key, case.name, "0" * 64, OBSERVED, scope, "batch", opener)
    for part in _parts(dataset, piece, found.seen):
        try:
            for batch in dataset.read_batches(part):
                found.seen |= _fits(dataset, batch)
                _touched(jurisdiction.company_ids_of_rows, batch)
                before = found.frames.get(batch.table)
                found.frames[batch.table] = batch.rows if before is None else before.vstack(batch.rows)
        except UnreadableFileError as error:
            found.seen.add(f"unreadable: {_shape(error.reason)}")
    if any(map(len, found.frames.values())):
        found.seen.add("read")
    return found


def _redacted(dataset: Dataset, case: Case) -> bytes:
    if dataset.redact is None:
        return case.body
    with dataset.redact(io.BytesIO(case.body)) as stream:
        body = stream.read()
    for found in told(dataset.key, body):
        raise Broken("privacy", found)
    return body


def _parts(dataset: Dataset, piece: ArchiveMember, seen: set[str]) -> Iterator[ArchiveMember]:
    with suppress(UnreadableFileError):
        for part in dataset.split_members(piece):
            seen.add("a member" if part.member_name is not None else "whole")
            yield part


def _fits(dataset: Dataset, batch: Batch) -> set[str]:
    """What pipelines rely on: declared tables and types, whole keys, rejects and signals as they are declared."""
    table = dataset.staged_tables.get(batch.table)
    if table is None:
        raise Broken("schema", f"a batch of {batch.table}, which is not declared")
    if batch.rows.schema != staging.staged_schema(table):
        raise Broken("schema", f"{batch.table}: rows of another schema")
    if batch.rejects.schema != staging.REJECTS:
        raise Broken("schema", f"{batch.table}: rejects of another schema")
    if not all(isinstance(one, Signal) and one.dataset == dataset.key and one.count > 0 for one in batch.signals):
        raise Broken("schema", f"{batch.table}: a signal of another dataset, or of nothing")
    empty = [column.name for column in table.columns if not column.nullable and batch.rows[column.name].null_count()]
    if empty:
        raise Broken("schema", f"{batch.table}: null in {', '.join(empty)}")
    filled = {f"{batch.table}.{column.name}" for column in batch.rows if column.null_count() < len(column)}
    reasons = {f"reject: {_shape(reason)}" for reason in batch.rejects["reason"].unique().to_list()[:20]}
    return filled | reasons | {f"signal: {one.code}" for one in batch.signals}


def _touched(touches: Callable[[str, pl.DataFrame], pl.Series], batch: Batch) -> None:
    companies = touches(batch.table, batch.rows)
    if len(companies) != batch.rows.height:
        raise Broken("schema", f"{batch.table}: companies of {len(companies)} rows of {batch.rows.height}")


def _shape(reason: str) -> str:
    """A message without what it quotes, so that each is new once."""
    return _DIGITS.sub("#", reason)[:_LONGEST]
