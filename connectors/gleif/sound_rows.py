"""Splits the rows of GLEIF's files into sound ones and rejects, and counts unknown codes; which of repeats counts.

Does not belong here: which rows are sound (`level1.dataset`, `level2.dataset`, `isin_mapping`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.kit import staging
from connectors.kit.columns import text
from connectors.kit.staging import SignalCounter

UPDATED: Final = "last_update"
_UNDATED: Final = -(1 << 60)  # instant of a record without one: before all others
_VOID: Final = 1 << 62  # what a record that was never in force is put before all others by
_FIRST: Final = -(1 << 63)
_ALL: Final = pl.lit(value=True)


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


def changed_at() -> pl.Expr:
    """When a record was last changed, as an instant: offsets differ between operators, so texts do not sort by it."""
    written = pl.col(UPDATED)
    stated = written.str.to_datetime("%+", time_unit="us", time_zone="UTC", strict=False)
    return pl.coalesce(stated, text.iso_date(written).cast(pl.Datetime("us")).dt.replace_time_zone("UTC"))


def _order_of_change(is_valid: pl.Expr) -> pl.Expr:
    """By which of repeats the one that counts is the last: records that were in force, then by their last change."""
    changed = changed_at().dt.timestamp("us").fill_null(_UNDATED)
    return changed - pl.when(is_valid.fill_null(value=False)).then(0).otherwise(_VOID)


def latest_records(rows: pl.DataFrame, key: list[str], is_valid: pl.Expr = _ALL) -> pl.DataFrame:
    """Each record once: of repeats the one changed last, whatever their order; of equal ones the last.

    is_valid: false for records that were never in force, as a duplicate that was found out: another of the key counts.
    """
    if not rows.select(pl.struct(key).is_duplicated().any()).item():
        return rows
    return rows.sort(_order_of_change(is_valid), maintain_order=True).unique(key, keep="last", maintain_order=True)


class LatestRecords:
    """`latest_records` of a file that is read in blocks.

    What is staged later replaces what is staged before, so a repeat that is older than its record in an earlier block
    is left out. Of each record its hash and its instant are remembered.
    """

    def __init__(self, key: list[str], is_valid: pl.Expr = _ALL) -> None:
        self._key = key
        self._is_valid = is_valid
        self._seen: list[pl.DataFrame] = []

    def newest_rows(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows of the next block that count so far; a block has each record once."""
        order = _order_of_change(self._is_valid)
        marks = rows.select(self._key).hash_rows().alias("_record").to_frame().hstack(rows.select(_changed=order))
        repeated = pl.concat([marks.clear(), *self._seen]).join(marks, on="_record", how="semi")
        self._seen.append(marks)
        before = repeated.group_by("_record").agg(_before=pl.col("_changed").max())
        known = marks.join(before, on="_record", how="left", maintain_order="left")
        return rows.filter(known["_changed"] >= known["_before"].fill_null(_FIRST))
