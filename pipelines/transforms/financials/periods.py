"""Type, length, fiscal year and quarter, and label of a period.

Does not belong here: which documents cover it (`versions`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from warehouse.schema.codes import ANNUAL_ACCOUNTS, ANNUAL_ACCOUNTS_DAYS, ANNUAL_DAYS, QUARTER_DAYS, SEVERAL_DURATIONS

_FIRST_DAYS: Final = 7  # a 52/53-week period ending this early belongs to the month before
_SAME_END: Final = 31  # days by which versions of one quarter may be dated apart
_YEAR: Final = 365.25
_WHOLE_YEAR: Final = (350, 380)  # days of a fiscal year of 12 months, or of 52 or 53 weeks
_QUARTER: Final = ("company_id", "is_consolidated", "period_start", "period_end")
_MONTHS: Final = 12
_DAYS: Final = (pl.col("period_end") - pl.col("period_start")).dt.total_days() + 1


def period_type() -> pl.Expr:
    """`annual`, `quarterly`, or null for a period that v1 does not serve.

    Annual accounts are annual whatever their length up to 18 months: a first year, a changed year end. The length
    decides for every other document, and where a register's filings report several durations each. The frame has
    the columns `filing_type`, `register`, `period_start` and `period_end`.
    """
    of_a_year = (pl.col("filing_type") == ANNUAL_ACCOUNTS) & ~pl.col("register").str.contains(SEVERAL_DURATIONS)
    return (
        pl.when(of_a_year & _DAYS.is_between(*ANNUAL_ACCOUNTS_DAYS))
        .then(pl.lit("annual"))
        .when(_DAYS.is_between(*ANNUAL_DAYS))
        .then(pl.lit("annual"))
        .when(_DAYS.is_between(*QUARTER_DAYS))
        .then(pl.lit("quarterly"))
        .otherwise(pl.lit(None, dtype=pl.String))
    )


def period_months() -> pl.Expr:
    """Length of a period in months, rounded; at least 1. Years of 52 or 53 weeks have 12."""
    return (_DAYS * _MONTHS / _YEAR).round().cast(pl.Int64).clip(lower_bound=1)


def _end_month(end: pl.Expr) -> pl.Expr:
    """Month in which a period effectively ends, counted from 0."""
    early = (end.dt.day() <= _FIRST_DAYS).cast(pl.Int64)
    return (end.dt.month().cast(pl.Int64) - 1 - early) % 12


def with_fiscal_labels(frame: pl.DataFrame) -> pl.DataFrame:
    """Adds period_type, period_months, fiscal_year and fiscal_quarter.

    A fiscal year stated by the filer is kept (`fiscal_year`, if the frame has it). A quarter is numbered by the
    share of its own fiscal year that has elapsed at its end: 16, 12, 12 and 12 weeks are 1 to 4, and a changed year
    end changes no earlier number; in a year of another length than 12 months it is counted from the end. Of two
    quarters of one label, as around a changed year end, the one within an annual period keeps it, else the later;
    the other, of a transition period, has none and is not served.
    """
    ends_in = pl.col("period_end").dt.year().cast(pl.Int64)
    stated = pl.col("fiscal_year") if "fiscal_year" in frame.columns else pl.lit(None, pl.Int64)
    frame = frame.with_columns(
        period_type=period_type(), period_months=period_months(), fiscal_year=pl.coalesce(stated, ends_in)
    )
    frame = frame.with_columns(period_type=_first_of_one_year(frame))
    if (frame["period_type"] == "quarterly").sum() == 0:
        return frame.with_columns(fiscal_quarter=pl.lit(None, pl.Int64))
    quarter = [name for name in _QUARTER if name in frame.columns]
    numbers = _quarter_numbers(frame, quarter)
    labelled = frame.join(numbers, on=[*quarter, "fiscal_year"], how="left", nulls_equal=True, maintain_order="left")
    has_label = (pl.col("period_type") != "quarterly") | pl.col("fiscal_quarter").is_not_null()
    return labelled.with_columns(period_type=pl.when(has_label).then("period_type"))


def _first_of_one_year(frame: pl.DataFrame) -> pl.Expr:
    """`period_type`, null for a transition period of about a year beside the fiscal year of its label.

    Only where a register's filings report several durations: annual accounts are annual whatever their length.
    """
    label = [name for name in ("company_id", "is_consolidated", "fiscal_year") if name in frame.columns]
    is_annual = (pl.col("period_type") == "annual").fill_null(value=False)
    is_usual = is_annual & _DAYS.is_between(*_WHOLE_YEAR)
    is_second = is_annual & ~is_usual & pl.col("register").str.contains(SEVERAL_DURATIONS) & is_usual.any().over(label)
    return pl.when(~is_second).then("period_type")


def _quarter_numbers(frame: pl.DataFrame, quarter: list[str]) -> pl.DataFrame:
    """The number of each quarter of a frame. quarter: the columns that make one; documents have no scope."""
    years = frame.filter(pl.col("period_type") == "annual").select(
        "company_id", year_start="period_start", year_end="period_end"
    )
    years = years.unique().sort("year_end")
    quarters = frame.filter(pl.col("period_type") == "quarterly").select(*quarter, "fiscal_year").unique()
    early = pl.duration(days=_FIRST_DAYS)
    around = quarters.with_columns(_ends=pl.col("period_end") - early, _begins=pl.col("period_start") + early)
    around = around.sort("_ends").join_asof(
        years, left_on="_ends", right_on="year_end", by="company_id", strategy="forward", check_sortedness=False
    )
    before = years.select("company_id", last_end="year_end")
    around = around.sort("_begins").join_asof(
        before, left_on="_begins", right_on="last_end", by="company_id", strategy="backward", check_sortedness=False
    )
    numbered = around.with_columns(
        _is_within=(pl.col("year_start") <= pl.col("_begins")).fill_null(value=False), _quarter=pl.lit(None, pl.Int64)
    ).with_columns(_quarter=_quarter_number())
    label = [name for name in ("company_id", "is_consolidated", "fiscal_year", "_quarter") if name in numbered.columns]
    best = numbered.sort("_is_within", "period_end").group_by(label).agg(_kept=pl.col("period_end").last())
    kept = numbered.join(best, on=label, how="left", nulls_equal=True)
    is_same = (pl.col("period_end") - pl.col("_kept")).dt.total_days().abs() <= _SAME_END
    return kept.select(*quarter, "fiscal_year", fiscal_quarter=pl.when(is_same).then("_quarter"))


def _quarter_number() -> pl.Expr:
    """The quarters elapsed at a quarter's end, within its year, else counted from the nearest known year's end.

    A year of another length, first or changed, lacks quarters at its beginning or has too many: counted from its end.
    """
    end = pl.col("period_end")
    length = (pl.col("year_end") - pl.col("year_start")).dt.total_days() + 1
    elapsed = (end - pl.col("year_start")).dt.total_days() + 1
    left = (pl.col("year_end") - end).dt.total_days()
    since = (end - pl.col("last_end")).dt.total_days()
    calendar = _end_month(end) // 3 + 1
    number = (
        pl.when(pl.col("_is_within") & length.is_between(*_WHOLE_YEAR))
        .then((elapsed * 4 / length).round())
        .when("_is_within")
        .then(4 - (left * 4 / _YEAR).round())
        .when(pl.col("last_end").is_not_null())
        .then((since * 4 / _YEAR).round())
        .when(pl.col("year_start").is_not_null())
        .then(((elapsed - 1) * 4 / _YEAR).round())
        .otherwise(calendar)
    )
    return (number.cast(pl.Int64) - 1) % 4 + 1


def period_label(period_type: str | None, fiscal_year: int, fiscal_quarter: int | None) -> str | None:
    """`2025`, `2026-Q3`; null for a period that v1 does not serve."""
    if period_type == "annual":
        return str(fiscal_year)
    if period_type == "quarterly":
        return f"{fiscal_year}-Q{fiscal_quarter}"
    return None
