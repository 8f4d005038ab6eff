"""Splits the rows of GLEIF's files into sound ones and rejects, and counts unknown codes.

Does not belong here: which rows are sound (`level1.dataset`, `level2.dataset`, `isin_mapping`).
"""

from __future__ import annotations

import polars as pl

from connectors.kit import staging
from connectors.kit.staging import SignalCounter


def split_sound(
    rows: pl.DataFrame, sound: pl.Expr, reason: str, record: str, excerpt: str | pl.Expr
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The sound rows, and the others as rejects with a reason. `record`, `excerpt`: what a reject shows."""
    checked = rows.with_columns(_sound=sound.fill_null(value=False))  # what cannot be judged is a reject, not nothing
    wrong = checked.filter(~pl.col("_sound")).select(record, excerpt).iter_rows()
    rejects = staging.reject_rows((number, reason, shown) for number, shown in wrong)
    return checked.filter("_sound").drop("_sound"), rejects


def count_unknown_codes(
    rows: pl.DataFrame, column: str, name: str, known: tuple[str, ...], example: str, tally: SignalCounter
) -> None:
    """Counts codes of a column that are not known, under the source's name for it."""
    unknown = rows.filter(~pl.col(column).is_in(known))
    for code, lei in unknown.select(column, example).iter_rows():
        tally.add("unknown_code", f"{name} {code}", lei)
