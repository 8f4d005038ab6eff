"""Tells records apart whose subject a register changed in place: another legal person under the id of the first.

Companies House has given the record of one company to another: the same id and first day, another name and number. The
meaning of a holder's id must not change, so the first subject's record ends and another begins. Another company number,
a company instead of a person, and a record that history counts as its second subject's (another name, and another birth
or foreign number) are another subject; another name alone is not. Belongs here: the ids of such records
and the days of their change. Does not belong here: who is one holder (`holders.resolve`), or the counting
(`warehouse.history.record_subjects`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

import polars as pl

from pipelines.transforms.holders.record_ids import MARK, later_subject_id
from warehouse.schema.tables import HOLDINGS

_SUBJECT: Final = rf"{MARK}(firm:[A-Z]{{2}}:[^{MARK}]+|(person|company|state|unknown)\d*)$"
_RECORD: Final = ["company_id", "register", "_record"]
_KINDS: Final = ["person", "company"]


def with_changed_subjects(
    holdings: pl.DataFrame,
    previous_rows: pl.DataFrame,
    today: date,
    dated: Sequence[str] = (),
    marks: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Holdings with an id of its own for each later subject of a record; earlier subjects stay, ended.

    Args:
        holdings: HOLDINGS rows, all of these companies, as the registers state them.
        previous_rows: HOLDINGS rows known before, of the same companies.
        today: the day the change was seen, which no register states.
        dated: registers with records that are statements of a day; they change none in place.
        marks: HOLDER_MARKS rows, which number the later subjects of a record.
    """
    if previous_rows.is_empty() or holdings.is_empty():
        return holdings
    in_place = previous_rows.filter(~pl.col("register").is_in(list(dated)))
    known = in_place.with_columns(_record=pl.col("native_id").str.replace(_SUBJECT, ""))
    stated = holdings.with_columns(_record="native_id")
    first = known.filter(pl.col("native_id") == pl.col("_record")).select(
        *_RECORD, _first_number="holder_company_id", _first_type="holder_type", _first_day="valid_from"
    )
    rows = stated.join(first, on=_RECORD, how="left", maintain_order="left")
    rows = _with_numbers(rows, marks)
    changed = rows.select(_RECORD, _is_other=_is_other_subject()).filter("_is_other")
    split = known.filter(pl.col("native_id") != pl.col("_record")).select(_RECORD)
    concerned = pl.concat([changed.select(_RECORD), split]).unique()
    if concerned.is_empty():
        return holdings
    renamed = _with_subject_ids(rows, known, today)
    # the subjects of these records that the register does not state any more
    former = known.join(concerned, on=_RECORD, how="semi").join(stated.select(_RECORD), on=_RECORD, how="semi")
    former = former.join(renamed, on=list(HOLDINGS.key), how="anti").with_columns(
        ended_on=pl.coalesce("ended_on", pl.lit(today))
    )
    return pl.concat([renamed.select(holdings.columns), former.select(holdings.columns)])


def _with_numbers(rows: pl.DataFrame, marks: pl.DataFrame | None) -> pl.DataFrame:
    """Rows with the place of their subject among those of the record; null: the first."""
    if marks is None:
        return rows.with_columns(_number=pl.lit(None, pl.Int64()))
    numbered = marks.filter(pl.col("subject_number").is_not_null())
    numbers = numbered.select("company_id", "register", _record="native_id", _number="subject_number")
    return rows.join(numbers, on=_RECORD, how="left", maintain_order="left")


def _is_other_subject() -> pl.Expr:
    """Whether a row is of another subject than the first one of its record.

    Two company numbers decide. Else its number among the record's subjects, or another kind of holder.
    """
    other_number = pl.col("holder_company_id") != pl.col("_first_number")
    kinds = pl.col("holder_type").is_in(_KINDS) & pl.col("_first_type").is_in(_KINDS)
    other_kind = kinds & (pl.col("holder_type") != pl.col("_first_type"))
    is_later = pl.col("_number").is_not_null() & pl.col("_first_type").is_not_null()
    return other_number.fill_null(is_later) | other_kind


def _with_subject_ids(rows: pl.DataFrame, known: pl.DataFrame, today: date) -> pl.DataFrame:
    """Rows of later subjects with their own id and first day: the record's day is its first subject's."""
    by_number = pl.col("_record") + MARK + pl.col("holder_company_id")
    by_place = later_subject_id(pl.col("_record"), pl.col("holder_type"), pl.col("_number"))
    by_kind = pl.col("_record") + MARK + pl.col("holder_type")
    subject = pl.coalesce(by_number, pl.when(pl.col("_number").is_not_null()).then(by_place), by_kind)
    named = rows.with_columns(native_id=pl.when(_is_other_subject()).then(subject).otherwise("native_id"))
    before = known.select(*HOLDINGS.key, _known_from="valid_from")
    dated = named.join(before, on=list(HOLDINGS.key), how="left", maintain_order="left")
    is_later = pl.col("native_id") != pl.col("_record")
    # the register's own day where it moved with the subject
    moved = pl.when(pl.col("valid_from") != pl.col("_first_day")).then("valid_from")
    day = pl.coalesce("_known_from", moved, pl.lit(today))
    return dated.with_columns(valid_from=pl.when(is_later).then(day).otherwise("valid_from"))
