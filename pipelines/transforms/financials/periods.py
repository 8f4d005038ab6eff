"""Type, fiscal year and quarter, and label of a period.

Does not belong here: which documents cover it (`versions`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from warehouse.schema.codes import ANNUAL_DAYS, QUARTER_DAYS

_FIRST_DAYS: Final = 7  # a 52/53-week period ending this early belongs to the month before


def period_type(start: str = "period_start", end: str = "period_end") -> pl.Expr:
    """`annual`, `quarterly`, or null for a length that v1 does not serve."""
    days = (pl.col(end) - pl.col(start)).dt.total_days() + 1
    return (
        pl.when(days.is_between(*ANNUAL_DAYS))
        .then(pl.lit("annual"))
        .when(days.is_between(*QUARTER_DAYS))
        .then(pl.lit("quarterly"))
        .otherwise(pl.lit(None, dtype=pl.String))
    )


def _end_month(end: pl.Expr) -> pl.Expr:
    """Month in which a period effectively ends, counted from 0."""
    early = (end.dt.day() <= _FIRST_DAYS).cast(pl.Int64)
    return (end.dt.month().cast(pl.Int64) - 1 - early) % 12


def with_fiscal_labels(frame: pl.DataFrame) -> pl.DataFrame:
    """Adds period_type, fiscal_year and fiscal_quarter.

    A fiscal year stated by the filer is kept (`fiscal_year`, if the frame has it). The quarter counts from
    the end of the company's newest annual period, else from the calendar year.
    """
    ends_in = pl.col("period_end").dt.year().cast(pl.Int64)
    stated = pl.col("fiscal_year") if "fiscal_year" in frame.columns else pl.lit(None, pl.Int64)
    frame = frame.with_columns(period_type=period_type(), fiscal_year=pl.coalesce(stated, ends_in))
    year_end = pl.col("period_end").filter(pl.col("period_type") == "annual").max().over("company_id")
    last = _end_month(year_end).fill_null(11)
    quarter = (_end_month(pl.col("period_end")) - last - 1) % 12 // 3 + 1
    is_quarter = pl.col("period_type") == "quarterly"
    return frame.with_columns(fiscal_quarter=pl.when(is_quarter).then(quarter).cast(pl.Int64))


def period_label(period_type: str | None, fiscal_year: int, fiscal_quarter: int | None) -> str | None:
    """`2025`, `2026-Q3`; null for a period that v1 does not serve."""
    if period_type == "annual":
        return str(fiscal_year)
    if period_type == "quarterly":
        return f"{fiscal_year}-Q{fiscal_quarter}"
    return None
