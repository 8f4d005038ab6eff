"""Marks current records that name another subject than the row before them under the same key (`Table.subjects`).

A record names another subject if its number, its name, or its keyed mark of a birth is another's. Where two of these
say so (another name, and another number or mark), it is beyond doubt another subject, and the record's subjects are
counted. Belongs here: the two columns of this. Does not belong here: which names and numbers are one subject's
(`name_matching.same_subject`), or what another subject means for a holding (`pipelines.transforms.ownership`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import polars as pl

from name_matching.same_subject import Versions, has_other_mark, has_other_number, is_same_name, is_same_subject
from warehouse import schema_render
from warehouse.schema.types import SUBJECT_NUMBER, Subject, Table

SUBJECT_CHANGED: Final = "_subject_changed_at"  # when a record last named another subject than before
BEFORE: Final = "_before_"  # prefix of columns with the values of the row before
_STATED: Final = {SUBJECT_CHANGED: schema_render.INSTANT, SUBJECT_NUMBER: pl.Int64()}


def column_types(table: Table) -> dict[str, str]:
    """Columns of the marks, with their DuckDB types; none for a table without subjects."""
    if not table.subjects:
        return {}
    return {SUBJECT_CHANGED: "TIMESTAMPTZ"} | ({SUBJECT_NUMBER: "BIGINT"} if table.has_person_marks else {})


def with_subject_marks(table: Table, fresh: pl.DataFrame, former: pl.DataFrame, row: str) -> pl.DataFrame:
    """Adds the marks to new rows: kept from the row before, set where it names another subject.

    former: of the rows that replace one, `row` and the marks and `subject_columns` of the row before.
    """
    names, marks = table.subject_columns, list(column_types(table))
    former = former.cast(pl.Schema({row: fresh.schema[row], **{name: _STATED[name] for name in marks}}))
    is_unequal = (pl.col(name) != pl.col(BEFORE + name) for name in names)  # null where only one row states it
    pairs = fresh.select(row, *names).join(former, on=row).filter(pl.any_horizontal(is_unequal))
    changed, certain = list[int](), list[int]()
    for pair in pairs.iter_rows(named=True):
        found = [_compare(subject, pair) for subject in table.subjects]
        changed += [pair[row]] if any(is_other for is_other, _ in found) else []
        certain += [pair[row]] if any(is_certain for _, is_certain in found) else []
    marked = fresh.join(former.select(row, *marks), on=row, how="left", maintain_order="left")
    changed_at = pl.when(pl.col(row).is_in(changed)).then("_observed_at").otherwise(SUBJECT_CHANGED)
    marked = marked.with_columns(changed_at.alias(SUBJECT_CHANGED))
    if SUBJECT_NUMBER not in marks:
        return marked
    following = pl.col(SUBJECT_NUMBER).fill_null(1) + 1
    return marked.with_columns(pl.when(pl.col(row).is_in(certain)).then(following).otherwise(SUBJECT_NUMBER))


def _compare(subject: Subject, pair: Mapping[str, Any]) -> tuple[bool, bool]:
    """Whether a row names another subject than the row before, and whether this is beyond doubt."""

    def versions(names: tuple[str, ...]) -> Iterator[Versions]:
        return ((pair[BEFORE + name], pair[name]) for name in names)

    is_other_person = has_other_mark(versions(subject.marks))
    has_proof = is_other_person or has_other_number(versions(subject.numbers))
    named = next(((before, after) for before, after in versions(subject.names) if before and after), None)
    is_renamed = named is not None and not is_same_name(*named)
    is_other = is_other_person or not is_same_subject(versions(subject.numbers), versions(subject.names))
    return is_other, has_proof and is_renamed
