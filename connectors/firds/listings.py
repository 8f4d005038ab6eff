"""Computes lines from staged FIRDS records: an equity on a venue, and its end (docs/formats/news.md 3.7).

Belongs here: which record of a line is current, and when it ended. Does not belong here: which venues count,
or whether the issuer is listed (`connectors.listings`).
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import polars as pl

from connectors.contract.dataset import PresentRows
from connectors.firds import schema as f
from connectors.kit.staging import present_linked_rows

# a table that missed its turn gives no evidence about lines missing from the other
LATE: Final = timedelta(days=21)
_LINE: Final = ("_company_id", "isin", "mic")


def firds_listings(market: str, present: PresentRows) -> pl.LazyFrame:
    """One row per company, ISIN and venue: columns of a record, `begins_on`, `ended_on`.

    The newest record of a line is current; on the same day the change takes precedence. A line ended on its
    stated day; if its record was terminated without one, on that record's day; if it is missing from the full
    files of both turns, on the day it was missing the second time, even if a change was reported before that.
    """
    full = pl.concat([present_linked_rows(present, table) for table in f.full_tables(market)])
    whole = (
        full.sort("edition", "_observed_at")
        .group_by(*_LINE, maintain_order=True)
        .agg(pl.all().last(), _gone=_absence_day())
        .with_columns(_turn=pl.lit(0))
    )
    left = whole.select(*_LINE, _left="_gone")
    changed = (
        present_linked_rows(present, f.changes_table(market))
        .join(left, on=list(_LINE), how="left")
        .with_columns(_gone=pl.when(pl.col("_left") > pl.col("edition")).then("_left"), _turn=pl.lit(1))
    )
    newest = (
        pl.concat([whole, changed.select(whole.collect_schema().names())])
        .sort("edition", "_turn")
        .unique(_LINE, keep="last", maintain_order=True)
    )
    closed = pl.col("record").is_in([f.TERMINATED, f.CANCELLED])
    stated = pl.when(closed).then(pl.min_horizontal("ends_on", "edition")).otherwise(pl.col("ends_on"))
    withdrawn = pl.when(~pl.col("is_requested")).then(pl.col("edition"))
    return newest.with_columns(
        begins_on=pl.coalesce("first_traded", "approved_on"),
        ended_on=pl.min_horizontal(stated, pl.col("_gone"), withdrawn),
    )


def _absence_day() -> pl.Expr:
    """The day a line was missing for the second time in a row; null while it is in either table."""
    retired = pl.col("_retired_at").dt.date()
    passed_over = pl.col("edition").max() - pl.col("edition") > LATE
    stands = retired.is_null() & ~passed_over & (pl.col("edition") + LATE > retired.max().fill_null(pl.date(1, 1, 1)))
    return pl.when(stands.any()).then(None).otherwise(retired.max())
