"""Ids of the subjects of one record: the register's own id for the first, with a mark and a word for each later one.

Does not belong here: who is another subject (`ownership.changed_subjects`), which records are one holder (`resolve`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

MARK: Final = "#"  # between the register's id of a record and its later subject


def later_subject_id(native_id: pl.Expr, holder_type: pl.Expr, number: pl.Expr) -> pl.Expr:
    """Id of a record's later subject that has no company number; the register's own id where number is null."""
    later = pl.concat_str(native_id, pl.lit(MARK), holder_type, number)
    return pl.when(number.is_not_null()).then(later).otherwise(native_id)
